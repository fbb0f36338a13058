//! The variance reduction that a scenario names.

use fedbits_spec::Described;
use serde::{Deserialize, Serialize};

use super::cost::Previous;
use super::outer_loop::InnerSteps;

/// The variance reduction of local statistics.
#[derive(Clone, Copy, Debug, Default, Described, Deserialize, Eq, PartialEq, Serialize)]
pub enum VarianceReduction {
    /// FedEM: means over minibatches.
    #[default]
    NoReduction,
    /// VR-FedEM: outer loops that begin with a full local pass, whose statistic inner steps update by minibatch
    /// differences. With participation below all clients this is our extension of the paper.
    Spider(Spider),
}

/// VR-FedEM's local rule, which draws the minibatches of FedEM's settings.
#[derive(Clone, Copy, Debug, Described, Deserialize, Eq, PartialEq, Serialize)]
#[serde(deny_unknown_fields)]
pub struct Spider {
    /// k_in, the inner steps of an outer loop.
    pub inner: InnerSteps,
    /// How values at the previous Ŝ are obtained, and what they cost.
    #[serde(default)]
    pub previous: Previous,
}
