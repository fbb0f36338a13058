//! What runs solve, and by which error they are compared.

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
