//! How runs are chosen. This file must not know how the decision is made.

use fedbits_figures::Target;
use fedbits_record::results::PlanObjective;
use fedbits_spec::range::{Interval, LOSS, POSITIVE_DURATION, PROBABILITY};
use fedbits_spec::{Described, Duration};
use serde::{Deserialize, Serialize};

/// A race for the best arm: arms get replicates in turn, and are dropped once paired evidence shows that they are not
/// the best.
#[derive(Clone, Debug, Described, Deserialize, PartialEq, Serialize)]
#[serde(deny_unknown_fields)]
pub struct Race {
    /// Cost to minimize.
    pub objective: Objective,
    /// Probability of dropping an arm better than the chosen one by more than `margin`.
    #[serde(default = "five_percent")]
    #[range(Interval::above(0.0, 0.5, "in (0, 0.5], no unit"))]
    pub error: f64,
    /// Negligible share of the cost, default 0.02. For `Best` of a column that can be negative a difference of values,
    /// and required.
    #[serde(default)]
    #[range(Interval::closed(0.0, f64::MAX, "from 0 on"))]
    pub margin: Option<f64>,
    /// Ends the race when remaining replicates would drop an arm with less than this probability; 0: never.
    #[serde(default = "three_tenths")]
    #[range(LOSS)]
    pub futility: f64,
    /// Ends a run at this multiple of the leading arm's cost in the same replicate (in the first, the baseline's). It
    /// counts as not reaching the target. Not for the baseline, for `Best`, or if the leader missed the target.
    #[serde(default = "eightfold")]
    #[range(Interval::above(1.0, f64::MAX, "above 1"))]
    pub cut: Option<f64>,
    /// Constraints; too many violations drop an arm. Cut runs count as meeting them.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub constraints: Vec<Constraint>,
}

/// A cost to minimize.
#[derive(Clone, Debug, Described, Deserialize, PartialEq, Serialize)]
#[serde(deny_unknown_fields)]
pub enum Objective {
    /// All bits with headers, until the target.
    BitsTo(Target),
    /// Uploaded bits with retransmissions, until the target.
    UploadTo(Target),
    /// Simulated time until the target.
    TimeTo(Target),
    /// Rounds until the target.
    RoundsTo(Target),
    /// Last value of this column, minimized, or maximized if higher is better.
    Best(String),
}

/// A constraint on runs.
#[derive(Clone, Copy, Debug, Described, Deserialize, PartialEq, Serialize)]
#[serde(deny_unknown_fields)]
pub enum Constraint {
    /// Target within this simulated time, in all runs or the share of `Reached`.
    Time(#[range(POSITIVE_DURATION)] Duration),
    /// Share of an arm's runs that reach the target.
    Reached(#[range(PROBABILITY)] f64),
}

fn five_percent() -> f64 {
    0.05
}

fn three_tenths() -> f64 {
    0.3
}

/// The `cut` of races that say nothing of it.
pub(crate) fn eightfold() -> Option<f64> {
    Some(8.0)
}

impl Objective {
    /// As the plan of the runs has it.
    #[must_use]
    pub fn planned(&self) -> PlanObjective {
        match self {
            Self::BitsTo(target) => PlanObjective::BitsTo(target.planned()),
            Self::UploadTo(target) => PlanObjective::UploadTo(target.planned()),
            Self::TimeTo(target) => PlanObjective::TimeTo(target.planned()),
            Self::RoundsTo(target) => PlanObjective::RoundsTo(target.planned()),
            Self::Best(column) => PlanObjective::Best(column.clone()),
        }
    }

    /// The target that it needs.
    #[must_use]
    pub fn target(&self) -> Option<&Target> {
        match self {
            Self::BitsTo(target) | Self::UploadTo(target) | Self::TimeTo(target) | Self::RoundsTo(target) => {
                Some(target)
            }
            Self::Best(_) => None,
        }
    }
}

impl Race {
    /// Differences that do not matter: what is given, else two percent; none of what has no ratios.
    #[must_use]
    pub fn margin(&self) -> Option<f64> {
        let has_ratios = self.objective.planned().has_ratios();
        self.margin.or(has_ratios.then_some(0.02))
    }

    /// The factor by which runs are cut; `None` where none is.
    #[must_use]
    pub fn cut(&self) -> Option<f64> {
        self.cut.filter(|_| !matches!(self.objective, Objective::Best(_)))
    }

    /// The share of an arm's runs that must keep to the constraints.
    #[must_use]
    pub fn reached(&self) -> f64 {
        let named = self.constraints.iter().find_map(|constraint| match constraint {
            Constraint::Reached(share) => Some(*share),
            Constraint::Time(_) => None,
        });
        named.unwrap_or(1.0)
    }
}
