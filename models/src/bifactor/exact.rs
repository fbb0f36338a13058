//! The exact E-step with Gaussian responses: z | y ~ N(m, C), C = (I + Λᵀ Ψ⁻¹ Λ)⁻¹, m = C Λᵀ Ψ⁻¹ (y − µ).

use super::posterior::Conditional;
use crate::latent::Posterior;
use fedbits_numerics::{gram_entry, log_determinant};

impl Conditional<'_> {
    /// ψ_j of all items by residuals: the mean of (y − xᵀ E[u])² + ℓᵀ C ℓ, with the weights of θ.
    pub(super) fn residual_variances(&self) -> Vec<f64> {
        let (model, n) = (self.model, self.model.data.persons());
        let mut sums = vec![0.0; model.items()];
        for person in 0..n {
            let y = model.data.of(person);
            let m = self.mean(y);
            let covariance = |i, j| gram_entry(&self.root, m.len(), i, j);
            for (j, (sum, y)) in sums.iter_mut().zip(y).enumerate() {
                let ([mu, a, c], g) = (*self.item(j), 1 + model.group[j]);
                let residual = (y - mu) - a * m[0] - c * m[g];
                let spread = a * a * covariance(0, 0) + 2.0 * a * c * covariance(g, 0) + c * c * covariance(g, g);
                *sum += residual * residual + spread;
            }
        }
        sums.into_iter().map(|sum| sum / n as f64).collect()
    }

    /// `out += scale · s̄_i(θ)`; returns log p(y_i; θ) = log p(y_i, m) + (p/2) log 2π + ½ log det C (Laplace's formula
    /// is exact here).
    pub(super) fn add_expected(&self, subject: usize, scale: f64, out: &mut [f64]) -> f64 {
        let y = self.model.data.of(subject);
        let m = self.mean(y);
        let p = m.len();
        let covariance = |i, j| gram_entry(&self.root, p, i, j);
        self.add(subject, &m, &covariance, scale, out);
        self.log_density(subject, &m)
            + p as f64 * libm::log(core::f64::consts::TAU) / 2.0
            + log_determinant(&self.root, p)
    }
}
