//! The distributed algorithm and its parameters, by the symbols of the FedEM paper. This file must not know messages.

use fedbits_protocols::schedule::Schedule;
use serde::{Deserialize, Serialize};

use super::baselines::{DistributedEm, Downlink, Ef21, FedAvgEm, Fiem, IncrementalEm, Marina, OnlineEm, SemVr};
use super::diffusion::DiffusionEm;
use super::saem::{CentralizedSaem, FlSaem};
use super::{Compressor, Floats, KMeansBaseline, VpEm};

/// The algorithm.
#[derive(Clone, Debug, Deserialize, PartialEq, Serialize)]
pub enum Protocol {
    /// FedEM (Algorithm 1), with partial participation and compression; without memory, its naive variant.
    FedEm(Box<FedEm>),
    /// FedEM for low-rank imputation, with messages that carry only the residuals of a client's own observations.
    /// `broadcast`, `domain` and `weighting` have no effect; V_{0,i} travels with the client's cells before the first round.
    FedMissEm(Box<FedEm>),
    /// EM on all data in one place: the reference that costs no bits.
    CentralizedEm(CentralizedEm),
    /// Online (mini-batch) EM in one place (Cappé and Moulines 2009).
    OnlineEm(OnlineEm),
    /// sEM-vr in one place: mini-batches with an anchor (Chen et al. 2018).
    SemVr(SemVr),
    /// Incremental EM in one place (Neal and Hinton 1998).
    IncrementalEm(IncrementalEm),
    /// FIEM in one place (Karimi et al. 2019; Fort et al. 2021).
    Fiem(Fiem),
    /// Distributed exact EM: uncompressed statistics of all examples, γ = 1.
    DistributedEm(DistributedEm),
    /// FedEM with EF21's error feedback instead of DIANA's memories: for biased compressors such as Top-k.
    Ef21(Box<Ef21>),
    /// FedEM with MARINA's estimator: changes of h_i are compressed, and now and then h_i is sent whole.
    Marina(Box<Marina>),
    /// FedAvg-EM: clients make EM steps, the server averages their parameters.
    FedAvgEm(FedAvgEm),
    /// Gradient ascent on the marginal likelihood with FedEM's (DIANA's) messages. `variance_reduction` is refused; γ is its step.
    GradientAscent(Box<FedEm>),
    /// FL-SAEM: clients sample their latent variables, the server approximates stochastically. D-SAEM, distributed gradients.
    FlSaem(Box<FlSaem>),
    /// SAEM, MCEM or exact EM in one place: the reference that costs no bits.
    CentralizedSaem(Box<CentralizedSaem>),
    /// VP-EM, federated or decentralized: data divided by features.
    VpEm(Box<VpEm>),
    /// Diffusion or gossip EM, decentralized: data divided by examples.
    DiffusionEm(Box<DiffusionEm>),
    /// k-means, in one place or from data divided by features (Ding et al. 2016): a baseline of one round.
    KMeans(KMeansBaseline),
}

impl Protocol {
    /// Whether all data are in one place: no clients, no network.
    #[must_use]
    pub fn is_centralized(&self) -> bool {
        matches!(
            self,
            Protocol::CentralizedEm(_)
                | Protocol::CentralizedSaem(_)
                | Protocol::OnlineEm(_)
                | Protocol::SemVr(_)
                | Protocol::IncrementalEm(_)
                | Protocol::Fiem(_)
                | Protocol::KMeans(KMeansBaseline { vertical: false, .. })
        )
    }

    /// Whether its clients sample latent variables.
    #[must_use]
    pub fn samples(&self) -> bool {
        matches!(self, Protocol::FlSaem(_) | Protocol::CentralizedSaem(_))
    }

    /// Who takes part in a round; where the algorithm leaves no choice, all.
    #[must_use]
    pub fn participation(&self) -> Participation {
        match self {
            Protocol::FedEm(fed_em) | Protocol::FedMissEm(fed_em) | Protocol::GradientAscent(fed_em) => {
                fed_em.participation
            }
            Protocol::Ef21(ef21) => ef21.participation,
            Protocol::FedAvgEm(fed_avg) => fed_avg.participation,
            Protocol::FlSaem(fl) => fl.participation,
            _ => Participation::All,
        }
    }

    /// What happens when the statistic leaves the domain of T.
    #[must_use]
    pub fn domain(&self) -> Domain {
        match self {
            Protocol::FedEm(fed_em) | Protocol::FedMissEm(fed_em) | Protocol::GradientAscent(fed_em) => fed_em.domain,
            Protocol::CentralizedEm(centralized) => centralized.domain,
            Protocol::DiffusionEm(diffusion) => diffusion.domain,
            Protocol::OnlineEm(online) => online.domain,
            Protocol::SemVr(sem_vr) => sem_vr.domain,
            Protocol::IncrementalEm(incremental) => incremental.domain,
            Protocol::Fiem(fiem) => fiem.domain,
            Protocol::DistributedEm(distributed) => distributed.domain,
            Protocol::Ef21(ef21) => ef21.domain,
            Protocol::Marina(marina) => marina.domain,
            Protocol::FedAvgEm(fed_avg) => fed_avg.domain,
            Protocol::FlSaem(fl) => fl.domain,
            Protocol::CentralizedSaem(centralized) => centralized.domain,
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
    /// Whether local statistics are SPIDER estimates, which makes it VR-FedEM (Algorithm 2); default `NoReduction`.
    #[serde(default)]
    pub variance_reduction: VarianceReduction,
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
    /// Run a biased compressor although the algorithm needs an unbiased one (assumption A6); default false.
    #[serde(default)]
    pub allow_biased: bool,
    /// The width of a float on the wire; default `F64`.
    #[serde(default)]
    pub floats: Floats,
    /// What the server sends down each round; default `Statistic`.
    #[serde(default)]
    pub broadcast: Broadcast,
    /// Whether the downlink is compressed too; default `Whole`.
    #[serde(default)]
    pub downlink: Downlink,
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

/// The variance reduction of local statistics.
#[derive(Clone, Copy, Debug, Default, Deserialize, PartialEq, Serialize)]
#[serde(deny_unknown_fields)]
pub enum VarianceReduction {
    /// FedEM: means over minibatches.
    #[default]
    NoReduction,
    /// VR-FedEM: outer loops that begin with a full local pass, whose statistic inner steps update by minibatch differences. With
    /// participation below all clients this is our extension of the paper.
    Spider {
        /// k_in, the inner steps of an outer loop.
        inner: InnerSteps,
        /// How values at the previous Ŝ are had, and what they cost; default `Recomputed`.
        #[serde(default)]
        previous: Previous,
    },
}

/// The number of inner steps of an outer loop.
#[derive(Clone, Copy, Debug, Deserialize, Eq, PartialEq, Serialize)]
pub enum InnerSteps {
    /// This number; 1 to 10⁹.
    Fixed(u32),
    /// Geometric with this mean, drawn anew for every outer loop (Geom-SPIDER-EM); 1 to 10⁹.
    Geometric(u32),
}

/// Values s̄_ij at the Ŝ where a client's estimate stands.
#[derive(Clone, Copy, Debug, Default, Deserialize, Eq, PartialEq, Serialize)]
pub enum Previous {
    /// Computed again: 2 b expectations per inner step, the paper's count.
    #[default]
    Recomputed,
    /// Kept where they were computed, so that only values of newly drawn examples are computed again.
    Cached,
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
        /// What becomes of V_i when a client loses its state (`dropout`); default `Restore`.
        #[serde(default)]
        recovery: Recovery,
    },
    /// V_i = 0 for ever: the naive compressed EM.
    NoMemory,
}

impl Default for Memory {
    fn default() -> Self {
        Memory::Memory { initial: MemoryStart::default(), commit: Commit::default(), recovery: Recovery::default() }
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
#[serde(deny_unknown_fields)]
pub enum Commit {
    /// When the server has said that it used the message: V stays the mean of the V_i.
    #[default]
    OnAcknowledgement,
    /// At once, as the paper's text has it: drifts when messages are lost or late.
    OnSend,
    /// At once; and the first broadcast to a client after every so many rounds carries the server's copy of its V_i (64 bits per
    /// number, charged), which it takes over.
    Resynchronized {
        /// Rounds from one copy to the next; at least 1.
        every: u64,
    },
}

/// What becomes of the memory of a client that has lost its state.
#[derive(Clone, Copy, Debug, Default, Deserialize, Eq, PartialEq, Serialize)]
pub enum Recovery {
    /// The server keeps copies of all V_i and sends it with the next broadcast (64 bits per number, charged).
    #[default]
    Restore,
    /// The client goes on with V_i = 0: V is no longer the mean of the V_i.
    Zero,
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
    /// The expected number n·p, as in Algorithm 1: unbiased while no message is lost. p is the probability to be asked times the
    /// probability to be there, which follows from `availability` (a share of all time for on/off, days and repeating traces; 1 for a trace
    /// that does not repeat); with `First(m)` and `Buffered(m)` the number is at most m, asynchronously 1.
    #[default]
    Expected,
    /// The number that arrived.
    Arrived,
    /// For each contribution n times the share of the steps so far in which its client took part: what is rare counts more, and
    /// unequal participation biases nothing in the long run.
    Estimated,
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
