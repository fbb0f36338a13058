//! The model as samplers see it, and what a fit says of each subject.

use super::curve::Curve;
use super::model::{Effects, Layout, MixedModel, parameter_gradient};
use super::posterior::Conditional;
use super::predictive::predictive_check;
use crate::DomainError;
use crate::data::longitudinal::Subject;
use crate::fit::FitError;
use crate::fitted::Array;
use crate::latent::{Abilities, Difference, FinalTable, Posterior, SampledModel, mode};
use fedbits_numerics::vech_index;
use fedbits_random::Streams;

/// What samplers may ask for of curves with `p` parameters, whose posterior is Gaussian or not.
pub(super) fn abilities(p: usize, gaussian: bool) -> Abilities {
    Abilities {
        gradient: true,
        gibbs: gaussian,
        continuous: true,
        expectation: gaussian,
        importance: true,
        parameter_gradient: true,
        scales: true,
        latent: p,
    }
}

impl SampledModel for MixedModel {
    fn subjects(&self) -> usize {
        self.data.subjects.len()
    }

    fn abilities(&self) -> Abilities {
        abilities(self.layout.p, self.is_gaussian())
    }

    fn posterior<'a>(&'a self, theta: &'a [f64]) -> Result<Box<dyn Posterior + 'a>, DomainError> {
        Ok(Box::new(Conditional::new(self, theta)?))
    }

    fn parameter_gradient(&self, s: &[f64], theta: &[f64], out: &mut [f64]) -> Result<bool, DomainError> {
        parameter_gradient(self.layout, self.mean_observations, s, theta, out)?;
        Ok(true)
    }

    /// Δ becomes the difference of the statistics of (z − µ)/ω and of S3/σ²: means and products of standardized
    /// effects.
    fn standardize(&self, theta: &[f64], difference: &mut [f64]) {
        let omega = self.layout.omega(theta);
        let scale = |i: usize| omega[vech_index(i, i)].sqrt();
        for (i, j, at) in self.layout.entries() {
            let centred = difference[at] - theta[i] * difference[j] - theta[j] * difference[i];
            difference[at] = centred / (scale(i) * scale(j));
        }
        (0..self.layout.p).for_each(|i| difference[i] /= scale(i));
        difference[self.layout.length() - 1] /= theta[self.layout.length() - 1];
    }

    fn restore(&self, theta: &[f64], difference: &mut [f64]) {
        let omega = self.layout.omega(theta);
        let scale = |i: usize| omega[vech_index(i, i)].sqrt();
        (0..self.layout.p).for_each(|i| difference[i] *= scale(i));
        for (i, j, at) in self.layout.entries() {
            difference[at] = difference[at] * scale(i) * scale(j) + theta[i] * difference[j] + theta[j] * difference[i];
        }
        difference[self.layout.length() - 1] *= theta[self.layout.length() - 1];
    }

    fn typical_error(&self, theta: &[f64]) -> Result<Option<f64>, DomainError> {
        self.posterior(theta)?;
        let natural = self.curve.natural(&theta[..self.layout.p]);
        let mut sum = 0.0;
        for subject in &self.data.subjects {
            let pairs = subject.times.iter().zip(&subject.values);
            let residuals = pairs.map(|(&t, y)| y - self.curve.value(&natural, subject, t));
            sum += residuals.map(|residual| residual * residual).sum::<f64>();
        }
        Ok(Some((sum / self.data.observations() as f64).sqrt()))
    }

    fn final_tables(&self, theta: &[f64], streams: &Streams) -> Result<Vec<FinalTable>, DomainError> {
        Ok(vec![predictive_check(self, theta, streams)?])
    }

    /// Ω_jj and µ_j².
    fn squares(&self, theta: &[f64]) -> Vec<[f64; 2]> {
        let variances = self.layout.entries().filter(|(i, j, _)| i == j && self.is_gaussian());
        variances.map(|(i, _, at)| [theta[at], theta[i] * theta[i]]).collect()
    }

    fn differences(&self, theta: &[f64], s: &[f64]) -> Result<Vec<Difference>, DomainError> {
        let two_pass = self.two_pass_variances(&Conditional::new(self, theta)?);
        let names = self.curve.names();
        let of = |([value, square], two_pass): ([f64; 2], f64), (i, at): (usize, usize)| Difference {
            what: format!("the random effect `{}`", names[i]),
            value,
            raw: s[at] - s[i] * s[i],
            two_pass,
            square,
            origin: "0",
            shifted: two_pass,
            remedy: "subtract the typical curve, or a number near the values' mean, from the values",
        };
        let places = self.layout.entries().filter(|(i, j, _)| i == j).map(|(i, _, at)| (i, at));
        Ok(self.squares(theta).into_iter().zip(two_pass).zip(places).map(|(pair, place)| of(pair, place)).collect())
    }
}

/// The table `individuals`: a row per subject with the parameters of its curve on their natural scale where z | y is
/// most probable (empirical Bayes estimates), z − µ there (its random effects), and the standard deviation of z | y,
/// from second derivatives there.
///
/// # Errors
/// When θ is none of the model, or the mode of a subject is not found.
pub(super) fn individuals(model: &MixedModel, theta: &[f64]) -> Result<FinalTable, FitError> {
    FitError::theta(theta.len(), model.layout.length())?;
    let (posterior, p) = (model.posterior(theta).map_err(FitError::model)?, model.layout.p);
    let names = model.curve.names();
    let group =
        |prefix: &str, names: &[String]| names.iter().map(|name| format!("{prefix}_{name}")).collect::<Vec<_>>();
    let short: Vec<String> = names.iter().map(|name| name.strip_prefix("log_").unwrap_or(name).to_owned()).collect();
    let first = vec!["subject".to_owned(), "observations".to_owned()];
    let columns = [first, group("estimate", &short), group("effect", &names), group("deviation", &names)].concat();
    let row = |(index, subject): (usize, &Subject)| {
        let found = mode(posterior.as_ref(), index, p).ok_or_else(|| {
            FitError::model(format!("subject {}: the most probable effects were not found", subject.name))
        })?;
        let natural = model.curve.natural(&found.z);
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
pub(super) fn arrays(curve: Curve, effects: Effects, theta: &[f64]) -> Result<Vec<Array>, FitError> {
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
