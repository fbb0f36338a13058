//! What runs solve, what they are compared by, and where costs are counted.

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
    /// The last measured ‖h(Ŝ)‖² or objective, as [`ErrorKind`] says.
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

/// What a run solves.
#[derive(Clone, Debug, Default, Eq, PartialEq)]
pub struct SolvedProblem {
    /// Digest of the data.
    pub data: String,
    /// Digest of data, model and weights of the clients; `None` where the record has no reference.
    pub reference: Option<String>,
}

impl SolvedProblem {
    /// Whether the two are the same: by all that the objective depends on where both records have it, else by the data.
    pub(crate) fn is(&self, other: &Self) -> bool {
        match (&self.reference, &other.reference) {
            (Some(a), Some(b)) => a == b,
            _ => self.data == other.data,
        }
    }
}

/// What the error at the end of the runs is; one quantity for all arms.
#[derive(Clone, Copy, Debug, Default, Eq, PartialEq)]
pub enum ErrorKind {
    /// ‖h(Ŝ)‖², as every arm that measured an error measured it.
    #[default]
    MeanField,
    /// The objective, as not every arm measured ‖h(Ŝ)‖².
    Objective,
    /// Some arms measured only the one, some only the other: errors are not compared.
    Mixed,
}

impl ErrorKind {
    /// In words.
    #[must_use]
    pub fn words(self) -> &'static str {
        match self {
            Self::MeanField => "‖h(Ŝ)‖²",
            Self::Objective => "objective",
            Self::Mixed => "error",
        }
    }
}
