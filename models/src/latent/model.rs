//! The seam between models whose E-step is sampled and the samplers.

use std::ops::Range;

use crate::clusters::Clusters;
use crate::data::DataSet;
use crate::{DomainError, Model, Parameters};
use fedbits_random::{Stream, Streams};

/// What a model can do for a sampler beyond its density.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Abilities {
    /// [`Posterior::gradient`] exists: Langevin kernels can run.
    pub gradient: bool,
    /// [`Posterior::gibbs`] exists.
    pub gibbs: bool,
    /// Components of z are real numbers that random walks may move (not labels).
    pub continuous: bool,
    /// [`Posterior::expected_statistics`] exists: exact EM can run, and ‖h‖² and the objective can be probed.
    pub expectation: bool,
    /// log p(y) can be estimated by importance sampling: z is continuous and short.
    pub importance: bool,
    /// [`SampledModel::parameter_gradient`] exists.
    pub parameter_gradient: bool,
    /// [`SampledModel::standardize`] does something.
    pub scales: bool,
    /// p, the length of z.
    pub latent: usize,
}

/// An estimate of log p(y; θ) over all subjects.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct LogLikelihood {
    /// Σ log p(y_i; θ).
    pub value: f64,
    /// Its standard error; of a quadrature, the distance from a coarser one; 0 of a closed form. None where it is not
    /// known: of one draw per subject.
    pub error: Option<f64>,
}

/// A table of texts: what a model shows at the end.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct FinalTable {
    /// Its name, fit for a file.
    pub name: String,
    /// Names of its columns.
    pub columns: Vec<String>,
    /// The columns that hold names, which may look like numbers.
    pub names: Range<usize>,
    /// Rows, one cell per column.
    pub rows: Vec<Vec<String>>,
}

/// A variance that T finds as a difference of squares, after an EM step from θ.
#[derive(Clone, Debug, PartialEq)]
pub struct Difference {
    /// What it is, as in "item `a`".
    pub what: String,
    /// Its value in θ.
    pub value: f64,
    /// As T finds it: of either sign by rounding.
    pub raw: f64,
    /// By the two-pass computation.
    pub two_pass: f64,
    /// The square that T subtracts, counted from `origin`.
    pub square: f64,
    /// What the mean is counted from.
    pub origin: &'static str,
    /// `square` of data that are shifted as `remedy` says.
    pub shifted: f64,
    /// What the user can do.
    pub remedy: &'static str,
}

/// A model together with its observations, whose latent variables can be sampled. Every θ has a statistic.
///
/// ```
/// use fedbits_models::bifactor::{BiFactor, Law};
/// use fedbits_models::data::responses::Responses;
/// use fedbits_models::latent::SampledModel;
///
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let items = ["a", "b", "c"].map(str::to_owned).to_vec();
/// let model = BiFactor::new(Law::Logit, &[1, 1, 1], Responses { items, rows: vec![1.0, 0.0, 1.0] })?;
/// let theta = model.parameter(0.0, 1.0, 0.5, 1.0);
/// let (mut z, mut gradient) = (vec![0.0; model.latent_dimension()], vec![0.0; model.latent_dimension()]);
/// let posterior = model.posterior(&theta)?;
/// posterior.start(0, &mut z);
/// let density = posterior.gradient(0, &z, &mut gradient);
/// assert_eq!(density, posterior.log_density(0, &z));
/// assert!(gradient[0] > 0.0); // two of three items were solved
/// # Ok(())
/// # }
/// ```
pub trait SampledModel: Parameters {
    /// N, the number of subjects.
    fn subjects(&self) -> usize;
    /// What samplers may ask for.
    fn abilities(&self) -> Abilities;
    /// The latent distributions at θ.
    ///
    /// # Errors
    /// When θ is no parameter of the model.
    fn posterior<'a>(&'a self, theta: &'a [f64]) -> Result<Box<dyn Posterior + 'a>, DomainError>;
    /// p, the length of z.
    fn latent_dimension(&self) -> usize {
        self.abilities().latent
    }
    /// The model with constants of T from these subjects alone, with which a client makes its own M-steps. None, the
    /// default, if T has no constants of subjects that statistics have nothing of.
    fn with_constants_of_subjects(&self, subjects: &[u32]) -> Option<Box<dyn Model>> {
        let _ = subjects;
        None
    }
    /// Replaces a difference of statistics by A_θ times it: centred at θ and divided by standard deviations, so that
    /// all entries have about the same size. The default is A = I. Only with [`Abilities::scales`].
    fn standardize(&self, theta: &[f64], difference: &mut [f64]) {
        let _ = (theta, difference);
    }

    /// Replaces u by A_θ⁻¹ u.
    fn restore(&self, theta: &[f64], difference: &mut [f64]) {
        let _ = (theta, difference);
    }

    /// Writes the gradient in θ of ⟨s, φ(θ)⟩ − ψ(θ), in the coordinates of θ: by Fisher's identity its posterior mean
    /// is the gradient of N⁻¹ Σ log p(y_i; θ). Only with [`Abilities::parameter_gradient`]; false without.
    ///
    /// # Errors
    /// When θ is no parameter of the model.
    fn parameter_gradient(&self, s: &[f64], theta: &[f64], out: &mut [f64]) -> Result<bool, DomainError> {
        let _ = (s, theta, out);
        Ok(false)
    }
    /// log p(y; θ) of all subjects by a rule of the model's own (quadrature), where it has one.
    ///
    /// # Errors
    /// When θ is no parameter of the model.
    fn log_likelihood(&self, theta: &[f64]) -> Result<Option<LogLikelihood>, DomainError> {
        let _ = theta;
        Ok(None)
    }
    /// The root mean square of the observations less what the typical subject has at their places, in their unit, where
    /// a subject has a curve.
    ///
    /// # Errors
    /// When θ is no parameter of the model.
    fn typical_error(&self, theta: &[f64]) -> Result<Option<f64>, DomainError> {
        let _ = theta;
        Ok(None)
    }
    /// Names of further measures of the fit (perplexity of held-out words).
    fn measure_names(&self) -> Vec<String> {
        Vec::new()
    }
    /// Their values at θ, one per name. Draws are at `DrawPurpose::Probe`.
    ///
    /// # Errors
    /// When θ is no parameter of the model.
    fn measures(&self, theta: &[f64], streams: &Streams) -> Result<Vec<Option<f64>>, DomainError> {
        let _ = (theta, streams);
        Ok(Vec::new())
    }
    /// What the model shows of a final θ as tables (a predictive check, the top words of topics). Draws are
    /// at `DrawPurpose::Probe`.
    ///
    /// # Errors
    /// When θ is no parameter of the model.
    fn final_tables(&self, theta: &[f64], streams: &Streams) -> Result<Vec<FinalTable>, DomainError> {
        let _ = (theta, streams);
        Ok(Vec::new())
    }

    /// The variances in θ that T finds as differences of squares, of which rounding may leave little, each with the
    /// square that is subtracted. None by default, and without an exact E-step.
    fn squares(&self, theta: &[f64]) -> Vec<[f64; 2]> {
        let _ = theta;
        Vec::new()
    }

    /// These variances after an EM step from θ, whose statistic s̄(θ) is `s`.
    ///
    /// # Errors
    /// When θ is no parameter of the model.
    fn differences(&self, theta: &[f64], s: &[f64]) -> Result<Vec<Difference>, DomainError> {
        let _ = (theta, s);
        Ok(Vec::new())
    }

    /// The components that subjects come from and the examples that are the subjects, for models that have such.
    fn classes(&self) -> Option<(&dyn Clusters, &DataSet)> {
        None
    }
}

/// The latent distributions of all subjects at one θ.
pub trait Posterior: Send + Sync {
    /// Writes where a chain may start: a point of positive density that depends on θ and the subject's times and doses
    /// alone (the prior's mode, or near it).
    fn start(&self, subject: usize, z: &mut [f64]);
    /// Standard deviation of component `j` of z before y is seen: the unit of random-walk steps.
    fn prior_scale(&self, j: usize) -> f64;
    /// log p(y_i, z; θ), all constants included; −∞ where the density is 0 or not representable, never NaN.
    fn log_density(&self, subject: usize, z: &[f64]) -> f64;
    /// Returns [`Posterior::log_density`], and writes its gradient in z. Not finite where the density is 0. Only with
    /// [`Abilities::gradient`].
    fn gradient(&self, subject: usize, z: &[f64], out: &mut [f64]) -> f64;
    /// `out += scale · S(y_i, z)`.
    fn add_statistics(&self, subject: usize, z: &[f64], scale: f64, out: &mut [f64]);
    /// Draws z from p(z; θ).
    fn draw_prior(&self, subject: usize, stream: &mut Stream, z: &mut [f64]);
    /// log p(z; θ).
    fn log_prior(&self, subject: usize, z: &[f64]) -> f64;
    /// One sweep of the model's own Gibbs kernel, in place. Only with [`Abilities::gibbs`].
    fn gibbs(&self, subject: usize, stream: &mut Stream, z: &mut [f64]) {
        let _ = (subject, stream, z);
    }
    /// `out += scale · s̄_i(θ)`; returns log p(y_i; θ). `None`, and nothing added, without [`Abilities::expectation`].
    fn expected_statistics(&self, subject: usize, scale: f64, out: &mut [f64]) -> Option<f64> {
        let _ = (subject, scale, out);
        None
    }
}
