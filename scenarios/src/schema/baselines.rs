//! The algorithms that FedEM is compared with, and their parameters. This file must not know messages.

use fedbits_protocols::fedem::{Alpha, Domain};
use fedbits_protocols::plan::Participation;
use fedbits_protocols::schedule::Schedule;
use serde::{Deserialize, Serialize};

use super::{Batch, Compressor, Floats};

/// Online (mini-batch) EM in one place.
#[derive(Clone, Debug, Deserialize, PartialEq, Serialize)]
#[serde(deny_unknown_fields)]
pub struct OnlineEm {
    /// γ_k, the step; in (0, 1].
    pub gamma: Schedule,
    /// The examples of an iteration, among all; default `All`.
    #[serde(default)]
    pub batch: Batch,
    /// First iterations in which θ stays; default 0, about 20 is advised with small batches.
    #[serde(default)]
    pub silent: u64,
    /// What happens when the statistic leaves the domain of T; default `Error`.
    #[serde(default)]
    pub domain: Domain,
}

/// sEM-vr in one place: online EM with an anchor.
#[derive(Clone, Debug, Deserialize, PartialEq, Serialize)]
#[serde(deny_unknown_fields)]
pub struct SemVr {
    /// γ_k, the step; in (0, 1].
    pub gamma: Schedule,
    /// The examples of an iteration, among all; default `All`.
    #[serde(default)]
    pub batch: Batch,
    /// Iterations between two full passes; at least 1.
    pub refresh: u64,
    /// What happens when the statistic leaves the domain of T; default `Error`.
    #[serde(default)]
    pub domain: Domain,
}

/// Incremental EM in one place: a statistic kept for every example.
#[derive(Clone, Debug, Deserialize, PartialEq, Serialize)]
#[serde(deny_unknown_fields)]
pub struct IncrementalEm {
    /// The examples of an iteration, among all; default `All`.
    #[serde(default)]
    pub batch: Batch,
    /// What happens when the statistic leaves the domain of T; default `Error`.
    #[serde(default)]
    pub domain: Domain,
}

/// FIEM in one place: incremental EM with stochastic approximation.
#[derive(Clone, Debug, Deserialize, PartialEq, Serialize)]
#[serde(deny_unknown_fields)]
pub struct Fiem {
    /// γ_k, the step; in (0, 1].
    pub gamma: Schedule,
    /// The examples of each of the two draws of an iteration, among all; default `All`.
    #[serde(default)]
    pub batch: Batch,
    /// λ, the weight of the control variate; default 1; in [0, 1], 0 is online EM.
    #[serde(default = "one")]
    pub lambda: f64,
    /// What happens when the statistic leaves the domain of T; default `Error`.
    #[serde(default)]
    pub domain: Domain,
}

/// Distributed exact EM.
#[derive(Clone, Debug, Default, Deserialize, PartialEq, Serialize)]
#[serde(deny_unknown_fields)]
pub struct DistributedEm {
    /// The width of a float on the wire; default `F64`.
    #[serde(default)]
    pub floats: Floats,
    /// What happens when Ŝ leaves the domain of T; default `Error`.
    #[serde(default)]
    pub domain: Domain,
}

/// FedEM with EF21's error feedback, for biased compressors.
#[derive(Clone, Debug, Deserialize, PartialEq, Serialize)]
#[serde(deny_unknown_fields)]
pub struct Ef21 {
    /// γ, the step of the server; in (0, 1].
    pub gamma: Schedule,
    /// Who takes part in a round; default `All`.
    #[serde(default)]
    pub participation: Participation,
    /// C, a contraction.
    pub compressor: Compressor,
    /// The width of a float on the wire; default `F64`.
    #[serde(default)]
    pub floats: Floats,
    /// What happens when Ŝ leaves the domain of T; default `Error`.
    #[serde(default)]
    pub domain: Domain,
}

/// FedEM with MARINA's estimator.
#[derive(Clone, Debug, Deserialize, PartialEq, Serialize)]
#[serde(deny_unknown_fields)]
pub struct Marina {
    /// γ, the step of the server; in (0, 1].
    pub gamma: Schedule,
    /// p, the probability of a round with uncompressed messages; in (0, 1].
    pub probability: f64,
    /// The operator on the changes of h_i.
    pub compressor: Compressor,
    /// Run a biased compressor although the estimate needs an unbiased one; default false.
    #[serde(default)]
    pub allow_biased: bool,
    /// The width of a float on the wire; default `F64`.
    #[serde(default)]
    pub floats: Floats,
    /// What happens when Ŝ leaves the domain of T; default `Error`.
    #[serde(default)]
    pub domain: Domain,
}

/// FedAvg-EM: local EM steps, and the mean of parameters.
#[derive(Clone, Debug, Deserialize, PartialEq, Serialize)]
#[serde(deny_unknown_fields)]
pub struct FedAvgEm {
    /// E, EM steps of a client in a round; default 1; 1 to 1000.
    #[serde(default = "first")]
    pub local_steps: u32,
    /// Who takes part in a round; default `All`.
    #[serde(default)]
    pub participation: Participation,
    /// Whether components are matched before the mean is taken; default true.
    #[serde(default = "yes")]
    pub match_components: bool,
    /// The width of a float on the wire; default `F64`.
    #[serde(default)]
    pub floats: Floats,
    /// What happens when a statistic has no parameters; default `Error`.
    #[serde(default)]
    pub domain: Domain,
}

/// What FedEM sends down.
#[derive(Clone, Debug, Default, Deserialize, PartialEq, Serialize)]
#[serde(deny_unknown_fields)]
pub enum Downlink {
    /// What `broadcast` says, whole.
    #[default]
    Whole,
    /// Compressed updates of Ŝ, after Artemis: clients follow Ŝ by them, and are sent all that they have missed.
    Compressed {
        /// The operator on the server's direction H.
        compressor: Compressor,
        /// Run a biased compressor although the theory needs an unbiased one; default false.
        #[serde(default)]
        allow_biased: bool,
        /// A memory D of H at both ends, so that only H − D is compressed; default `NoDownMemory`.
        #[serde(default)]
        memory: DownMemory,
    },
}

/// The memory of a compressed downlink.
#[derive(Clone, Copy, Debug, Default, Deserialize, PartialEq, Serialize)]
pub enum DownMemory {
    /// None: H itself is compressed.
    #[default]
    NoDownMemory,
    /// D ← D + α' Ω, α' with this step.
    DownMemory(Alpha),
}

fn one() -> f64 {
    1.0
}

fn first() -> u32 {
    1
}

fn yes() -> bool {
    true
}
