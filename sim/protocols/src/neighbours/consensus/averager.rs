//! What a way of averaging is, what it averages, and what its rounds leave.

use fedbits_models::gmm::vertical::Mix;
use fedbits_spec::Caveat;

use crate::error::Result;
use crate::neighbours::gossip::{Lengths, States};
use crate::neighbours::graph::Graph;
use crate::neighbours::hubs::Hubs;
use crate::neighbours::weights::Averaging;

/// A consensus on a graph.
pub trait Averager {
    /// S, the number of rounds of an iteration; of several the largest.
    fn rounds(&self) -> u32;
    /// Bits that every message of a round has, for terms of so many numbers.
    fn message_bits(&self, numbers: u64) -> u64 {
        64 * numbers
    }
    /// Averages the terms of the next iteration, and hands them to [`Terms::mix`] as roots see them. Called when the
    /// iteration is planned; where messages carry [`States`], when all agents have finished it. Returns the number of
    /// rounds, and the lengths of messages that are coded.
    ///
    /// # Errors
    /// When terms cannot be coded, or an M-step fails.
    fn average(&mut self, terms: &mut dyn Terms) -> Result<(u32, Lengths)>;
    /// The states that messages carry, where it is not known before which messages arrive.
    fn states(&mut self) -> Option<&mut dyn States> {
        None
    }
    /// What a reader must know of what the rounds leave.
    fn caveats(&self) -> Vec<Caveat>;
}

/// The terms of an iteration that is about to be computed.
pub trait Terms {
    /// Its number, 1, 2, …
    fn iteration(&self) -> u64;
    /// The Gram matrix ⟨Q^a, Q^b⟩ over the number of their entries, B × B.
    ///
    /// # Errors
    /// When a block has no density.
    fn gram(&self) -> Result<Vec<f64>>;
    /// Makes the iteration with what roots see through `mix` after so many rounds.
    ///
    /// # Errors
    /// When an M-step fails.
    fn mix(&mut self, rounds: u32, mix: &mut Mix<'_>) -> Result<()>;
}

/// Who averages.
#[derive(Clone, Copy)]
pub struct Agents<'a> {
    /// Who can talk to whom.
    pub graph: &'a Graph,
    /// Who has which term.
    pub hubs: &'a Hubs,
    /// W.
    pub averaging: &'a Averaging,
}

/// Rounds of an iteration, up to this number.
pub(crate) const MAX_ROUNDS: u64 = 100_000;

/// A share of the differences between agents that may be left without a caveat.
pub const LITTLE: f64 = 0.01;

/// The shares of what roots miss of the sums that rounds left, over iterations, where they are known afterwards.
#[derive(Clone, Copy, Debug, Default)]
pub(in crate::neighbours) struct Left {
    /// Iterations in all, those that left more than [`LITTLE`], and those after which roots missed more than before.
    iterations: [u64; 3],
    /// The largest share.
    most: f64,
}

impl Left {
    /// The share that an iteration left: by Σ of squares of what roots miss before its rounds, of what they miss after
    /// them, and of the sums.
    pub fn note(&mut self, [before, after, size]: [f64; 3]) -> f64 {
        // One hub misses nothing before.
        let whole = if before > 0.0 { before } else { size };
        let left = if whole > 0.0 { (after / whole).sqrt() } else { 0.0 };
        let kinds = [true, left > LITTLE, left > 1.0];
        self.iterations.iter_mut().zip(kinds).for_each(|(count, is)| *count += u64::from(is));
        self.most = self.most.max(left);
        left
    }

    /// In how many of a hundred iterations roots missed more after the rounds than before, if they did, and how many
    /// times as much at most.
    pub fn grown(&self) -> Option<(f64, f64)> {
        let grown = self.percent(2);
        (grown > 0.0).then_some((grown, self.most))
    }

    pub fn caveat(&self) -> Option<Caveat> {
        let (inexact, most) = (self.percent(1), 100.0 * self.most);
        (inexact > 0.0).then(|| Caveat::RoundsInexact { share: format!("{inexact:.1}"), most: format!("{most:.1}") })
    }

    fn percent(&self, kind: usize) -> f64 {
        100.0 * self.iterations[kind] as f64 / self.iterations[0].max(1) as f64
    }
}
