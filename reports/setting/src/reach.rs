//! How many runs get somewhere, and what that costs.

use fedbits_spec::Described;
use serde::{Deserialize, Serialize};

use crate::{Cost, Goal};

/// The share of runs that have reached a target, against the cost.
#[derive(Clone, Debug, Default, Described, Deserialize, PartialEq, Serialize)]
#[serde(deny_unknown_fields)]
pub struct ReachFigure {
    /// The target; default: the last target of the study, else ‖h(Ŝ)‖² of the stop rules.
    #[serde(default)]
    pub target: Option<Goal>,
    /// The costs, a panel each; default all bits and time.
    #[serde(default)]
    pub costs: Vec<Cost>,
}
