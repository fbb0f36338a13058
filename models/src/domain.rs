//! The domain of T: what lies outside it, and what is done about it.

use fedbits_numerics::{BadPivot, raise_eigenvalues};
use thiserror::Error;

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

impl DomainPolicy {
    /// Raises a value to the floor, where it is below; returns how many were.
    pub(crate) fn raise(self, value: &mut f64) -> u32 {
        let Self::Clip { floor } = self else { return 0 };
        let is_below = *value < floor;
        if is_below {
            *value = floor;
        }
        u32::from(is_below)
    }

    /// The same of the eigenvalues of a d × d matrix (vech).
    pub(crate) fn raise_eigenvalues(self, matrix: &mut [f64], d: usize) -> u32 {
        if let Self::Clip { floor } = self { raise_eigenvalues(matrix, d, floor) } else { 0 }
    }

    /// The same of the weights of components, which must be above 0.
    pub(crate) fn raise_weights(self, weights: &mut [f64], repairs: &mut Repairs) -> Result<(), DomainError> {
        for (component, weight) in weights.iter_mut().enumerate() {
            repairs.weights += self.raise(weight);
            if *weight <= 0.0 {
                return Err(DomainError::Weight { component, value: *weight });
            }
        }
        Ok(())
    }
}

/// How many entries a clipping T replaced.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Repairs {
    /// Component weights raised to the floor.
    pub weights: u32,
    /// Covariance eigenvalues raised to the floor, and whatever else has to be positive: variances, rates.
    pub eigenvalues: u32,
}

impl Repairs {
    /// How many entries that are in all.
    pub fn entries(self) -> u64 {
        u64::from(self.weights) + u64::from(self.eigenvalues)
    }
}

/// Why a statistic has no image under T, a parameter no density, or numbers make no model.
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
    /// The examples of a class have a singular covariance.
    #[error("the examples{} have a singular covariance: a column is the same in all of them, or follows from others",
        .component.map(|g| format!(" that component {g} starts with")).unwrap_or_default())]
    Singular {
        /// Zero-based component; none for a common covariance.
        component: Option<usize>,
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
    /// Another reason, of one model alone.
    #[error("{0}")]
    Other(String),
}

impl DomainError {
    /// The error of a covariance from the failure of its factorization; `component` as in [`DomainError::Covariance`].
    pub(crate) fn covariance(component: Option<usize>) -> impl FnOnce(BadPivot) -> Self {
        move |BadPivot { pivot, value }| Self::Covariance { component, pivot, value }
    }

    /// Whether all `values` are finite.
    ///
    /// # Errors
    /// [`DomainError::NotFinite`] names the first that is not.
    pub fn check_finite(values: &[f64]) -> Result<(), Self> {
        match values.iter().position(|value| !value.is_finite()) {
            Some(index) => Err(Self::NotFinite { index, value: values[index] }),
            None => Ok(()),
        }
    }
}
