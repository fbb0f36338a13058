//! What nodes are like: how fast they compute and how often they drop out.

use fedbits_random::{DrawPurpose, Streams};
use fedbits_spec::laws::DurationLaw;
use fedbits_spec::range::{DURATION, POSITIVE, PROBABILITY, SHORT_DURATION, SIGMA, whole};
use fedbits_spec::{Described, Duration};
use serde::{Deserialize, Serialize};

use crate::{NodeId, Time, TimeDelta};

/// How long a unit of work (a conditional expectation) takes, in nanoseconds: finite or, beyond every clock, infinite.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Speed(f64);

impl Speed {
    /// One unit of work per `value · nanoseconds`. `None` unless `value` is finite and not negative; zero means
    /// instantly.
    pub fn new(value: f64, nanoseconds: u64) -> Option<Self> {
        (value.is_finite() && value >= 0.0).then_some(Self(value * nanoseconds as f64))
    }

    /// From the duration of one unit of work in seconds. `None` unless it is finite and not negative; zero means
    /// instantly.
    pub fn from_seconds_per_unit(seconds: f64) -> Option<Self> {
        Self::new(seconds, 1_000_000_000)
    }

    /// The speed of who needs `factor` times as long. `None` unless `factor` is finite and not negative.
    pub fn times(self, factor: f64) -> Option<Self> {
        (factor.is_finite() && factor >= 0.0).then_some(Self(self.0 * factor))
    }

    /// The duration of `work` units, rounded up to whole nanoseconds. `None` when it exceeds the clock.
    ///
    /// A product that lies above a whole number by less than its own rounding (five roundings at most) is
    /// that number: 5 · 16.1 µs are 80 500 ns.
    #[inline]
    pub fn duration(self, work: u64) -> Option<TimeDelta> {
        if work == 0 {
            return Some(TimeDelta::ZERO);
        }
        let nanoseconds = (self.0 * work as f64 * (1.0 - 4.0 * f64::EPSILON)).ceil();
        (nanoseconds < u64::MAX as f64).then(|| TimeDelta::from_nanos(nanoseconds as u64))
    }
}

/// Times of one node.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Overhead {
    /// To code a bit of a message that it sends.
    pub code: Speed,
    /// To decode a bit of a message that it receives.
    pub decode: Speed,
    /// What each of its computations takes beside its work: a step of EM.
    pub step: TimeDelta,
    /// How many messages it codes or decodes at a time; at least 1.
    pub lanes: u32,
}

/// Times of all nodes.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Overheads {
    /// The server's.
    pub server: Overhead,
    /// Those of every other node.
    pub nodes: Overhead,
    /// Nodes from this one on have the times `slow`, and not those of `nodes`.
    pub first_slow: NodeId,
    /// Times of slow nodes.
    pub slow: Overhead,
}

impl Overheads {
    /// The times of `node` in a world with this server.
    #[must_use]
    pub fn of(&self, node: NodeId, server: Option<NodeId>) -> Overhead {
        match server {
            Some(server) if server == node => self.server,
            _ if node.0 >= self.first_slow.0 => self.slow,
            _ => self.nodes,
        }
    }
}

/// Durations of computations.
#[derive(Clone, Debug, Described, Deserialize, PartialEq, Serialize)]
#[serde(deny_unknown_fields, default)]
pub struct Compute {
    /// Client's time per conditional expectation (one example), drawn per client.
    pub expectation: DurationLaw,
    /// Server's time per conditional expectation, in protocols that compute them there.
    #[range(DURATION)]
    pub server_expectation: Duration,
    /// σ of a log-normal factor (median 1) on work, per round and client; unused by VP-EM, k-means and diffusion EM.
    #[range(SIGMA)]
    pub variation: f64,
    /// Slow clients; without effect on agents of a graph.
    pub slow: Option<Slow>,
    /// Durations of coding and decoding.
    pub coding: CodingTimes,
    /// From a round's end, or an iteration's last message, to the next broadcast or answer; in one place, overhead per
    /// iteration.
    #[range(SHORT_DURATION)]
    pub server_step: Duration,
    /// Overhead of a client's or agent's computation beside expectations, such as T(Ŝ).
    #[range(SHORT_DURATION)]
    pub client_step: Duration,
}

impl Default for Compute {
    fn default() -> Self {
        Self {
            expectation: DurationLaw::Us(10.0),
            server_expectation: Duration::Us(1.0),
            variation: 0.0,
            slow: None,
            coding: CodingTimes::default(),
            server_step: Duration::ZERO,
            client_step: Duration::ZERO,
        }
    }
}

impl Compute {
    /// The times of messages and steps, of this many clients behind a server or of as many agents; none where all are
    /// zero. Durations were checked before.
    #[must_use]
    pub fn overheads(&self, clients: usize) -> Option<Overheads> {
        let CodingTimes { client_send, client_receive, server_send, server_receive, server_lanes } = self.coding;
        let speed = |time: Duration, factor: f64| {
            Speed::new(time.value(), time.unit_nanoseconds()).and_then(|speed| speed.times(factor)).unwrap_or_default()
        };
        let overhead = |[send, receive, step]: [Duration; 3], factor: f64, lanes: u32| Overhead {
            code: speed(send, 0.125 * factor),
            decode: speed(receive, 0.125 * factor),
            step: speed(step, factor).duration(1).unwrap_or(TimeDelta::MAX),
            lanes,
        };
        let (server, client) =
            ([server_send, server_receive, self.server_step], [client_send, client_receive, self.client_step]);
        if server.iter().chain(&client).all(|time| time.seconds() == 0.0) {
            return None;
        }
        let (factor, slow) = self.slow.map_or((1.0, 0), |slow| (slow.factor, slow.count(clients)));
        Some(Overheads {
            server: overhead(server, 1.0, server_lanes),
            nodes: overhead(client, 1.0, 1),
            first_slow: NodeId((clients + 1).saturating_sub(slow) as u32),
            slow: overhead(client, factor, 1),
        })
    }
}

/// Durations per byte of charged payload, for each recipient. Clients handle one message at a time, in parallel with
/// computing; the server does not code during a step.
#[derive(Clone, Copy, Debug, Described, Deserialize, PartialEq, Serialize)]
#[serde(deny_unknown_fields, default)]
pub struct CodingTimes {
    /// Per byte sent by a client or agent.
    #[range(SHORT_DURATION)]
    pub client_send: Duration,
    /// Per byte received by a client or agent.
    #[range(SHORT_DURATION)]
    pub client_receive: Duration,
    /// Per byte sent by the server.
    #[range(SHORT_DURATION)]
    pub server_send: Duration,
    /// Per byte received by the server.
    #[range(SHORT_DURATION)]
    pub server_receive: Duration,
    /// Parallel messages at the server; others wait in order of arrival.
    #[range(whole(1, 1_000_000).note(" (messages)"))]
    pub server_lanes: u32,
}

impl Default for CodingTimes {
    fn default() -> Self {
        let zero = Duration::ZERO;
        Self { client_send: zero, client_receive: zero, server_send: zero, server_receive: zero, server_lanes: 1 }
    }
}

impl CodingTimes {
    /// Whether the server takes time to code or to decode.
    #[must_use]
    pub fn occupies_server(&self) -> bool {
        self.server_send.seconds() + self.server_receive.seconds() > 0.0
    }
}

/// Slow clients, on top of drawn speeds.
#[derive(Clone, Copy, Debug, Described, Deserialize, PartialEq, Serialize)]
#[serde(deny_unknown_fields)]
pub struct Slow {
    /// Share of clients, rounded: the last (with `SortedByLabel`, of the last labels).
    #[range(PROBABILITY)]
    pub share: f64,
    /// Factor on durations of computing and coding.
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

/// Dropouts of clients.
#[derive(Clone, Copy, Debug, Default, Described, Deserialize, PartialEq, Serialize)]
#[serde(deny_unknown_fields)]
pub enum Dropout {
    /// No dropouts.
    #[default]
    Never,
    /// Constant hazard while busy, so that dropouts differ between compressors. Cuts off the transfer in flight; sent
    /// bits stay charged.
    Hazard(Hazard),
    /// Between computing and sending, alike in all arms: the broadcast is charged, no contribution is.
    PerRound(PerRound),
}

/// Dropouts while busy.
#[derive(Clone, Copy, Debug, Described, Deserialize, PartialEq, Serialize)]
#[serde(deny_unknown_fields)]
pub struct Hazard {
    /// Dropouts per second of busy time.
    #[range(POSITIVE)]
    pub per_second: f64,
    /// Time until the client can be selected again.
    #[serde(default = "at_once")]
    #[range(DURATION)]
    pub restart: Duration,
    /// State (memory V_i) after the restart.
    #[serde(default)]
    pub state: State,
}

/// Dropouts per round.
#[derive(Clone, Copy, Debug, Described, Deserialize, PartialEq, Serialize)]
#[serde(deny_unknown_fields)]
pub struct PerRound {
    /// Per selected client and round, independently.
    #[range(PROBABILITY)]
    pub probability: f64,
    /// Time until the client can be selected again.
    #[serde(default = "at_once")]
    #[range(DURATION)]
    pub restart: Duration,
    /// State (memory V_i) after the restart.
    #[serde(default)]
    pub state: State,
}

fn at_once() -> Duration {
    Duration::Sec(0.0)
}

/// State of a client after a dropout.
#[derive(Clone, Copy, Debug, Default, Described, Deserialize, Eq, PartialEq, Serialize)]
pub enum State {
    /// Kept.
    #[default]
    Kept,
    /// Lost: see `protocol.memory.recovery`.
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
        (duration < u64::MAX as f64).then(|| now.checked_add(TimeDelta::from_nanos(duration as u64))).flatten()
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
        // Mean 1/λ = 0.5 s; standard error of 40 000 draws 0.0025 s; z-limit 7.
        let streams = Streams::new(3, 0);
        let hazard = Hazard { per_second: 2.0, restart: Duration::ZERO, state: State::Kept };
        let total: f64 = (0..40_000)
            .map(|period| hazard.strikes(&streams, NodeId(1), period, Time::ZERO).unwrap().as_nanos() as f64)
            .sum();
        assert!((total / 40_000.0 / 1e9 - 0.5).abs() < 7.0 * 0.0025);
    }
}
