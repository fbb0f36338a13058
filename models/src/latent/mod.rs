//! Models whose E-step is done by sampling, and the samplers (FL-SAEM draft).
//!
//! A model knows its subjects i = 0, …, N − 1 with their observations y_i and one vector z_i of latent variables each.
//! At a parameter θ it gives the complete-data density p(y_i, z; θ), its gradient in z, which is ∇ log p(z | y_i; θ),
//! and the complete-data statistics S(y_i, z). A sampler moves z; it never sees y. Statistics are means over subjects:
//!
//! ```text
//! S̃ = N⁻¹ Σ_i S(y_i, z_i),   θ = T(S̃)
//! ```
//!
//! Adding a model is a new file with [`SampledModel`] and [`Posterior`]; adding a kernel a function in `kernels.rs`.

mod chain;
pub mod importance;
mod kernels;
mod mode;
mod model;
mod sampler;

pub use chain::{Chain, GradientMap, Place, SamplerError, Tally};
pub use kernels::langevin_drift;
pub use mode::{Mode, mode};
pub use model::{Abilities, Difference, FinalTable, LogLikelihood, Posterior, SampledModel};
pub use sampler::{ChainStart, Kernel, Sampler};

use fedbits_random::Streams;

/// Importance draws per subject where nobody says how many.
pub const AUTOMATIC_DRAWS: u32 = 200;

/// In closed form; else by the model's own quadrature; else by importance sampling with so many draws per subject,
/// where z is continuous and short and there is to be a draw. None where none of these is possible.
///
/// # Errors
/// When θ is no parameter of the model (as text).
pub fn log_likelihood(
    model: &dyn SampledModel,
    theta: &[f64],
    draws: u32,
    streams: &Streams,
) -> Result<Option<LogLikelihood>, String> {
    let text = |error: crate::DomainError| error.to_string();
    if model.abilities().expectation {
        let posterior = model.posterior(theta).map_err(text)?;
        let mut unused = vec![0.0; model.statistic_dimension()];
        let each = (0..model.subjects()).map(|subject| posterior.expected_statistics(subject, 0.0, &mut unused));
        let value: Option<f64> = each.sum();
        return Ok(value.map(|value| LogLikelihood { value, error: Some(0.0) }));
    }
    if let Some(estimate) = model.log_likelihood(theta).map_err(text)? {
        return Ok(Some(estimate));
    }
    if draws == 0 || !model.abilities().importance {
        return Ok(None);
    }
    importance::log_likelihood(model, theta, draws, streams).map(Some)
}
