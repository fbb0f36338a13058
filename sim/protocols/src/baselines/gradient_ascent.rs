//! Gradient ascent on the marginal likelihood with DIANA's compression: Mishchenko, Gorbunov, Takáč and Richtárik, "Distributed
//! learning with compressed gradient differences" (arXiv 1901.09269).
//!
//! ```text
//! client:  g_i = ∇ₓ of its mean log-likelihood at x (or of a batch's),  sends Quant(w_i g_i − V_i),  V_i ← V_i + α Quant(…)
//! server:  x ← x + γ (V + (1/(n p)) Σ Quant(…)),   V ← V + (α/n) Σ Quant(…)
//! ```
//!
//! The coordinates x = (log π up to a constant, µ, log variances) are our choice; gradients come from the E-step by Fisher's
//! identity, one conditional expectation each. These are FedEM's messages with h_i = g_i (see [`fedbits_models::ascent`]), and it
//! runs as that, with FedEM's participation, batches, memories and failures. The record looks at it as at the others: Ŝ is the
//! statistic of θ(x), ‖h(Ŝ)‖² that of EM. ‖H‖² is that of the gradient's estimate. The step size has no natural scale as in EM,
//! where γ = 1 is a full M-step.

use fedbits_models::ascent::Ascent;

use crate::error::ProtocolError;
use crate::fedem::{FedEm, FedEmSettings};
use crate::federation::Federation;

/// How the record looks at coordinates x: as Ŝ and θ of the model whose coordinates they are.
pub(crate) struct Coordinates {
    /// The clients' data under that model.
    pub(crate) em: Federation,
    /// Where the run starts.
    pub(crate) start: Shown,
}

/// Ŝ and θ of coordinates.
#[derive(Clone)]
pub(crate) struct Shown {
    pub(crate) s_hat: Vec<f64>,
    pub(crate) theta: Vec<f64>,
}

/// FedEM on gradients from θ = T(`s_hat`).
///
/// # Errors
/// When the model has no coordinates, T(`s_hat`) does not exist, or the compressor does not fit.
pub fn gradient_ascent(em: Federation, settings: FedEmSettings, s_hat: &[f64]) -> Result<FedEm, ProtocolError> {
    let (Some(gradients), Some(coordinates)) = (em.under(Ascent::new), em.model().coordinates()) else {
        return Err(unconstrained());
    };
    let mut theta = Vec::new();
    let maximized = settings.domain.maximize(em.model(), s_hat, &mut theta);
    maximized.map_err(ProtocolError::Initial)?;
    let x = coordinates.coordinates_of(&theta);
    let start = show(&em, &x)?;
    Ok(FedEm::new(gradients, settings, x)?.showing(Coordinates { em, start }))
}

fn unconstrained() -> ProtocolError {
    ProtocolError::Unfit(
        "gradient ascent needs coordinates without constraints, and a tied or full covariance has none here (it must stay \
         positive definite): use a known or a diagonal one"
            .to_owned(),
    )
}

fn show(em: &Federation, x: &[f64]) -> Result<Shown, ProtocolError> {
    let model = em.model();
    let (Some(coordinates), Some(parameters)) = (model.coordinates(), model.parameters()) else {
        return Err(unconstrained());
    };
    let (theta, mut s_hat) = (coordinates.theta_of(x), Vec::new());
    parameters.statistic_of(&theta, &mut s_hat);
    Ok(Shown { s_hat, theta })
}

impl Coordinates {
    /// Ŝ and θ of `x`.
    ///
    /// # Errors
    /// When the model has no coordinates.
    pub(crate) fn show(&self, x: &[f64]) -> Result<Shown, ProtocolError> {
        show(&self.em, x)
    }
}
