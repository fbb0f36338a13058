//! Why there is no initial value.

use crate::examples::Examples;
use thiserror::Error;

/// Why there is no initial value.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
pub enum InitialError {
    /// No component asked for.
    #[error("an initial value needs at least one component")]
    NoComponents,
    /// Fewer examples than components.
    #[error("{components} components need as many examples: there are {examples}")]
    TooFewExamples {
        /// G.
        components: usize,
        /// N.
        examples: usize,
    },
    /// Fewer different examples than components: k-means++ has nothing to choose from.
    #[error("{components} components need as many different examples: there are {distinct}")]
    TooFewDistinct {
        /// G.
        components: usize,
        /// How many differ.
        distinct: usize,
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
