//! The variance reduction that a scenario names.

use fedbits_spec::Described;
use serde::{Deserialize, Serialize};

use super::cost::Previous;
use super::outer_loop::InnerSteps;

/// Variance reduction of local statistics.
#[derive(Clone, Copy, Debug, Default, Described, Deserialize, Eq, PartialEq, Serialize)]
pub enum VarianceReduction {
    /// Plain minibatch means, as in FedEM.
    #[default]
    NoReduction,
    /// VR-FedEM: outer loops start with a full local pass; inner steps update its statistic by minibatch differences.
    /// Partial participation is our extension of the paper.
    Spider(Spider),
}

/// VR-FedEM's local rule; minibatches follow FedEM's `batch`.
#[derive(Clone, Copy, Debug, Described, Deserialize, Eq, PartialEq, Serialize)]
#[serde(deny_unknown_fields)]
pub struct Spider {
    /// k_in, inner steps per outer loop.
    pub inner: InnerSteps,
    /// Source and cost of the values at the previous Ŝ.
    #[serde(default)]
    pub previous: Previous,
}
