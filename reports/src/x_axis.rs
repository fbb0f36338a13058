//! What figures show to the right.

use fedbits_record::RoundRow;

/// What a figure shows to the right; all are cumulative.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum XAxis {
    /// Rounds.
    Rounds,
    /// Passes over all data.
    Epochs,
    /// Payload bits from clients to the server.
    BitsUp,
    /// All bits: payload up, down and between peers, and packet headers.
    BitsTotal,
    /// Simulated time.
    Time,
}

impl XAxis {
    /// All axes.
    pub const ALL: [Self; 5] = [Self::Rounds, Self::Epochs, Self::BitsUp, Self::BitsTotal, Self::Time];

    /// The name used on the command line.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Rounds => "rounds",
            Self::Epochs => "epochs",
            Self::BitsUp => "bits-up",
            Self::BitsTotal => "bits-total",
            Self::Time => "time",
        }
    }

    /// The axis of that name.
    #[must_use]
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|axis| axis.name() == name)
    }

    /// Its column in the figure's CSV, and the word in the figure's file name.
    #[must_use]
    pub fn column(self) -> &'static str {
        match self {
            Self::Rounds => "round",
            Self::Epochs => "epochs",
            Self::BitsUp => "bits_up",
            Self::BitsTotal => "bits_total",
            Self::Time => "time_s",
        }
    }

    /// The value after a round: a count, bits or seconds.
    pub(crate) fn value(self, row: &RoundRow) -> f64 {
        match self {
            Self::Rounds => row.round as f64,
            Self::Epochs => row.epochs,
            Self::BitsUp => row.bits_up as f64,
            Self::BitsTotal => {
                [row.bits_up, row.bits_down, row.bits_peer, row.bits_header].map(u128::from).iter().sum::<u128>() as f64
            }
            Self::Time => row.time_ns as f64 / 1e9,
        }
    }
}
