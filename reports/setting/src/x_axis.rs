//! What figures show to the right.

use fedbits_spec::Described;
use serde::{Deserialize, Serialize};

/// Number of axes.
pub const AXES: usize = 7;

/// Horizontal axis, cumulative.
#[derive(Clone, Copy, Debug, Described, Deserialize, Eq, PartialEq, Serialize)]
pub enum XAxis {
    /// Rounds.
    Rounds,
    /// Passes over all data.
    Epochs,
    /// Uploaded payload, and retransmissions with headers.
    BitsUp,
    /// Payload in all directions and headers.
    BitsTotal,
    /// Simulated time.
    Time,
    /// Joules, if powers are given.
    Energy,
    /// ε of differential privacy, if used.
    Epsilon,
}

impl XAxis {
    /// All axes.
    pub const ALL: [Self; AXES] =
        [Self::Rounds, Self::Epochs, Self::BitsUp, Self::BitsTotal, Self::Time, Self::Energy, Self::Epsilon];

    /// The name on the command line, and the column of the CSV, of each axis.
    const NAMES: [(&str, &str); AXES] = [
        ("rounds", "round"),
        ("epochs", "epochs"),
        ("bits-up", "bits_up"),
        ("bits-total", "bits_total"),
        ("time", "time_s"),
        ("energy", "energy_j"),
        ("epsilon", "epsilon"),
    ];

    /// The name used on the command line.
    #[must_use]
    pub fn name(self) -> &'static str {
        Self::NAMES[self as usize].0
    }

    /// The axis of that name.
    #[must_use]
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|axis| axis.name() == name)
    }

    /// Its column in the figure's CSV, and the word in the figure's file name.
    #[must_use]
    pub fn column(self) -> &'static str {
        Self::NAMES[self as usize].1
    }

    /// What a scenario has to say so that its runs have this axis; none where all have it.
    #[must_use]
    pub fn needs(self) -> Option<&'static str> {
        match self {
            Self::Energy => Some("energy: (compute: W(…), …)"),
            Self::Epsilon => Some("privacy: Gaussian(…)"),
            _ => None,
        }
    }
}
