//! Two things that a protocol may do with parameters themselves instead of statistics: average them over clients, and
//! climb the likelihood. Models that allow it say so through [`crate::Model::parameters`] and
//! [`crate::Model::coordinates`].

use crate::{DomainError, DomainPolicy, Repairs};

/// Parameters that can be compared and averaged over clients.
pub trait Parameters: Send + Sync {
    /// The statistic s(θ) whose image under T is θ (for a tied covariance: as far as weights and means go), the
    /// expectation of the complete-data statistic under θ.
    fn statistic_of(&self, theta: &[f64], s: &mut Vec<f64>);
    /// A mean of parameters as a parameter: T at its statistic, with the constants of T that belong to it (C2 of a tied
    /// covariance). That is `theta` itself, as far as `policy` has nothing to repair.
    ///
    /// # Errors
    /// When it is no parameter, as [`crate::Model::maximize`] says.
    fn admit(&self, theta: &[f64], policy: DomainPolicy, out: &mut Vec<f64>) -> Result<Repairs, DomainError>;
    /// Renumbers the components of `theta` so that each lies next to the component of the same number of `reference`,
    /// by a distance that has no units.
    ///
    /// # Errors
    /// When `reference` has no density.
    fn align(&self, theta: &mut [f64], reference: &[f64]) -> Result<(), DomainError>;
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
