//! What a fitted mixed-effects model says of each subject, and its parameters as people read them.

use fedbits_numerics::vech_index;

use super::curve::Curve;
use super::layout::{Effects, Layout};
use super::model::MixedModel;
use crate::fit::FitError;
use crate::fitted::Array;
use crate::latent::{FinalTable, SampledModel, mode};

/// The table `individuals`: a row per subject with the parameters of its curve on their natural scale where z | y is
/// most probable (empirical Bayes estimates), z − µ there (its random effects), and the standard deviation of z | y,
/// from second derivatives there.
///
/// # Errors
/// When θ is none of the model, or the mode of a subject is not found.
pub(super) fn individuals(model: &MixedModel, theta: &[f64]) -> Result<FinalTable, FitError> {
    FitError::theta(theta.len(), model.layout.length())?;
    let (posterior, p) = (model.posterior(theta).map_err(FitError::model)?, model.layout.p);
    let names = model.curve().names();
    let group =
        |prefix: &str, names: &[String]| names.iter().map(|name| format!("{prefix}_{name}")).collect::<Vec<_>>();
    let short: Vec<String> = names.iter().map(|name| name.strip_prefix("log_").unwrap_or(name).to_owned()).collect();
    let first = vec!["subject".to_owned(), "observations".to_owned()];
    let columns = [first, group("estimate", &short), group("effect", &names), group("deviation", &names)].concat();
    let row = |(index, subject): (usize, &crate::data::longitudinal::Subject)| {
        let found = mode(posterior.as_ref(), index, p).ok_or_else(|| {
            FitError::model(format!("subject {}: the most probable effects were not found", subject.name))
        })?;
        let natural = model.curve().natural(&found.z);
        let effects = found.z.iter().zip(theta).map(|(z, mean)| z - mean);
        let numbers = natural[..p].iter().copied().chain(effects).chain(found.deviations.iter().copied());
        let texts = [subject.name.clone(), subject.times.len().to_string()].into_iter();
        Ok(texts.chain(numbers.map(|value| format!("{value:?}"))).collect())
    };
    let rows = model.data().subjects.iter().enumerate().map(row).collect::<Result<_, FitError>>()?;
    Ok(FinalTable { name: "individuals".to_owned(), columns, names: 0..1, rows })
}

/// The curve of the typical subject on its natural scale, Ω (p × p), and σ.
///
/// # Errors
/// When θ is none of the model.
pub(super) fn arrays(curve: &dyn Curve, effects: Effects, theta: &[f64]) -> Result<Vec<Array>, FitError> {
    let layout = Layout { p: curve.names().len(), effects };
    FitError::theta(theta.len(), layout.length())?;
    let (p, omega) = (layout.p, layout.omega(theta));
    let square = (0..p * p).map(|at| omega[vech_index((at / p).max(at % p), (at / p).min(at % p))]).collect();
    let sigma = layout.sigma_sq(theta).map_err(FitError::model)?.sqrt();
    Ok(vec![
        Array::numbers("typical", &[p], curve.natural(&theta[..p])[..p].to_vec()),
        Array::numbers("covariance", &[p, p], square),
        Array::numbers("residual_deviation", &[1], vec![sigma]),
    ])
}
