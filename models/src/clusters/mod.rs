//! Clusterings: what a model with components says of examples, and how far two labellings of them agree.

mod agreement;

pub use agreement::Contingency;

use crate::{DomainError, Examples};

/// A model whose latent variable is the component that an example comes from.
///
/// ```
/// use fedbits_models::clusters::Clusters;
/// use fedbits_models::gmm::{Covariance, GaussianMixture};
/// use fedbits_models::Examples;
///
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let model = GaussianMixture::new(2, 1, Covariance::Known(vec![1.0]))?;
/// let theta = [0.5, 0.5, -3.0, 3.0];
/// let examples = Examples::new(&[-2.9, 3.3, 2.8], 1);
/// assert_eq!(Clusters::classify(&model, examples, &theta)?, [0, 1, 1]);
/// # Ok(())
/// # }
/// ```
pub trait Clusters: Send + Sync {
    /// G, the number of components.
    fn components(&self) -> usize;
    /// π of θ, G numbers.
    fn weights<'a>(&self, theta: &'a [f64]) -> &'a [f64];
    /// The component with the largest posterior weight per example; the smallest index among equals.
    ///
    /// # Errors
    /// When θ is no parameter of the model.
    fn classify(&self, examples: Examples<'_>, theta: &[f64]) -> Result<Vec<u32>, DomainError>;
    /// log p(y; θ) and the posterior weights of the components, of every example.
    ///
    /// # Errors
    /// When θ is no parameter of the model.
    fn posterior_weights(&self, examples: Examples<'_>, theta: &[f64]) -> Result<PosteriorWeights, DomainError>;
    /// Does a prior let components be without examples? The default is no.
    fn may_be_empty(&self) -> bool {
        false
    }
    /// The number of components with at least half an example behind them, of models whose components may be empty.
    /// The default is G.
    fn occupied(&self, theta: &[f64]) -> usize {
        self.weights(theta).len()
    }
    /// The Bhattacharyya distance −log ∫ √(p_g p_h) between the densities of two components: 0 where they are the same.
    ///
    /// # Errors
    /// When θ is no parameter of the model.
    fn distance(&self, theta: &[f64], g: usize, h: usize) -> Result<f64, DomainError>;
    /// The components with a direction along which their variance is at most `floor` (squared units of the columns), or
    /// what rounding leaves of squares that are counted from `origin` (d numbers; none: 0). None where covariances are
    /// not estimated.
    fn collapsed(&self, theta: &[f64], origin: Option<&[f64]>, floor: f64) -> Vec<usize>;
    /// Every variance in θ, with the square that T subtracts to find it, counted from `origin` (d numbers; none: 0).
    /// Empty where covariances are not estimated, or have a prior.
    fn variances(&self, theta: &[f64], origin: Option<&[f64]>) -> Vec<Variance>;
    /// These variances as T finds them from a statistic: differences of squares, of either sign by rounding.
    fn raw_variances(&self, s: &[f64]) -> Vec<f64>;
    /// These variances after an EM step from θ on these examples, each with the weight beside its part, by the
    /// two-pass computation. Not a number where a component has no example.
    ///
    /// # Errors
    /// When θ is no parameter of the model.
    fn two_pass_variances(&self, parts: &[(Examples<'_>, f64)], theta: &[f64]) -> Result<Vec<f64>, DomainError>;
    /// θ after that step.
    ///
    /// # Errors
    /// When θ, or what follows it, is no parameter of the model.
    fn two_pass_step(&self, parts: &[(Examples<'_>, f64)], theta: &[f64]) -> Result<Vec<f64>, DomainError>;
}

/// A variance that is found as a difference of squares.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Variance {
    /// Zero-based component; none where all have it in common.
    pub component: Option<usize>,
    /// Zero-based column.
    pub column: usize,
    /// Its value, in squared units of the column.
    pub value: f64,
    /// The square that is subtracted: of the mean, or the mean of squares over the components.
    pub square: f64,
}

/// What a model with components says of some examples.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct PosteriorWeights {
    /// log p(y; θ) of every example, in nats.
    pub log_densities: Vec<f64>,
    /// r_g = p(z = g | y; θ), G numbers per example, example after example.
    pub weights: Vec<f64>,
}
