//! Races: which run comes next, and when there is enough evidence for a decision. A race only sees costs of
//! runs, by arm and replicate. Replicate r of every arm has the same data and the same environment, so arms are
//! compared replicate by replicate. The next run depends only on the outcomes of the runs that the race asked for, not
//! on their order, so any number of processes reach the same decision. This crate must not know what an arm is.

#![cfg_attr(not(test), deny(clippy::unwrap_used))]

#[cfg(test)]
extern crate self as fedbits_search;

mod boundary;
mod moderation;
mod outcome;
mod pairs;
mod race;
#[cfg(test)]
#[path = "../tests/race.rs"]
mod race_tests;

pub use outcome::{Outcome, Score};
pub use race::{Asked, CutRules, Look, Race, RaceRules, Reason, Standing};
