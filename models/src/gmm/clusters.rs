//! What a mixture says of single examples, and how far its components are apart.

use super::layout::Form;
use super::mixture::GaussianMixture;
use crate::clusters::{Clusters, PosteriorWeights, Variance};
use crate::{DomainError, Examples};
use fedbits_numerics::{cholesky, invert_lower, log_determinant, row_dot, vech_index};

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

    fn flatness(&self, theta: &[f64]) -> Result<Vec<f64>, DomainError> {
        let (layout, d) = (&self.layout, self.layout.dimension);
        if layout.form == Form::Known {
            return Ok(Vec::new());
        }
        let (mut variances, mut conditional) = (Vec::new(), Vec::new());
        for block in 0..layout.covariance_blocks() {
            let sigma = &theta[layout.covariance(block)];
            if layout.form == Form::Diagonal {
                variances.push(sigma.to_vec());
                conditional.push(sigma.to_vec());
                continue;
            }
            let mut factor = sigma.to_vec();
            cholesky(&mut factor, d).map_err(DomainError::covariance(Some(block)))?;
            let diagonal = |of: &[f64]| (0..d).map(|j| of[vech_index(j, j)]).collect::<Vec<f64>>();
            variances.push(diagonal(sigma));
            conditional.push(diagonal(&factor).into_iter().map(|pivot| pivot * pivot).collect());
        }
        let whole = self.marginal_variances(theta, &variances);
        let least =
            |own: &Vec<f64>| own.iter().zip(&whole).map(|(own, whole)| own / whole).fold(f64::INFINITY, f64::min);
        Ok((0..layout.components).map(|g| least(&conditional[g.min(conditional.len() - 1)])).collect())
    }

    fn variances(&self, theta: &[f64], origin: Option<&[f64]>) -> Vec<Variance> {
        self.variances_of(theta, origin)
    }

    fn raw_variances(&self, s: &[f64]) -> Vec<f64> {
        self.differences_of_squares(s)
    }

    fn two_pass_variances(&self, parts: &[(Examples<'_>, f64)], theta: &[f64]) -> Result<Vec<f64>, DomainError> {
        self.variances_by_residuals(parts, theta)
    }

    fn two_pass_step(&self, parts: &[(Examples<'_>, f64)], theta: &[f64]) -> Result<Vec<f64>, DomainError> {
        self.step_by_residuals(parts, theta)
    }
}

impl GaussianMixture {
    /// The variance of every column under the mixture; `variances` are those of the components.
    fn marginal_variances(&self, theta: &[f64], variances: &[Vec<f64>]) -> Vec<f64> {
        let weights = self.weights(theta);
        let of = |j: usize| {
            let moment =
                |power: &dyn Fn(usize) -> f64| weights.iter().enumerate().map(|(g, w)| w * power(g)).sum::<f64>();
            let mean = moment(&|g| self.mean(theta, g)[j]);
            moment(&|g| {
                let distance = self.mean(theta, g)[j] - mean;
                variances[g.min(variances.len() - 1)][j] + distance * distance
            })
        };
        (0..self.layout.dimension).map(of).collect()
    }
}

/// xᵀ Σ⁻¹ x and log |Σ| of a covariance (vech).
fn whitened(sigma: &[f64], x: &[f64], component: Option<usize>) -> Result<(f64, f64), DomainError> {
    let d = x.len();
    let mut factor = sigma.to_vec();
    cholesky(&mut factor, d).map_err(DomainError::covariance(component))?;
    let logarithm = 2.0 * log_determinant(&factor, d);
    invert_lower(&mut factor, d);
    let square = (0..d).map(|i| row_dot(&factor, i, x)).map(|z| z * z).sum();
    Ok((square, logarithm))
}
