//! From a scenario to its arms, each a checked scenario, or to all the problems they have.

mod axes;
mod combination;
mod levels;
mod make;
mod points;
mod sobol;

pub use axes::{ABSENT, ARMS, ExpandedAxis};
pub(crate) use axes::{all, known, meant, place, place_of_level};
pub(crate) use combination::Combination;
pub use levels::unquoted;
pub(crate) use make::{ArmTexts, MadeArms};

/// More combinations of levels than this are a mistake, not a scenario.
pub(crate) const MAX_ARMS: u32 = 10_000;
/// More replicates than this, too.
pub(crate) const MAX_REPLICATES: u64 = 1_000_000;
/// More runs than this in all, too.
pub(crate) const MAX_RUNS: u64 = 10_000_000;
/// A Sobol sequence has no more coordinates here.
pub(crate) use sobol::MAX_DIMENSIONS;
