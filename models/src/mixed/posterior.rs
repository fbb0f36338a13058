//! p(y_i, z; θ) of a mixed model, its gradient in z, its statistics, and draws.

use super::curve::{AT_ONCE, MAX_LATENT};
use super::model::{Layout, MixedModel, ResidualError};
use crate::DomainError;
use crate::latent::Posterior;
use fedbits_numerics::lanes::normals;
use fedbits_numerics::{cholesky, column_dot, invert_lower, log_determinant, row_dot, vech_index};
use fedbits_random::Stream;

/// log(2π)/2.
const HALF_LOG_TAU: f64 = 0.918_938_533_204_672_7;

/// The latent distributions at θ with factors computed once.
pub(super) struct Conditional<'a> {
    pub model: &'a MixedModel,
    pub mean: &'a [f64],
    /// Cholesky factor L of Ω, and L⁻¹, both vech.
    pub factor: Vec<f64>,
    pub inverse: Vec<f64>,
    /// Standard deviations of p(z; θ).
    scales: Vec<f64>,
    /// log √det Ω.
    pub log_root_determinant: f64,
    pub sigma_sq: f64,
    /// log σ².
    log_sigma_sq: f64,
}

impl<'a> Conditional<'a> {
    /// At θ. An error when Ω is not positive definite or σ² not positive.
    pub fn new(model: &'a MixedModel, theta: &'a [f64]) -> Result<Self, DomainError> {
        let Layout { p, .. } = model.layout;
        let mut factor = model.layout.omega(theta);
        let sigma_sq = model.layout.sigma_sq(theta)?;
        cholesky(&mut factor, p).map_err(DomainError::covariance(None))?;
        let log_root_determinant = log_determinant(&factor, p);
        let mut inverse = factor.clone();
        invert_lower(&mut inverse, p);
        let log_sigma_sq = libm::log(sigma_sq);
        let row = |j: usize| &factor[vech_index(j, 0)..][..=j];
        let scales = (0..p).map(|j| row(j).iter().map(|l| l * l).sum::<f64>().sqrt()).collect();
        Ok(Self { scales, model, mean: &theta[..p], factor, inverse, log_root_determinant, sigma_sq, log_sigma_sq })
    }

    fn p(&self) -> usize {
        self.mean.len()
    }

    /// w = L⁻¹ (z − µ).
    fn whitened(&self, z: &[f64]) -> [f64; MAX_LATENT] {
        let mut w = [0.0; MAX_LATENT];
        for (i, w) in w[..self.p()].iter_mut().enumerate() {
            *w = (0..=i).map(|j| self.inverse[vech_index(i, j)] * (z[j] - self.mean[j])).sum();
        }
        w
    }

    /// (Σ ((y − f)/g)², Σ log |g|) of the subject at z.
    fn residuals(&self, subject: usize, z: &[f64]) -> (f64, f64) {
        let (curve, data) = (self.model.curve, &self.model.data.subjects[subject]);
        let natural = curve.natural(z);
        let (mut squares, mut logs) = (0.0, 0.0);
        let mut f = [0.0; AT_ONCE];
        for (times, values) in data.times.chunks(AT_ONCE).zip(data.values.chunks(AT_ONCE)) {
            curve.values(&natural, data, times, &mut f);
            for (&f, &y) in f.iter().zip(values) {
                let residual = match self.model.error {
                    ResidualError::Constant => y - f,
                    ResidualError::Proportional => {
                        logs += libm::log(f.abs());
                        (y - f) / f
                    }
                };
                squares += residual * residual;
            }
        }
        (squares, logs)
    }

    fn log_likelihood(&self, subject: usize, squares: f64, logs: f64) -> f64 {
        let n = self.model.data.subjects[subject].times.len() as f64;
        let density = -squares / (2.0 * self.sigma_sq) - logs - n * (HALF_LOG_TAU + self.log_sigma_sq / 2.0);
        if density.is_nan() || density == f64::INFINITY { f64::NEG_INFINITY } else { density }
    }

    fn log_normal_density(&self, w: &[f64]) -> f64 {
        let squares: f64 = w[..self.p()].iter().map(|w| w * w).sum();
        let density = -squares / 2.0 - self.log_root_determinant - self.p() as f64 * HALF_LOG_TAU;
        if density.is_nan() { f64::NEG_INFINITY } else { density }
    }

    /// Values of a new subject with the times and doses of `subject`.
    pub fn simulate(&self, subject: usize, stream: &mut Stream, out: &mut Vec<f64>) {
        let mut z = [0.0; MAX_LATENT];
        self.draw_prior(subject, stream, &mut z[..self.p()]);
        let (curve, data) = (self.model.curve, &self.model.data.subjects[subject]);
        let natural = curve.natural(&z[..self.p()]);
        out.clear();
        let mut f = [0.0; AT_ONCE];
        for times in data.times.chunks(AT_ONCE) {
            curve.values(&natural, data, times, &mut f);
            out.extend(f[..times.len()].iter().map(|f| {
                let g = if self.model.error == ResidualError::Constant { 1.0 } else { *f };
                f + g * self.sigma_sq.sqrt() * stream.normal()
            }));
        }
    }
}

impl MixedModel {
    /// Draws a new subject like number `subject` (its times and doses) from the model at θ: values into `out`.
    ///
    /// # Errors
    /// When θ is no parameter of the model.
    pub fn simulate(
        &self,
        theta: &[f64],
        subject: usize,
        stream: &mut Stream,
        out: &mut Vec<f64>,
    ) -> Result<(), DomainError> {
        let conditional = Conditional::new(self, theta)?;
        conditional.simulate(subject, stream, out);
        Ok(())
    }
}

impl Posterior for Conditional<'_> {
    /// The mean; with proportional error nearby where the curve is 0 at an observation: no density begins there.
    fn start(&self, subject: usize, z: &mut [f64]) {
        z.copy_from_slice(self.mean);
        if self.model.error == ResidualError::Proportional {
            self.model.curve.leave_zero(&self.model.data.subjects[subject], z);
        }
    }

    fn prior_scale(&self, j: usize) -> f64 {
        self.scales[j]
    }

    fn log_density(&self, subject: usize, z: &[f64]) -> f64 {
        let (squares, logs) = self.residuals(subject, z);
        self.log_likelihood(subject, squares, logs) + self.log_prior(subject, z)
    }

    fn gradient(&self, subject: usize, z: &[f64], out: &mut [f64]) -> f64 {
        let p = self.p();
        let (curve, data) = (self.model.curve, &self.model.data.subjects[subject]);
        let w = self.whitened(z);
        for (j, out) in out.iter_mut().enumerate() {
            *out = -column_dot(&self.inverse, j, &w[..p]);
        }
        let natural = curve.natural(z);
        let (mut squares, mut logs) = (0.0, 0.0);
        let (mut f, mut slopes) = ([0.0; AT_ONCE], [[0.0; AT_ONCE]; MAX_LATENT]);
        for (times, values) in data.times.chunks(AT_ONCE).zip(data.values.chunks(AT_ONCE)) {
            curve.values_and_gradients(&natural, data, times, &mut f, &mut slopes[..p]);
            for (j, (&f, &y)) in f.iter().zip(values).enumerate() {
                // d/df of −(y − f)²/(2σ²), or of −((y − f)/f)²/(2σ²) − log |f|.
                let (residual, d) = match self.model.error {
                    ResidualError::Constant => (y - f, (y - f) / self.sigma_sq),
                    ResidualError::Proportional => {
                        logs += libm::log(f.abs());
                        let residual = (y - f) / f;
                        (residual, (residual * y / f / self.sigma_sq - 1.0) / f)
                    }
                };
                squares += residual * residual;
                out.iter_mut().zip(&slopes).for_each(|(out, row)| *out += d * row[j]);
            }
        }
        self.log_likelihood(subject, squares, logs) + self.log_normal_density(&w)
    }

    fn add_statistics(&self, subject: usize, z: &[f64], scale: f64, out: &mut [f64]) {
        let (squares, _) = self.residuals(subject, z);
        self.model.layout.add_moments(z, scale, out);
        out[out.len() - 1] += scale * squares / self.model.mean_observations;
    }

    fn draw_prior(&self, _subject: usize, stream: &mut Stream, z: &mut [f64]) {
        let mut xi = [0.0; MAX_LATENT];
        normals(stream, &mut xi[..z.len()]);
        for (i, z) in z.iter_mut().enumerate() {
            *z = self.mean[i] + row_dot(&self.factor, i, &xi);
        }
    }

    fn log_prior(&self, _subject: usize, z: &[f64]) -> f64 {
        self.log_normal_density(&self.whitened(z))
    }

    fn gibbs(&self, subject: usize, stream: &mut Stream, z: &mut [f64]) {
        // With a Gaussian model the sweep is an independent exact draw.
        self.gaussian(subject).draw(stream, z);
    }

    fn expected_statistics(&self, subject: usize, scale: f64, out: &mut [f64]) -> Option<f64> {
        self.model.is_gaussian().then(|| {
            let gaussian = self.gaussian(subject);
            gaussian.add_statistics(self, subject, scale, out);
            gaussian.log_likelihood
        })
    }
}
