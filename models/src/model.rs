//! The seam between EM mathematics and whoever runs it: a model in expectation (sufficient-statistics) form.
//!
//! Symbols (FedEM paper, section 2): s̄(θ) conditional expectation of the complete-data statistic, q-dimensional;
//! T the map from statistics to parameters (the M-step); Ŝ the current statistic; θ = T(Ŝ).

use crate::clusters::Clusters;
use crate::coordinates::{Coordinates, Parameters};
use crate::domain::{DomainError, DomainPolicy, Repairs};
use crate::examples::{Batch, Examples};
use crate::imputation::Imputation;

/// Reusable working memory of E-steps: grows once, then nothing is allocated per call.
#[derive(Clone, Debug, Default)]
pub struct Scratch {
    /// The buffer; contents are meaningless between calls.
    pub buffer: Vec<f64>,
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
    /// The model with the constants of these examples alone, with which a client makes its own M-steps; none if T needs
    /// no constants.
    fn with_constants_of(&self, examples: Examples<'_>) -> Option<Box<dyn Model>> {
        let _ = examples;
        None
    }
    /// T: writes θ = T(s). With [`DomainPolicy::Clip`] a copy of s is repaired; s itself does not change.
    fn maximize(&self, s: &[f64], policy: DomainPolicy, theta: &mut Vec<f64>) -> Result<Repairs, DomainError>;
    /// The conditional distribution at θ with its factors computed once, for any number of E-steps.
    fn conditional(&self, theta: &[f64]) -> Result<Box<dyn EStep>, DomainError>;
    /// Squared error of θ against `truth`, minimal over the model's symmetries (label permutations).
    fn parameter_error(&self, theta: &[f64], truth: &[f64]) -> f64;
    /// Parameters that can be averaged over clients, for models that have them.
    fn parameters(&self) -> Option<&dyn Parameters> {
        None
    }
    /// Coordinates without constraints, for models that have them.
    fn coordinates(&self) -> Option<&dyn Coordinates> {
        None
    }
    /// The components that examples come from, for models that have them.
    fn clusters(&self) -> Option<&dyn Clusters> {
        None
    }
    /// What the model expects of a cell, for models of tables with gaps.
    fn imputation(&self) -> Option<&dyn Imputation> {
        None
    }
}

/// E-steps at a fixed θ.
pub trait EStep: Send + Sync {
    /// Writes the mean over the batch of s̄_j(θ) to `out` (q numbers). An empty batch writes zeros.
    fn mean_statistics(&self, examples: Examples<'_>, batch: Batch<'_>, scratch: &mut Scratch, out: &mut [f64]);
    /// The same over all examples, and returns the mean of −log p(y_j; θ).
    fn mean_statistics_and_objective(&self, examples: Examples<'_>, scratch: &mut Scratch, out: &mut [f64]) -> f64;
    /// The E-steps of many clients in one call, for models to which a call costs much.
    fn batched(&self) -> Option<&dyn BatchedEStep> {
        None
    }
}

/// The examples that one of many E-steps visits.
pub struct EStepTask<'a> {
    /// The examples of a client.
    pub examples: Examples<'a>,
    /// Those of them that it visits.
    pub batch: Batch<'a>,
}

/// E-steps of many clients at a fixed θ, in one call.
pub trait BatchedEStep: Sync {
    /// Writes [`EStep::mean_statistics`] of each task to `out`, a row of q numbers each.
    fn mean_statistics_of(&self, tasks: &[EStepTask<'_>], out: &mut [f64]);
    /// Writes [`EStep::mean_statistics_and_objective`] of each of `examples` to `out`, a row of q + 1 numbers each: the
    /// objective is the last.
    fn mean_statistics_and_objectives_of(&self, examples: &[Examples<'_>], out: &mut [f64]);
}
