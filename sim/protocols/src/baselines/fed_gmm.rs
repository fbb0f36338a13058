//! FedGMM as a scenario names it: FedEM whose clients have weights of their own ([`crate::fedem::OwnWeights`]).

use fedbits_codec::WireFloat;
use fedbits_models::fit::ExactSetting;
use fedbits_spec::{Described, Findings};
use serde::{Deserialize, Serialize};

use super::presets::{Preset, presets};
use crate::fedem::{BatchRule, FedEmSetting};
use crate::footprint::{self, Sizes};
use crate::over::{BuildError, Built, ExamplesOf, Over, RunSettings};
use crate::schedule::Schedule;
use crate::setting::{Profile, ProtocolSetting, RunFacts};
use crate::vr_fedem::VarianceReduction;

/// FedGMM without classifiers (Wu et al., ICML 2023): FedEM on mixtures with common components and personal weights.
/// Refuses `batch` and `variance_reduction`. `clients.csv` has the weights (`weight_0`, …), θ and the model file their
/// mean; ‖h‖² includes their change by an EM step. Label agreement and held-out values are not measured.
#[derive(Clone, Debug, Described, Deserialize, PartialEq, Serialize)]
#[serde(transparent)]
pub struct FedGmm(pub FedEmSetting);

presets!(FedGmm);

impl Preset for FedGmm {
    const OWN: Option<&'static str> = Some("weights of each client");

    fn fed_em(&self) -> FedEmSetting {
        FedEmSetting { is_personal: true, ..self.0.clone() }
    }

    fn build(&self, problem: ExamplesOf, run: &RunSettings) -> Result<Built, BuildError> {
        // The theorems are about one θ.
        Ok(Built { theory: None, descent: None, ..self.fed_em().build(problem, run)? })
    }

    fn takes_model(&self, model: &dyn ExactSetting) -> bool {
        model.abilities().has_own_parameters
    }

    fn check_with(&self, run: &RunFacts<'_>, findings: &mut Findings) {
        self.fed_em().check_run(run, findings);
        if self.0.variance_reduction != VarianceReduction::NoReduction {
            let why = "SPIDER estimates are of statistics at one θ";
            findings.error("protocol.variance_reduction", why, "expected `NoReduction`, or the protocol `FedEm`");
        }
        if self.0.batch != BatchRule::All {
            let why = "a client's weights are those of all its examples";
            findings.error("protocol.batch", why, "expected `All`, or the protocol `FedEm`");
        }
        if run.model.exact().is_some_and(|em| em.abilities().has_short_statistics && !self.takes_model(em)) {
            let found = "no parameters of this model can be a client's own";
            findings.error("protocol", found, "expected `FedEm(…)`, or `GaussianMixture(…)` as the model");
        }
    }

    fn representatives() -> Vec<Self> {
        let drawn = FedEmSetting::examples().into_iter().find(|setting| setting.batch != BatchRule::All);
        let drawn = drawn.map(|setting| Self(FedEmSetting { batch: BatchRule::All, ..setting }));
        std::iter::once(Self(FedEmSetting::of(Schedule::Constant(1.0)))).chain(drawn).collect()
    }
}
