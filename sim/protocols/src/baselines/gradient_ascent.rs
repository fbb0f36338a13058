//! Gradient ascent on the marginal likelihood with DIANA's compression: Mishchenko, Gorbunov, Takáč and Richtárik,
//! "Distributed learning with compressed gradient differences" (arXiv 1901.09269).
//!
//! ```text
//! client:  g_i = ∇ₓ of its mean log-likelihood at x (or of a batch's),  sends Quant(w_i g_i − V_i),  V_i ← V_i + α Quant(…)
//! server:  x ← x + γ (V + (1/(n p)) Σ Quant(…)),   V ← V + (α/n) Σ Quant(…)
//! ```
//!
//! The coordinates x = (log π up to a constant, µ, log variances) are our choice; gradients come from the E-step by
//! Fisher's identity, one conditional expectation each. These are FedEM's messages with h_i = g_i (see
//! [`fedbits_models::ascent`]), and it runs as that, with FedEM's participation, batches, memories and failures. The
//! record looks at it as at the others: Ŝ is the statistic of θ(x), ‖h(Ŝ)‖² that of EM. ‖H‖² is that of the gradient's
//! estimate. The step size has no natural scale as in EM, where γ = 1 is a full M-step; its range is EM's all the same.

use fedbits_models::ascent::Ascent;
use fedbits_models::fit::ExactSetting;
use fedbits_spec::{Described, Findings};
use serde::{Deserialize, Serialize};

use crate::error::ProtocolError;
use crate::fedem::{self, Broadcast, Coordinates, Domain, FedEm, FedEmSetting, FedEmSettings};
use crate::federation::{Federation, Weighting};
use crate::footprint::{Part, Sizes};
use crate::over::{Built, ExamplesOf, Over};
use crate::plan::Participation;
use crate::schedule::Schedule;
use crate::setting::{ProtocolSetting, RunFacts};
use crate::vr_fedem::VarianceReduction;

/// Gradient ascent on the marginal likelihood with FedEM's (DIANA's) messages. `variance_reduction` is refused; γ is
/// its step; `domain` is about the start, the only statistic of which it needs the parameters.
#[derive(Clone, Debug, Described, Deserialize, PartialEq, Serialize)]
#[serde(transparent)]
pub struct GradientAscent(pub FedEmSetting);

impl ProtocolSetting for GradientAscent {
    fn over(&self) -> Over<'_> {
        Over::examples(|ExamplesOf { federation, s_hat, .. }, run| {
            let settings = self.0.resolved(run, federation.clients());
            let caveats = fedem::caveats(&settings, &federation);
            let ascent = gradient_ascent(federation, settings, &s_hat)?;
            Ok(Built { caveats, ..Built::new(run.star(ascent)) })
        })
    }

    fn columns(&self) -> Option<Vec<&'static str>> {
        Some(fedem::COLUMNS.to_vec())
    }

    fn participation(&self) -> Participation {
        self.0.participation
    }

    fn begins_with_everybody(&self) -> bool {
        self.0.begins_with_everybody()
    }

    fn domain(&self) -> Domain {
        self.0.domain
    }

    fn weighting(&self) -> Weighting {
        self.0.weighting
    }

    fn takes_older(&self) -> bool {
        true
    }

    fn memory(&self, sizes: &Sizes) -> Vec<Part> {
        self.0.memory(sizes)
    }

    fn takes(&self, model: &dyn ExactSetting) -> bool {
        model.lacks_coordinates().is_none() && model.averages_parameters()
    }

    fn check_run(&self, run: &RunFacts<'_>, findings: &mut Findings) {
        self.0.check_run(run, findings);
        if self.0.variance_reduction != VarianceReduction::NoReduction {
            let why = "SPIDER estimates are of statistics, not of gradients";
            findings.error("protocol.variance_reduction", why, "expected `NoReduction`, or the protocol `FedEm`");
        }
        if self.0.broadcast != Broadcast::default() {
            findings.no_effect("protocol.broadcast", "coordinates are sent, and parameters follow from them");
        }
        if self.0.domain == Domain::SkipRound {
            findings.no_effect("protocol.domain", "every vector of coordinates has parameters");
        }
        let Some(em) = run.model.exact().filter(|em| em.has_short_statistics()) else { return };
        if let Some(lack) = em.lacks_coordinates() {
            findings.error(lack.path, lack.message, lack.expected);
        } else if !em.averages_parameters() {
            let found = "no statistic is known of the parameters of this model, which the record shows as Ŝ";
            findings.error("protocol", found, "expected `FedEm(…)` or another protocol that averages statistics");
        }
    }

    fn examples() -> Vec<Self> {
        vec![Self(FedEmSetting::of(Schedule::Constant(0.1)))]
    }
}

/// FedEM on gradients from θ = T(`s_hat`), for which a statistic is clipped that has none under `Clip`.
///
/// # Errors
/// When the model has no coordinates, T(`s_hat`) does not exist, or the compressor does not fit.
pub fn gradient_ascent(em: Federation, settings: FedEmSettings, s_hat: &[f64]) -> Result<FedEm, ProtocolError> {
    let (Some(gradients), Some(coordinates)) = (em.under(Ascent::new), em.model().coordinates()) else {
        return Err(ProtocolError::Constrained);
    };
    let mut theta = Vec::new();
    let maximized = settings.domain.maximize(em.model(), s_hat, &mut theta);
    let clipped = maximized.map_err(ProtocolError::Initial)?;
    let x = coordinates.coordinates_of(&theta);
    // x is what is sent; parameters follow from it.
    let settings = FedEmSettings { broadcast: Broadcast::Statistic, ..settings };
    let shown = Coordinates::new(em, &x)?;
    Ok(FedEm::new(gradients, settings, x)?.showing(shown, clipped))
}
