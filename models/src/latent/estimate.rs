//! log p(y; θ) of all subjects, by the best way that a model has.

use fedbits_random::Streams;

use super::importance;
use super::likelihood::LogLikelihood;
use super::model::LatentSampler;

/// Importance draws per subject where nobody says how many.
pub const AUTOMATIC_DRAWS: u32 = 200;

/// In closed form; else by the model's own quadrature; else by importance sampling with so many draws per subject,
/// where z is continuous and short and there is to be a draw. None where none of these is possible.
///
/// # Errors
/// When θ is no parameter of the model (as text).
pub fn log_likelihood(
    model: &dyn LatentSampler,
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
