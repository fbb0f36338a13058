//! log p(y; θ) by importance sampling, where the integral over z has no closed form (as saemix and Monolix do).
//!
//! Per subject: a random-walk chain gives mean m and covariance C of z | y; then z_k = m + √(ν/χ²) L ξ with L Lᵀ = C, a
//! multivariate t with ν = 4 degrees of freedom, and p(y) ≈ K⁻¹ Σ p(y, z_k)/q(z_k). The standard error of log p(y) is
//! that of the mean over its value (delta method), √v; the logarithm of the mean is on average too small by v/2, which
//! is added: over N subjects it would be N v/2, beside an error of √(N v).

use super::chain::{Chain, Place, SamplerError};
use super::model::{LogLikelihood, Posterior, SampledModel};
use super::sampler::{ChainStart, Kernel, Sampler};
use fedbits_numerics::{cholesky, log_determinant, row_dot, vech_index, vech_length};
use fedbits_random::{CounterKey, DrawPurpose, Stream, Streams};

/// ν of the proposal.
const FREEDOM: f64 = 4.0;
/// Transitions that find the posterior of a subject.
const PILOT: Sampler = Sampler {
    kernel: Kernel::RandomWalk { prior: 2, single: 2, block: 2 },
    chains: 1,
    burn_in: 100,
    iterations: 400,
    keep: 400,
    start: ChainStart::Restart,
    target: Some(0.4),
};

/// Σ log p(y_i; θ) with `draws` importance draws per subject. Draws are addressed by (`DrawPurpose::Probe`, subject, 0
/// and 1).
///
/// # Errors
/// When θ is no parameter of the model (as text), or the model has no continuous latent variables.
pub fn log_likelihood(
    model: &dyn SampledModel,
    theta: &[f64],
    draws: u32,
    streams: &Streams,
) -> Result<LogLikelihood, String> {
    let posterior = model.posterior(theta).map_err(|error| error.to_string())?;
    if !model.abilities().continuous {
        return Err("importance sampling needs continuous latent variables".to_owned());
    }
    let (mut value, mut variance) = (0.0, 0.0);
    for subject in 0..model.subjects() {
        let stream = |index| streams.at(DrawPurpose::Probe, subject as u64, index);
        let proposal = Proposal::find(posterior.as_ref(), subject, model.latent_dimension(), stream(0))
            .map_err(|error| error.to_string())?;
        let (log_density, relative) = proposal.integrate(posterior.as_ref(), subject, draws, &mut stream(1));
        value += log_density;
        variance += relative;
    }
    Ok(LogLikelihood { value, error: (draws > 1).then(|| variance.sqrt()) })
}

/// The t distribution of one subject.
struct Proposal {
    mean: Vec<f64>,
    /// L, vech.
    factor: Vec<f64>,
    log_constant: f64,
}

impl Proposal {
    fn find(posterior: &dyn Posterior, subject: usize, p: usize, stream: Stream) -> Result<Self, SamplerError> {
        let (mut sum, mut products) = (vec![0.0; p], vec![0.0; vech_length(p)]);
        let mut centre = vec![0.0; p];
        posterior.start(subject, &mut centre);
        let dither = CounterKey::new(0);
        let place = Place { latent_dimension: p, stream, dither, map: None };
        PILOT.run(posterior, subject, &mut Chain::default(), place, &mut |z| {
            for i in 0..p {
                sum[i] += z[i] - centre[i];
                for j in 0..=i {
                    products[vech_index(i, j)] += (z[i] - centre[i]) * (z[j] - centre[j]);
                }
            }
        })?;
        let n = f64::from(PILOT.keep);
        sum.iter_mut().for_each(|sum| *sum /= n);
        for i in 0..p {
            for j in 0..=i {
                let at = vech_index(i, j);
                products[at] = products[at] / n - sum[i] * sum[j];
            }
            // A chain that hardly moved must not make the proposal degenerate.
            let scale = posterior.prior_scale(i);
            products[vech_index(i, i)] += 1e-4 * scale * scale;
        }
        cholesky(&mut products, p).map_err(|_| {
            let why = "the draws of its latent variables have no positive definite covariance".to_owned();
            SamplerError::Other { subject, why }
        })?;
        let mean = sum.iter().zip(&centre).map(|(sum, centre)| sum + centre).collect();
        let p = p as f64;
        let log_constant = libm::lgamma((FREEDOM + p) / 2.0)
            - libm::lgamma(FREEDOM / 2.0)
            - p / 2.0 * libm::log(FREEDOM * core::f64::consts::PI);
        Ok(Self { mean, factor: products, log_constant })
    }

    /// (log p(y), squared standard error of the mean weight relative to its value).
    fn integrate(&self, posterior: &dyn Posterior, subject: usize, draws: u32, stream: &mut Stream) -> (f64, f64) {
        let p = self.mean.len();
        let log_root = log_determinant(&self.factor, p);
        let (mut z, mut xi) = (vec![0.0; p], vec![0.0; p]);
        let mut logs = Vec::with_capacity(draws as usize);
        for _ in 0..draws {
            let spread = (FREEDOM / (2.0 * stream.gamma(FREEDOM / 2.0))).sqrt();
            xi.iter_mut().for_each(|xi| *xi = spread * stream.normal());
            for (i, z) in z.iter_mut().enumerate() {
                *z = self.mean[i] + row_dot(&self.factor, i, &xi);
            }
            let squares: f64 = xi.iter().map(|xi| xi * xi).sum();
            let log_q = self.log_constant - log_root - (FREEDOM + p as f64) / 2.0 * libm::log1p(squares / FREEDOM);
            logs.push(posterior.log_density(subject, &z) - log_q);
        }
        let largest = logs.iter().fold(f64::NEG_INFINITY, |a, &b| a.max(b));
        let k = f64::from(draws);
        let weights = logs.iter().map(|log| libm::exp(log - largest));
        let (sum, squares) = weights.fold((0.0, 0.0), |(sum, squares), w| (sum + w, squares + w * w));
        let mean = sum / k;
        let relative = (squares / k - mean * mean).max(0.0) / (mean * mean * k);
        (largest + libm::log(mean) + relative / 2.0, relative)
    }
}
