//! Why there is no initial value.

use crate::examples::Examples;
use thiserror::Error;

/// Why there is no initial value.
#[derive(Clone, Debug, Error, PartialEq)]
pub enum InitialError {
    /// Fewer different examples than components: k-means++ has nothing to choose from.
    #[error("{components} components need as many different examples: the data have {distinct}")]
    TooFewDistinct {
        /// G.
        components: usize,
        /// How many differ.
        distinct: usize,
    },
    /// Another reason.
    #[error("{0}")]
    Other(String),
}

impl InitialError {
    pub(super) fn new(text: impl Into<String>) -> Self {
        Self::Other(text.into())
    }
}

/// As many examples as components, and at least one of these.
pub(super) fn check(examples: Examples<'_>, components: usize) -> Result<(), InitialError> {
    if components == 0 {
        return Err(InitialError::new("an initial value needs at least one component"));
    }
    if components > examples.len() {
        let text = format!("{components} components need as many examples: the data have {}", examples.len());
        return Err(InitialError::new(text));
    }
    Ok(())
}
