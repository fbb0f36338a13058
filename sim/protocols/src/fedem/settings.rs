//! The choices that FedEM leaves open, as plain values.

use fedbits_codec::{Compressor, WireFloat};
use fedbits_models::DomainPolicy;

use super::memory::Commit;

/// A sequence of step sizes.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Schedule {
    /// γ_k = value.
    Constant(f64),
    /// γ_k = initial / (1 + (k − 1)/offset)^exponent, k = 1, 2, …
    Power {
        /// γ_1.
        initial: f64,
        /// Exponent, in (0.5, 1] for the classical conditions of stochastic approximation.
        exponent: f64,
        /// Rounds until the decay sets in.
        offset: f64,
    },
}

impl Schedule {
    /// γ_k, k counted from 1.
    pub fn at(self, k: u64) -> f64 {
        match self {
            Self::Constant(value) => value,
            Self::Power { initial, exponent, offset } => {
                initial / libm::pow(1.0 + k.saturating_sub(1) as f64 / offset, exponent)
            }
        }
    }
}

/// The memory rate α.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Alpha {
    /// 1/(1 + ω), the choice of Theorem 1 and of its partial-participation version (algorithms: 1.2).
    Theory,
    /// A value.
    Constant(f64),
}

/// V_{0,i}.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MemoryStart {
    /// h_i(Ŝ₀): one full local pass and one uncompressed upload per client, both charged.
    MeanField,
    /// 0: free.
    Zero,
}

/// The clients' memories.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Memory {
    /// None: the naive variant, α = 0 and V_i = 0.
    None,
    /// V_i with rate α.
    Kept {
        /// α.
        alpha: Alpha,
        /// V_{0,i}.
        start: MemoryStart,
        /// When a client commits.
        commit: Commit,
    },
}

impl Memory {
    pub(crate) fn alpha(self, compressor: &dyn Compressor, q: usize) -> Result<f64, String> {
        match self {
            Self::None => Ok(0.0),
            Self::Kept { alpha: Alpha::Constant(value), .. } => Ok(value),
            Self::Kept { alpha: Alpha::Theory, .. } => {
                let omega = compressor.omega(q);
                let omega = omega.ok_or_else(|| format!("{} has no ω: give α a value", compressor.name()))?;
                Ok(1.0 / (1.0 + omega))
            }
        }
    }

    pub(crate) fn commit(self) -> Option<Commit> {
        match self {
            Self::None => None,
            Self::Kept { commit, .. } => Some(commit),
        }
    }

    pub(crate) fn start(self) -> MemoryStart {
        match self {
            Self::None => MemoryStart::Zero,
            Self::Kept { start, .. } => start,
        }
    }
}

/// The examples that a client visits in a round.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BatchRule {
    /// All of its examples.
    Full,
    /// So many, drawn with replacement.
    WithReplacement(u32),
    /// So many different ones; all, when it has fewer.
    WithoutReplacement(u32),
}

/// What the sum of the contributions is divided by.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum DivideBy {
    /// The expected number of participants n p, as in the paper.
    Expected(f64),
    /// The number that arrived.
    Arrived,
}

impl DivideBy {
    pub(crate) fn divisor(self, arrived: usize) -> f64 {
        match self {
            Self::Expected(participants) => participants,
            Self::Arrived => arrived.max(1) as f64,
        }
    }
}

/// What happens when Ŝ leaves the domain of T.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Domain {
    /// The run ends.
    Error,
    /// T's argument is clipped at the floor, and that is counted.
    Clip {
        /// Smallest weight and covariance eigenvalue.
        floor: f64,
    },
    /// The round's contributions are not used (and not acknowledged), and that is counted.
    SkipRound,
}

impl Domain {
    pub(crate) fn policy(self) -> DomainPolicy {
        match self {
            Self::Clip { floor } => DomainPolicy::Clip { floor },
            Self::Error | Self::SkipRound => DomainPolicy::Error,
        }
    }
}

/// All settings of FedEM.
#[derive(Debug)]
pub struct FedEmSettings {
    /// γ.
    pub gamma: Schedule,
    /// α and V_i.
    pub memory: Memory,
    /// Minibatches.
    pub batch: BatchRule,
    /// n p or the number that arrived.
    pub divide_by: DivideBy,
    /// Quant.
    pub compressor: Box<dyn Compressor>,
    /// Floats of broadcasts and initial memories.
    pub floats: WireFloat,
    /// Does the broadcast carry θ = T(Ŝ) beside Ŝ, as in the paper? Otherwise clients compute it.
    pub sends_parameters: bool,
    /// Policy at the border of T's domain.
    pub domain: Domain,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_power_schedule_starts_at_its_initial_value() {
        let schedule = Schedule::Power { initial: 0.5, exponent: 1.0, offset: 10.0 };
        assert_eq!(schedule.at(1), 0.5);
        assert_eq!(schedule.at(11), 0.25, "halved after `offset` rounds when the exponent is 1");
    }
}
