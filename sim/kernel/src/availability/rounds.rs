//! Availabilities that rounds decide, and not the clock.

use fedbits_random::{DrawPurpose, Streams};
use fedbits_spec::range::{PROBABILITY, Range};
use fedbits_spec::{Described, Facts, Findings, Path};
use serde::{Deserialize, Serialize};

use super::setting::{AvailabilitySetting, Presence};
use crate::{NodeId, Time};

/// In every round.
#[derive(Clone, Copy, Debug, Described, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub struct Always {}

impl AvailabilitySetting for Always {
    fn build(&self, _: usize) -> Box<dyn Presence> {
        Box::new(InRounds(|_: &Streams, _, _| true))
    }

    fn share(&self, _: usize) -> Option<f64> {
        Some(1.0)
    }

    fn examples() -> Vec<Self> {
        vec![Always {}]
    }
}

/// Independently per round, with this probability.
#[derive(Clone, Copy, Debug, Described, Deserialize, Serialize)]
#[serde(transparent)]
pub struct Bernoulli(#[range(Chance)] pub f64);

/// (0, 1]: with 0 a round would never begin.
struct Chance;

impl Range<f64> for Chance {
    fn check(&self, value: &f64, at: &Path<'_>, facts: &Facts, findings: &mut Findings) {
        if *value == 0.0 {
            let expected =
                "expected a probability above 0: with 0 nobody could ever be selected (`Always` is for everybody)";
            return findings.error(at, "no client is ever available", expected);
        }
        PROBABILITY.check(value, at, facts, findings);
    }

    fn text(&self) -> String {
        Range::<f64>::text(&PROBABILITY)
    }
}

impl AvailabilitySetting for Bernoulli {
    fn build(&self, _: usize) -> Box<dyn Presence> {
        let Self(p) = *self;
        Box::new(InRounds(move |streams: &Streams, node: NodeId, round| {
            streams.at(DrawPurpose::Availability, u64::from(node.0), round).bernoulli(p)
        }))
    }

    fn share(&self, _: usize) -> Option<f64> {
        Some(self.0)
    }

    fn examples() -> Vec<Self> {
        vec![Bernoulli(0.3)]
    }
}

/// Who is there in which round, whatever the clock says.
struct InRounds<F>(F);

impl<F: Fn(&Streams, NodeId, u64) -> bool> Presence for InRounds<F> {
    fn is_available(&mut self, streams: &Streams, node: NodeId, round: u64, _: Time) -> bool {
        (self.0)(streams, node, round)
    }

    fn next_after(&mut self, _: &Streams, _: NodeId, now: Time) -> Option<Time> {
        Some(now)
    }

    fn until(&mut self, _: &Streams, _: NodeId, _: Time) -> Option<Time> {
        None
    }

    fn goes_by_the_clock(&self) -> bool {
        false
    }
}
