//! The seam between EM mathematics and whoever runs it: a model in expectation (sufficient-statistics) form.
//!
//! Symbols (FedEM paper, section 2): s̄(θ) conditional expectation of the complete-data statistic, q-dimensional;
//! T the map from statistics to parameters (the M-step); Ŝ the current statistic; θ = T(Ŝ).

use fedbits_numerics::BadPivot;
use thiserror::Error;

use crate::coordinates::{Coordinates, Parameters};

/// Examples in row-major order: `rows.len() / dimension` observations of `dimension` numbers.
#[derive(Clone, Copy, Debug)]
pub struct Examples<'a> {
    /// Observations, one after the other.
    pub rows: &'a [f64],
    /// Numbers per observation, d.
    pub dimension: usize,
}

impl Examples<'_> {
    /// Number of observations.
    pub fn len(&self) -> usize {
        self.rows.len() / self.dimension
    }

    /// True without observations.
    pub fn is_empty(&self) -> bool {
        self.rows.is_empty()
    }
}

/// Which observations an E-step visits. Indices may repeat (sampling with replacement).
#[derive(Clone, Copy, Debug)]
pub enum Batch<'a> {
    /// Every observation once, in order.
    All,
    /// These observations, in this order.
    Indices(&'a [u32]),
}

/// Reusable working memory of E-steps: grows once, then nothing is allocated per call.
#[derive(Clone, Debug, Default)]
pub struct Scratch {
    /// The buffer; contents are meaningless between calls.
    pub buffer: Vec<f64>,
}

/// What T does with a statistic outside its domain (compression noise can leave it).
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum DomainPolicy {
    /// Return the [`DomainError`].
    Error,
    /// Replace the offending entries (weights and eigenvalues below `floor`) by `floor` in T's argument and count them.
    Clip {
        /// Smallest weight and smallest covariance eigenvalue that are let through.
        floor: f64,
    },
}

/// How many entries a clipping T replaced.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Repairs {
    /// Component weights raised to the floor.
    pub weights: u32,
    /// Covariance eigenvalues raised to the floor.
    pub eigenvalues: u32,
}

/// Why a statistic has no image under T, or a parameter no density.
#[derive(Clone, Debug, Error, PartialEq)]
pub enum DomainError {
    /// The weight statistic of a component is not positive.
    #[error("the weight of component {component} is {value:e}: it must be positive")]
    Weight {
        /// Zero-based component.
        component: usize,
        /// Its statistic.
        value: f64,
    },
    /// A probability is not positive, or the statistic behind it.
    #[error("the probability of outcome {outcome} in component {component} is {value:e}: it must be positive")]
    Probability {
        /// Zero-based outcome.
        outcome: usize,
        /// Zero-based component.
        component: usize,
        /// The value.
        value: f64,
    },
    /// A covariance is not positive definite.
    #[error("the covariance{} is not positive definite (pivot {pivot} is {value:e})", .component.map(|g| format!(" of \
        component {g}")).unwrap_or_default())]
    Covariance {
        /// Zero-based component; none for a common covariance.
        component: Option<usize>,
        /// Which pivot of the factorization failed.
        pivot: usize,
        /// Its value.
        value: f64,
    },
    /// The iterations for the leading singular vectors did not reach their tolerance.
    #[error("the leading singular vectors were not found in {products} products with blocks of vectors")]
    SingularVectors {
        /// Products made.
        products: u32,
    },
    /// A residual variance is not positive.
    #[error("the residual variance is {value:e}: it must be positive")]
    Variance {
        /// Its value.
        value: f64,
    },
    /// A number is infinite or not a number.
    #[error("entry {index} is {value}: it must be finite")]
    NotFinite {
        /// Zero-based position in the vector.
        index: usize,
        /// Its value.
        value: f64,
    },
}

impl DomainError {
    /// The error of a covariance from the failure of its factorization; `component` as in [`DomainError::Covariance`].
    pub(crate) fn covariance(component: Option<usize>) -> impl FnOnce(BadPivot) -> Self {
        move |BadPivot { pivot, value }| Self::Covariance { component, pivot, value }
    }

    /// An error unless all `values` are finite.
    pub(crate) fn check_finite(values: &[f64]) -> Result<(), Self> {
        match values.iter().position(|value| !value.is_finite()) {
            Some(index) => Err(Self::NotFinite { index, value: values[index] }),
            None => Ok(()),
        }
    }
}

/// A latent-variable model from a curved exponential family.
///
/// θ and s travel as flat vectors; each model documents its layout and names every entry.
///
/// ```
/// use fedbits_models::gmm::{Covariance, GaussianMixture};
/// use fedbits_models::{Batch, DomainPolicy, Examples, Model, Scratch};
///
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let model = GaussianMixture::new(2, 1, Covariance::Known(vec![1.0]))?;
/// let examples = Examples { rows: &[-3.1, -2.9, 3.0, 3.2], dimension: 1 };
/// let (mut theta, mut s) = (vec![0.5, 0.5, -1.0, 1.0], vec![0.0; model.statistic_dimension()]);
/// for _ in 0..10 {
///     model.conditional(&theta)?.mean_statistics(examples, Batch::All, &mut Scratch::default(), &mut s);
///     model.maximize(&s, DomainPolicy::Error, &mut theta)?;
/// }
/// assert!((theta[2] + 3.0).abs() < 1e-6 && (theta[3] - 3.1).abs() < 1e-6); // the means of the two groups
/// # Ok(())
/// # }
/// ```
pub trait Model: Send + Sync {
    /// q, the length of the statistic.
    fn statistic_dimension(&self) -> usize;
    /// Length of the flat parameter vector.
    fn parameter_dimension(&self) -> usize;
    /// d, numbers per observation.
    fn example_dimension(&self) -> usize;
    /// One name per entry of θ, for column headers.
    fn parameter_names(&self) -> Vec<String>;
    /// One name per entry of s, for column headers.
    fn statistic_names(&self) -> Vec<String>;
    /// Numbers of data-dependent constants that T needs (tied covariance: the second moment), which a federation must
    /// average once before the first round; 0 for most models.
    fn constants_dimension(&self) -> usize;
    /// T: writes θ = T(s). With [`DomainPolicy::Clip`] the argument is repaired, s itself is left alone.
    fn maximize(&self, s: &[f64], policy: DomainPolicy, theta: &mut Vec<f64>) -> Result<Repairs, DomainError>;
    /// The conditional distribution at θ with its factors computed once, for any number of E-steps.
    fn conditional(&self, theta: &[f64]) -> Result<Box<dyn EStep>, DomainError>;
    /// Squared error of θ against `truth`, minimal over the model's symmetries (label permutations).
    fn parameter_error(&self, theta: &[f64], truth: &[f64]) -> f64;
    /// Parameters that can be averaged over clients, for models that have such.
    fn parameters(&self) -> Option<&dyn Parameters> {
        None
    }
    /// Coordinates without constraints, for models that have such.
    fn coordinates(&self) -> Option<&dyn Coordinates> {
        None
    }
}

/// E-steps at a fixed θ.
pub trait EStep: Send + Sync {
    /// Writes the mean over the batch of s̄_j(θ) to `out` (q numbers). An empty batch writes zeros.
    fn mean_statistics(&self, examples: Examples<'_>, batch: Batch<'_>, scratch: &mut Scratch, out: &mut [f64]);
    /// The same over all examples, and returns the mean of −log p(y_j; θ).
    fn mean_statistics_and_objective(&self, examples: Examples<'_>, scratch: &mut Scratch, out: &mut [f64]) -> f64;
}
