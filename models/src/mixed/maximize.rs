//! θ and s of the mixed models, T, a statistic for a given θ, and the coordinates in which statistics are well scaled.

use super::layout::Layout;
use super::model::MixedModel;
use crate::latent::Scales;
use crate::{DomainError, DomainPolicy, Model, Parameters, Repairs};
use fedbits_numerics::{cholesky, gram_entry, inverse_root, raise_eigenvalues, vech_index};

impl Model for MixedModel {
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

    fn maximize(&self, s: &[f64], policy: DomainPolicy, theta: &mut Vec<f64>) -> Result<Repairs, DomainError> {
        assert_eq!(s.len(), self.layout.length(), "s has q entries");
        DomainError::check_finite(s)?;
        theta.clear();
        theta.extend_from_slice(s);
        self.layout.entries().for_each(|(i, j, at)| theta[at] -= s[i] * s[j]);
        let mut omega = self.layout.omega(theta);
        let last = theta.len() - 1;
        let mut repairs = Repairs::default();
        if let DomainPolicy::Clip { floor } = policy {
            repairs.eigenvalues = raise_eigenvalues(&mut omega, self.layout.p, floor);
            self.layout.entries().for_each(|(i, j, at)| theta[at] = omega[vech_index(i, j)]);
            if theta[last] < floor {
                theta[last] = floor;
                repairs.eigenvalues += 1;
            }
        }
        self.layout.sigma_sq(theta)?;
        cholesky(&mut omega, self.layout.p).map_err(DomainError::covariance(None))?;
        Ok(repairs)
    }
}

impl Parameters for MixedModel {
    /// s = (µ, Ω + µµᵀ, σ²).
    fn statistic_of(&self, theta: &[f64], s: &mut Vec<f64>) {
        s.clear();
        s.extend_from_slice(theta);
        self.layout.entries().for_each(|(i, j, at)| s[at] += theta[i] * theta[j]);
    }
}

impl Scales for MixedModel {
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
}

/// Gradient of −½ log det Ω − ½ tr Ω⁻¹ C(s) − (n̄/2)(log σ² + S3/σ²) in θ, with C = S2 − S1 µᵀ − µ S1ᵀ + µ µᵀ.
/// Off-diagonal entries of Ω stand for two matrix entries. With proportional error S3 and n̄ are the same; log |f| does
/// not depend on θ.
pub(super) fn parameter_gradient(
    layout: Layout,
    mean_observations: f64,
    s: &[f64],
    theta: &[f64],
    out: &mut [f64],
) -> Result<(), DomainError> {
    let p = layout.p;
    let sigma_sq = layout.sigma_sq(theta)?;
    let inverse = inverse_root(layout.omega(theta), p).map_err(DomainError::covariance(None))?;
    let precision: Vec<f64> = (0..p * p).map(|at| gram_entry(&inverse, p, at / p, at % p)).collect();
    for (i, out) in out[..p].iter_mut().enumerate() {
        *out = (0..p).map(|j| precision[i * p + j] * (s[j] - theta[j])).sum();
    }
    let mut scatter = vec![0.0; p * p];
    for (i, j, at) in layout.entries() {
        let c = s[at] - s[i] * theta[j] - theta[i] * s[j] + theta[i] * theta[j];
        (scatter[i * p + j], scatter[j * p + i]) = (c, c);
    }
    let product = |a: &[f64], b: &[f64]| -> Vec<f64> {
        (0..p * p).map(|at| (0..p).map(|k| a[at / p * p + k] * b[k * p + at % p]).sum()).collect()
    };
    let quadratic = product(&product(&precision, &scatter), &precision);
    for (i, j, at) in layout.entries() {
        let both = if i == j { 0.5 } else { 1.0 };
        out[at] = both * (quadratic[i * p + j] - precision[i * p + j]);
    }
    let last = layout.length() - 1;
    out[last] = mean_observations / 2.0 * (s[last] / sigma_sq - 1.0) / sigma_sq;
    Ok(())
}
