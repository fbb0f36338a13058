//! FL-SAEM, and SAEM in one place, as a scenario writes them.

use std::ops::RangeInclusive;

use fedbits_codec::{CompressorSetting, Identity, WireFloat};
use fedbits_models::latent::SampledModel;
use fedbits_spec::range::{PROBABILITY, whole};
use fedbits_spec::short::{Short, Unread};
use fedbits_spec::{Caveat, Choice, Described, Facts, Findings, Path};
use serde::{Deserialize, Serialize};

use super::sampler::Local;
use super::uplink::Uplink;
use crate::error::ProtocolError;
use crate::fedem::{Commit, Domain};
use crate::plan::Participation;

/// Importance draws per subject, up to this number.
const MAX_DRAWS: u64 = 10_000_000;

/// FL-SAEM: clients sample their latent variables, the server approximates stochastically. D-SAEM, distributed
/// gradients.
#[derive(Clone, Debug, Described, Deserialize, PartialEq, Serialize)]
#[serde(deny_unknown_fields)]
#[described(rules = rules)]
pub struct FlSaem {
    /// g_r, the gain of the stochastic approximation, or the step of gradients.
    pub gain: Gain,
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
    /// How the client's vector is sent.
    #[serde(default)]
    pub uplink: Uplink,
    /// The operator on the uplink.
    #[serde(default)]
    #[described(by_rules)]
    pub compressor: Choice<dyn CompressorSetting>,
    /// The coordinates in which the operator acts.
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
    /// g_r, the gain of the stochastic approximation.
    pub gain: Gain,
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

/// The gains g_r, r = 1, 2, …
#[derive(Clone, Copy, Debug, Described, Deserialize, PartialEq, Serialize)]
#[serde(remote = "Self", deny_unknown_fields)]
#[described(short)]
pub enum Gain {
    /// The same in every round. 1 is MCEM, and the text of the draft.
    Constant(#[range(PROBABILITY)] f64),
    /// `first` for r ≤ k1, then `first` / (r − k1)^exponent (Delyon, Lavielle and Moulines 1999).
    Saem {
        /// The gain of the first phase.
        #[serde(default = "one")]
        #[range(PROBABILITY)]
        first: f64,
        /// K₁, the length of the first phase; rounds.
        k1: u64,
        /// The power of the decay; above 0.5 for the classical conditions.
        #[serde(default = "one")]
        #[range(PROBABILITY)]
        exponent: f64,
    },
}

impl Short for Gain {
    const FORMS: &'static [(&'static str, &'static str)] = &[("0.5", "Constant(0.5)")];

    fn of_number(number: f64) -> Result<Self, Unread> {
        Ok(Self::Constant(number))
    }
}

fn one() -> f64 {
    1.0
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

/// The coordinates of the operator on the uplink.
#[derive(Clone, Copy, Debug, Default, Described, Deserialize, Eq, PartialEq, Serialize)]
pub enum Coordinates {
    /// Those of the statistic.
    #[default]
    Natural,
    /// Centred at the broadcast θ and divided by its standard deviations: all of about the same size. Gradients are
    /// multiplied by them. For mixed-effects models.
    Standardized,
}

impl From<&CentralizedSaem> for FlSaem {
    /// With one client, which is the server.
    fn from(central: &CentralizedSaem) -> Self {
        Self {
            gain: central.gain,
            local: central.local.clone(),
            sends: Sends::Statistics,
            local_steps: 1,
            uplink: Uplink::Raw,
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
    /// have no models of their own.
    pub(super) fn turns(&self, round: u64) -> RangeInclusive<u64> {
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
    let compressor = at.field("compressor");
    let length = if fl.sends == Sends::Statistics { facts.statistic } else { facts.parameters };
    fl.compressor.check(&compressor, &facts.with_vector(length), findings);
    if fl.compressor.divides_among_clients() {
        let found = "`PermK` needs clients that answer in step";
        findings.error(compressor, found, "expected another compressor");
    }
    let operator = fl.compressor.build(fl.floats, 1);
    let fitting = length.filter(|&length| operator.validate(length).is_ok());
    if let Some(why) = fitting.and_then(|length| fl.uplink.refusal(operator.as_ref(), length)) {
        let expected = "expected an unbiased compressor, `TopK(k: …)`, `ScaledSign` or `RankR(…)`, or `uplink: \
            Memory(alpha: Constant(…))`";
        findings.error(compressor, why, expected);
    }
    if fl.uplink == Uplink::Raw && !operator.is_unbiased() {
        findings.caveat(Caveat::BiasedRaw {});
    }
    if fl.coordinates == Coordinates::Standardized {
        let coordinates = at.field("coordinates");
        if fl.sends == Sends::Parameters {
            let why = "they are coordinates of statistics and gradients, and models are sent";
            findings.no_effect(coordinates, why);
        }
        if fl.compressor.is::<Identity>() {
            findings.no_effect(coordinates, "nothing is compressed");
        }
    }
    if fl.sends != Sends::Parameters && fl.local_steps != 1 {
        findings.no_effect(at.field("local_steps"), "clients have no models of their own");
    }
    if let Some(Commit::Resynchronized { .. }) = fl.uplink.commit() {
        let expected = "expected `OnAcknowledgement` or `OnSend`";
        findings.error(at.field("uplink.commit"), "the memories of FL-SAEM are not resynchronized", expected);
    }
}
