//! What a fitted bi-factor model says of each person.

use super::model::BiFactor;
use crate::fit::FitError;
use crate::latent::{FinalTable, LatentSampler, mode};

/// The table `scores`: a row per person with the most probable values of all factors given the responses (maximum a
/// posteriori scores), and their standard deviations, from second derivatives there. The first loading of every factor
/// is taken to be positive, as in the table `loadings`.
///
/// # Errors
/// When θ is none of the model, or the mode of a person is not found.
pub(super) fn scores(model: &BiFactor, theta: &[f64]) -> Result<FinalTable, FitError> {
    let (found, expected) = (theta.len(), model.parameter_dimension());
    if found != expected {
        return Err(FitError::model(format!("θ has {found} numbers: {expected} were expected")));
    }
    let (posterior, p) = (model.posterior(theta).map_err(FitError::model)?, model.latent_dimension());
    let names: Vec<String> =
        (0..p).map(|factor| if factor == 0 { "general".to_owned() } else { format!("group_{factor}") }).collect();
    let deviations = names.iter().map(|name| format!("deviation_{name}"));
    let columns = ["person".to_owned()].into_iter().chain(names.iter().cloned()).chain(deviations).collect();
    let row = |person: usize| {
        let found = mode(posterior.as_ref(), person, p)
            .ok_or_else(|| FitError::model(format!("person {person}: the most probable factors were not found")))?;
        let scores = found.z.iter().enumerate().map(|(factor, z)| z * model.sign(theta, factor));
        let numbers = scores.chain(found.deviations.iter().copied()).map(|value| format!("{value:?}"));
        Ok([person.to_string()].into_iter().chain(numbers).collect())
    };
    let rows = (0..model.subjects()).map(row).collect::<Result<_, FitError>>()?;
    Ok(FinalTable { name: "scores".to_owned(), columns, rows })
}
