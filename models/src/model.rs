//! The seam between EM mathematics and whoever runs it: a model in expectation (sufficient-statistics) form.
//!
//! Symbols (FedEM paper, section 2): s̄(θ) conditional expectation of the complete-data statistic, q-dimensional;
//! T the map from statistics to parameters (the M-step); Ŝ the current statistic; θ = T(Ŝ).

use std::ops::Range;

use fedbits_random::Stream;

use crate::clusters::Clusters;
use crate::domain::{DomainError, DomainPolicy, Repairs};
use crate::examples::{Batch, Examples};

/// Reusable working memory of E-steps: grows once, then nothing is allocated per call.
#[derive(Clone, Debug, Default)]
pub struct Scratch {
    /// The buffer; contents are meaningless between calls.
    pub buffer: Vec<f64>,
}

/// A latent-variable model from a curved exponential family: what s and θ are, and the map T between them.
///
/// θ and s travel as flat vectors; each model documents its layout and names every entry. How s̄ is found is a
/// capability: [`ExactModel`] computes it of examples, [`SampledModel`](crate::latent::SampledModel) samples the latent
/// variables.
pub trait Model: Send + Sync {
    /// q, the length of the statistic.
    fn statistic_dimension(&self) -> usize;
    /// Length of the flat parameter vector.
    fn parameter_dimension(&self) -> usize;
    /// One name per entry of θ, for column headers.
    fn parameter_names(&self) -> Vec<String>;
    /// One name per entry of s, for column headers.
    fn statistic_names(&self) -> Vec<String>;
    /// Numbers of data-dependent constants that S or T need (tied covariance: the second moment), which a federation
    /// must average once before the first round. The default is 0.
    fn constants_dimension(&self) -> usize {
        0
    }
    /// T: writes θ = T(s). With [`DomainPolicy::Clip`] a copy of s is repaired; s itself does not change.
    ///
    /// # Errors
    /// When s is outside the domain of T.
    fn maximize(&self, s: &[f64], policy: DomainPolicy, theta: &mut Vec<f64>) -> Result<Repairs, DomainError>;
    /// What the objective adds to the mean of −log p(y_j; θ), and T takes into account. The default is 0.
    fn penalty(&self, theta: &[f64]) -> f64 {
        let _ = theta;
        0.0
    }
    /// Squared error of θ against `truth`, minimal over the model's symmetries (label permutations). The default is
    /// ‖θ − truth‖².
    fn parameter_error(&self, theta: &[f64], truth: &[f64]) -> f64 {
        theta.iter().zip(truth).map(|(a, b)| (a - b) * (a - b)).sum()
    }
}

/// A model whose E-step over examples is computed.
///
/// ```
/// use fedbits_models::gmm::{Covariance, GaussianMixture};
/// use fedbits_models::{Batch, DomainPolicy, ExactModel, Examples, Model, Scratch};
///
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let model = GaussianMixture::new(2, 1, Covariance::Known(vec![1.0]))?;
/// let examples = Examples::new(&[-3.1, -2.9, 3.0, 3.2], 1);
/// let (mut theta, mut s) = (vec![0.5, 0.5, -1.0, 1.0], vec![0.0; model.statistic_dimension()]);
/// for _ in 0..10 {
///     model.conditional(&theta)?.mean_statistics(examples, Batch::All, &mut Scratch::default(), &mut s);
///     model.maximize(&s, DomainPolicy::Error, &mut theta)?;
/// }
/// assert!((theta[2] + 3.0).abs() < 1e-6 && (theta[3] - 3.1).abs() < 1e-6); // the means of the two groups
/// # Ok(())
/// # }
/// ```
pub trait ExactModel: Model {
    /// d, numbers per observation.
    fn example_dimension(&self) -> usize;
    /// The conditional distribution at θ with its factors computed once, for any number of E-steps.
    ///
    /// # Errors
    /// When θ is no parameter of the model.
    fn conditional(&self, theta: &[f64]) -> Result<Box<dyn EStep>, DomainError>;
    /// The model with the constants of these examples alone, with which a client makes its own M-steps; none if T needs
    /// no constants.
    fn with_constants_of(&self, examples: Examples<'_>) -> Option<Box<dyn ExactModel>> {
        let _ = examples;
        None
    }
    /// Parameters that can be averaged over clients, for models that have them.
    fn parameters(&self) -> Option<&dyn Parameters> {
        None
    }
    /// Parameters of which some can be each client's own, for models that have them.
    fn own_parameters(&self) -> Option<&dyn OwnParameters> {
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
    /// How several fits are made one, for models whose fits can be pooled.
    fn pooling(&self) -> Option<&dyn FitPooling> {
        None
    }
    /// What the model says of its gradient steps, for models whose E-step is one.
    fn descent(&self) -> Option<&dyn Descent> {
        None
    }
    /// What the model expects of a cell, for models of tables with gaps.
    fn imputation(&self) -> Option<&dyn Imputation> {
        None
    }
}

/// Parameters that are the image of a statistic, and can be averaged over clients.
pub trait Parameters: Model {
    /// Writes the statistic s(θ) whose image under T is θ (for a tied covariance: as far as weights and means go), the
    /// expectation of the complete-data statistic under θ.
    fn statistic_of(&self, theta: &[f64], s: &mut Vec<f64>);
    /// Is that the expectation of the statistic under θ, which a fixed point of EM has for its own? Else it is one of
    /// several with the image θ, and says nothing of the distance from a fixed point. The default is no where T has
    /// constants, of which each client has its own.
    fn is_expectation(&self) -> bool {
        self.constants_dimension() == 0
    }
    /// A mean of parameters as a parameter: T at its statistic, with the constants of T that belong to it (C2 of a tied
    /// covariance). That is `theta` itself, as far as `policy` has nothing to repair.
    ///
    /// # Errors
    /// When it is no parameter, as [`Model::maximize`] says.
    fn admit(&self, theta: &[f64], policy: DomainPolicy, out: &mut Vec<f64>) -> Result<Repairs, DomainError> {
        let mut s = Vec::new();
        self.statistic_of(theta, &mut s);
        self.maximize(&s, policy, out)
    }
    /// Renumbers the components of `theta` so that each lies next to the component of the same number of `reference`,
    /// by a distance that has no units. The default leaves them.
    ///
    /// # Errors
    /// When `reference` has no density.
    fn align(&self, theta: &mut [f64], reference: &[f64]) -> Result<(), DomainError> {
        let _ = (theta, reference);
        Ok(())
    }
}

/// Mixtures whose fits can be pooled: a weighted sum of their densities is a mixture of the same family with more
/// components. A pool is a list of weights, above 0, each with its θ.
pub trait FitPooling: Parameters {
    /// Divides the weights of `theta` by their sum.
    ///
    /// # Errors
    /// When it has no density.
    fn normalize(&self, theta: &mut [f64]) -> Result<(), DomainError>;
    /// θ of components of the pool that are far from each other: the heaviest one, then again and again the one whose
    /// weight times its divergence from the nearest that was chosen is largest.
    ///
    /// # Errors
    /// When the pool has a θ without a density.
    fn spread(&self, pool: &[(f64, &[f64])]) -> Result<Vec<f64>, DomainError>;
    /// The mixture with as many components as the model has that is near the pool, found from `start`.
    ///
    /// # Errors
    /// When the pool or the start has no density.
    fn reduce(&self, pool: &[(f64, &[f64])], start: &[f64]) -> Result<ReducedMixture, DomainError>;
    /// The L² distances √∫(f_i − f_j)² of the densities, n × n row by row.
    ///
    /// # Errors
    /// When a θ has no density.
    fn distances(&self, mixtures: &[&[f64]]) -> Result<Vec<f64>, DomainError>;
    /// The entries of θ that are means of components.
    fn means(&self) -> Range<usize>;
    /// Draws `count` examples of the pool, row by row, those of one component together.
    ///
    /// # Errors
    /// When the pool has a θ without a density.
    fn draw(&self, pool: &[(f64, &[f64])], count: u32, stream: &mut Stream) -> Result<Vec<f64>, DomainError>;
}

/// A mixture that stands for a pool.
#[derive(Clone, Debug, PartialEq)]
pub struct ReducedMixture {
    /// Its θ.
    pub theta: Vec<f64>,
    /// The mean divergence of the pool's components from those that stand for them: less is nearer.
    pub divergence: f64,
    /// Its components that none of the pool was nearest to, and that took over another one.
    pub refilled: u32,
}

/// Parameters of which some can be each client's own while all share the others.
pub trait OwnParameters: Model {
    /// The entries of θ that a client can have of its own.
    fn own_entries(&self) -> Range<usize>;
    /// Writes these entries of T(s), for the statistic s of examples of one client. They depend on no other entry.
    fn maximize_own(&self, s: &[f64], entries: &mut Vec<f64>);
}

/// Coordinates x of θ without constraints: every x in ℝ^q is a parameter. As many as the statistic has entries.
pub trait Coordinates: Send + Sync {
    /// One name per coordinate.
    fn coordinate_names(&self) -> Vec<String>;
    /// x of θ.
    fn coordinates_of(&self, theta: &[f64]) -> Vec<f64>;
    /// θ of x.
    fn theta_of(&self, x: &[f64]) -> Vec<f64>;
    /// Replaces s̄, the mean of s̄_j(θ) over some examples, by ∇ₓ of the mean of log p(y_j; θ(x)) over them (Fisher's
    /// identity).
    fn gradient(&self, theta: &[f64], statistic: &mut [f64]);
}

/// A model whose E-step is a gradient step: s̄_j(x) = x − ρ ∇f_j(x) on θ = x, and T the proximal map of ρ r. The
/// objective is f + r.
pub trait Descent: Send + Sync {
    /// ρ.
    fn step(&self) -> f64;
    /// L of these examples: a Lipschitz constant of ∇f, f the mean of f_j over them.
    fn smoothness(&self, examples: Examples<'_>) -> f64;
    /// µ, by which the objective is strongly convex whatever the examples are; 0 where that is not known.
    fn strong_convexity(&self) -> f64;
    /// The zero-based class that is predicted of each example, where they have classes.
    fn classes(&self, examples: Examples<'_>, theta: &[f64]) -> Option<Vec<u32>>;
}

/// A model of one number per example, each of a cell, that says what a cell should hold, seen or not.
pub trait Imputation {
    /// √ mean (x − E x)² over the examples, at θ.
    fn root_mean_square(&self, theta: &[f64], examples: Examples<'_>) -> f64;

    /// By how much a further step towards T(s) would lower the objective of T, where θ is short of T(s): iterations
    /// were broken off.
    fn unrest(&self, s: &[f64], theta: &[f64]) -> Option<f64>;
}

/// E-steps at a fixed θ.
pub trait EStep: Send + Sync {
    /// Writes the mean over the batch of s̄_j(θ) to `out` (q numbers), zeros of an empty batch; returns the mean of
    /// −log p(y_j; θ) over it, without the model's penalty. Where that is not `wanted`, any number will do.
    fn mean(
        &self,
        examples: Examples<'_>,
        batch: Batch<'_>,
        scratch: &mut Scratch,
        out: &mut [f64],
        wanted: bool,
    ) -> f64;
    /// Writes the mean over the batch of s̄_j(θ) alone.
    fn mean_statistics(&self, examples: Examples<'_>, batch: Batch<'_>, scratch: &mut Scratch, out: &mut [f64]) {
        self.mean(examples, batch, scratch, out, false);
    }
    /// Writes the mean over all examples, and returns the mean of −log p(y_j; θ).
    fn mean_statistics_and_objective(&self, examples: Examples<'_>, scratch: &mut Scratch, out: &mut [f64]) -> f64 {
        self.mean(examples, Batch::All, scratch, out, true)
    }
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
