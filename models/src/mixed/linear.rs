//! The linear mixed model with constant error: y_i = X_i z_i + ε_i has a Gaussian posterior in closed form (golden g8).
//!
//! ```text
//! P_i = (Ω⁻¹ + X_iᵀ X_i/σ²)⁻¹,   m_i = P_i (Ω⁻¹ µ + X_iᵀ y_i/σ²)
//! s̄_i: m_i, vech(m_i m_iᵀ + P_i), (‖y_i − X_i m_i‖² + tr(X_iᵀ X_i P_i)) / (n/N)
//! log p(y_i) = −n_i/2 log 2πσ² − ½ log det Ω/det P_i − ½ (‖y_i‖²/σ² + µᵀ Ω⁻¹ µ − m_iᵀ P_i⁻¹ m_i)
//! ```
//!
//! The quadratic form is evaluated as ‖y − X m‖²/σ² + (m − µ)ᵀ Ω⁻¹ (m − µ), its value at the mode, which does not
//! cancel.

use fedbits_numerics::{cholesky, column_dot, gram_entry, invert_lower, log_determinant, vech_index, vech_length};
use fedbits_random::Stream;

use super::curve::{AT_ONCE, MAX_LATENT};
use super::model::{MixedModel, ResidualError, of_subject};
use super::posterior::Conditional;
use crate::latent::Posterior;

impl MixedModel {
    /// Is the posterior Gaussian?
    pub(super) fn is_gaussian(&self) -> bool {
        !self.curve.needs_doses() && self.error == ResidualError::Constant
    }

    /// Whether the likelihood at θ, which has a closed form, has not lost all its digits: powers of times far from 0
    /// are so much alike that rounding takes the definiteness of XᵀX.
    ///
    /// # Errors
    /// Of which subject it is not finite.
    pub(super) fn check_digits(&self, posterior: &Conditional<'_>) -> Result<(), String> {
        let is_lost = |subject: &usize| !posterior.gaussian(*subject).log_likelihood.is_finite();
        let lost = if self.is_gaussian() { (0..self.data.subjects.len()).find(is_lost) } else { None };
        let problem = "rounding takes all digits of powers of its times";
        lost.map_or(Ok(()), |subject| Err(of_subject(&self.data.subjects[subject], problem)))
    }
}

impl MixedModel {
    /// Ω_jj by residuals: the mean of (m_ij − m̄_j)² + P_ijj, with m̄ the mean of the m_i.
    pub(super) fn two_pass_variances(&self, posterior: &Conditional<'_>) -> Vec<f64> {
        let (p, n) = (self.layout.p, self.data.subjects.len() as f64);
        let all: Vec<Gaussian> = (0..self.data.subjects.len()).map(|subject| posterior.gaussian(subject)).collect();
        let of = |j: usize| {
            // From a number near the mean, which a sum of N numbers is not.
            let near = posterior.mean[j];
            let mean = near + all.iter().map(|one| one.m[j] - near).sum::<f64>() / n;
            let square = |one: &Gaussian| (one.m[j] - mean) * (one.m[j] - mean) + one.covariance(j, j);
            all.iter().map(square).sum::<f64>() / n
        };
        (0..p).map(of).collect()
    }
}

/// N(m, P) with P⁻¹ = R Rᵀ.
pub(super) struct Gaussian {
    p: usize,
    m: [f64; MAX_LATENT],
    /// R⁻¹, vech: P = R⁻ᵀ R⁻¹.
    root: Vec<f64>,
    /// XᵀX, vech.
    gram: Vec<f64>,
    /// log p(y).
    pub log_likelihood: f64,
}

impl Gaussian {
    /// Entry (i, j) of P.
    fn covariance(&self, i: usize, j: usize) -> f64 {
        gram_entry(&self.root, self.p, i, j)
    }

    /// z = m + R⁻ᵀ ξ.
    pub fn draw(&self, stream: &mut Stream, z: &mut [f64]) {
        let mut xi = [0.0; MAX_LATENT];
        xi[..self.p].iter_mut().for_each(|xi| *xi = stream.normal());
        for (j, z) in z.iter_mut().enumerate() {
            *z = self.m[j] + column_dot(&self.root, j, &xi[..self.p]);
        }
    }

    /// `out += scale · s̄_i`: the statistics at m and what P adds.
    pub fn add_statistics(&self, conditional: &Conditional<'_>, subject: usize, scale: f64, out: &mut [f64]) {
        conditional.add_statistics(subject, &self.m[..self.p], scale, out);
        let mut trace = 0.0;
        for i in 0..self.p {
            for j in 0..=i {
                let covariance = self.covariance(i, j);
                trace += if i == j { 1.0 } else { 2.0 } * self.gram[vech_index(i, j)] * covariance;
                if let Some(at) = conditional.model.layout.second_moment(i, j) {
                    out[at] += scale * covariance;
                }
            }
        }
        out[out.len() - 1] += scale * trace / conditional.model.mean_observations;
    }
}

impl Conditional<'_> {
    /// p(z | y_i; θ) of a Gaussian model.
    pub fn gaussian(&self, subject: usize) -> Gaussian {
        let p = self.mean.len();
        let data = &self.model.data.subjects[subject];
        let natural = [0.0; MAX_LATENT];
        let (mut gram, mut moment) = (vec![0.0; vech_length(p)], [0.0; MAX_LATENT]);
        let (mut f, mut slopes) = ([0.0; AT_ONCE], [[0.0; AT_ONCE]; MAX_LATENT]);
        for (times, values) in data.times.chunks(AT_ONCE).zip(data.values.chunks(AT_ONCE)) {
            self.model.curve.values_and_gradients(&natural, data, times, &mut f, &mut slopes[..p]);
            for (at, y) in values.iter().enumerate() {
                let row = slopes.map(|slope| slope[at]);
                // Of y − Xµ: the posterior of z − µ needs no product of large means.
                let residual = y - (0..p).map(|k| row[k] * self.mean[k]).sum::<f64>();
                for i in 0..p {
                    moment[i] += row[i] * residual / self.sigma_sq;
                    (0..=i).for_each(|j| gram[vech_index(i, j)] += row[i] * row[j]);
                }
            }
        }
        let mut root = vec![0.0; vech_length(p)];
        for i in 0..p {
            for j in 0..=i {
                let precision = gram_entry(&self.inverse, p, i, j);
                root[vech_index(i, j)] = precision + gram[vech_index(i, j)] / self.sigma_sq;
            }
        }
        if cholesky(&mut root, p).is_err() {
            // Numbers so large that rounding takes the definiteness: at the start that is refused
            // ([`MixedModel::check_digits`]), later the statistics become NaN, which ends the run.
            root.fill(f64::NAN);
        }
        let log_root = log_determinant(&root, p);
        invert_lower(&mut root, p);
        let mut gaussian = Gaussian { p, m: [0.0; MAX_LATENT], root, gram, log_likelihood: 0.0 };
        for i in 0..p {
            gaussian.m[i] = self.mean[i] + (0..p).map(|j| gaussian.covariance(i, j) * moment[j]).sum::<f64>();
        }
        // Laplace's formula is exact here: log p(y) = log p(y, m) + (p/2) log 2π + ½ log det P.
        let half_log_tau_p = p as f64 * libm::log(core::f64::consts::TAU) / 2.0;
        gaussian.log_likelihood = self.log_density(subject, &gaussian.m[..p]) + half_log_tau_p - log_root;
        gaussian
    }
}
