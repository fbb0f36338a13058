//! What became of a run.

use fedbits_tally::words;

use crate::RunRecord;

/// What became of a run. Frames have the number of the variant, from 1, as their kind.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum RunStatus {
    /// Finished to its end.
    Finished,
    /// Finished until the simulation failed: a result, and it will be the same again unless the program is repaired.
    Failed,
    /// Not run: something of the machine or of the files stood in the way, so it may go well next time.
    NotRun,
    /// Ended early by a search, which needs no more of it. It has a key of its own, beside that of the whole run.
    Cut,
    /// Finished to its end with a degenerate fit ([`crate::Verdict`]).
    Degenerate,
}

words!(RunStatus, name:
    Finished = "finished",
    Failed = "failed",
    NotRun = "not_run",
    Cut = "cut",
    Degenerate = "degenerate",
);

impl RunStatus {
    /// That of a run that has a result.
    #[must_use]
    pub fn of(record: &RunRecord) -> Self {
        match &record.manifest {
            manifest if manifest.cut.is_some() => Self::Cut,
            manifest if manifest.failure().is_some() => Self::Failed,
            manifest if manifest.is_degenerate() => Self::Degenerate,
            _ => Self::Finished,
        }
    }

    /// Which of several frames of one key counts: that of the highest rank.
    #[must_use]
    pub fn rank(self) -> u8 {
        match self {
            Self::NotRun => 0,
            Self::Failed => 1,
            Self::Finished | Self::Degenerate | Self::Cut => 2,
        }
    }

    /// Whether no other result of the same key can take its place.
    pub(super) fn is_final(self) -> bool {
        self.rank() == 2
    }
}
