//! FL-SAEM, and SAEM in one place, as a scenario writes them.

use std::ops::RangeInclusive;

use fedbits_codec::{CompressorSetting, WireFloat};
use fedbits_models::latent::SampledModel;
use fedbits_spec::range::whole;
use fedbits_spec::{Caveat, Choice, Described, Facts, Findings, Path};
use serde::{Deserialize, Serialize};

use super::sampler::Local;
use crate::error::{ProtocolError, Result};
use crate::fedem::Domain;
use crate::operator;
use crate::plan::Participation;
use crate::schedule::Schedule;
use crate::uplink::{Alpha, DivideBy, Memory};

/// Importance draws per subject, up to this number.
const MAX_DRAWS: u64 = 10_000_000;

/// Clients sample latent variables, and the server runs stochastic approximation. Also D-SAEM and distributed
/// gradients.
#[derive(Clone, Debug, Described, Deserialize, PartialEq, Serialize)]
#[serde(deny_unknown_fields)]
#[described(rules = rules)]
pub struct FlSaem {
    /// γ_r, gain of the stochastic approximation or step of gradients; 1 gives MCEM.
    pub gamma: Schedule,
    /// Local computation.
    pub local: Local,
    /// Content of messages.
    #[serde(default)]
    pub sends: Sends,
    /// Local EM steps per round with `sends: Parameters`, counted by the sampler's `growth` and `steps`.
    #[serde(default = "one_step")]
    #[range(whole(1, 10_000))]
    pub local_steps: u32,
    /// α, step of the memories.
    #[serde(default)]
    pub alpha: Alpha,
    /// Memories V_i of sent statistics. `initial: Zero` starts at w_i S_0, w_i the share of subjects; with `MeanField`
    /// clients sample and upload w_i x_i before round 1.
    #[serde(default = "no_memory")]
    pub memory: Memory,
    /// Divisor of the sum.
    #[serde(default = "by_operator")]
    pub divide_by: DivideBy,
    /// Uplink compressor.
    #[serde(default)]
    #[described(by_rules)]
    pub compressor: Choice<dyn CompressorSetting>,
    /// Coordinates of compression and clipping.
    #[serde(default)]
    pub coordinates: Coordinates,
    /// Clients of a round.
    #[serde(default)]
    pub participation: Participation,
    /// Width of floats.
    #[serde(default)]
    pub floats: WireFloat,
    /// S outside the domain of T. `Clip` and `SkipRound` also restart diverging chains.
    #[serde(default)]
    pub domain: Domain,
    /// Importance draws per subject for the likelihood at probes, without closed form or quadrature. Default: 200 for
    /// low-dimensional z, except topics. 0: no objective.
    #[serde(default)]
    #[range(whole(0, MAX_DRAWS))]
    pub likelihood_draws: Option<u32>,
}

/// SAEM, MCEM or exact EM in one place.
#[derive(Clone, Debug, Described, Deserialize, PartialEq, Serialize)]
#[serde(deny_unknown_fields)]
pub struct CentralizedSaem {
    /// γ_r, gain of the stochastic approximation.
    pub gamma: Schedule,
    /// Computation of an iteration.
    pub local: Local,
    /// S outside the domain of T. `Clip` and `SkipRound` also restart diverging chains.
    #[serde(default)]
    pub domain: Domain,
    /// Importance draws per subject for the likelihood at probes, without closed form or quadrature. Default: 200 for
    /// low-dimensional z, except topics. 0: no objective.
    #[serde(default)]
    #[range(whole(0, MAX_DRAWS))]
    pub likelihood_draws: Option<u32>,
}

fn one_step() -> u32 {
    1
}

fn no_memory() -> Memory {
    Memory::NoMemory
}

fn by_operator() -> DivideBy {
    DivideBy::Auto
}

/// Content of messages.
#[derive(Clone, Copy, Debug, Default, Described, Deserialize, Eq, PartialEq, Serialize)]
pub enum Sends {
    /// S̃_i, the mean statistic of the samples (Algorithms 2 and 5).
    #[default]
    Statistics,
    /// T(S̃_i), local models, which the server averages (Algorithm 1, D-SAEM).
    Parameters,
    /// Gradients of the samples' log-density in θ (Fisher's identity).
    Gradient,
}

/// Coordinates of uplink compression and clipping (`privacy`).
#[derive(Clone, Copy, Debug, Default, Described, Deserialize, Eq, PartialEq, Serialize)]
pub enum Coordinates {
    /// Coordinates of the statistic.
    #[default]
    Natural,
    /// Differences from the broadcast θ (for statistics, from one that T maps to θ). Gradients, and differences from
    /// memories, remain `Natural`.
    Centred,
    /// `Centred`, divided by the standard deviations of θ (gradients: multiplied). For mixed-effects models.
    Standardized,
}

impl From<&CentralizedSaem> for FlSaem {
    /// With one client, which is the server.
    fn from(central: &CentralizedSaem) -> Self {
        Self {
            gamma: central.gamma,
            local: central.local.clone(),
            sends: Sends::Statistics,
            local_steps: 1,
            alpha: Alpha::Auto,
            memory: Memory::NoMemory,
            divide_by: DivideBy::Auto,
            compressor: Choice::default(),
            coordinates: Coordinates::Natural,
            participation: Participation::All,
            floats: WireFloat::F64,
            domain: central.domain,
            likelihood_draws: central.likelihood_draws,
        }
    }
}

impl FlSaem {
    /// Does C act in the coordinates A_θ, or D_θ^½? Models have none.
    pub(super) fn is_scaled(&self) -> bool {
        self.coordinates == Coordinates::Standardized && self.sends != Sends::Parameters
    }

    /// The turns of a round, which number all rounds' local steps from 1: chains may grow with them. One where clients
    /// have no models of their own, and before the first round, of number 0.
    pub(super) fn turns(&self, round: u64) -> RangeInclusive<u64> {
        if round == 0 {
            return 0..=0;
        }
        let steps = if self.sends == Sends::Parameters { u64::from(self.local_steps) } else { 1 };
        (round - 1) * steps + 1..=round * steps
    }

    /// Does the local step fit the model?
    pub(super) fn fits(&self, model: &dyn SampledModel) -> Result<()> {
        let lacks = match self.local.sampler(1) {
            None if model.abilities().expectation => None,
            None => return Err(ProtocolError::Unfit("the model has no closed-form expectation".to_owned())),
            Some(sampler) => sampler.missing(model.abilities()),
        };
        let unfit = |what| ProtocolError::Unfit(format!("the model lacks {what}, which the kernel needs"));
        lacks.map_or(Ok(()), |what| Err(unfit(what)))
    }
}

fn rules(fl: &FlSaem, at: &Path<'_>, facts: &Facts, findings: &mut Findings) {
    let length = if fl.sends == Sends::Statistics { facts.statistic } else { facts.parameters };
    fl.compressor.check(&at.field("compressor"), &facts.with_vector(length), findings);
    if fl.memory != Memory::NoMemory {
        operator::no_rate(at, &fl.compressor, fl.alpha, length, findings);
    } else {
        if fl.alpha != Alpha::default() {
            findings.no_effect(at.field("alpha"), "it is the step of the memories, and there are none");
        }
        if !operator::is_unbiased(&fl.compressor) {
            findings.caveat(Caveat::BiasedRaw {});
        }
    }
    let (coordinates, given) = (at.field("coordinates"), fl.coordinates);
    if given == Coordinates::Standardized && fl.sends == Sends::Parameters {
        findings.no_effect(coordinates, "they are coordinates of statistics and gradients, and models are sent");
    } else if given == Coordinates::Centred && (fl.sends == Sends::Gradient || fl.memory != Memory::NoMemory) {
        findings.no_effect(coordinates, "gradients, and differences to memories, have no other centre");
    }
    if fl.sends != Sends::Parameters && fl.local_steps != 1 {
        findings.no_effect(at.field("local_steps"), "clients have no models of their own");
    }
}
