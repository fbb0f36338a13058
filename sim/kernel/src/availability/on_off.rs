//! Alternating periods of presence and absence, from an alternating renewal process that is stationary at time zero.

use fedbits_random::{DrawPurpose, Stream, Streams};
use fedbits_spec::range::LONG_DURATION;
use fedbits_spec::{Described, Duration, Facts, Findings, Path};
use serde::{Deserialize, Serialize};

use super::setting::{AvailabilitySetting, Presence};
use crate::{NodeId, Time, TimeDelta};

/// Alternating independent periods, stationary at the start.
#[derive(Clone, Debug, Described, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub struct OnOff {
    /// Durations of presence.
    pub on: Durations,
    /// Durations of absence.
    pub off: Durations,
}

/// Distribution of durations.
#[derive(Clone, Debug, Described, Deserialize, Serialize)]
#[described(rules = durations)]
pub enum Durations {
    /// Exponential with this mean.
    Exponential(#[range(LONG_DURATION)] Duration),
    /// One of these, equally likely; at least one.
    Empirical(#[range(LONG_DURATION)] Vec<Duration>),
}

fn durations(law: &Durations, at: &Path<'_>, _: &Facts, findings: &mut Findings) {
    if matches!(law, Durations::Empirical(durations) if durations.is_empty()) {
        findings.error(at.index(0), "there are no durations", "expected at least one");
    }
}

fn nanoseconds(duration: &Duration) -> f64 {
    TimeDelta::of(*duration).as_nanos() as f64
}

impl Durations {
    /// In nanoseconds.
    fn mean(&self) -> f64 {
        match self {
            Self::Exponential(mean) => nanoseconds(mean),
            Self::Empirical(all) => all.iter().map(nanoseconds).sum::<f64>() / all.len() as f64,
        }
    }

    /// A whole duration, at least 1 ns.
    fn draw(&self, stream: &mut Stream) -> u64 {
        match self {
            Self::Exponential(mean) => ((nanoseconds(mean) * stream.exponential()) as u64).max(1),
            Self::Empirical(all) => TimeDelta::of(all[stream.below(all.len() as u64) as usize]).as_nanos().max(1),
        }
    }

    /// What is left of the current duration at a time that knows nothing of it: a long one is met more often (with
    /// probability proportional to its length), at a uniform position. An exponential one has no memory.
    fn draw_rest(&self, stream: &mut Stream) -> u64 {
        let Self::Empirical(all) = self else { return self.draw(stream) };
        let lengths: Vec<f64> = all.iter().map(nanoseconds).collect();
        let met = lengths[stream.categorical(&lengths)];
        ((met * stream.uniform()) as u64).max(1)
    }
}

impl AvailabilitySetting for OnOff {
    fn build(&self, nodes: usize) -> Box<dyn Presence> {
        Box::new(Alternation { laws: self.clone(), periods: vec![None; nodes] })
    }

    fn share(&self, _: usize) -> Option<f64> {
        Some(self.on.mean() / (self.on.mean() + self.off.mean()))
    }

    fn examples() -> Vec<Self> {
        let seconds = |seconds| Duration::Sec(f64::from(seconds));
        let exponential = |mean| Durations::Exponential(seconds(mean));
        let empirical = |all: &[u32]| Durations::Empirical(all.iter().copied().map(seconds).collect());
        vec![
            OnOff { on: exponential(30), off: exponential(70) },
            OnOff { on: empirical(&[10, 50]), off: empirical(&[1, 69, 140]) },
        ]
    }
}

/// Where each node is in its alternation.
struct Alternation {
    laws: OnOff,
    periods: Vec<Option<Period>>,
}

/// A period of one node: even numbers are on, odd ones off.
#[derive(Clone, Copy, Debug)]
struct Period {
    number: u64,
    until: Time,
}

impl Presence for Alternation {
    fn is_available(&mut self, streams: &Streams, node: NodeId, _: u64, now: Time) -> bool {
        let place = &mut self.periods[node.0 as usize];
        let period = at(streams, node, *place, [&self.laws.on, &self.laws.off], now);
        *place = Some(period);
        period.number.is_multiple_of(2)
    }

    fn next_after(&mut self, _: &Streams, node: NodeId, _: Time) -> Option<Time> {
        self.periods[node.0 as usize].map(|period| period.until)
    }

    fn until(&mut self, streams: &Streams, node: NodeId, now: Time) -> Option<Time> {
        self.next_after(streams, node, now)
    }
}

/// The period of `node` at `now`, from an earlier one or from the beginning.
fn at(streams: &Streams, node: NodeId, from: Option<Period>, laws: [&Durations; 2], now: Time) -> Period {
    let stream = |number| streams.at(DrawPurpose::Availability, u64::from(node.0), number);
    let mut period = from.unwrap_or_else(|| {
        let [on, off] = laws.map(Durations::mean);
        let mut first = stream(0);
        let number = u64::from(!first.bernoulli(on / (on + off)));
        Period { number, until: Time::from_nanos(laws[number as usize].draw_rest(&mut first)) }
    });
    while period.until <= now {
        period.number += 1;
        let duration = laws[(period.number % 2) as usize].draw(&mut stream(period.number));
        // Beyond the clock it stays as it is.
        period.until = period.until.checked_add(TimeDelta::from_nanos(duration)).unwrap_or(Time::MAX);
    }
    period
}
