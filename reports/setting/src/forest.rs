//! Ratios to a baseline, with intervals.

use fedbits_spec::Described;
use serde::{Deserialize, Serialize};

use crate::{Cost, Goal};

/// Every arm against a baseline, replicate by replicate: ratios of the costs of a target, with 95 % intervals.
#[derive(Clone, Debug, Default, Described, Deserialize, PartialEq, Serialize)]
#[serde(deny_unknown_fields)]
pub struct Forest {
    /// The target; default: the last target of the study, else ‖h(Ŝ)‖² of the stop rules, else the ends of the runs are
    /// compared.
    #[serde(default)]
    pub target: Option<Goal>,
    /// The costs, a panel each; default all bits and time.
    #[serde(default)]
    pub costs: Vec<Cost>,
    /// The arm that the others are divided by; default: the study's baseline where it is shown, else the first arm.
    #[serde(default)]
    pub baseline: Option<String>,
    /// The order of the arms; default `Plan`.
    #[serde(default)]
    pub order: ForestOrder,
}

/// The order of arms.
#[derive(Clone, Copy, Debug, Default, Described, Deserialize, Eq, PartialEq, Serialize)]
pub enum ForestOrder {
    /// As in the study or the scenario.
    #[default]
    Plan,
    /// From the least ratio of the first cost to the largest.
    Ratio,
}
