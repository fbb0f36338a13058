//! The seam between models whose E-step is sampled and the samplers.

use std::ops::Range;

use super::likelihood::LogLikelihood;
use crate::clusters::Clusters;
use crate::data::DataSet;
use crate::{DomainError, DomainPolicy, Repairs};
use fedbits_random::{Stream, Streams};

/// What a model can do for a sampler beyond its density.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
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
    /// The same for data that are shifted as `remedy` says.
    pub shifted: f64,
    /// What the user can do.
    pub remedy: &'static str,
}

/// A latent-variable model of a curved exponential family together with its observations.
///
/// ```
/// use fedbits_models::bifactor::{BiFactor, Law};
/// use fedbits_models::data::responses::Responses;
/// use fedbits_models::latent::LatentSampler;
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
pub trait LatentSampler: Send + Sync {
    /// N, the number of subjects.
    fn subjects(&self) -> usize;
    /// p, the length of z.
    fn latent_dimension(&self) -> usize;
    /// q, the length of the statistic.
    fn statistic_dimension(&self) -> usize;
    /// Length of θ.
    fn parameter_dimension(&self) -> usize;
    /// One name per entry of θ.
    fn parameter_names(&self) -> Vec<String>;
    /// One name per entry of s.
    fn statistic_names(&self) -> Vec<String>;
    /// Numbers that all parties must share before the first round because S or T contain them (such as the mean number
    /// of observations); 0 for none.
    fn constants_dimension(&self) -> usize;
    /// What samplers may ask for.
    fn abilities(&self) -> Abilities;
    /// T: writes θ = T(s). With [`DomainPolicy::Clip`] a copy of s is repaired; s itself does not change.
    ///
    /// # Errors
    /// When s is outside the domain of T.
    fn maximize(&self, s: &[f64], policy: DomainPolicy, theta: &mut Vec<f64>) -> Result<Repairs, DomainError>;
    /// T of a client that makes M-steps of its own: with constants of T from these subjects alone, where a model has
    /// that. The default is T, with the constants of all subjects.
    ///
    /// # Errors
    /// When s is outside the domain of this T.
    fn maximize_own(
        &self,
        subjects: &[u32],
        s: &[f64],
        policy: DomainPolicy,
        theta: &mut Vec<f64>,
    ) -> Result<Repairs, DomainError> {
        let _ = subjects;
        self.maximize(s, policy, theta)
    }
    /// Has T constants of the subjects that statistics have nothing of, so that [`LatentSampler::maximize_own`] and
    /// [`LatentSampler::admit`] are not T? The default is no.
    fn has_own_constants(&self) -> bool {
        false
    }
    /// A mean of parameters as a parameter: T at its statistic, with the constants of T that belong to it, where a
    /// model has such. The default is T at its statistic.
    ///
    /// # Errors
    /// When it is no parameter.
    fn admit(&self, theta: &[f64], policy: DomainPolicy, out: &mut Vec<f64>) -> Result<Repairs, DomainError> {
        let mut s = Vec::new();
        self.statistics_of(theta, &mut s);
        self.maximize(&s, policy, out)
    }
    /// Writes a statistic that T maps to θ.
    fn statistics_of(&self, theta: &[f64], s: &mut Vec<f64>);
    /// The latent distributions at θ.
    ///
    /// # Errors
    /// When θ is no parameter of the model.
    fn posterior<'a>(&'a self, theta: &'a [f64]) -> Result<Box<dyn Posterior + 'a>, DomainError>;
    /// Replaces a difference of statistics by A_θ times it: centred at θ and divided by standard deviations, so that
    /// all coordinates have about the same size (linear, invertible). The default is A = I.
    fn standardize(&self, theta: &[f64], difference: &mut [f64]) {
        let _ = (theta, difference);
    }
    /// Is A another matrix than I?
    fn is_standardized(&self) -> bool {
        false
    }
    /// Replaces u by A_θ⁻¹ u.
    fn restore(&self, theta: &[f64], difference: &mut [f64]) {
        let _ = (theta, difference);
    }
    /// Writes the gradient in θ of ⟨s, φ(θ)⟩ − ψ(θ), in the coordinates of θ: by Fisher's identity its posterior mean
    /// is the gradient of N⁻¹ Σ log p(y_i; θ). False when the model offers none.
    ///
    /// # Errors
    /// When θ is no parameter of the model.
    fn parameter_gradient(&self, s: &[f64], theta: &[f64], out: &mut [f64]) -> Result<bool, DomainError> {
        let _ = (s, theta, out);
        Ok(false)
    }
    /// log p(y; θ) of all subjects by a rule of the model's own (quadrature), where it has one; none by default.
    ///
    /// # Errors
    /// When θ is no parameter of the model.
    fn log_likelihood(&self, theta: &[f64]) -> Result<Option<LogLikelihood>, DomainError> {
        let _ = theta;
        Ok(None)
    }
    /// The root mean square of the observations less what the typical subject has at their places, in their unit, where
    /// a subject has a curve; none by default.
    ///
    /// # Errors
    /// When θ is no parameter of the model.
    fn typical_error(&self, theta: &[f64]) -> Result<Option<f64>, DomainError> {
        let _ = theta;
        Ok(None)
    }
    /// Names of what the model itself can tell of a θ beyond its likelihood (perplexity of held-out words); none by
    /// default.
    fn finding_names(&self) -> Vec<String> {
        Vec::new()
    }
    /// Their values at θ, one per name; draws at `DrawPurpose::Probe`.
    ///
    /// # Errors
    /// When θ is no parameter of the model.
    fn findings(&self, theta: &[f64], streams: &Streams) -> Result<Vec<Option<f64>>, DomainError> {
        let _ = (theta, streams);
        Ok(Vec::new())
    }
    /// What the model shows of a final θ as tables (a predictive check, the top words of topics); none by default.
    /// Draws at `DrawPurpose::Probe`.
    ///
    /// # Errors
    /// When θ is no parameter of the model.
    fn final_tables(&self, theta: &[f64], streams: &Streams) -> Result<Vec<FinalTable>, DomainError> {
        let _ = (theta, streams);
        Ok(Vec::new())
    }
    /// The variances in θ that T finds as differences of squares, each with the square that is subtracted; none by
    /// default, and without an exact E-step.
    fn squares(&self, theta: &[f64]) -> Vec<[f64; 2]> {
        let _ = theta;
        Vec::new()
    }
    /// The same variances after an EM step from θ, whose statistic s̄(θ) is `s`.
    ///
    /// # Errors
    /// When θ is no parameter of the model.
    fn differences(&self, theta: &[f64], s: &[f64]) -> Result<Vec<Difference>, DomainError> {
        let _ = (theta, s);
        Ok(Vec::new())
    }
    /// The components that subjects come from and the examples that are the subjects, for models that have such.
    fn clusters(&self) -> Option<(&dyn Clusters, &DataSet)> {
        None
    }
    /// ‖θ − truth‖², minimal over the model's symmetries.
    fn parameter_error(&self, theta: &[f64], truth: &[f64]) -> f64 {
        theta.iter().zip(truth).map(|(a, b)| (a - b) * (a - b)).sum()
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
    /// The same, and writes its gradient in z. Not finite where the density is 0. Only with [`Abilities::gradient`].
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
