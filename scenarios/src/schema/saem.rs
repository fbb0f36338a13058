//! FL-SAEM and its kin: what clients sample, what they send, what the server does with it. This file must not know samplers.

use serde::{Deserialize, Serialize};

use super::{Commit, Domain, Participation};
use super::{Compressor, Floats};

/// Parameters of FL-SAEM over a network.
#[derive(Clone, Debug, Deserialize, PartialEq, Serialize)]
#[serde(deny_unknown_fields)]
pub struct FlSaem {
    /// g_r, the gain of the stochastic approximation, or the step of gradients.
    pub gain: Gain,
    /// What a client does with its subjects in a round.
    pub local: Local,
    /// What a client sends of it; default `Statistics`.
    #[serde(default)]
    pub sends: Sends,
    /// EM steps that a client makes on its own model between two averages of models; 1 to 10 000, default 1. With `sends: Parameters`;
    /// `growth` and `steps` of the sampler then count these steps.
    #[serde(default = "single")]
    pub local_steps: u32,
    /// How it travels; default `Raw`.
    #[serde(default)]
    pub uplink: Uplink,
    /// The operator on the uplink; default `Identity`.
    #[serde(default)]
    pub compressor: Compressor,
    /// The coordinates in which the operator acts; default `Natural`.
    #[serde(default)]
    pub coordinates: Coordinates,
    /// Who takes part in a round; default `All`.
    #[serde(default)]
    pub participation: Participation,
    /// The width of a float on the wire; default `F64`.
    #[serde(default)]
    pub floats: Floats,
    /// What happens when S leaves the domain of T; default `Error`. With `Clip` and `SkipRound` diverging chains start anew.
    #[serde(default)]
    pub domain: Domain,
    /// Importance draws per subject by which probes estimate the likelihood where it has no closed form; 0 to 10⁷, default 0: no
    /// objective is recorded then.
    #[serde(default)]
    pub likelihood_draws: u32,
}

/// Parameters of SAEM, MCEM or exact EM in one place.
#[derive(Clone, Debug, Deserialize, PartialEq, Serialize)]
#[serde(deny_unknown_fields)]
pub struct CentralizedSaem {
    /// g_r, the gain of the stochastic approximation.
    pub gain: Gain,
    /// What is done with the subjects in an iteration.
    pub local: Local,
    /// What happens when S leaves the domain of T; default `Error`.
    #[serde(default)]
    pub domain: Domain,
    /// Importance draws per subject for probes of the likelihood; 0 to 10⁷, default 0.
    #[serde(default)]
    pub likelihood_draws: u32,
}

/// The gains g_r, r = 1, 2, …
#[derive(Clone, Copy, Debug, Deserialize, PartialEq, Serialize)]
#[serde(deny_unknown_fields)]
pub enum Gain {
    /// The same in every round; in (0, 1]. 1 is MCEM, and the text of the draft.
    Constant(f64),
    /// `first` for r ≤ k1, then `first` / (r − k1)^exponent.
    Saem {
        /// The gain of the first phase; in (0, 1], default 1.
        #[serde(default = "one")]
        first: f64,
        /// K₁, the length of the first phase; rounds.
        k1: u64,
        /// The power of the decay; in (0, 1], above 0.5 for the classical conditions; default 1.
        #[serde(default = "one")]
        exponent: f64,
    },
}

fn one() -> f64 {
    1.0
}

/// What is done with the subjects in a round.
#[derive(Clone, Debug, Deserialize, PartialEq, Serialize)]
#[serde(deny_unknown_fields)]
pub enum Local {
    /// Their conditional expectations are computed: exact EM, for models that have them in closed form.
    Expect,
    /// Their latent variables are sampled.
    Sample(Sampler),
}

/// How latent variables are sampled in a round.
#[derive(Clone, Debug, Deserialize, PartialEq, Serialize)]
#[serde(deny_unknown_fields)]
pub struct Sampler {
    /// The transition kernel.
    pub kernel: Kernel,
    /// Chains per subject; 1 to 1 000, default 1.
    #[serde(default = "single")]
    pub chains: u32,
    /// Transitions of a round that only move; 0 to 10⁶, default 0.
    #[serde(default)]
    pub burn_in: u32,
    /// Transitions after these; 1 to 10⁶, default 1.
    #[serde(default = "single")]
    pub iterations: u32,
    /// The last so many states of a chain enter the statistic; 1 to `iterations`, default 1.
    #[serde(default = "single")]
    pub keep: u32,
    /// Kept transitions that every round has more than the last (MCEM); 0 to 10⁴, default 0.
    #[serde(default)]
    pub growth: u32,
    /// Where the chains of a round start; default `Warm`.
    #[serde(default)]
    pub start: ChainStart,
    /// Whether steps are adapted; default `Fixed`.
    #[serde(default)]
    pub steps: Steps,
}

fn single() -> u32 {
    1
}

/// A transition kernel.
#[derive(Clone, Debug, Deserialize, PartialEq, Serialize)]
#[serde(deny_unknown_fields)]
pub enum Kernel {
    /// Unadjusted Langevin: z ← z + (γ/2) g + √γ ξ. Biased by order γ.
    Langevin {
        /// γ; above 0, in squared units of z.
        step: f64,
        /// The operator on the gradient g inside the chain (Algorithm 3 of the draft): it costs accuracy and saves no bit, chains
        /// never travel; default `Identity`.
        #[serde(default)]
        quantize: Compressor,
    },
    /// Langevin proposals with Metropolis and Hastings' correction.
    Mala {
        /// γ; above 0, in squared units of z.
        step: f64,
    },
    /// Random walks as in saemix, each kernel so many times per transition; at least one in all.
    RandomWalk {
        /// Proposals from p(z; θ); 0 to 1 000, default 2.
        #[serde(default = "two")]
        prior: u32,
        /// One component at a time; 0 to 1 000, default 2.
        #[serde(default = "two")]
        single: u32,
        /// All components together; 0 to 1 000, default 2.
        #[serde(default = "two")]
        block: u32,
    },
    /// The model's own Gibbs sweep (labels of mixtures, linear mixed models: an exact draw).
    Gibbs,
}

fn two() -> u32 {
    2
}

/// Where the chains of a round start.
#[derive(Clone, Copy, Debug, Default, Deserialize, Eq, PartialEq, Serialize)]
pub enum ChainStart {
    /// Where the subject's last round left them.
    #[default]
    Warm,
    /// At the mode of p(z; θ).
    Restart,
}

/// The steps of kernels.
#[derive(Clone, Copy, Debug, Default, Deserialize, PartialEq, Serialize)]
#[serde(deny_unknown_fields)]
pub enum Steps {
    /// They stay.
    #[default]
    Fixed,
    /// Each chain adapts them to a target acceptance rate up to a round.
    Adapt {
        /// The target; in (0, 1), default 0.4 (MALA: 0.574 is usual).
        #[serde(default = "target")]
        target: f64,
        /// The last round in which steps change; rounds, at least 1.
        rounds: u64,
    },
}

fn target() -> f64 {
    0.4
}

/// What a client sends.
#[derive(Clone, Copy, Debug, Default, Deserialize, Eq, PartialEq, Serialize)]
pub enum Sends {
    /// S̃_i, the mean statistic of its samples (Algorithms 2 and 5).
    #[default]
    Statistics,
    /// T(S̃_i), its own model, which the server averages (Algorithm 1, D-SAEM).
    Parameters,
    /// The gradient of its samples' log-density in θ (Fisher's identity).
    Gradient,
}

/// How a client's vector travels.
#[derive(Clone, Copy, Debug, Default, Deserialize, PartialEq, Serialize)]
#[serde(deny_unknown_fields)]
pub enum Uplink {
    /// Compressed as it is, as the draft has it.
    #[default]
    Raw,
    /// Compressed as the difference to a memory of both ends.
    Memory {
        /// α; default `Auto`: 1/(1 + ω) for an unbiased operator, 1 for a contraction.
        #[serde(default)]
        alpha: super::Alpha,
        /// What the sum of differences is divided by; default `Auto`: the expected number of participants for an unbiased
        /// operator, the number of clients for a contraction (EF21).
        #[serde(default)]
        divide_by: DifferenceDivisor,
        /// When a client's memory follows its message; default `OnAcknowledgement`.
        #[serde(default)]
        commit: Commit,
    },
}

/// The divisor of the sum of differences.
#[derive(Clone, Copy, Debug, Default, Deserialize, Eq, PartialEq, Serialize)]
pub enum DifferenceDivisor {
    /// By the operator: see `divide_by`.
    #[default]
    Auto,
    /// The expected number of participants.
    Expected,
    /// The number that arrived.
    Arrived,
    /// The number of clients.
    Clients,
}

/// The coordinates of the operator on the uplink.
#[derive(Clone, Copy, Debug, Default, Deserialize, Eq, PartialEq, Serialize)]
pub enum Coordinates {
    /// Those of the statistic.
    #[default]
    Natural,
    /// Centred at the broadcast θ and divided by its standard deviations: all of about the same size. Gradients are multiplied by
    /// them. For mixed-effects models.
    Standardized,
}
