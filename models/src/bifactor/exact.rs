//! The exact E-step with Gaussian responses: z | y ~ N(m, C), C = (I + Λᵀ Ψ⁻¹ Λ)⁻¹, m = C Λᵀ Ψ⁻¹ (y − µ).

use super::posterior::Conditional;
use crate::gmm::vech_index;
use crate::latent::Posterior;

impl Conditional<'_> {
    /// `out += scale · s̄_i(θ)`; returns log p(y_i; θ) = log p(y_i, m) + (p/2) log 2π + ½ log det C (Laplace's formula is exact here).
    pub(super) fn add_expected(&self, subject: usize, scale: f64, out: &mut [f64]) -> f64 {
        let y = self.model.data.of(subject);
        let m = self.mean(y);
        let p = m.len();
        let covariance = |i: usize, j: usize| -> f64 {
            (i.max(j)..p).map(|k| self.root[vech_index(k, i)] * self.root[vech_index(k, j)]).sum()
        };
        self.add(subject, &m, &covariance, scale, out);
        let half_log_determinant: f64 = (0..p).map(|i| libm::log(self.root[vech_index(i, i)])).sum();
        self.log_density(subject, &m) + p as f64 * libm::log(core::f64::consts::TAU) / 2.0 + half_log_determinant
    }
}
