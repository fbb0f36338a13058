//! Distributions of durations.

use fedbits_spec::Described;
use serde::{Deserialize, Serialize};

/// The distribution of durations of rounds, transfers, computations or clients, a line per arm.
#[derive(Clone, Debug, Default, Described, Deserialize, PartialEq, Serialize)]
#[serde(deny_unknown_fields)]
pub struct Ecdf {
    /// The durations, a panel each; default everything that was measured except waiting.
    #[serde(default)]
    pub of: Vec<Timed>,
}

/// What takes time.
#[derive(Clone, Copy, Debug, Described, Deserialize, Eq, PartialEq, Serialize)]
pub enum Timed {
    /// A round.
    Round,
    /// A transfer to a client.
    Download,
    /// A computation of a client.
    Computing,
    /// A transfer to the server.
    Upload,
    /// What a client waits for the end of a round after its contribution has arrived.
    Waiting,
    /// All that a client computes, sends and receives in a run.
    Client,
}

impl Timed {
    /// All of them.
    pub const ALL: [Self; 6] =
        [Self::Round, Self::Download, Self::Computing, Self::Upload, Self::Waiting, Self::Client];
}
