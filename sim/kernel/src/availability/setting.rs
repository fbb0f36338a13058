//! What every availability offers.

use fedbits_random::Streams;
use fedbits_spec::Part;

use crate::{NodeId, Time, TimeDelta};

/// An availability with its parameters, which a scenario names: `Bernoulli(0.5)`.
pub trait AvailabilitySetting: Part {
    /// Who is available when, for nodes 0..`nodes`.
    fn build(&self, nodes: usize) -> Box<dyn Presence>;

    /// Long-run share of time in which a client is available, in the mean over `clients`, where it has one.
    fn share(&self, _clients: usize) -> Option<f64> {
        None
    }

    /// Representative parameters, over which the laws of availabilities are tested.
    fn examples() -> Vec<Self>
    where
        Self: Sized;
}

/// Who is available when. Times asked for must not decrease.
pub trait Presence {
    /// Can `node` be selected at `now`, in round `round`?
    fn is_available(&mut self, streams: &Streams, node: NodeId, round: u64, now: Time) -> bool;

    /// When `node`, which is not available at `now`, can be selected next: later than `now`, or the run ends with an
    /// error; `None`: never again.
    fn next_after(&mut self, streams: &Streams, node: NodeId, now: Time) -> Option<Time>;

    /// When `node`, which is available at `now`, ceases to be: later than `now`; `None`: it stays. Where rounds decide
    /// and not the clock it is not asked.
    fn until(&mut self, streams: &Streams, node: NodeId, now: Time) -> Option<Time>;

    /// After this everything repeats, if it does: many repetitions are then counted at once.
    fn period(&self) -> Option<TimeDelta> {
        None
    }

    /// Does the clock decide who is there, and not a draw for each round?
    fn goes_by_the_clock(&self) -> bool {
        true
    }

    /// When `node` can be selected next: `now`, if it can; `None`, if never again. Where rounds decide and not the
    /// clock: `now`.
    fn next(&mut self, streams: &Streams, node: NodeId, round: u64, now: Time) -> Option<Time> {
        if !self.goes_by_the_clock() || self.is_available(streams, node, round, now) {
            return Some(now);
        }
        self.next_after(streams, node, now)
    }
}
