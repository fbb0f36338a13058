//! A chain, what moving it cost, why it cannot go on, and what every transition kernel shares: the density where it
//! stands, acceptance and step adaptation.

use super::model::Posterior;
use fedbits_random::{CounterKey, Stream};
use std::sync::LazyLock;
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

/// What surrounds a chain in a round.
pub struct Place<'a> {
    /// p, the length of z.
    pub latent_dimension: usize,
    /// All draws of the chain in this round.
    pub stream: Stream,
    /// Key of the gradient map's randomness; transition t uses output t as its own key.
    pub dither: CounterKey,
    /// What the chain uses of a gradient; none: all of it.
    pub map: Option<GradientMap<'a>>,
}

/// t^-0.6, kept for the first t: a power takes as long as a short curve.
fn rate(t: u32) -> f64 {
    static FIRST: LazyLock<[f64; 1024]> = LazyLock::new(|| std::array::from_fn(|t| power(t as u32)));
    FIRST.get(t as usize).copied().unwrap_or_else(|| power(t))
}

fn power(t: u32) -> f64 {
    libm::pow(f64::from(t), -0.6)
}

/// A chain in motion.
pub(super) struct State<'a> {
    pub posterior: &'a dyn Posterior,
    pub subject: usize,
    pub chain: &'a mut Chain,
    pub draws: Place<'a>,
    /// The acceptance rate that steps are adapted to.
    target: Option<f64>,
    pub tally: Tally,
    /// log p(y, z) at the chain's z, once a kernel has needed it.
    pub density: Option<f64>,
    /// The (mapped) gradient at the chain's z, while it is known.
    pub gradient: Option<Vec<f64>>,
    /// Proposal and gradient there.
    pub proposal: Vec<f64>,
    pub raw: Vec<f64>,
    transition: u64,
}

impl<'a> State<'a> {
    pub fn new(
        posterior: &'a dyn Posterior,
        subject: usize,
        chain: &'a mut Chain,
        draws: Place<'a>,
        target: Option<f64>,
    ) -> Self {
        let p = chain.z.len();
        Self {
            posterior,
            subject,
            chain,
            draws,
            target,
            tally: Tally::default(),
            density: None,
            gradient: None,
            proposal: vec![0.0; p],
            raw: vec![0.0; p],
            transition: 0,
        }
    }

    /// log p(y, z) where the chain stands.
    pub fn density_here(&mut self) -> f64 {
        match self.density {
            Some(density) => density,
            None => {
                self.tally.densities += 1;
                *self.density.insert(self.posterior.log_density(self.subject, &self.chain.z))
            }
        }
    }

    /// Accepts the proposal with probability min(1, exp(`log_ratio`)) and returns that probability. NaN is a rejection.
    pub fn decide(&mut self, log_ratio: f64, density: f64) -> f64 {
        let probability = if log_ratio >= 0.0 { 1.0 } else { libm::exp(log_ratio) };
        let probability = if probability.is_nan() { 0.0 } else { probability };
        self.tally.proposed += 1;
        if self.draws.stream.uniform() < probability {
            self.tally.accepted += 1;
            self.chain.z.copy_from_slice(&self.proposal);
            self.density = Some(density);
        }
        probability
    }

    /// Robbins–Monro on the logarithm of step factor `which` towards the target acceptance; rate (t + 1)^-0.6.
    pub fn adapt(&mut self, which: usize, probability: f64) {
        let Some(target) = self.target else { return };
        let t = &mut self.chain.adapted[which];
        *t += 1;
        let rate = rate(*t);
        let log_factor = &mut self.chain.log_factors[which];
        *log_factor = (*log_factor + rate * (probability - target)).clamp(-30.0, 30.0);
        self.chain.factors[which] = libm::exp(*log_factor);
    }

    /// The factor on step `which`.
    pub fn factor(&self, which: usize) -> f64 {
        self.chain.factors[which]
    }

    /// log p(y, z) and what the chain uses of its gradient, at `z` given by `at_proposal`.
    pub fn mapped_gradient(&mut self, at_proposal: bool) -> Result<(f64, Vec<f64>), SamplerError> {
        let z = if at_proposal { &self.proposal } else { &self.chain.z };
        let density = self.posterior.gradient(self.subject, z, &mut self.raw);
        self.tally.gradients += 1;
        let Some(map) = self.draws.map.filter(|_| self.raw.iter().all(|g| g.is_finite())) else {
            return Ok((density, self.raw.clone()));
        };
        let mut mapped = vec![0.0; self.raw.len()];
        let key = CounterKey::new(self.draws.dither.bits(self.transition));
        self.transition += 1;
        map(&self.raw, key, &mut mapped).map_err(|why| SamplerError::Other { subject: self.subject, why })?;
        Ok((density, mapped))
    }
}
