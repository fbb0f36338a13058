//! The distributed algorithm and its parameters, by the symbols of the FedEM paper. This file must not know messages.

use serde::{Deserialize, Serialize};

use super::vpem::{KMeansBaseline, VpEm};

/// The algorithm.
#[derive(Clone, Debug, Deserialize, PartialEq, Serialize)]
pub enum Protocol {
    /// FedEM (Algorithm 1), with partial participation and compression; without memory, its naive variant.
    FedEm(Box<FedEm>),
    /// EM on all data in one place: the reference that costs no bits.
    CentralizedEm(CentralizedEm),
    /// VP-EM, federated or decentralized: data divided by features.
    VpEm(Box<VpEm>),
    /// k-means, in one place or from data divided by features (Ding et al. 2016): a baseline of one round.
    KMeans(KMeansBaseline),
}

impl Protocol {
    /// What happens when the statistic leaves the domain of T.
    #[must_use]
    pub fn domain(&self) -> Domain {
        match self {
            Protocol::FedEm(fed_em) => fed_em.domain,
            Protocol::CentralizedEm(centralized) => centralized.domain,
            Protocol::VpEm(_) | Protocol::KMeans(_) => Domain::Error,
        }
    }
}

/// Parameters of FedEM.
#[derive(Clone, Debug, Deserialize, PartialEq, Serialize)]
#[serde(deny_unknown_fields)]
pub struct FedEm {
    /// γ, the step of the server's update Ŝ ← Ŝ + γ H; in (0, 1]. No unit.
    pub gamma: Schedule,
    /// α, the step of the memories' update; default `Auto`. Has no effect without memory.
    #[serde(default)]
    pub alpha: Alpha,
    /// The clients' memories V_i; default `Memory(initial: MeanField, commit: OnAcknowledgement)`.
    #[serde(default)]
    pub memory: Memory,
    /// Who takes part in a round; default `All`.
    #[serde(default)]
    pub participation: Participation,
    /// The examples a client uses in a round; default `All`.
    #[serde(default)]
    pub batch: Batch,
    /// What the sum of contributions is divided by; default `Expected`.
    #[serde(default)]
    pub divide_by: DivideBy,
    /// The operator on the uplink Δ; default `Identity`.
    #[serde(default)]
    pub compressor: Compressor,
    /// The width of a float on the wire; default `F64`.
    #[serde(default)]
    pub floats: Floats,
    /// What the server sends down each round; default `Statistic`.
    #[serde(default)]
    pub broadcast: Broadcast,
    /// What happens when Ŝ leaves the domain of T; default `Error`.
    #[serde(default)]
    pub domain: Domain,
    /// How clients are weighted in the mean; default `Examples`.
    #[serde(default)]
    pub weighting: Weighting,
}

/// Parameters of centralized EM.
#[derive(Clone, Debug, Default, Deserialize, PartialEq, Serialize)]
#[serde(deny_unknown_fields)]
pub struct CentralizedEm {
    /// What happens when the statistic leaves the domain of T; default `Error`.
    #[serde(default)]
    pub domain: Domain,
}

/// A step size by round k = 0, 1, …
#[derive(Clone, Copy, Debug, Deserialize, PartialEq, Serialize)]
#[serde(deny_unknown_fields)]
pub enum Schedule {
    /// The same in every round; in (0, 1].
    Constant(f64),
    /// γ_k = initial / (1 + k / offset)^exponent.
    Power {
        /// γ₀; in (0, 1].
        initial: f64,
        /// The power of the decay; in (0, 1].
        exponent: f64,
        /// The number of rounds before the decay sets in; above 0.
        offset: f64,
    },
}

impl Schedule {
    /// γ_k for k = 0, 1, …
    #[must_use]
    pub fn at(self, round: u64) -> f64 {
        match self {
            Schedule::Constant(value) => value,
            Schedule::Power { initial, exponent, offset } => initial / libm::pow(1.0 + round as f64 / offset, exponent),
        }
    }
}

/// The step α of the memories.
#[derive(Clone, Copy, Debug, Default, Deserialize, PartialEq, Serialize)]
pub enum Alpha {
    /// α = 1 / (1 + ω), ω the variance constant of the compressor (Theorem 1; also under partial participation).
    #[default]
    Auto,
    /// This value; in (0, 1].
    Constant(f64),
}

/// The memories V_i.
#[derive(Clone, Copy, Debug, Deserialize, PartialEq, Serialize)]
#[serde(deny_unknown_fields)]
pub enum Memory {
    /// Each client keeps V_i; the server keeps V, their mean.
    Memory {
        /// V_{0,i}; default `MeanField`.
        #[serde(default)]
        initial: MemoryStart,
        /// When a client adds α D_i to its V_i; default `OnAcknowledgement`.
        #[serde(default)]
        commit: Commit,
    },
    /// V_i = 0 for ever: the naive compressed EM.
    NoMemory,
}

impl Default for Memory {
    fn default() -> Self {
        Memory::Memory { initial: MemoryStart::default(), commit: Commit::default() }
    }
}

/// The first value of the memories.
#[derive(Clone, Copy, Debug, Default, Deserialize, Eq, PartialEq, Serialize)]
pub enum MemoryStart {
    /// V_{0,i} = h_i(S₀): one full local pass, and one uncompressed upload per client, which is charged.
    #[default]
    MeanField,
    /// V_{0,i} = 0: free.
    Zero,
}

/// When a client's memory follows its message.
#[derive(Clone, Copy, Debug, Default, Deserialize, Eq, PartialEq, Serialize)]
pub enum Commit {
    /// When the server has said that it used the message: V stays the mean of the V_i.
    #[default]
    OnAcknowledgement,
    /// At once, as the paper's text has it: drifts when messages are lost or late.
    OnSend,
}

/// Who takes part in a round.
#[derive(Clone, Copy, Debug, Default, Deserialize, PartialEq, Serialize)]
pub enum Participation {
    /// Every client.
    #[default]
    All,
    /// Each client independently with this probability p; in (0, 1].
    Bernoulli(f64),
    /// So many clients, drawn without replacement; 1 to `clients`.
    Cohort(usize),
}

/// The examples of a local step.
#[derive(Clone, Copy, Debug, Default, Deserialize, Eq, PartialEq, Serialize)]
pub enum Batch {
    /// All local examples.
    #[default]
    All,
    /// b examples, drawn with replacement; at least 1.
    WithReplacement(usize),
    /// b different examples; 1 to the number a client holds (fewer there: all of them).
    WithoutReplacement(usize),
}

/// The divisor of the sum of contributions.
#[derive(Clone, Copy, Debug, Default, Deserialize, Eq, PartialEq, Serialize)]
pub enum DivideBy {
    /// The expected number n·p, as in Algorithm 1: unbiased while no message is lost.
    #[default]
    Expected,
    /// The number that arrived.
    Arrived,
}

/// The operator Quant on Δ.
#[derive(Clone, Copy, Debug, Default, Deserialize, PartialEq, Serialize)]
#[serde(deny_unknown_fields)]
pub enum Compressor {
    /// Every coordinate as a float: ω = 0.
    #[default]
    Identity,
    /// Random dithering of |x_j| / ‖x‖ on `levels` levels, with the sign.
    Dithering {
        /// s, the number of levels above zero; 1 to 65 535.
        levels: u32,
        /// The norm; default `L(2)`.
        #[serde(default)]
        norm: Norm,
        /// How levels become bits; default `EliasSparse`.
        #[serde(default)]
        code: LevelCode,
    },
    /// k of the q coordinates, drawn uniformly, times q/k: ω = q/k − 1.
    RandK {
        /// k; 1 to q.
        k: usize,
        /// How the receiver learns the coordinates; default `Enumerative`.
        #[serde(default)]
        indices: Indices,
    },
    /// Each coordinate kept with a probability and divided by it: ω = 1/probability − 1.
    Bernoulli {
        /// The probability of keeping; in (0, 1].
        probability: f64,
        /// How the receiver learns the coordinates; default `Sent`.
        #[serde(default)]
        mask: Mask,
    },
}

/// The norm that scales a dithered vector.
#[derive(Clone, Copy, Debug, Deserialize, Eq, PartialEq, Serialize)]
pub enum Norm {
    /// (Σ |x_j|^r)^{1/r}; r = 1 or 2.
    L(u32),
    /// max |x_j|.
    Infinity,
}

impl Default for Norm {
    fn default() -> Self {
        Norm::L(2)
    }
}

/// The code of dithered levels.
#[derive(Clone, Copy, Debug, Default, Deserialize, Eq, PartialEq, Serialize)]
pub enum LevelCode {
    /// ⌈log₂(2s + 1)⌉ bits per coordinate.
    Fixed,
    /// Elias codes of the gaps between non-zero levels: short when few are non-zero.
    #[default]
    EliasSparse,
    /// Elias codes of every level: short when most are non-zero.
    EliasDense,
}

/// How the coordinates of rand-k are told.
#[derive(Clone, Copy, Debug, Default, Deserialize, Eq, PartialEq, Serialize)]
pub enum Indices {
    /// The subset's number among all of its size: ⌈log₂ C(q, k)⌉ bits.
    #[default]
    Enumerative,
    /// Free: both ends draw them from a seed they share.
    SharedSeed,
}

/// How the coordinates of the Bernoulli sparsifier are told.
#[derive(Clone, Copy, Debug, Default, Deserialize, Eq, PartialEq, Serialize)]
pub enum Mask {
    /// One bit per coordinate.
    #[default]
    Sent,
    /// Free: both ends draw the mask from a seed they share.
    SharedSeed,
}

/// The width of a float on the wire.
#[derive(Clone, Copy, Debug, Default, Deserialize, Eq, PartialEq, Serialize)]
pub enum Floats {
    /// 64 bits: nothing is rounded.
    #[default]
    F64,
    /// 32 bits.
    F32,
}

/// What the server sends to the clients of a round.
#[derive(Clone, Copy, Debug, Default, Deserialize, Eq, PartialEq, Serialize)]
pub enum Broadcast {
    /// Ŝ: q floats; clients compute T(Ŝ) themselves.
    #[default]
    Statistic,
    /// Ŝ and T(Ŝ), as the paper writes it.
    StatisticAndParameters,
}

/// What happens when a statistic has no parameters (T is not defined there).
#[derive(Clone, Copy, Debug, Default, Deserialize, PartialEq, Serialize)]
#[serde(deny_unknown_fields)]
pub enum Domain {
    /// The run stops with that error.
    #[default]
    Error,
    /// Weights and variances below the floor are raised to it, and the times are counted.
    Clip {
        /// The floor; in (0, 0.1]. No unit.
        floor: f64,
    },
    /// The update of the round is dropped, and the rounds are counted.
    SkipRound,
}

/// The weights of clients in the objective and in the mean of their statistics.
#[derive(Clone, Copy, Debug, Default, Deserialize, Eq, PartialEq, Serialize)]
pub enum Weighting {
    /// By their numbers of examples: the objective is the likelihood of all data.
    #[default]
    Examples,
    /// Equally, as the paper has it (its clients hold equal numbers).
    Clients,
}
