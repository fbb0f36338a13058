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
/// let examples = Examples { rows: &[-2.9, 3.3, 2.8], dimension: 1 };
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
    /// The Bhattacharyya distance −log ∫ √(p_g p_h) between the densities of two components: 0 where they are the same.
    ///
    /// # Errors
    /// When θ is no parameter of the model.
    fn distance(&self, theta: &[f64], g: usize, h: usize) -> Result<f64, DomainError>;
    /// How flat each component is: the least variance of a column given those before it, over that of the column under
    /// the mixture. Near 0 the likelihood is unbounded. Empty where covariances are not estimated.
    ///
    /// # Errors
    /// When θ is no parameter of the model.
    fn flatness(&self, theta: &[f64]) -> Result<Vec<f64>, DomainError>;
}

/// What a model with components says of some examples.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct PosteriorWeights {
    /// log p(y; θ) of every example, in nats.
    pub log_densities: Vec<f64>,
    /// r_g = p(z = g | y; θ), G numbers per example, example after example.
    pub weights: Vec<f64>,
}
