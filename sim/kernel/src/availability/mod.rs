//! When clients can be selected: computed on demand from addressed streams, so that nothing ticks for an idle client.
//!
//! Being available decides about being selected, and about nothing else: who works on something finishes it, unless it
//! drops out ([`crate::Hazard`]). The answer depends on the client and the time (or round) only, never on who asks how
//! often, so that different protocols meet the same clients.

mod diurnal;
pub mod laws;
mod on_off;
mod rounds;
mod trace;

use fedbits_random::Streams;
use fedbits_spec::{Choice, Part, kind};

use crate::{NodeId, Time, TimeDelta};

pub use diurnal::Diurnal;
pub use on_off::{Durations, OnOff};
pub use rounds::{Always, Bernoulli};
pub use trace::{Interval, Trace};

/// Whether a client can be selected, as a scenario names it.
pub type Availability = Choice<dyn AvailabilitySetting>;

kind! {
    /// Whether a client can be selected. It decides about that moment only: a selected client receives, works and sends
    /// even if its window ends meanwhile, and is interrupted only by a dropout (`dropout`).
    dyn AvailabilitySetting as "Availability", default Some(std::sync::Arc::new(Always {}));
    Always, Bernoulli, OnOff, Diurnal, Trace,
}

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

#[cfg(test)]
mod tests;
