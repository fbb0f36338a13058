//! The model as samplers see it.

use super::maximize::parameter_gradient;
use super::model::MixedModel;
use super::posterior::Conditional;
use super::predictive::predictive_check;
use crate::DomainError;
use crate::latent::{
    Abilities, Difference, DifferencesOfSquares, FinalTable, ModelReport, Posterior, SampledModel, Scales,
};
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

    fn scales(&self) -> Option<&dyn Scales> {
        Some(self)
    }

    fn report(&self) -> Option<&dyn ModelReport> {
        Some(self)
    }

    fn squares(&self) -> Option<&dyn DifferencesOfSquares> {
        Some(self)
    }
}

impl ModelReport for MixedModel {
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
}

impl DifferencesOfSquares for MixedModel {
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
        Ok(DifferencesOfSquares::squares(self, theta)
            .into_iter()
            .zip(two_pass)
            .zip(places)
            .map(|(pair, place)| of(pair, place))
            .collect())
    }
}
