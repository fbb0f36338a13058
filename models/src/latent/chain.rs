//! A chain, what moving it cost, and why it cannot go on.

use fedbits_random::CounterKey;
use thiserror::Error;

/// Replaces a gradient by what the chain uses of it (quantized Langevin: Algorithm 3 of the draft). The key addresses
/// its randomness. An error ends the chain.
pub type GradientMap<'a> = &'a (dyn Fn(&[f64], CounterKey, &mut [f64]) -> Result<(), String> + Sync);

/// One chain of one subject, kept between rounds.
#[derive(Clone, Debug, Default)]
pub struct Chain {
    /// z; empty before the first round.
    pub(super) z: Vec<f64>,
    /// Logarithms of the factors on the steps: one per component for single moves, then one for joint moves.
    pub(super) log_factors: Vec<f64>,
    /// Their exponentials.
    pub(super) factors: Vec<f64>,
    /// Adaptations made per factor.
    pub(super) adapted: Vec<u32>,
}

impl Chain {
    /// A chain that stands at `z`.
    pub fn at(z: &[f64]) -> Self {
        Self { z: z.to_vec(), ..Self::default() }
    }

    /// z; empty before the first round.
    pub fn z(&self) -> &[f64] {
        &self.z
    }
}

/// What sampling cost and how well it went; sums over chains and subjects add up.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Tally {
    /// Evaluations of a density with its gradient.
    pub gradients: u64,
    /// Evaluations of a density alone.
    pub densities: u64,
    /// Proposals made.
    pub proposed: u64,
    /// Proposals accepted.
    pub accepted: u64,
    /// Effective sample size of the chains' counted states, summed over components and chains.
    pub effective: f64,
    /// Counted states times components, over which `effective` was summed.
    pub states: u64,
}

impl Tally {
    /// Adds what somebody else did.
    pub fn add(&mut self, other: &Self) {
        self.gradients += other.gradients;
        self.densities += other.densities;
        self.proposed += other.proposed;
        self.accepted += other.accepted;
        self.effective += other.effective;
        self.states += other.states;
    }

    /// Evaluations of both kinds: the unit of compute time (a density costs about what its gradient costs).
    pub fn evaluations(&self) -> u64 {
        self.gradients + self.densities
    }
}

/// Why a chain cannot go on.
#[derive(Clone, Debug, Error, PartialEq)]
pub enum SamplerError {
    /// The chain left the numbers: the step is too large for the curvature.
    #[error(
        "the chain of subject {subject} diverged (its gradient is not finite): use a smaller step, or an adjusted \
         kernel"
    )]
    Diverged {
        /// Zero-based subject.
        subject: usize,
    },
    /// The gradient map failed, or the draws from which a proposal is made are too large or not finite.
    #[error("subject {subject}: {why}")]
    Other {
        /// Zero-based subject.
        subject: usize,
        /// What is wrong.
        why: String,
    },
}
