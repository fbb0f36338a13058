//! The model as samplers see it.

use super::maximize;
use super::model::MixedModel;
use super::posterior::Conditional;
use super::predictive::predictive_check;
use crate::latent::{Abilities, Difference, FinalTable, LatentSampler, Posterior};
use crate::{DomainError, DomainPolicy, Repairs};
use fedbits_random::Streams;

impl LatentSampler for MixedModel {
    fn subjects(&self) -> usize {
        self.data.subjects.len()
    }

    fn latent_dimension(&self) -> usize {
        self.layout.p
    }

    fn statistic_dimension(&self) -> usize {
        self.layout.length()
    }

    fn parameter_dimension(&self) -> usize {
        self.layout.length()
    }

    fn parameter_names(&self) -> Vec<String> {
        self.layout.names("mean", "omega", "sigma_sq", &self.curve.names())
    }

    fn statistic_names(&self) -> Vec<String> {
        self.layout.names("s1", "s2", "s3", &self.curve.names())
    }

    fn constants_dimension(&self) -> usize {
        1
    }

    fn abilities(&self) -> Abilities {
        let gaussian = self.is_gaussian();
        Abilities { gradient: true, gibbs: gaussian, continuous: true, expectation: gaussian, importance: true }
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

    fn maximize(&self, s: &[f64], policy: DomainPolicy, theta: &mut Vec<f64>) -> Result<Repairs, DomainError> {
        maximize::maximize(self.layout, s, policy, theta)
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

    fn statistics_of(&self, theta: &[f64], s: &mut Vec<f64>) {
        maximize::statistics_of(self.layout, theta, s);
    }

    fn posterior<'a>(&'a self, theta: &'a [f64]) -> Result<Box<dyn Posterior + 'a>, DomainError> {
        Ok(Box::new(Conditional::new(self, theta)?))
    }

    fn final_tables(&self, theta: &[f64], streams: &Streams) -> Result<Vec<FinalTable>, DomainError> {
        Ok(vec![predictive_check(self, theta, streams)?])
    }

    fn standardize(&self, theta: &[f64], difference: &mut [f64]) {
        maximize::standardize(self.layout, theta, difference);
    }

    fn is_standardized(&self) -> bool {
        true
    }

    fn restore(&self, theta: &[f64], difference: &mut [f64]) {
        maximize::restore(self.layout, theta, difference);
    }

    fn parameter_gradient(&self, s: &[f64], theta: &[f64], out: &mut [f64]) -> Result<bool, DomainError> {
        maximize::parameter_gradient(self.layout, self.mean_observations, s, theta, out)?;
        Ok(true)
    }
}
