//! Where a run should get, and what getting there costs.

use fedbits_spec::Described;
use fedbits_spec::range::FINITE;
use serde::{Deserialize, Serialize};

/// A target of a run: the first recorded row that meets it counts.
#[derive(Clone, Debug, Described, Deserialize, PartialEq, Serialize)]
#[serde(deny_unknown_fields)]
pub struct Goal {
    /// A measured column of `rounds.csv`: `mean_field_sq`, `accuracy`, …
    pub column: String,
    /// Its value: at least this where more is better (accuracy, likelihood), else at most this.
    #[range(FINITE)]
    pub value: f64,
}

/// A cost of reaching the target.
#[derive(Clone, Copy, Debug, Described, Deserialize, Eq, PartialEq, Serialize)]
pub enum Cost {
    /// All bits: payload up, down and between peers, and packet headers.
    BitsTotal,
    /// Payload bits from clients to the server, and packets sent again with their headers.
    BitsUp,
    /// Simulated time.
    Time,
    /// Rounds.
    Rounds,
}
