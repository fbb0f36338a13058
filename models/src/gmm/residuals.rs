//! Covariances of a mixture by the two-pass computation, beside which those of T can be judged.
//!
//! T finds a variance as `E[y²] − µ²`. Of numbers of 53 bits an error of about ε µ² stays, ε µ²/σ² of the variance. The
//! two-pass computation loses nothing: first the mean, then the mean of the squared residuals, less the square of their
//! mean (Chan, Golub and LeVeque 1983, The American Statistician 37).

use super::layout::Form;
use super::mixture::GaussianMixture;
use crate::{DomainError, Examples};

/// Examples whose posterior weights are kept at a time.
const AT_ONCE: usize = 4096;

/// Moments of the components, with the weights of examples and components in them.
pub(super) struct Moments {
    /// Σ w r_g (G).
    pub weights: Vec<f64>,
    /// The means (G × d).
    pub means: Vec<f64>,
    /// The entries of each covariance that were asked for, component after component.
    covariances: Vec<f64>,
}

impl GaussianMixture {
    /// Covariances as θ has them: one for each component, or the mean of all.
    pub(super) fn in_blocks(&self, moments: &Moments, length: usize) -> Vec<f64> {
        if self.layout.form != Form::Tied {
            return moments.covariances.clone();
        }
        let (mut common, total) = (vec![0.0; length], moments.weights.iter().sum::<f64>());
        for (sigma, weight) in moments.covariances.chunks_exact(length).zip(&moments.weights) {
            common.iter_mut().zip(sigma).for_each(|(sum, sigma)| *sum += weight / total * sigma);
        }
        common
    }

    /// `parts`: examples, and the weight that each of them has. Every example is looked at twice.
    pub(super) fn moments(
        &self,
        parts: &[(Examples<'_>, f64)],
        theta: &[f64],
        entries: &[(usize, usize)],
    ) -> Result<Moments, DomainError> {
        let (components, d) = (self.layout.components, self.layout.dimension);
        let conditional = self.condition(theta)?;
        let visit = |each: &mut dyn FnMut(usize, f64, &[f64])| {
            let pieces = parts
                .iter()
                .flat_map(|(examples, weight)| examples.chunks(AT_ONCE).map(move |examples| (examples, weight)));
            for (examples, weight) in pieces {
                let posterior = conditional.posterior_weights(examples).weights;
                for (y, r) in examples.rows().chunks_exact(d).zip(posterior.chunks_exact(components)) {
                    let present = r.iter().enumerate().filter(|(_, r)| **r > 0.0);
                    present.for_each(|(g, r)| each(g, weight * r, y));
                }
            }
        };
        let (mut weights, mut means) = (vec![0.0; components], vec![0.0; components * d]);
        visit(&mut |g, weight, y| {
            weights[g] += weight;
            let near = self.mean(theta, g).iter().zip(y);
            means[g * d..][..d].iter_mut().zip(near).for_each(|(sum, (near, y))| *sum += weight * (y - near));
        });
        for (g, mean) in means.chunks_exact_mut(d).enumerate() {
            let near = self.mean(theta, g);
            mean.iter_mut().zip(near).for_each(|(mean, near)| *mean = near + *mean / weights[g]);
        }
        let mut rest = vec![0.0; components * d];
        let mut covariances = vec![0.0; components * entries.len()];
        let mut residual = vec![0.0; d];
        visit(&mut |g, weight, y| {
            let centred = residual.iter_mut().zip(y.iter().zip(&means[g * d..]));
            centred.for_each(|(z, (y, mean))| *z = y - mean);
            rest[g * d..][..d].iter_mut().zip(&residual).for_each(|(sum, z)| *sum += weight * z);
            let sums = covariances[g * entries.len()..].iter_mut().zip(entries);
            sums.for_each(|(sum, &(i, j))| *sum += weight * residual[i] * residual[j]);
        });
        for (g, sigma) in covariances.chunks_exact_mut(entries.len()).enumerate() {
            let rest = rest[g * d..][..d].iter().map(|sum| sum / weights[g]).collect::<Vec<_>>();
            sigma.iter_mut().zip(entries).for_each(|(sum, &(i, j))| *sum = *sum / weights[g] - rest[i] * rest[j]);
        }
        Ok(Moments { weights, means, covariances })
    }
}
