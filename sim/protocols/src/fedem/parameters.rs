//! Parameters of FedEM, as scenarios name them, with their rules.

use fedbits_codec::{Compressor, WireFloat};
use fedbits_spec::{Caveat, Described, Facts, Findings, Path};
use serde::{Deserialize, Serialize};

use super::feedback::Feedback;
use super::settings::{BatchRule, Broadcast, Domain};
use crate::federation::Weighting;
use crate::operator::{self, Operator};
use crate::plan::Participation;
use crate::schedule::Schedule;
use crate::uplink::{Alpha, DivideBy, Memory};
use crate::vr_fedem::VarianceReduction;

/// FedEM (Algorithm 1), with partial participation and compression; without memory, its naive variant.
#[derive(Clone, Debug, Described, Deserialize, PartialEq, Serialize)]
#[serde(deny_unknown_fields, rename = "FedEm")]
#[described(rules = rules)]
pub struct FedEmSetting {
    /// γ, the step of the server's update Ŝ ← Ŝ + γ H.
    pub gamma: Schedule,
    /// α, the step of the memories' update. Has no effect without memory.
    #[serde(default)]
    pub alpha: Alpha,
    /// The clients' memories V_i, which they keep by default.
    #[serde(default)]
    pub memory: Memory,
    /// Whether local statistics are SPIDER estimates, which makes it VR-FedEM (Algorithm 2).
    #[serde(default)]
    pub variance_reduction: VarianceReduction,
    /// Who takes part in a round.
    #[serde(default)]
    pub participation: Participation,
    /// The examples a client uses in a round.
    #[serde(default)]
    pub batch: BatchRule,
    /// What the sum of contributions is divided by.
    #[serde(default)]
    pub divide_by: DivideBy,
    /// The operator on the uplink Δ.
    #[serde(default)]
    pub compressor: Operator,
    /// Run a biased compressor although the algorithm needs an unbiased one (assumption A6).
    #[serde(default)]
    pub allow_biased: bool,
    /// The width of a float on the wire.
    #[serde(default)]
    pub floats: WireFloat,
    /// What the server sends down each round.
    #[serde(default)]
    pub broadcast: Broadcast,
    /// Whether the downlink is compressed too.
    #[serde(default)]
    pub downlink: Downlink,
    /// What happens when Ŝ leaves the domain of T.
    #[serde(default)]
    pub domain: Domain,
    /// How clients are weighted in the mean.
    #[serde(default)]
    pub weighting: Weighting,
    /// MARINA's probability of a round with whole messages: see [`crate::baselines::presets`].
    #[serde(skip)]
    pub full_rounds: Option<f64>,
    /// Do clients have parameters of their own: see [`crate::baselines::fed_gmm`].
    #[serde(skip)]
    pub is_personal: bool,
    /// Momentum and laziness of EF21: see [`crate::baselines::presets`].
    #[serde(skip)]
    pub feedback: Option<Feedback>,
}

/// What FedEM sends down.
#[derive(Clone, Debug, Default, Described, Deserialize, PartialEq, Serialize)]
#[serde(deny_unknown_fields)]
#[described(rules = downlink_rules)]
pub enum Downlink {
    /// What `broadcast` says, whole.
    #[default]
    Whole,
    /// Compressed updates of Ŝ, after Artemis: clients follow Ŝ by them, and are sent all that they have missed, or Ŝ
    /// (and D, after the first step) as they are, 64 bits per number, where that is shorter; one bit says which. Where
    /// memories have no bit of acknowledgement, another one says whether the last contribution was used. An update
    /// whose string does not end itself (dithering with `EliasSparse` or `Arithmetic`, `Lazy`) begins with a bit that
    /// says whether another follows, and then with its length.
    Compressed {
        /// The operator on the server's direction H.
        compressor: Operator,
        /// Run a biased compressor although the theory needs an unbiased one.
        #[serde(default)]
        allow_biased: bool,
        /// A memory D of H at both ends, so that only H − D is compressed.
        #[serde(default)]
        memory: DownMemory,
    },
}

/// The memory of a compressed downlink.
#[derive(Clone, Copy, Debug, Default, Described, Deserialize, PartialEq, Serialize)]
pub enum DownMemory {
    /// None: H itself is compressed.
    #[default]
    NoDownMemory,
    /// D ← D + α' Ω, α' with this step.
    DownMemory(Alpha),
}

impl Downlink {
    /// Its operator, whose floats travel as `floats`, and α'; none where broadcasts are whole.
    pub(super) fn build(&self, floats: WireFloat) -> Option<(Box<dyn Compressor>, Option<Alpha>)> {
        let Self::Compressed { compressor, memory, .. } = self else { return None };
        let alpha = match *memory {
            DownMemory::NoDownMemory => None,
            DownMemory::DownMemory(alpha) => Some(alpha),
        };
        Some((compressor.build(floats, 1), alpha))
    }
}

fn rules(own: &FedEmSetting, at: &Path<'_>, facts: &Facts, findings: &mut Findings) {
    let remembers = own.memory != Memory::NoMemory;
    if !remembers && own.alpha != Alpha::default() {
        findings.no_effect(at.field("alpha"), "it is the step of the memories, and there are none");
    }
    if own.variance_reduction != VarianceReduction::NoReduction && own.batch == BatchRule::All {
        findings.caveat(Caveat::ReductionWithoutBatches {});
    }
    let unbiased = operator::is_unbiased(&own.compressor);
    match (unbiased, own.allow_biased) {
        (true, false) => {}
        (true, true) => findings.no_effect(at.field("allow_biased"), "the compressor is unbiased"),
        (false, true) => {
            let consequence =
                "E Quant(Δ) ≠ Δ (assumption A6), so no theorem holds and the limit may not be a root of h";
            findings.caveat(Caveat::BiasedCompressor { consequence: consequence.to_owned() });
            if remembers {
                operator::no_rate(at, &own.compressor, own.alpha, facts.vector, findings);
            }
        }
        (false, false) => {
            let message = "the compressor is biased: E Quant(Δ) ≠ Δ, which FedEM needs (assumption A6) for h(Ŝ) = 0 to \
                be its limit";
            findings.error(at.field("compressor"), message, operator::UNBIASED);
        }
    }
    if own.downlink != Downlink::Whole && own.broadcast != Broadcast::default() {
        findings.no_effect(at.field("broadcast"), "a compressed downlink sends updates of Ŝ");
    }
}

fn downlink_rules(own: &Downlink, at: &Path<'_>, facts: &Facts, findings: &mut Findings) {
    let Downlink::Compressed { compressor, allow_biased, memory } = own else { return };
    operator::undivided(&at.field("compressor"), compressor, "the downlink has one sender", findings);
    operator::unbiased(at, compressor, *allow_biased, "clients' Ŝ follows another direction than H", findings);
    if *allow_biased && let DownMemory::DownMemory(alpha) = *memory {
        operator::no_rate(at, compressor, alpha, facts.vector, findings);
    }
}
