//! What a run has spent after a round, on each horizontal axis.

use fedbits_figures::XAxis;
use fedbits_record::RoundRow;

/// The coordinate of a round on a horizontal axis.
pub trait Spent {
    /// The value after a round: a count, bits, seconds, joules or ε; 0 where the run does not have it.
    fn value(self, row: &RoundRow) -> f64;
}

impl Spent for XAxis {
    fn value(self, row: &RoundRow) -> f64 {
        match self {
            Self::Rounds => row.round as f64,
            Self::Epochs => row.epochs,
            Self::BitsUp => row.bits_up as f64,
            Self::BitsTotal => row.bits_total() as f64,
            Self::Time => row.time_ns as f64 / 1e9,
            Self::Energy => row.costs.energy_j.unwrap_or(0.0),
            Self::Epsilon => row.costs.epsilon.unwrap_or(0.0),
        }
    }
}
