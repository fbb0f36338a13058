//! The choices that FL-SAEM leaves open, as plain values.

use std::fmt;
use std::ops::RangeInclusive;

use fedbits_codec::{Compressor, WireFloat};
use fedbits_models::latent::{LatentSampler, Sampler};

use crate::error::ProtocolError;
use crate::fedem::{Commit, Domain};

/// The gains g_r of the stochastic approximation, or the steps η_r of the gradient, r = 1, 2, …
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Gain {
    /// The same in every round; 1 is MCEM, and the text of the draft.
    Constant(f64),
    /// `first` for r ≤ K1, then `first`/(r − K1)^a (SAEM; Delyon, Lavielle and Moulines 1999).
    Saem {
        /// The gain of the first phase.
        first: f64,
        /// K1.
        k1: u64,
        /// a in (0.5, 1].
        exponent: f64,
    },
}

impl Gain {
    /// g_r.
    pub fn at(self, round: u64) -> f64 {
        match self {
            Self::Constant(value) => value,
            Self::Saem { first, k1, .. } if round <= k1 => first,
            Self::Saem { first, k1, exponent } => first * libm::pow((round - k1) as f64, -exponent),
        }
    }
}

/// What a client's vector x_i is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Quantity {
    /// S̃_i.
    Statistics,
    /// T(S̃_i): local models (Algorithm 1).
    Parameters,
    /// The gradient of the mean complete-data log-likelihood in θ at its samples (Fisher's identity).
    Gradient,
}

/// The rate of the memories.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Alpha {
    /// 1/(1 + ω) of an unbiased compressor, 1 of a contractive one.
    Theory,
    /// A value.
    Constant(f64),
}

/// What the sum of differences is divided by in the estimate.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Divisor {
    /// The expected number of participants n p: unbiased estimates of what V lacks (unbiased compressors).
    Expected(f64),
    /// The number that arrived.
    Arrived,
    /// n: the estimate is the mean of the clients' memories after the round (EF21).
    Clients,
}

/// How a client's vector travels.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Uplink {
    /// Compressed as it is.
    Raw,
    /// As a compressed difference to a memory that both ends keep.
    Memory {
        /// α.
        alpha: Alpha,
        /// d.
        divisor: Divisor,
        /// When a client commits.
        commit: Commit,
    },
}

impl Uplink {
    pub(super) fn has_memory(self) -> bool {
        matches!(self, Self::Memory { .. })
    }

    pub(super) fn commit(self) -> Option<Commit> {
        match self {
            Self::Raw => None,
            Self::Memory { commit, .. } => Some(commit),
        }
    }

    pub(super) fn alpha(self, compressor: &dyn Compressor, dimension: usize) -> Result<f64, ProtocolError> {
        match self {
            Self::Raw => Ok(0.0),
            Self::Memory { alpha: Alpha::Constant(value), .. } => Ok(value),
            Self::Memory { alpha: Alpha::Theory, .. } if !compressor.is_unbiased() => Ok(1.0),
            Self::Memory { alpha: Alpha::Theory, .. } => {
                let omega = compressor.omega(dimension);
                let omega = omega.ok_or_else(|| ProtocolError::NoOmega(compressor.name()))?;
                Ok(1.0 / (1.0 + omega))
            }
        }
    }

    pub(super) fn divisor(self, clients: f64, arrived: usize) -> f64 {
        match self {
            Self::Raw => 1.0,
            Self::Memory { divisor: Divisor::Expected(expected), .. } => expected,
            Self::Memory { divisor: Divisor::Arrived, .. } => arrived.max(1) as f64,
            Self::Memory { divisor: Divisor::Clients, .. } => clients,
        }
    }
}

/// What a client does with its subjects in a round.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum LocalStep {
    /// Samples.
    Sample {
        /// Kernel, chains and lengths.
        sampler: Sampler,
        /// Kept transitions that every round has more than the last (MCEM's growing M_r).
        growth: u32,
        /// Steps are adapted up to this round.
        adapt_rounds: u64,
    },
    /// Computes the conditional expectation, where the model has it (exact EM).
    Expect,
}

impl LocalStep {
    /// The sampler of `round`, with what it has grown by; none for expectations.
    pub fn sampler(&self, round: u64) -> Option<Sampler> {
        match *self {
            Self::Expect => None,
            Self::Sample { sampler, growth, .. } => {
                let more = u32::try_from(round.saturating_sub(1)).unwrap_or(u32::MAX).saturating_mul(growth);
                let grown = |count: u32| count.saturating_add(more);
                Some(Sampler { iterations: grown(sampler.iterations), keep: grown(sampler.keep), ..sampler })
            }
        }
    }
}

/// All settings of FL-SAEM.
pub struct SaemSettings {
    /// What a client does.
    pub local: LocalStep,
    /// The compressor of gradients inside the chains (quantized Langevin); costs accuracy, saves no bit.
    pub gradient_map: Option<Box<dyn Compressor>>,
    /// x_i.
    pub quantity: Quantity,
    /// EM steps that a client makes on its own model between two averages; above 1 only where x = T(S̃).
    pub local_steps: u32,
    /// g_r or η_r.
    pub gain: Gain,
    /// How x_i travels.
    pub uplink: Uplink,
    /// C.
    pub compressor: Box<dyn Compressor>,
    /// Does C act in the coordinates A_θ?
    pub scaled: bool,
    /// Floats of broadcasts.
    pub floats: WireFloat,
    /// Policy at the border of T's domain.
    pub domain: Domain,
    /// Importance draws per subject by which probes estimate log p(y; θ) where the model has no closed form; 0: none.
    pub likelihood_draws: u32,
}

impl fmt::Debug for SaemSettings {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:?} {:?} {:?} {}", self.quantity, self.gain, self.uplink, self.compressor.name())
    }
}

impl SaemSettings {
    /// The turns of a round, which number all rounds' local steps from 1: chains may grow with them.
    pub(super) fn turns(&self, round: u64) -> RangeInclusive<u64> {
        let steps = u64::from(self.local_steps);
        (round - 1) * steps + 1..=round * steps
    }

    /// Does the local step fit the model?
    ///
    /// # Errors
    /// What does not fit.
    pub fn check(&self, model: &dyn LatentSampler) -> Result<(), ProtocolError> {
        let lacks = |what: &str| Err(ProtocolError::Unfit(format!("the model has no {what}")));
        match self.local {
            LocalStep::Expect if !model.abilities().expectation => return lacks("closed-form expectation"),
            LocalStep::Sample { sampler, .. } => {
                if let Some(what) = sampler.missing(model.abilities()) {
                    return Err(ProtocolError::Unfit(format!("the model lacks {what}, which the kernel needs")));
                }
            }
            LocalStep::Expect => {}
        }
        Ok(())
    }
}
