//! One thing that is wrong.

use crate::patched::Origin;

/// Something wrong at a position in one of the sources.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct Problem {
    /// Where it is written.
    pub origin: Origin,
    /// What is wrong.
    pub message: String,
    /// What was expected there.
    pub expected: String,
    /// What to do, as far as that can be known; for example the nearest name.
    pub help: Option<String>,
}
