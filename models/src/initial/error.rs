//! Why there is no initial value.

use crate::examples::Examples;
use fedbits_spec::so_many;
use thiserror::Error;

/// Why there is no initial value.
#[derive(Clone, Debug, Error, PartialEq)]
pub enum InitialError {
    /// No component asked for.
    #[error("an initial value needs at least one component")]
    NoComponents,
    /// Fewer examples than components.
    #[error("{components} components need as many examples: the data have {examples}")]
    TooFewExamples {
        /// G.
        components: usize,
        /// N.
        examples: usize,
    },
    /// Fewer different examples than components: k-means++ has nothing to choose from.
    #[error("{components} components need as many different examples: the data have {distinct}")]
    TooFewDistinct {
        /// G.
        components: usize,
        /// How many differ.
        distinct: usize,
    },
    /// Fewer different examples than components, because squared distances of different examples underflow.
    #[error("squares of the distances between the examples are 0 in floats of 64 bits: expected larger numbers")]
    Underflow,
    /// θ₀ has another length than the model's.
    #[error("θ has {}: the model has {expected}", so_many(.found, "entry"))]
    Parameters {
        /// The model's.
        expected: usize,
        /// As given.
        found: usize,
    },
    /// An entry of θ₀ is infinite or not a number.
    #[error("entry {index} of θ is {value}: it must be finite")]
    NotFinite {
        /// Counted from 0.
        index: usize,
        /// Its value.
        value: f64,
    },
    /// k-means without a run.
    #[error("k-means needs at least one restart")]
    NoRestarts,
}

/// As many examples as components, and at least one of these.
pub(super) fn check(examples: Examples<'_>, components: usize) -> Result<(), InitialError> {
    if components == 0 {
        return Err(InitialError::NoComponents);
    }
    if components > examples.len() {
        return Err(InitialError::TooFewExamples { components, examples: examples.len() });
    }
    Ok(())
}
