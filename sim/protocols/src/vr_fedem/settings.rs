//! The variance reduction that a scenario names.

use fedbits_spec::Described;
use serde::{Deserialize, Serialize};

use super::cost::Previous;
use super::outer_loop::InnerSteps;

/// Variance reduction of local statistics.
#[derive(Clone, Copy, Debug, Default, Described, Deserialize, Eq, PartialEq, Serialize)]
pub enum VarianceReduction {
    /// Minibatch means, as in FedEM.
    #[default]
    NoReduction,
    /// VR-FedEM: outer loops start with a full local pass; inner steps update its statistic by minibatch differences.
    Spider(Spider),
}

/// VR-FedEM's local rule, with minibatches by `batch`.
#[derive(Clone, Copy, Debug, Described, Deserialize, Eq, PartialEq, Serialize)]
#[serde(deny_unknown_fields)]
pub struct Spider {
    /// k_in.
    pub inner: InnerSteps,
    /// Values at the previous Ŝ.
    #[serde(default)]
    pub previous: Previous,
}
