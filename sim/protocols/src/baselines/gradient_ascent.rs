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
//! estimate. The step size has no natural scale as in EM, where γ = 1 is a full M-step.

use fedbits_models::ascent::Ascent;

use crate::error::ProtocolError;
use crate::fedem::{Coordinates, FedEm, FedEmSettings};
use crate::federation::Federation;

/// FedEM on gradients from θ = T(`s_hat`).
///
/// # Errors
/// When the model has no coordinates, T(`s_hat`) does not exist, or the compressor does not fit.
pub fn gradient_ascent(em: Federation, settings: FedEmSettings, s_hat: &[f64]) -> Result<FedEm, ProtocolError> {
    let (Some(gradients), Some(coordinates)) = (em.under(Ascent::new), em.model().coordinates()) else {
        return Err(ProtocolError::Constrained);
    };
    let mut theta = Vec::new();
    let maximized = settings.domain.maximize(em.model(), s_hat, &mut theta);
    maximized.map_err(ProtocolError::Initial)?;
    let x = coordinates.coordinates_of(&theta);
    let shown = Coordinates::new(em, &x)?;
    Ok(FedEm::new(gradients, settings, x)?.showing(shown))
}
