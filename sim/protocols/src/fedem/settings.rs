//! The choices that FedEM leaves open, as plain values.

use fedbits_codec::{Compressor, WireFloat};
use fedbits_models::{DomainError, DomainPolicy, Model, Repairs};
use fedbits_spec::Described;
use fedbits_spec::range::{Interval, PROBABILITY, whole};
use fedbits_spec::short::{Short, Unread};
use serde::{Deserialize, Serialize};

use super::Divisor;
use crate::error::ProtocolError;
use crate::federation::Federation;
use crate::plan::Staleness;
use crate::schedule::Schedule;

/// The step α of the memories.
#[derive(Clone, Copy, Debug, Default, Described, Deserialize, PartialEq, Serialize)]
#[serde(remote = "Self")]
#[described(short)]
pub enum Alpha {
    /// α = 1 / (1 + ω), ω the variance constant of the compressor (Theorem 1; also under partial participation).
    #[default]
    Auto,
    /// This value.
    Constant(#[range(PROBABILITY)] f64),
}

impl Short for Alpha {
    const FORMS: &'static [(&'static str, &'static str)] = &[("0.1", "Constant(0.1)")];

    fn of_number(number: f64) -> Result<Self, Unread> {
        Ok(Self::Constant(number))
    }
}

impl Alpha {
    /// α for this compressor on q numbers.
    pub(crate) fn value(self, compressor: &dyn Compressor, q: usize) -> Result<f64, ProtocolError> {
        match self {
            Self::Constant(value) => Ok(value),
            Self::Auto => {
                let omega = compressor.omega(q);
                let omega = omega.ok_or_else(|| ProtocolError::NoOmega(compressor.name()))?;
                Ok(1.0 / (1.0 + omega))
            }
        }
    }
}

/// The first value of the memories.
#[derive(Clone, Copy, Debug, Default, Described, Deserialize, Eq, PartialEq, Serialize)]
pub enum MemoryStart {
    /// V_{0,i} = h_i(S₀): one full local pass, and one uncompressed upload per client, which is charged. It precedes
    /// the first round and is of all clients: availability, participation, deadlines and dropouts begin after it.
    #[default]
    MeanField,
    /// V_{0,i} = 0: free, but for `FedMissEm`, where zeros travel with the client's cells.
    Zero,
}

/// When a client's memory follows its message, V_i ← V_i + α Quant(Δ_i).
#[derive(Clone, Copy, Debug, Default, Described, Deserialize, Eq, PartialEq, Serialize)]
#[serde(deny_unknown_fields)]
pub enum Commit {
    /// When the server has acknowledged that it used the message: V stays the mean of the V_i.
    #[default]
    OnAcknowledgement,
    /// At once, as in the paper: V drifts from the mean of the V_i when messages are lost or late.
    OnSend,
    /// At once; and a broadcast to a client n rounds or more after its last copy (that of `Restore` is one; before the
    /// first: from round n on) carries the server's copy of its V_i (64 bits per number, charged), which it takes over.
    /// One that is lost is not repeated before that.
    Resynchronized {
        /// Rounds from one copy to the next.
        #[range(whole(1, u64::MAX).note(" (rounds)"))]
        every: u64,
    },
}

/// What happens to the memory of a client that has lost its state.
#[derive(Clone, Copy, Debug, Default, Described, Deserialize, Eq, PartialEq, Serialize)]
pub enum Recovery {
    /// The server keeps copies of all V_i and sends it with the next broadcast (64 bits per number, charged), until a
    /// contribution shows that it arrived.
    #[default]
    Restore,
    /// The client goes on with V_i = 0: V is no longer the mean of the V_i.
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
        /// What happens to V_i when a client loses its state; none where that cannot happen.
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

/// The largest batch.
pub const MAX_BATCH: u32 = 1_000_000_000;

/// The examples of a local step.
#[derive(Clone, Copy, Debug, Default, Described, Deserialize, Eq, PartialEq, Serialize)]
#[serde(rename = "Batch")]
pub enum BatchRule {
    /// All local examples.
    #[default]
    All,
    /// b examples, drawn with replacement.
    WithReplacement(#[range(whole(1, MAX_BATCH as u64))] u32),
    /// b different examples; 1 to the number a client holds (fewer there: all of them).
    WithoutReplacement(u32),
}

impl BatchRule {
    /// Examples in the batch of a client that holds `size`.
    pub fn count(self, size: u32) -> u64 {
        u64::from(match self {
            Self::All => size,
            Self::WithReplacement(b) => b,
            Self::WithoutReplacement(b) => b.min(size),
        })
    }
}

impl BatchRule {
    /// b, none where every batch is all that a client has; and the variance of a mean over it, in that of b independent
    /// draws: (m_i − b)/(m_i − 1) of different examples, weighted as variances are.
    pub(super) fn noise(self, federation: &Federation) -> (Option<u32>, f64) {
        let clients = || (0..federation.clients()).map(|i| (federation.weight(i), federation.size(i)));
        match self {
            Self::All => (None, 0.0),
            Self::WithReplacement(b) => (Some(b), 1.0),
            Self::WithoutReplacement(b) if clients().all(|(_, size)| size <= b) => (None, 0.0),
            Self::WithoutReplacement(b) => {
                let left = |size: u32| f64::from(size.saturating_sub(b)) / f64::from(size.max(2) - 1);
                let sum = |of: fn(f64) -> f64| clients().map(|(w, size)| w * w * of(left(size))).sum::<f64>();
                (Some(b), sum(|left| left) / sum(|_| 1.0))
            }
        }
    }
}

/// The divisor of the sum of contributions.
#[derive(Clone, Copy, Debug, Default, Described, Deserialize, Eq, PartialEq, Serialize)]
pub enum DivideBy {
    /// The expected number: n a of all, n a p of `Bernoulli(p)` (n p in Algorithm 1), the smaller of m and n a of
    /// `Cohort(m)`. a is the probability that a client is available, by `availability` (a share of all time for on/off,
    /// days and repeating traces; 1 for a trace that does not repeat). With `First(m)` and `Buffered(m)` it is at most
    /// m, asynchronously 1. Unbiased if this many contribute on average: while no message is lost or late; not for a
    /// cohort of some of the clients, or the first m, if the number that can take part varies (fewer do on average);
    /// and not exactly if availability follows the clock (rounds begin when some client is available, and last as long
    /// as their clients need).
    #[default]
    Expected,
    /// The number that arrived.
    Arrived,
    /// For each contribution n times the share of the steps so far in which its client took part: what is rare counts
    /// more, and unequal participation biases nothing in the long run.
    Estimated,
}

/// (0, 0.1].
const FLOOR: Interval = Interval::above(0.0, 0.1, "in (0, 0.1], no unit");

/// What happens when a statistic has no parameters (T is not defined there).
#[derive(Clone, Copy, Debug, Default, Described, Deserialize, PartialEq, Serialize)]
#[serde(deny_unknown_fields)]
pub enum Domain {
    /// The run stops with that error.
    #[default]
    Error,
    /// Weights and variances below the floor are raised to it (of topics the probabilities that are not above 0), and
    /// the times are counted. The raised weight divides the sums of its component, whose mean moves towards the
    /// origin: take a floor below every weight that you expect. Of clients that make M-steps of their own (`FedAvgEm`,
    /// D-SAEM) the server clips the mean, too: what they have raised can be raised, and counted, once more.
    Clip {
        /// The floor.
        #[range(FLOOR)]
        floor: f64,
    },
    /// The update of the round is dropped, and the rounds are counted.
    SkipRound,
}

impl Domain {
    /// θ = T(s) under this policy; returns how many entries were clipped.
    ///
    /// # Errors
    /// When `s` has no parameters, and is not clipped.
    pub fn maximize(self, model: &dyn Model, s: &[f64], theta: &mut Vec<f64>) -> Result<u64, DomainError> {
        let repairs = model.maximize(s, self.policy(), theta)?;
        Ok(u64::from(repairs.weights) + u64::from(repairs.eigenvalues))
    }

    pub(crate) fn policy(self) -> DomainPolicy {
        match self {
            Self::Clip { floor } => DomainPolicy::Clip { floor },
            Self::Error | Self::SkipRound => DomainPolicy::Error,
        }
    }

    /// `theta` as it came over the wire. Rounding may have made a covariance singular, which `error` says: under
    /// [`Domain::Clip`] it is repaired as those of T are, by `admit`.
    ///
    /// # Errors
    /// When θ has no density, and is not repaired.
    pub(crate) fn received(
        self,
        theta: &mut Vec<f64>,
        error: impl Fn(&[f64]) -> Option<DomainError>,
        admit: impl FnOnce(&[f64], DomainPolicy, &mut Vec<f64>) -> Result<Repairs, DomainError>,
    ) -> Result<(), ProtocolError> {
        let Some(source) = error(theta) else { return Ok(()) };
        let Self::Clip { .. } = self else { return Err(ProtocolError::Rounded(source)) };
        let rounded = std::mem::take(theta);
        admit(&rounded, self.policy(), theta).map_err(ProtocolError::Rounded)?;
        error(theta).map_or(Ok(()), |source| Err(ProtocolError::Rounded(source)))
    }

    /// The error of a statistic that ends a run, with what may help beside the policy that there is.
    pub(crate) fn left(self, source: DomainError) -> ProtocolError {
        let advice = match self {
            Self::Clip { .. } => "beyond what `Clip` repairs: a smaller step, or `domain: SkipRound`",
            Self::Error | Self::SkipRound => "a smaller step, `domain: Clip(…)` or `SkipRound`",
        };
        ProtocolError::LeftDomain { source, advice }
    }
}

/// What the server sends to the clients of a round.
#[derive(Clone, Copy, Debug, Default, Described, Deserialize, Eq, PartialEq, Serialize)]
pub enum Broadcast {
    /// Ŝ: q floats; clients compute T(Ŝ) themselves.
    #[default]
    Statistic,
    /// Ŝ and T(Ŝ), as the paper writes it.
    StatisticAndParameters,
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
    /// The divisor of the sum of contributions.
    pub divisor: Divisor,
    /// What a contribution counts that answers an older broadcast.
    pub staleness: Staleness,
    /// Quant.
    pub compressor: Box<dyn Compressor>,
    /// Floats of broadcasts and initial memories.
    pub floats: WireFloat,
    /// The compressed downlink; none: broadcasts carry Ŝ.
    pub downlink: Option<DownlinkSettings>,
    /// What the server sends down.
    pub broadcast: Broadcast,
    /// Policy at the border of T's domain.
    pub domain: Domain,
}

impl FedEmSettings {
    /// Does θ travel beside Ŝ? Not where clients follow Ŝ by compressed updates.
    pub(super) fn sends_parameters(&self) -> bool {
        self.broadcast == Broadcast::StatisticAndParameters && self.downlink.is_none()
    }
}
