//! What a fitted bi-factor model says of each person.

use super::law::Law;
use super::model::BiFactor;
use crate::Model;
use crate::fit::FitError;
use crate::fitted::Array;
use crate::latent::{FinalTable, SampledModel, mode};

/// Intercepts and loadings of the items, and variances of Gaussian responses; the first loading of every factor is
/// positive, as in the tables `loadings` and `scores`.
///
/// # Errors
/// When θ is none of the model.
pub(super) fn arrays(law: Law, groups: &[usize], theta: &[f64]) -> Result<Vec<Array>, FitError> {
    let (items, width) = (groups.len(), law.parameters());
    FitError::theta(theta.len(), items * width)?;
    let of = |part: usize| -> Vec<f64> { theta.iter().skip(part).step_by(width).copied().collect() };
    let (general, specific) = (of(1), of(2));
    let sign = |first: Option<f64>| if first.is_some_and(|loading| loading < 0.0) { -1.0 } else { 1.0 };
    let of_group = |group: usize| sign(groups.iter().position(|&entry| entry == group).map(|item| specific[item]));
    let turned: Vec<f64> = specific.iter().zip(groups).map(|(loading, &group)| loading * of_group(group)).collect();
    let whole = sign(general.first().copied());
    let mut arrays = vec![
        Array::numbers("intercept", &[items], of(0)),
        Array::numbers("general", &[items], general.iter().map(|loading| loading * whole).collect()),
        Array::numbers("specific", &[items], turned),
    ];
    if law == Law::Gaussian {
        arrays.push(Array::numbers("variance", &[items], of(3)));
    }
    Ok(arrays)
}

/// The table `scores`: a row per person with the most probable values of all factors given the responses (maximum a
/// posteriori scores), and their standard deviations, from second derivatives there. The first loading of every factor
/// is taken to be positive, as in the table `loadings`.
///
/// # Errors
/// When θ is none of the model, or the mode of a person is not found.
pub(super) fn scores(model: &BiFactor, theta: &[f64]) -> Result<FinalTable, FitError> {
    FitError::theta(theta.len(), model.parameter_dimension())?;
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
    Ok(FinalTable { name: "scores".to_owned(), columns, rows, names: 0..0 })
}
