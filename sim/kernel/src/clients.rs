//! What nodes are like: how fast they compute and how often they drop out.

use std::fmt::Write;

use fedbits_random::{DrawPurpose, Streams};
use fedbits_spec::laws::DurationLaw;
use fedbits_spec::range::{DURATION, POSITIVE, PROBABILITY, SIGMA};
use fedbits_spec::{Described, Duration};
use serde::{Deserialize, Serialize};

use crate::{NodeId, Time, TimeDelta};

/// How long a unit of work (a conditional expectation) takes: digits times a power of ten, in nanoseconds. A number
/// stands for the shortest decimal that reads as it, which is what was written if that had up to 15 digits: 0.1 is a
/// tenth.
///
/// Digits and exponent share 64 bits, because every node has a speed.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Speed(u64);

/// Bits of the exponent, which is stored above its least value.
const EXPONENT_BITS: u32 = 7;
const MIN_EXPONENT: i32 = -64;
const LARGEST_EXPONENT: i32 = 63;
/// Every number of 17 digits fits, and a float has no more.
const MAX_DIGITS: u128 = (1 << (64 - EXPONENT_BITS)) - 1;

/// Powers of ten that fit a machine word.
const POWERS: [u64; 20] = {
    let mut powers = [1; 20];
    let mut exponent = 1;
    while exponent < 20 {
        powers[exponent] = 10 * powers[exponent - 1];
        exponent += 1;
    }
    powers
};

impl Speed {
    /// One unit of work per `value · nanoseconds`. `None` unless `value` is finite and not negative; zero means
    /// instantly.
    pub fn new(value: f64, nanoseconds: u64) -> Option<Self> {
        let (digits, exponent) = decimal(value)?;
        Some(Self::product(u128::from(digits) * u128::from(nanoseconds), exponent))
    }

    /// From the duration of one unit of work in seconds. `None` unless it is finite and not negative; zero means
    /// instantly.
    pub fn from_seconds_per_unit(seconds: f64) -> Option<Self> {
        Self::new(seconds, 1_000_000_000)
    }

    /// The speed of who needs `factor` times as long. `None` unless `factor` is finite and not negative.
    pub fn times(self, factor: f64) -> Option<Self> {
        let ((own, power), (digits, exponent)) = (self.parts(), decimal(factor)?);
        Some(Self::product(u128::from(own) * u128::from(digits), power + exponent))
    }

    /// A product, exact where it has up to 17 digits, else rounded to as many.
    fn product(mut digits: u128, mut exponent: i32) -> Self {
        while digits > 0 && digits.is_multiple_of(10) {
            (digits, exponent) = (digits / 10, exponent + 1);
        }
        let mut divisor = 1;
        while (digits + divisor / 2) / divisor > MAX_DIGITS {
            (divisor, exponent) = (10 * divisor, exponent + 1);
        }
        digits = (digits + divisor / 2) / divisor;
        // Beyond these powers of ten any work takes the shortest duration there is, or longer than the clock.
        if !(MIN_EXPONENT..=LARGEST_EXPONENT).contains(&exponent) {
            (digits, exponent) = (digits.min(1), exponent.clamp(MIN_EXPONENT, LARGEST_EXPONENT));
        }
        Self((digits as u64) << EXPONENT_BITS | (exponent - MIN_EXPONENT) as u64)
    }

    /// Digits, and the power of ten.
    fn parts(self) -> (u64, i32) {
        (self.0 >> EXPONENT_BITS, (self.0 & ((1 << EXPONENT_BITS) - 1)) as i32 + MIN_EXPONENT)
    }

    /// The duration of `work` units, rounded up once to whole nanoseconds. `None` when it exceeds the clock.
    #[inline]
    pub fn duration(self, work: u64) -> Option<TimeDelta> {
        let (own, exponent) = self.parts();
        // Nearly always: a division of machine words.
        let power = if exponent <= 0 { POWERS.get(exponent.unsigned_abs() as usize) } else { None };
        match power.zip(own.checked_mul(work)) {
            Some((&power, digits)) => Some(TimeDelta::from_nanos(digits.div_ceil(power))),
            None => self.long_duration(work),
        }
    }

    /// The same for any numbers.
    fn long_duration(self, work: u64) -> Option<TimeDelta> {
        let (own, exponent) = self.parts();
        let digits = u128::from(own) * u128::from(work);
        if digits == 0 {
            return Some(TimeDelta::ZERO);
        }
        let nanoseconds = match (10_u128.checked_pow(exponent.unsigned_abs()), exponent >= 0) {
            (Some(power), true) => digits.checked_mul(power)?,
            (None, true) => return None,
            (Some(power), false) => digits.div_ceil(power),
            // Less than 2¹²¹ · 10⁻³⁹.
            (None, false) => 1,
        };
        u64::try_from(nanoseconds).ok().map(TimeDelta::from_nanos)
    }
}

/// `value` as digits and a power of ten: the shortest that reads as it. `None` unless it is finite and not negative.
fn decimal(value: f64) -> Option<(u64, i32)> {
    let mut text = Scientific::default();
    // −0 is 0.
    write!(text, "{:e}", value + 0.0).ok()?;
    let text = &text.bytes[..text.length];
    let (mut digits, mut broken, mut is_broken) = (0_u64, 0, false);
    for (place, byte) in text.iter().enumerate() {
        match byte {
            b'0'..=b'9' => {
                digits = 10 * digits + u64::from(byte - b'0');
                broken += i32::from(is_broken);
            }
            b'.' => is_broken = true,
            b'e' => {
                let exponent: i32 = std::str::from_utf8(&text[place + 1..]).ok()?.parse().ok()?;
                return Some((digits, exponent - broken));
            }
            _ => return None,
        }
    }
    None
}

/// Room for a float in scientific notation, which has at most 17 digits; every client of a large population has one
/// written.
#[derive(Default)]
struct Scientific {
    bytes: [u8; 32],
    length: usize,
}

impl std::fmt::Write for Scientific {
    fn write_str(&mut self, text: &str) -> std::fmt::Result {
        let room = self.bytes.get_mut(self.length..self.length + text.len()).ok_or(std::fmt::Error)?;
        room.copy_from_slice(text.as_bytes());
        self.length += text.len();
        Ok(())
    }
}

/// How long computing takes.
#[derive(Clone, Debug, Described, Deserialize, PartialEq, Serialize)]
#[serde(deny_unknown_fields, default)]
pub struct Compute {
    /// A client's duration per conditional expectation (one example); drawn once per client.
    pub expectation: DurationLaw,
    /// The server's duration per conditional expectation (protocols that run in one place).
    #[range(DURATION)]
    pub server_expectation: Duration,
    /// Standard deviation of the logarithm of a factor with median 1, drawn for every round of every client, by which
    /// the duration of its work varies. VP-EM, k-means and diffusion EM have no such rounds.
    #[range(SIGMA)]
    pub variation: f64,
    /// Clients that are slower than the others. Of a server: agents of a graph are as fast as `expectation` says.
    pub slow: Option<Slow>,
}

impl Default for Compute {
    fn default() -> Self {
        Self { expectation: DurationLaw::Us(10.0), server_expectation: Duration::Us(1.0), variation: 0.0, slow: None }
    }
}

/// Clients that are slower than the others, whatever their own draw.
#[derive(Clone, Copy, Debug, Described, Deserialize, PartialEq, Serialize)]
#[serde(deny_unknown_fields)]
pub struct Slow {
    /// Their share of all clients, rounded to whole clients: the last ones. Sorted by label they hold the last labels.
    #[range(PROBABILITY)]
    pub share: f64,
    /// The factor on the duration of each of their expectations; no unit.
    #[range(POSITIVE)]
    pub factor: f64,
}

impl Slow {
    /// How many of `clients` are slow: the last ones.
    #[must_use]
    pub fn count(&self, clients: usize) -> usize {
        (self.share * clients as f64).round() as usize
    }
}

/// Whether clients drop out.
#[derive(Clone, Copy, Debug, Default, Described, Deserialize, PartialEq, Serialize)]
#[serde(deny_unknown_fields)]
pub enum Dropout {
    /// They do not.
    #[default]
    Never,
    /// At a constant hazard while they are busy; the transfer in flight is cut off and its bits stay charged. How many
    /// drop out of a round depends on how long they compute and send: arms with other compressors have other shares.
    Hazard(Hazard),
    /// With the same probability in each round in which they are selected, when they have computed and before they
    /// send: the broadcast is charged, no contribution is. Who drops out of which round is the same in all arms.
    PerRound(PerRound),
}

/// Dropping out while busy.
#[derive(Clone, Copy, Debug, Described, Deserialize, PartialEq, Serialize)]
#[serde(deny_unknown_fields)]
pub struct Hazard {
    /// Dropouts per second of busy time.
    #[range(POSITIVE)]
    pub per_second: f64,
    /// The duration until the client can be selected again.
    #[serde(default = "at_once")]
    #[range(DURATION)]
    pub restart: Duration,
    /// Whether the client's state (its memory V_i) survives the restart.
    #[serde(default)]
    pub state: State,
}

/// Dropping out with a probability per round.
#[derive(Clone, Copy, Debug, Described, Deserialize, PartialEq, Serialize)]
#[serde(deny_unknown_fields)]
pub struct PerRound {
    /// Probability that a selected client drops out of a round; draws of clients and rounds are independent.
    #[range(PROBABILITY)]
    pub probability: f64,
    /// The duration until the client can be selected again.
    #[serde(default = "at_once")]
    #[range(DURATION)]
    pub restart: Duration,
    /// Whether the client's state (its memory V_i) survives the restart.
    #[serde(default)]
    pub state: State,
}

fn at_once() -> Duration {
    Duration::Sec(0.0)
}

/// The state of a client that restarts after a dropout.
#[derive(Clone, Copy, Debug, Default, Described, Deserialize, Eq, PartialEq, Serialize)]
pub enum State {
    /// All of it.
    #[default]
    Kept,
    /// Nothing of it: see `protocol.memory.recovery`.
    Lost,
}

impl Dropout {
    /// The hazard, if there is one.
    pub fn hazard(self) -> Option<Hazard> {
        if let Dropout::Hazard(hazard) = self { Some(hazard) } else { None }
    }

    /// The duration until a client that has dropped out can be selected again, and what is left of its state; none if
    /// nobody drops out.
    pub fn restart(self) -> Option<(Duration, State)> {
        match self {
            Dropout::Never => None,
            Dropout::Hazard(Hazard { restart, state, .. }) | Dropout::PerRound(PerRound { restart, state, .. }) => {
                Some((restart, state))
            }
        }
    }

    /// Whether clients lose their state.
    pub fn loses_state(self) -> bool {
        self.restart().is_some_and(|(_, state)| state == State::Lost)
    }

    /// Whether `node` drops out of this round, where that is drawn per round.
    pub(crate) fn strikes_in(self, streams: &Streams, node: NodeId, round: u64) -> bool {
        let Dropout::PerRound(PerRound { probability, .. }) = self else { return false };
        streams.at(DrawPurpose::Dropout, u64::from(node.0), round).bernoulli(probability)
    }
}

impl Hazard {
    /// When the busy period number `period` of `node`, beginning at `now`, would end in a dropout.
    pub(crate) fn strikes(self, streams: &Streams, node: NodeId, period: u64, now: Time) -> Option<Time> {
        let seconds = streams.at(DrawPurpose::Dropout, u64::from(node.0), period).exponential() / self.per_second;
        let duration = (seconds * 1e9).ceil();
        // A dropout beyond the clock never happens.
        (duration < u64::MAX as f64).then(|| now.checked_add(TimeDelta::from_nanos(duration as u64)).ok()).flatten()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn work_takes_work_over_speed_rounded_up() {
        let speed = Speed::from_seconds_per_unit(1.5e-9).unwrap();
        assert_eq!(speed.duration(3), Some(TimeDelta::from_nanos(5)));
        assert_eq!(speed.duration(0), Some(TimeDelta::ZERO));
        assert_eq!(Speed::from_seconds_per_unit(1e300).unwrap().duration(1), None);
        assert_eq!(Speed::from_seconds_per_unit(-1.0), None);
    }

    /// The division of machine words agrees with that of wide ones, at the limits of both, too.
    #[test]
    fn short_durations_are_those_of_wide_numbers() {
        for value in [0.0, 1.0, 3.7, 1e-3, 123_456_789.123, 9.75e15, 1e-18, 3e-19, 7e-30, 1e30] {
            for nanoseconds in [1, 1_000, 1_000_000_000] {
                let speed = Speed::new(value, nanoseconds).unwrap();
                for work in [0, 1, 2, 3, 7, 10, 999, 1_000_000, u64::from(u32::MAX), 1 << 60, u64::MAX] {
                    assert_eq!(speed.duration(work), speed.long_duration(work), "{value} · {nanoseconds} ns · {work}");
                }
            }
        }
    }

    /// Slow reference: the text, cut at its signs.
    #[test]
    fn a_decimal_is_what_the_text_says() {
        let reference = |value: f64| {
            let text = format!("{:e}", value + 0.0);
            let (mantissa, exponent) = text.split_once('e')?;
            let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
            let digits = format!("{whole}{fraction}").parse::<u64>().ok()?;
            Some((digits, exponent.parse::<i32>().ok()? - fraction.len() as i32))
        };
        let mut stream = Streams::new(5, 0).at(DrawPurpose::Speed, 0, 0);
        let drawn = (0..20_000).map(|_| f64::from_bits(stream.next_u64()));
        let special = [0.0, -0.0, 1.0, 0.1, 1e22, 123.456, 5e-324, f64::MAX, -1.0, f64::NAN, f64::INFINITY];
        for value in drawn.chain(special) {
            assert_eq!(decimal(value), reference(value).filter(|_| value >= 0.0), "{value:e}");
        }
    }

    #[test]
    fn dropout_times_are_exponential() {
        // Mean 1/λ = 0.5 s; standard error of 40 000 draws 0.0025 s; z-limit 7.
        let streams = Streams::new(3, 0);
        let hazard = Hazard { per_second: 2.0, restart: Duration::ZERO, state: State::Kept };
        let total: f64 = (0..40_000)
            .map(|period| hazard.strikes(&streams, NodeId(1), period, Time::ZERO).unwrap().as_nanos() as f64)
            .sum();
        assert!((total / 40_000.0 / 1e9 - 0.5).abs() < 7.0 * 0.0025);
    }
}
