//! FL-SAEM, and SAEM in one place, as a scenario writes them.

use std::ops::RangeInclusive;

use fedbits_codec::{CompressorSetting, WireFloat};
use fedbits_models::latent::SampledModel;
use fedbits_spec::range::whole;
use fedbits_spec::{Caveat, Choice, Described, Facts, Findings, Path};
use serde::{Deserialize, Serialize};

use super::sampler::Local;
use crate::error::ProtocolError;
use crate::fedem::Domain;
use crate::operator;
use crate::plan::Participation;
use crate::schedule::Schedule;
use crate::uplink::{Alpha, DivideBy, Memory};

/// Importance draws per subject, up to this number.
const MAX_DRAWS: u64 = 10_000_000;

/// FL-SAEM: clients sample their latent variables, the server approximates stochastically. D-SAEM, distributed
/// gradients.
#[derive(Clone, Debug, Described, Deserialize, PartialEq, Serialize)]
#[serde(deny_unknown_fields)]
#[described(rules = rules)]
pub struct FlSaem {
    /// γ_r, the gain of the stochastic approximation, or the step of gradients. 1 is MCEM, and the text of the draft.
    pub gamma: Schedule,
    /// What a client computes for its subjects in a round.
    pub local: Local,
    /// What a client sends.
    #[serde(default)]
    pub sends: Sends,
    /// EM steps that a client makes on its own model between two averages of models. With `sends: Parameters`; `growth`
    /// and `steps` of the sampler then count these steps.
    #[serde(default = "one_step")]
    #[range(whole(1, 10_000))]
    pub local_steps: u32,
    /// α, the step of the memories' update. Has no effect without memory.
    #[serde(default)]
    pub alpha: Alpha,
    /// The clients' memories V_i of what they have sent. With `initial: Zero` they begin at w_i S_0, w_i the share of
    /// the subjects; with `MeanField` each client samples before the first round, and uploads w_i x_i.
    #[serde(default = "no_memory")]
    pub memory: Memory,
    /// What the sum of contributions is divided by.
    #[serde(default = "by_operator")]
    pub divide_by: DivideBy,
    /// The operator on the uplink.
    #[serde(default)]
    #[described(by_rules)]
    pub compressor: Choice<dyn CompressorSetting>,
    /// The coordinates in which the operator acts, and clipping.
    #[serde(default)]
    pub coordinates: Coordinates,
    /// Who takes part in a round.
    #[serde(default)]
    pub participation: Participation,
    /// The width of a float on the wire.
    #[serde(default)]
    pub floats: WireFloat,
    /// What happens when S leaves the domain of T. With `Clip` and `SkipRound` diverging chains start anew.
    #[serde(default)]
    pub domain: Domain,
    /// Importance draws per subject by which probes estimate the likelihood where it has no closed form and the model
    /// no quadrature; none: 200 where z is short (not of topics); with 0 no objective is recorded then.
    #[serde(default)]
    #[range(whole(0, MAX_DRAWS))]
    pub likelihood_draws: Option<u32>,
}

/// SAEM, MCEM or exact EM in one place: the reference that costs no bits.
#[derive(Clone, Debug, Described, Deserialize, PartialEq, Serialize)]
#[serde(deny_unknown_fields)]
pub struct CentralizedSaem {
    /// γ_r, the gain of the stochastic approximation.
    pub gamma: Schedule,
    /// What is done with the subjects in an iteration.
    pub local: Local,
    /// What happens when S leaves the domain of T.
    #[serde(default)]
    pub domain: Domain,
    /// Importance draws per subject for probes of the likelihood, as for `FlSaem`.
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

/// What a client sends.
#[derive(Clone, Copy, Debug, Default, Described, Deserialize, Eq, PartialEq, Serialize)]
pub enum Sends {
    /// S̃_i, the mean statistic of its samples (Algorithms 2 and 5).
    #[default]
    Statistics,
    /// T(S̃_i), its own model, which the server averages (Algorithm 1, D-SAEM).
    Parameters,
    /// The gradient of its samples' log-density in θ (Fisher's identity).
    Gradient,
}

/// The coordinates of the operator on the uplink, and in which vectors are clipped (`privacy`).
#[derive(Clone, Copy, Debug, Default, Described, Deserialize, Eq, PartialEq, Serialize)]
pub enum Coordinates {
    /// Those of the statistic.
    #[default]
    Natural,
    /// Differences to the broadcast: to a statistic that T maps to θ, or of models to θ. Of gradients, and where
    /// memories keep what was sent, they are `Natural`.
    Centred,
    /// Centred at the broadcast θ and divided by its standard deviations: all of about the same size. Gradients are
    /// multiplied by them. For mixed-effects models.
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
    pub(super) fn fits(&self, model: &dyn SampledModel) -> Result<(), ProtocolError> {
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
