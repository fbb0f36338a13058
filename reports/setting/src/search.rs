//! How a race went.

use fedbits_spec::Described;
use serde::{Deserialize, Serialize};

/// A race: after how many replicates each arm was dropped, and its cost beside the leader's then.
#[derive(Clone, Debug, Default, Described, Deserialize, PartialEq, Serialize)]
#[serde(deny_unknown_fields)]
pub struct RaceFigure {
    /// Arms with a row of their own, the best first; the others are one row. Default 15.
    #[range(fedbits_spec::range::whole(1, 60))]
    #[serde(default)]
    pub rows: Option<u32>,
}
