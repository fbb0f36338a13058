//! The choices that FedEM leaves open, as plain values.

use fedbits_codec::{Compressor, WireFloat};
use fedbits_models::{DomainError, DomainPolicy, Model};

use crate::error::ProtocolError;
use crate::plan::Staleness;
use crate::schedule::Schedule;

/// The memory rate α.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Alpha {
    /// 1/(1 + ω), the choice of Theorem 1 and of its partial-participation version.
    Theory,
    /// A value.
    Constant(f64),
}

impl Alpha {
    /// α for this compressor on q numbers.
    pub(super) fn value(self, compressor: &dyn Compressor, q: usize) -> Result<f64, ProtocolError> {
        match self {
            Self::Constant(value) => Ok(value),
            Self::Theory => {
                let omega = compressor.omega(q);
                let omega = omega.ok_or_else(|| ProtocolError::NoOmega(compressor.name()))?;
                Ok(1.0 / (1.0 + omega))
            }
        }
    }
}

/// V_{0,i}.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MemoryStart {
    /// h_i(Ŝ₀): one full local pass and one uncompressed upload per client, both charged.
    MeanField,
    /// 0: free.
    Zero,
}

/// When a client adds α Quant(Δ_i) to V_i.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Commit {
    /// When the next broadcast acknowledges that the server used it: V = n⁻¹ Σ V_i always holds.
    OnAcknowledgement,
    /// When it sends: the text of the paper, where nothing is ever lost.
    OnSend,
    /// When it sends; and the first broadcast to a client after every so many rounds carries the server's copy of its V_i, which
    /// it takes over. The server then keeps all V_i.
    Resynchronized {
        /// Rounds from one V_i to the next, at least 1.
        every: u64,
    },
}

/// What becomes of a client that has lost its V_i.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Recovery {
    /// The server, which keeps a copy of all V_i, sends it with the next broadcast, until a contribution shows that it arrived.
    Restore,
    /// It goes on with V_i = 0: V is no longer the mean of the V_i.
    Zero,
}

/// The clients' memories.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Memory {
    /// None: the naive variant, α = 0 and V_i = 0.
    None,
    /// MARINA's estimator: see [`crate::baselines::marina`].
    Marina {
        /// Probability of a full round.
        p: f64,
    },
    /// V_i with rate α.
    Kept {
        /// α.
        alpha: Alpha,
        /// V_{0,i}.
        start: MemoryStart,
        /// When a client commits.
        commit: Commit,
        /// What becomes of V_i when a client loses its state; none where that cannot happen.
        recovery: Option<Recovery>,
    },
}

impl Memory {
    pub(crate) fn alpha(self, compressor: &dyn Compressor, q: usize) -> Result<f64, ProtocolError> {
        match self {
            Self::None | Self::Marina { .. } => Ok(0.0),
            Self::Kept { alpha, .. } => alpha.value(compressor, q),
        }
    }

    pub(crate) fn commit(self) -> Option<Commit> {
        match self {
            Self::None | Self::Marina { .. } => None,
            Self::Kept { commit, .. } => Some(commit),
        }
    }

    pub(super) fn recovery(self) -> Option<Recovery> {
        match self {
            Self::None | Self::Marina { .. } => None,
            Self::Kept { recovery, .. } => recovery,
        }
    }

    pub(crate) fn start(self) -> MemoryStart {
        match self {
            Self::None | Self::Marina { .. } => MemoryStart::Zero,
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

impl BatchRule {
    /// Examples in the batch of a client that holds `size`.
    pub fn count(self, size: u32) -> u64 {
        u64::from(match self {
            Self::Full => size,
            Self::WithReplacement(b) => b,
            Self::WithoutReplacement(b) => b.min(size),
        })
    }
}

/// What the sum of the contributions is divided by.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum DivideBy {
    /// The expected number of participants n p, as in the paper.
    Expected(f64),
    /// The number that arrived.
    Arrived,
    /// n π̂_i, each contribution by its own: π̂_i is the share of the steps so far, this one included, in which client i took
    /// part. Unbiased in the limit for every client that takes part at all, however unequal they are.
    Estimated,
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
    /// θ = T(s) under this policy; returns how many entries were clipped.
    pub(crate) fn maximize(self, model: &dyn Model, s: &[f64], theta: &mut Vec<f64>) -> Result<u64, DomainError> {
        let repairs = model.maximize(s, self.policy(), theta)?;
        Ok(u64::from(repairs.weights) + u64::from(repairs.eigenvalues))
    }

    pub(crate) fn policy(self) -> DomainPolicy {
        match self {
            Self::Clip { floor } => DomainPolicy::Clip { floor },
            Self::Error | Self::SkipRound => DomainPolicy::Error,
        }
    }
}

/// Settings of the downlink.
#[derive(Debug)]
pub struct DownlinkSettings {
    /// Quant'.
    pub compressor: Box<dyn Compressor>,
    /// α' of the memory D, 1/(1 + ω') of Quant' in theory; none without it.
    pub alpha: Option<Alpha>,
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
    /// n p, the number that arrived, or n π̂_i.
    pub divide_by: DivideBy,
    /// What a contribution counts that answers an older broadcast.
    pub staleness: Staleness,
    /// Quant.
    pub compressor: Box<dyn Compressor>,
    /// Floats of broadcasts and initial memories.
    pub floats: WireFloat,
    /// The compressed downlink; none: broadcasts carry Ŝ.
    pub downlink: Option<DownlinkSettings>,
    /// Does the broadcast carry θ = T(Ŝ) beside Ŝ, as in the paper? Otherwise clients compute it.
    pub sends_parameters: bool,
    /// Policy at the border of T's domain.
    pub domain: Domain,
}
