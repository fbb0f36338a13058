//! What runs are compared by, and where costs are counted.

use fedbits_record::results::TargetCost;

/// What runs are compared by. Less is better in all of them.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct Measure {
    /// The number of the target it leads to; none: at the end of the run.
    pub target: Option<usize>,
    /// What is measured.
    pub what: Quantity,
}

/// What is measured of a run.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum Quantity {
    /// All bits: payload up, down and between peers, and packet headers.
    BitsTotal,
    /// Payload bits from clients to the server.
    BitsUp,
    /// Simulated seconds.
    Time,
    /// Rounds.
    Rounds,
    /// The last measured ‖h(Ŝ)‖² or objective, as [`super::ErrorKind`] says.
    Error,
}

impl Quantity {
    /// Its name in tables; the unit is that of the record: bits, seconds, rounds.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::BitsTotal => "bits_total",
            Self::BitsUp => "bits_up",
            Self::Time => "time_s",
            Self::Rounds => "rounds",
            Self::Error => "error",
        }
    }

    pub(crate) fn of_reach(self, reach: &TargetCost) -> Option<f64> {
        match self {
            Self::BitsTotal => Some(reach.bits_total as f64),
            Self::BitsUp => Some(reach.bits_up as f64),
            Self::Time => Some(reach.time_ns as f64 / 1e9),
            Self::Rounds => Some(reach.round as f64),
            Self::Error => None,
        }
    }
}

/// Where costs are counted.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Goal {
    /// When a run reaches the target of that number.
    Target(usize),
    /// When ‖h(Ŝ)‖² is at most this large, which ended runs.
    Tolerance(f64),
    /// At the end of the runs. What a run overshoots the rule by that ended it does not count: its error is at least
    /// the tolerance, its bits and its time are at most the budget.
    End,
}
