//! What a mixture says of single examples, how far its components are apart, and its covariances by the two-pass
//! computation, beside which those of T can be judged.
//!
//! T finds a variance as `E[y²] − µ²`. Of numbers of 53 bits an error of about ε µ² stays, ε µ²/σ² of the variance. The
//! two-pass computation loses nothing: first the mean, then the mean of the squared residuals, less the square of their
//! mean (Chan, Golub and LeVeque 1983, The American Statistician 37).

use super::layout::Form;
use super::mixture::GaussianMixture;
use crate::clusters::{Clusters, PosteriorWeights, Variance};
use crate::{DomainError, Examples};
use fedbits_numerics::{cholesky, invert_lower, log_determinant, row_dot, vech_index};

/// Of squares, whose difference a variance is: rounding of sums leaves about this share of them.
const SQUARE_ROUNDING: f64 = 4.0 * f64::EPSILON;
/// Of variances, whose differences are those along other directions than the columns.
const VARIANCE_ROUNDING: f64 = 64.0 * f64::EPSILON;

impl Clusters for GaussianMixture {
    fn components(&self) -> usize {
        self.layout.components
    }

    fn weights<'a>(&self, theta: &'a [f64]) -> &'a [f64] {
        &theta[..self.layout.components]
    }

    fn classify(&self, examples: Examples<'_>, theta: &[f64]) -> Result<Vec<u32>, DomainError> {
        Ok(self.condition(theta)?.classify(examples))
    }

    fn posterior_weights(&self, examples: Examples<'_>, theta: &[f64]) -> Result<PosteriorWeights, DomainError> {
        Ok(self.condition(theta)?.posterior_weights(examples))
    }

    fn may_be_empty(&self) -> bool {
        self.prior.is_some()
    }

    fn occupied(&self, theta: &[f64]) -> usize {
        let Some(prior) = &self.prior else { return self.layout.components };
        self.weights(theta).iter().filter(|&&weight| prior.examples_of(&self.layout, weight) >= 0.5).count()
    }

    /// ⅛ δᵀ Σ̄⁻¹ δ + ½ log(|Σ̄| ÷ √(|Σ_g| |Σ_h|)), δ = µ_g − µ_h, Σ̄ = (Σ_g + Σ_h)/2 (Bhattacharyya 1943; Kailath 1967).
    fn distance(&self, theta: &[f64], g: usize, h: usize) -> Result<f64, DomainError> {
        let layout = &self.layout;
        let between: Vec<f64> =
            self.mean(theta, g).iter().zip(self.mean(theta, h)).map(|(left, right)| left - right).collect();
        let [left, right] = [g, h].map(|component| layout.covariance_of(&self.constant, theta, component));
        if matches!(layout.form, Form::Known | Form::Tied) {
            return Ok(whitened(left, &between, None)?.0 / 8.0);
        }
        let mean: Vec<f64> = left.iter().zip(right).map(|(left, right)| (left + right) / 2.0).collect();
        if layout.form == Form::Diagonal {
            let terms = between.iter().zip(&mean).zip(left.iter().zip(right));
            let term = |((between, mean), (left, right)): ((&f64, &f64), (&f64, &f64))| {
                between * between / mean / 8.0 + 0.5 * libm::log(mean / (left * right).sqrt())
            };
            return Ok(terms.map(term).sum());
        }
        let (square, logarithm) = whitened(&mean, &between, None)?;
        let of = |sigma: &[f64], component| Ok::<_, DomainError>(whitened(sigma, &between, Some(component))?.1);
        Ok(square / 8.0 + 0.5 * (logarithm - 0.5 * (of(left, g)? + of(right, h)?)))
    }

    fn collapsed(&self, theta: &[f64], origin: Option<&[f64]>, floor: f64) -> Vec<usize> {
        // A prior keeps covariances positive definite.
        if self.prior.is_some() {
            return Vec::new();
        }
        // A variance that was raised to the floor is read back within a millionth, also from 32-bit floats.
        let floor = floor * (1.0 + 1e-6);
        self.unresolved(theta, origin, |variance| {
            floor.max(SQUARE_ROUNDING * variance.square) + VARIANCE_ROUNDING * variance.value
        })
    }

    fn variances(&self, theta: &[f64], origin: Option<&[f64]>) -> Vec<Variance> {
        if self.prior.is_some() {
            return Vec::new();
        }
        let layout = &self.layout;
        let square = |g: usize, j: usize| {
            let distance = self.mean(theta, g)[j] - origin.map_or(0.0, |origin| origin[j]);
            distance * distance
        };
        let of = |block: usize| {
            let sigma = &theta[layout.covariance(block)];
            (0..layout.dimension).map(move |column| (block, column, sigma[layout.variance(column)]))
        };
        let variance = |(block, column, value)| match layout.form {
            Form::Tied => {
                let square = self.weights(theta).iter().enumerate().map(|(g, weight)| weight * square(g, column)).sum();
                Variance { component: None, column, value, square }
            }
            _ => Variance { component: Some(block), column, value, square: square(block, column) },
        };
        (0..layout.covariance_blocks()).flat_map(of).map(variance).collect()
    }

    fn raw_variances(&self, s: &[f64]) -> Vec<f64> {
        let layout = &self.layout;
        let columns = 0..layout.dimension;
        let square = |g: usize, j: usize| {
            let mean = s[layout.mean(g)][j] / s[g];
            mean * mean
        };
        if layout.form == Form::Tied {
            let subtracted = |j| (0..layout.components).fold(0.0, |sum, g| sum + s[g] * square(g, j));
            return columns.map(|j| self.constant[vech_index(j, j)] - subtracted(j)).collect();
        }
        let of = |g: usize| {
            let second = &s[layout.second_moment(g)];
            columns.clone().map(move |j| second[layout.variance(j)] / s[g] - square(g, j))
        };
        (0..layout.covariance_blocks()).flat_map(of).collect()
    }

    fn two_pass_variances(&self, parts: &[(Examples<'_>, f64)], theta: &[f64]) -> Result<Vec<f64>, DomainError> {
        let diagonal: Vec<(usize, usize)> = (0..self.layout.dimension).map(|j| (j, j)).collect();
        let moments = self.moments(parts, theta, &diagonal)?;
        Ok(self.in_blocks(&moments, diagonal.len()))
    }

    fn two_pass_step(&self, parts: &[(Examples<'_>, f64)], theta: &[f64]) -> Result<Vec<f64>, DomainError> {
        let entries = self.layout.covariance_entries();
        let moments = self.moments(parts, theta, &entries)?;
        let total: f64 = moments.weights.iter().sum();
        let weights: Vec<f64> = moments.weights.iter().map(|weight| weight / total).collect();
        let next = [&weights[..], &moments.means, &self.in_blocks(&moments, entries.len())].concat();
        DomainError::check_finite(&next)?;
        self.condition(&next)?;
        Ok(next)
    }
}

impl GaussianMixture {
    /// The components with a direction along which Σ has no more variance than the diagonal matrix of `resolution`.
    pub(super) fn unresolved(
        &self,
        theta: &[f64],
        origin: Option<&[f64]>,
        resolution: impl Fn(&Variance) -> f64,
    ) -> Vec<usize> {
        let (layout, d) = (&self.layout, self.layout.dimension);
        let variances = self.variances(theta, origin);
        let is_unresolved = |block: usize| {
            let mut rest = theta[layout.covariance(block)].to_vec();
            for variance in &variances[block * d..][..d] {
                rest[layout.variance(variance.column)] -= resolution(variance);
            }
            match layout.form {
                Form::Diagonal => rest.iter().any(|rest| *rest <= 0.0),
                Form::Known | Form::Tied | Form::Full => cholesky(&mut rest, d).is_err(),
            }
        };
        let blocks: Vec<bool> = (0..layout.covariance_blocks()).map(is_unresolved).collect();
        let of = |g: usize| blocks.get(g.min(blocks.len().saturating_sub(1))).copied().unwrap_or(false);
        (0..layout.components).filter(|&g| of(g)).collect()
    }
}

/// xᵀ Σ⁻¹ x and log |Σ| of a covariance (vech).
pub(super) fn whitened(sigma: &[f64], x: &[f64], component: Option<usize>) -> Result<(f64, f64), DomainError> {
    let d = x.len();
    let mut factor = sigma.to_vec();
    cholesky(&mut factor, d).map_err(DomainError::covariance(component))?;
    let logarithm = 2.0 * log_determinant(&factor, d);
    invert_lower(&mut factor, d);
    let square = (0..d).map(|i| row_dot(&factor, i, x)).map(|z| z * z).sum();
    Ok((square, logarithm))
}

/// Examples whose posterior weights are kept at a time.
const AT_ONCE: usize = 4096;

/// Moments of the components, with the weights of examples and components in them.
struct Moments {
    /// Σ w r_g (G).
    weights: Vec<f64>,
    /// The means (G × d).
    means: Vec<f64>,
    /// The entries of each covariance that were asked for, component after component.
    covariances: Vec<f64>,
}

impl GaussianMixture {
    /// Covariances as θ has them: one for each component, or the mean of all.
    fn in_blocks(&self, moments: &Moments, length: usize) -> Vec<f64> {
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
    fn moments(
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
