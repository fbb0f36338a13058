//! What nodes are like: how fast they compute and how often they drop out.

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
    pub fn duration(self, work: u64) -> Option<TimeDelta> {
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
    // −0 is 0.
    let text = format!("{:e}", value + 0.0);
    let (mantissa, exponent) = text.split_once('e')?;
    let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
    let digits = format!("{whole}{fraction}").parse().ok()?;
    Some((digits, exponent.parse::<i32>().ok()? - fraction.len() as i32))
}

/// How long computing takes.
#[derive(Clone, Debug, Described, Deserialize, PartialEq, Serialize)]
#[serde(deny_unknown_fields, default)]
pub struct Compute {
    /// A client's duration per conditional expectation (one example); drawn once per client.
    pub expectation: DurationLaw,
    /// The server's duration per conditional expectation (centralized EM).
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
    /// The last of the clients, as a share of all, rounded to whole clients. Sorted by label they hold the last labels.
    #[range(PROBABILITY)]
    pub share: f64,
    /// This many times as long takes each of their expectations; no unit.
    #[range(POSITIVE)]
    pub factor: f64,
}

/// Whether clients drop out while they are busy.
#[derive(Clone, Copy, Debug, Default, Described, Deserialize, PartialEq, Serialize)]
#[serde(deny_unknown_fields)]
pub enum Dropout {
    /// They do not.
    #[default]
    Never,
    /// At a constant hazard; the transfer in flight is cut off and its bits stay charged.
    Hazard(Hazard),
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
    /// What is left of the client's state (its memory V_i) when it restarts.
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

    /// Whether clients lose their state.
    pub fn loses_state(self) -> bool {
        self.hazard().is_some_and(|hazard| hazard.state == State::Lost)
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

    #[test]
    fn dropout_times_are_exponential() {
        // Mean 1/λ = 0.5 s; standard error of 40 000 draws 0.0025 s; z-limit 5.
        let streams = Streams::new(3, 0);
        let hazard = Hazard { per_second: 2.0, restart: Duration::ZERO, state: State::Kept };
        let total: f64 = (0..40_000)
            .map(|period| hazard.strikes(&streams, NodeId(1), period, Time::ZERO).unwrap().as_nanos() as f64)
            .sum();
        assert!((total / 40_000.0 / 1e9 - 0.5).abs() < 5.0 * 0.0025);
    }
}
