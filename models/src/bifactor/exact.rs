//! The exact E-step with Gaussian responses: z | y ~ N(m, C), C = (I + Λᵀ Ψ⁻¹ Λ)⁻¹, m = C Λᵀ Ψ⁻¹ (y − µ).

use super::posterior::Conditional;
use crate::latent::Posterior;
use fedbits_numerics::{gram_entry, log_determinant};

impl Conditional<'_> {
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
