//! Mixed-effects models: a curve per subject whose parameters vary between subjects (FL-SAEM draft 5.1).
//!
//! ```text
//! z_i ~ N(µ, Ω)                               p numbers per subject, on the scale where they are normal
//! y_ij = f(z_i; t_ij) + g_ij ε_ij             ε_ij ~ N(0, σ²), g = 1 (constant error) or g = f (proportional error)
//!
//! S1 = N⁻¹ Σ z_i,   S2 = N⁻¹ Σ vech(z_i z_iᵀ),   S3 = n⁻¹ Σ_ij ((y_ij − f_ij)/g_ij)²
//! µ = S1,           Ω = S2 − S1 S1ᵀ,             σ² = S3
//! ```
//!
//! | vector | entries |
//! |---|---|
//! | s | S1 (p), S2: vech with a full Ω, squares with a diagonal one, S3 |
//! | θ | µ (p), Ω: vech or variances, σ² |
//!
//! n is the number of all observations; a subject's share of S3 is its sum of squares divided by n/N, which makes every part of
//! s a mean over subjects and n/N a constant that all parties must know. Ω diagonal replaces S2 by its diagonal. With a linear
//! curve and constant error everything is Gaussian and the E-step exact (`linear.rs`). It must not know who holds a subject.

mod curve;
mod linear;
mod maximize;
mod oral;
mod posterior;
mod predictive;

pub use curve::{Curve, MOST_LATENT, Natural, Polynomial};
pub use oral::OneCompartmentOral;
pub use predictive::predictive_check;

use fedbits_random::{Stream, Streams};
use thiserror::Error;

use crate::data::longitudinal::Longitudinal;
use crate::latent::{Abilities, FinalTable, LatentSampler, Posterior};
use crate::{DomainError, DomainPolicy, Repairs};
use maximize::Layout;
use posterior::Conditional;

/// Which covariances the random effects have.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Effects {
    /// Any Ω.
    Full,
    /// Independent effects.
    Diagonal,
}

/// How the residual error grows with the curve.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ResidualError {
    /// g = 1; σ has the unit of y.
    Constant,
    /// g = f; σ is a fraction. Where the curve is 0 only y = 0 would be possible: the density is 0 there.
    Proportional,
}

/// Why data and curve make no model.
#[derive(Clone, Debug, Error, PartialEq)]
pub enum MixedError {
    /// The curve has too many parameters.
    #[error("the curve has {found} parameters: 1 to {MOST_LATENT} are possible")]
    Parameters {
        /// How many.
        found: usize,
    },
    /// No subject.
    #[error("there are no subjects: expected at least one")]
    Empty,
    /// A subject does not fit the curve or the error.
    #[error("subject {name}: {problem}")]
    Subject {
        /// Its name.
        name: String,
        /// What is wrong, and what was expected.
        problem: String,
    },
}

/// A mixed-effects model with its data.
pub struct MixedModel {
    curve: Box<dyn Curve>,
    error: ResidualError,
    layout: Layout,
    data: Longitudinal,
    /// n/N.
    mean_observations: f64,
}

impl MixedModel {
    /// The model of `data` with the given curve.
    ///
    /// # Errors
    /// [`MixedError`]: no subject, a subject without observations or without what the curve needs, proportional error with an
    /// observation where every curve is 0.
    pub fn new(
        curve: Box<dyn Curve>,
        effects: Effects,
        error: ResidualError,
        data: Longitudinal,
    ) -> Result<Self, MixedError> {
        let p = curve.names().len();
        if p == 0 || p > MOST_LATENT {
            return Err(MixedError::Parameters { found: p });
        }
        if data.subjects.is_empty() {
            return Err(MixedError::Empty);
        }
        for subject in &data.subjects {
            let named = |problem: String| MixedError::Subject { name: subject.name.clone(), problem };
            if subject.times.is_empty() {
                return Err(named("it has no observations: expected at least one".to_owned()));
            }
            curve.check(subject).map_err(named)?;
            let zero = |t: &&f64| error == ResidualError::Proportional && curve.is_zero(subject, **t);
            if let Some(t) = subject.times.iter().find(zero) {
                let problem =
                    "is there with proportional error, and the curve is 0 there: expected later observations only";
                return Err(named(format!("the observation at time {t} {problem}")));
            }
        }
        let mean_observations = data.observations() as f64 / data.subjects.len() as f64;
        Ok(Self { curve, error, layout: Layout { p, effects }, data, mean_observations })
    }

    /// The subjects.
    pub fn data(&self) -> &Longitudinal {
        &self.data
    }

    /// The curve.
    pub fn curve(&self) -> &dyn Curve {
        self.curve.as_ref()
    }

    /// z of a subject whose parameters have these natural values.
    pub fn latent(&self, values: &[f64]) -> Vec<f64> {
        values.iter().map(|&value| self.curve.latent(value)).collect()
    }

    /// θ of the given means, variances of the effects (Ω diagonal) and residual variance σ².
    pub fn parameter(&self, means: &[f64], variances: &[f64], sigma_sq: f64) -> Vec<f64> {
        let mut theta = means.to_vec();
        for (i, variance) in variances.iter().enumerate() {
            if self.layout.effects == Effects::Full {
                theta.resize(theta.len() + i, 0.0);
            }
            theta.push(*variance);
        }
        theta.push(sigma_sq);
        theta
    }

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

impl LatentSampler for MixedModel {
    fn subjects(&self) -> usize {
        self.data.subjects.len()
    }

    fn latent_dimension(&self) -> usize {
        self.layout.p
    }

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

    fn abilities(&self) -> Abilities {
        let gaussian = self.is_gaussian();
        Abilities { gradient: true, gibbs: gaussian, continuous: true, expectation: gaussian }
    }

    fn maximize(&self, s: &[f64], policy: DomainPolicy, theta: &mut Vec<f64>) -> Result<Repairs, DomainError> {
        maximize::maximize(self.layout, s, policy, theta)
    }

    fn statistics_of(&self, theta: &[f64], s: &mut Vec<f64>) {
        maximize::statistics_of(self.layout, theta, s);
    }

    fn posterior<'a>(&'a self, theta: &'a [f64]) -> Result<Box<dyn Posterior + 'a>, DomainError> {
        Ok(Box::new(Conditional::new(self, theta)?))
    }

    fn final_tables(&self, theta: &[f64], streams: &Streams) -> Result<Vec<FinalTable>, DomainError> {
        Ok(vec![predictive_check(self, theta, streams)?])
    }

    fn standardize(&self, theta: &[f64], difference: &mut [f64]) {
        maximize::standardize(self.layout, theta, difference);
    }

    fn restore(&self, theta: &[f64], difference: &mut [f64]) {
        maximize::restore(self.layout, theta, difference);
    }

    fn parameter_gradient(&self, s: &[f64], theta: &[f64], out: &mut [f64]) -> Result<bool, DomainError> {
        maximize::parameter_gradient(self.layout, self.mean_observations, s, theta, out)?;
        Ok(true)
    }
}
