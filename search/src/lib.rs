//! Which run of a study comes next, and when there is enough evidence for a decision. A search sees costs of runs
//! alone, by arm and replicate; replicate r of every arm meets the same data and the same environment, so that arms are
//! compared replicate by replicate. What a search does next depends on nothing but the outcomes of the runs that it
//! asked for, not on their order: any number of processes come to the same decision. This crate must not know what an
//! arm is.

#![cfg_attr(not(test), deny(clippy::unwrap_used))]

mod boundary;
mod moderation;
mod optimize;
mod outcome;
mod pairs;
mod race;
mod space;

pub use optimize::{Optimizer, Rules, dominates, hypervolume};
pub use outcome::{Outcome, Score};
pub use race::{Asked, CutRules, Look, Race, RaceRules, Reason, Standing};
pub use space::{Coordinate, Dimension, Kind, Point, Space};
