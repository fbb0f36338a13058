//! What it takes every arm to get to a target.

use fedbits_spec::Described;
use serde::{Deserialize, Serialize};

use crate::{Cost, Goal};

/// The cost of a target, a row per arm: every run, medians under censoring, and paired ratios to a baseline.
#[derive(Clone, Debug, Default, Described, Deserialize, PartialEq, Serialize)]
#[serde(deny_unknown_fields)]
pub struct CostFigure {
    /// The target; default: the last target of the study, else ‖h(Ŝ)‖² of the stop rules.
    #[serde(default)]
    pub target: Option<Goal>,
    /// The costs, a panel each; default all bits and time.
    #[serde(default)]
    pub costs: Vec<Cost>,
    /// The arm that the others are divided by; default: the study's baseline where it is shown, else the first arm.
    #[serde(default)]
    pub baseline: Option<String>,
}
