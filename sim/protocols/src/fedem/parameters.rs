//! Parameters of FedEM, as scenarios name them, with their rules.

use fedbits_codec::{Compressor, WireFloat};
use fedbits_spec::{Caveat, Described, Facts, Findings, Path};
use serde::{Deserialize, Serialize};

use super::Feedback;
use super::settings::{BatchRule, Broadcast, Domain};
use crate::federation::Weighting;
use crate::operator::{self, Operator};
use crate::plan::Participation;
use crate::schedule::Schedule;
use crate::uplink::{Alpha, DivideBy, Memory};
use crate::vr_fedem::VarianceReduction;

/// FedEM (Algorithm 1); without memory, its naive variant.
#[derive(Clone, Debug, Described, Deserialize, PartialEq, Serialize)]
#[serde(deny_unknown_fields, rename = "FedEm")]
#[described(rules = rules)]
pub struct FedEmSetting {
    /// γ, server step: Ŝ ← Ŝ + γ H.
    pub gamma: Schedule,
    /// α, step of the memories.
    #[serde(default)]
    pub alpha: Alpha,
    /// Memories V_i.
    #[serde(default)]
    pub memory: Memory,
    /// SPIDER: VR-FedEM (Algorithm 2).
    #[serde(default)]
    pub variance_reduction: VarianceReduction,
    /// Clients of a round.
    #[serde(default)]
    pub participation: Participation,
    /// Examples per client and round.
    #[serde(default)]
    pub batch: BatchRule,
    /// Divisor of the sum.
    #[serde(default)]
    pub divide_by: DivideBy,
    /// Uplink compressor of Δ.
    #[serde(default)]
    pub compressor: Operator,
    /// Permits a biased compressor, which violates assumption A6.
    #[serde(default)]
    pub allow_biased: bool,
    /// Width of floats.
    #[serde(default)]
    pub floats: WireFloat,
    /// Content of broadcasts.
    #[serde(default)]
    pub broadcast: Broadcast,
    /// Downlink compression.
    #[serde(default)]
    pub downlink: Downlink,
    /// Statistics outside the domain of T.
    #[serde(default)]
    pub domain: Domain,
    /// Weights of clients.
    #[serde(default)]
    pub weighting: Weighting,
    /// MARINA's probability of a round with whole messages: see [`crate::baselines::presets`].
    #[serde(skip)]
    pub full_rounds: Option<f64>,
    /// Do clients have parameters of their own: see [`crate::baselines::presets::FedGmm`].
    #[serde(skip)]
    pub is_personal: bool,
    /// Momentum and laziness of EF21: see [`crate::baselines::presets`].
    #[serde(skip)]
    pub feedback: Option<Feedback>,
}

/// Downlink messages of FedEM.
#[derive(Clone, Debug, Default, Described, Deserialize, PartialEq, Serialize)]
#[serde(deny_unknown_fields)]
#[described(rules = downlink_rules)]
pub enum Downlink {
    /// `broadcast`, uncompressed.
    #[default]
    Whole,
    /// Compressed updates of Ŝ, after Artemis. A client receives all missed updates or, if shorter, Ŝ (with D after the
    /// first step) in 64 bits per number. One bit tells which; another acknowledges the last contribution, unless
    /// memories send it. Codes without end mark carry a continuation bit and their length.
    Compressed {
        /// Compressor of the server's direction H.
        compressor: Operator,
        /// Permits a biased compressor, which the theory excludes.
        #[serde(default)]
        allow_biased: bool,
        /// Memory D of H at both ends: only H − D is compressed.
        #[serde(default)]
        memory: DownMemory,
    },
}

/// Memory of a compressed downlink.
#[derive(Clone, Copy, Debug, Default, Described, Deserialize, PartialEq, Serialize)]
pub enum DownMemory {
    /// None: H itself is compressed.
    #[default]
    NoDownMemory,
    /// D ← D + α' Ω with this step α'.
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

fn rules(setting: &FedEmSetting, at: &Path<'_>, facts: &Facts, findings: &mut Findings) {
    let remembers = setting.memory != Memory::NoMemory;
    if !remembers && setting.alpha != Alpha::default() {
        findings.no_effect(at.field("alpha"), "it is the step of the memories, and there are none");
    }
    if setting.variance_reduction != VarianceReduction::NoReduction && setting.batch == BatchRule::All {
        findings.caveat(Caveat::ReductionWithoutBatches {});
    }
    let unbiased = operator::is_unbiased(&setting.compressor);
    match (unbiased, setting.allow_biased) {
        (true, false) => {}
        (true, true) => findings.no_effect(at.field("allow_biased"), "the compressor is unbiased"),
        (false, true) => {
            let consequence =
                "E Quant(Δ) ≠ Δ (assumption A6), so no theorem holds and the limit may not be a root of h";
            findings.caveat(Caveat::BiasedCompressor { consequence: consequence.to_owned() });
            if remembers {
                operator::no_rate(at, &setting.compressor, setting.alpha, facts.vector, findings);
            }
        }
        (false, false) => {
            let message = "the compressor is biased: E Quant(Δ) ≠ Δ, which FedEM needs (assumption A6) for h(Ŝ) = 0 to \
                be its limit";
            findings.error(at.field("compressor"), message, operator::UNBIASED);
        }
    }
    if setting.downlink != Downlink::Whole && setting.broadcast != Broadcast::default() {
        findings.no_effect(at.field("broadcast"), "a compressed downlink sends updates of Ŝ");
    }
}

fn downlink_rules(downlink: &Downlink, at: &Path<'_>, facts: &Facts, findings: &mut Findings) {
    let Downlink::Compressed { compressor, allow_biased, memory } = downlink else { return };
    operator::undivided(&at.field("compressor"), compressor, "the downlink has one sender", findings);
    operator::unbiased(at, compressor, *allow_biased, "clients' Ŝ follows another direction than H", findings);
    if *allow_biased && let DownMemory::DownMemory(alpha) = *memory {
        operator::no_rate(at, compressor, alpha, facts.vector, findings);
    }
}
