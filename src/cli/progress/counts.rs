//! How far the runs of a command are, in words: on bars, in lines, and in what other processes read.

use std::fmt;

use fedbits_record::RoundRow;
use fedbits_record::results::RunCounts;
use fedbits_spec::so_many;
use serde::{Deserialize, Serialize};

use crate::cli::table::number::duration;

/// How many runs have ended, and how many are in progress.
#[derive(Clone, Copy, Debug, Default, Deserialize, PartialEq, Serialize)]
pub(crate) struct Counts {
    pub(crate) runs: RunCounts,
    pub(crate) running: u64,
}

impl Counts {
    /// Runs that have ended, in whatever way.
    pub(crate) fn done(&self) -> u64 {
        self.runs.results() + self.runs.not_run
    }
}

impl fmt::Display for Counts {
    /// For example "12 of 24 runs done, 1 failed, 4 running".
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} of {} done", self.done(), so_many(self.runs.planned, "run"))?;
        let RunCounts { degenerate, failed, not_run, .. } = self.runs;
        let parts = [(degenerate, "degenerate"), (failed, "failed"), (not_run, "not begun"), (self.running, "running")];
        parts.iter().filter(|(count, _)| *count > 0).try_for_each(|(count, word)| write!(f, ", {count} {word}"))
    }
}

/// The time that is left, in words.
pub(crate) fn eta(rest: Option<f64>) -> String {
    rest.map_or_else(String::new, |rest| format!(", ETA {}", duration(rest)))
}

#[derive(Clone, Debug, Default, Deserialize, PartialEq, Serialize)]
pub(crate) struct RunReport {
    pub(crate) name: String,
    pub(crate) round: u64,
    /// ‖h(Ŝ)‖² there, if it was measured.
    pub(crate) mean_field_sq: Option<f64>,
    /// Share of the run that is done; none where no stop rule can be counted.
    pub(crate) share: Option<f64>,
    /// Host seconds since it began.
    pub(crate) seconds: f64,
}

impl RunReport {
    pub(crate) fn of(name: &str, row: &RoundRow, share: Option<f64>, seconds: f64) -> Self {
        Self { name: name.to_owned(), round: row.round, mean_field_sq: row.mean_field_sq, share, seconds }
    }

    /// Host seconds to its end, at the pace so far.
    pub(crate) fn rest(&self) -> Option<f64> {
        let share = self.share.filter(|share| *share > 0.0)?;
        Some(self.seconds / share * (1.0 - share))
    }

    /// For example "round 340, ‖h‖² 1.20e-3".
    pub(crate) fn place(&self) -> String {
        match self.mean_field_sq {
            Some(field) => format!("round {}, ‖h‖² {field:.2e}", self.round),
            None => format!("round {}", self.round),
        }
    }
}

impl fmt::Display for RunReport {
    /// For example "hasty: 34 %, round 340; 2.0 s, ETA 3.9 s".
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let share = self.share.map_or_else(String::new, |share| format!("{:.0} %, ", 100.0 * share));
        write!(f, "{}: {share}{}; {}{}", self.name, self.place(), duration(self.seconds), eta(self.rest()))
    }
}

/// What a command reports of its progress to other processes, by its claim on the folder of the results.
#[derive(Clone, Debug, Default, Deserialize, PartialEq, Serialize)]
pub(crate) struct ProgressReport {
    pub(crate) counts: Counts,
    pub(crate) run: Option<RunReport>,
    /// Host seconds since it began.
    pub(crate) seconds: f64,
    /// Host seconds to its end, as far as that can be told.
    pub(crate) rest: Option<f64>,
}
