//! From the text of a study to its arms, each a checked scenario, or to all the problems they have. What an arm changes
//! is an edit of the base scenario's text, as `--set` makes it, so that a problem of an arm is shown where the study
//! has the value.

mod axes;
mod grid;
mod kind;
mod load;
mod names;
mod rules;
mod search;
mod sobol;

pub use axes::{ABSENT, StudyAxis};
pub(crate) use grid::Combination;
pub use kind::is_study;
pub use load::{CheckedStudy, StudyArm, load_study};
pub(crate) use names::{known, meant};
pub use rules::unquoted;

/// More combinations of levels than this are a mistake, not a study.
pub(crate) const MAX_ARMS: u32 = 10_000;
/// More replicates than this, too.
pub(crate) const MAX_REPLICATES: u64 = 1_000_000;
/// More runs than this in all, too.
pub(crate) const MAX_RUNS: u64 = 10_000_000;
/// A Sobol sequence has no more coordinates here.
pub(crate) use sobol::MAX_DIMENSIONS;
