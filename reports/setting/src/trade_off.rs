//! Costs against an axis of a study.

use fedbits_spec::Described;
use serde::{Deserialize, Serialize};

use crate::{Cost, Goal};

/// The cost of a target against an axis of a study, a line per level of the others: medians with quartiles.
#[derive(Clone, Debug, Default, Described, Deserialize, PartialEq, Serialize)]
#[serde(deny_unknown_fields)]
pub struct TradeOff {
    /// The axis of the study to the right, or the path of a setting that a search varies. Levels that differ in one
    /// number (`75 %`, `rand-6`, `8`) are placed by it, others side by side. Default: the axis of numbers with the most
    /// levels, else the first.
    #[serde(default)]
    pub axis: Option<String>,
    /// The target; default: the last target of the study, else ‖h(Ŝ)‖² of the stop rules, else the ends of the runs are
    /// compared.
    #[serde(default)]
    pub target: Option<Goal>,
    /// The costs, a panel each; default all bits and time.
    #[serde(default)]
    pub costs: Vec<Cost>,
}
