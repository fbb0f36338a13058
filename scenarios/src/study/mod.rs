//! From the text of a study to its arms, each a checked scenario, or to all the problems they have. What an arm changes
//! is an edit of the base scenario's text, as `--set` makes it, so that a problem of an arm is shown where the study
//! has the value.

mod grid;
mod load;

pub(crate) use grid::Combination;
pub use load::{CheckedStudy, StudyArm, is_study, load_study};

/// More combinations of levels than this are a mistake, not a study.
pub(crate) const MAX_ARMS: u32 = 10_000;
/// More replicates than this, too.
pub(crate) const MAX_REPLICATES: u64 = 1_000_000;
/// More runs than this in all, too.
pub(crate) const MAX_RUNS: u64 = 10_000_000;
