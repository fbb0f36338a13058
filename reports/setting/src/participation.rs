//! What clients take part in, and what they get.

use fedbits_spec::Described;
use serde::{Deserialize, Serialize};

/// Contributions, objective or accuracy of every client against its speed or the size of its data.
#[derive(Clone, Debug, Default, Described, Deserialize, PartialEq, Serialize)]
#[serde(deny_unknown_fields)]
pub struct ParticipationFigure {
    /// Columns of `clients.csv`; default: contributions, and the client's objective and accuracy where these were
    /// measured.
    #[serde(default)]
    pub y: Vec<String>,
    /// The horizontal axis; default: that of the two in which clients differ.
    #[serde(default)]
    pub x: Vec<ClientAxis>,
}

/// In what clients differ.
#[derive(Clone, Copy, Debug, Described, Deserialize, Eq, PartialEq, Serialize)]
pub enum ClientAxis {
    /// Seconds that the client computes, sends and receives per round for which it is selected.
    Seconds,
    /// The number of its examples.
    Examples,
}
