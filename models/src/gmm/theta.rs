//! Building a θ from its parts.

use super::layout::Form;
use super::mixture::{GaussianMixture, check_length};
use crate::clusters::Variance;
use crate::initial::{sample_covariance, sample_mean};
use crate::{DomainError, DomainPolicy, Examples, Model};
use fedbits_numerics::{cholesky, vech_index, vech_length, vech_pairs};

/// Below this share of the squares, whose difference it is, the variance of a class is made of rounding errors.
const SINGULAR: f64 = 1e-13;

impl GaussianMixture {
    /// θ from weights (G), means (G×d) and covariances in θ's own layout (known: none; tied: vech; diagonal: G×d
    /// variances; full: G vech).
    ///
    /// Fails for wrong lengths, numbers that are not finite, weights that are not positive and covariances that are not
    /// positive definite. Weights are taken as they are: they need not sum to one here.
    pub fn theta_from_parts(
        &self,
        weights: &[f64],
        means: &[f64],
        covariances: &[f64],
    ) -> Result<Vec<f64>, DomainError> {
        let layout = &self.layout;
        check_length("the vector of weights", layout.components, weights)?;
        check_length("the matrix of means", layout.components * layout.dimension, means)?;
        check_length("the covariance part", layout.covariance_blocks() * layout.covariance_length(), covariances)?;
        let theta = [weights, means, covariances].concat();
        self.condition(&theta)?;
        Ok(theta)
    }

    /// θ = T of the statistics that a hard assignment gives: weights, means and covariances of the classes `labels`
    /// (one per example, below G).
    ///
    /// Where these statistics leave a covariance only rounding, because the classes lie so far apart, the classes' own
    /// covariances are found by the two-pass computation.
    ///
    /// Fails for a class without examples and for singular covariances, up to rounding.
    pub fn theta_of_labels(&self, examples: Examples<'_>, labels: &[u32]) -> Result<Vec<f64>, DomainError> {
        // A start is the maximum of the likelihood, also under a prior.
        let flat = Self { prior: None, ..self.clone() };
        match flat.theta_of_sums(examples, labels) {
            Err(DomainError::Singular { component }) => {
                flat.theta_of_classes(examples, labels).ok_or(DomainError::Singular { component })
            }
            found => found,
        }
    }

    fn theta_of_sums(&self, examples: Examples<'_>, labels: &[u32]) -> Result<Vec<f64>, DomainError> {
        let layout = &self.layout;
        check_length(
            "an example",
            layout.dimension,
            &examples.rows()[..examples.dimension().min(examples.rows().len())],
        )?;
        let count = examples.len() as f64;
        let centre = sample_mean(examples);
        let mut s = vec![0.0; layout.statistic_dimension()];
        for (y, &label) in examples.rows().chunks_exact(examples.dimension()).zip(labels) {
            let (g, y) = (label as usize, y.iter().zip(&centre).map(|(y, mean)| y - mean).collect::<Vec<_>>());
            s[g] += 1.0 / count;
            s[layout.mean(g)].iter_mut().zip(&y).for_each(|(sum, y)| *sum += y / count);
            let second = &mut s[layout.second_moment(g)];
            match layout.form {
                Form::Known | Form::Tied => {}
                Form::Diagonal => second.iter_mut().zip(&y).for_each(|(sum, y)| *sum += y * y / count),
                Form::Full => {
                    let pairs = second.iter_mut().zip(vech_pairs(y.len()));
                    pairs.for_each(|(sum, (i, j))| *sum += y[i] * y[j] / count);
                }
            }
        }
        let mut theta = Vec::new();
        // C2 is the mean over clients as the protocol weights them, and the labels are of the pooled examples.
        let pooled = self.with_second_moment(|| sample_covariance(examples));
        pooled.maximize(&s, DomainPolicy::Error, &mut theta).map_err(|error| match error {
            DomainError::Covariance { component, .. } => DomainError::Singular { component },
            other => other,
        })?;
        // What rounding leaves of a variance that is 0 can have either sign.
        let rounding = |variance: &Variance| SINGULAR * (variance.square + variance.value);
        if let Some(&g) = self.unresolved(&theta, None, rounding).first() {
            let component = (layout.form != Form::Tied).then_some(g);
            return Err(DomainError::Singular { component });
        }
        for g in 0..layout.components {
            theta[layout.mean(g)].iter_mut().zip(&centre).for_each(|(mean, centre)| *mean += centre);
        }
        Ok(theta)
    }

    /// θ from means and covariances of each class by itself; none where a class is empty, or a covariance is
    /// singular up to the rounding of the examples.
    fn theta_of_classes(&self, examples: Examples<'_>, labels: &[u32]) -> Option<Vec<f64>> {
        let (layout, d) = (&self.layout, self.layout.dimension);
        let (mut weights, mut means, mut covariances) = (Vec::new(), Vec::new(), Vec::new());
        for g in 0..layout.components {
            let members = examples.rows().chunks_exact(d).zip(labels).filter(|(_, label)| **label as usize == g);
            let rows: Vec<f64> = members.flat_map(|(y, _)| y).copied().collect();
            let class = Examples::new(&rows, d);
            let (mean, covariance) = (sample_mean(class), sample_covariance(class));
            let mut factor = covariance.clone();
            cholesky(&mut factor, d).ok()?;
            let is_rounding = |j: usize| {
                let (variance, pivot) = (covariance[vech_index(j, j)], factor[vech_index(j, j)]);
                let rounding = 8.0 * f64::EPSILON * mean[j];
                pivot * pivot < (SINGULAR * variance).max(rounding * rounding)
            };
            if (0..d).any(is_rounding) {
                return None;
            }
            weights.push(class.len() as f64 / examples.len() as f64);
            means.extend(mean);
            covariances.push(covariance);
        }
        let part: Vec<f64> = match layout.form {
            Form::Tied => (0..vech_length(d))
                .map(|at| weights.iter().zip(&covariances).map(|(weight, sigma)| weight * sigma[at]).sum())
                .collect(),
            _ => covariances.iter().flat_map(|sigma| layout.covariance_from(sigma)).collect(),
        };
        self.theta_from_parts(&weights, &means, &part).ok()
    }

    /// θ with equal weights 1/G, the given means (G×d) and `covariance` (vech, d(d+1)/2) for every component: as it is
    /// (tied, full) or its diagonal (diagonal); a known covariance stays what it is.
    pub fn initial_theta(&self, means: &[f64], covariance: &[f64]) -> Result<Vec<f64>, DomainError> {
        let (g, d) = (self.layout.components, self.layout.dimension);
        check_length("the covariance", vech_length(d), covariance)?;
        let part = self.layout.covariance_from(covariance).repeat(self.layout.covariance_blocks());
        self.theta_from_parts(&vec![1.0 / g as f64; g], means, &part)
    }
}
