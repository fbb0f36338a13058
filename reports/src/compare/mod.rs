//! Comparison of the arms of runs. Replicate r of every arm met the same data and the same environment, so arms are
//! compared replicate by replicate: the differences vary far less than the arms do.
//!
//! [`Samples`] takes what is needed from the runs of one folder or several; [`compare`] makes of it, for every
//! [`Measure`], medians under censoring, paired differences and ratios to the baseline with intervals, and ranks; and
//! the Pareto front. Nothing here prints.

mod comparable;
mod comparison;
#[cfg(test)]
mod ends_tests;
mod measure;
mod paired;
mod pareto;
mod ranking;
mod samples;
mod survival;
mod trust;

pub(crate) use comparison::paired;
pub use comparison::{ArmResult, Block, Comparison, block, compare, leading, one_at_a_time};
pub use measure::{ErrorKind, Goal, Measure, Quantity, SolvedProblem};
pub use paired::{ConfidenceInterval, Paired};
pub(crate) use pareto::common_tolerance;
pub use pareto::{Compared, Front, LeftOut, Spread, Standing, front, fronts};
pub(crate) use ranking::ranking_of;
pub use ranking::{Rank, Ranking, ranking};
pub(crate) use samples::folder_source;
pub use samples::{Sample, SampleArm, Samples};
#[cfg(test)]
pub(crate) use survival::kaplan_meier_median;
pub use survival::{CostEnd, Observation};
pub(crate) use survival::{Reached, kaplan_meier_quantile};
pub use trust::reached_of;
pub(crate) use trust::{ArmOutcome, Shared, of_runs, reached_in_short, short_form};
