//! From the recorded rounds of replicates to the points of a curve. A crate of its own, because a report of many runs
//! spends its time here: it is optimized in every release build, the drawing of figures only in the profile `dist`.

#![cfg_attr(not(test), deny(clippy::unwrap_used))]

mod replicates;
mod x_axis;

pub use replicates::{CurvePoint, Track, points};
pub use x_axis::Spent;
