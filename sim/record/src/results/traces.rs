//! Traces that were made of runs later: `traces/ARM-REPLICATE.csv`, `.json` for viewers, and `.trace`, from which the
//! figures are drawn. They are no results.

use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use super::{Key, Results, StoreError};
use crate::files::make;
use crate::{RunTable, write_whole};

/// Name of their folder.
const FOLDER: &str = "traces";

/// A trace as the figures read it.
#[derive(Serialize, Deserialize)]
struct StoredTrace {
    /// Of the run.
    key: String,
    table: RunTable,
}

impl Results {
    /// Writes the trace of a run, as a table and as `events` for viewers; returns the paths of the events and the CSV.
    /// It replaces the run's former trace.
    pub fn write_trace(
        &self,
        (arm, replicate): (usize, u64),
        table: &RunTable,
        events: &[u8],
    ) -> Result<[PathBuf; 2], StoreError> {
        let key = self.plan().arms[arm].key(replicate).as_ref().map(Key::to_string).unwrap_or_default();
        let stored = StoredTrace { key, table: table.clone() };
        let stored = postcard::to_extend(&stored, Vec::new()).expect("rows of numbers and texts always serialize");
        let path = |ending| self.trace_path((arm, replicate), ending);
        make(&self.directory().join(FOLDER))?;
        write_whole(&path("csv"), table.text()?.as_bytes())?;
        write_whole(&path("json"), events)?;
        write_whole(&path("trace"), &stored)?;
        Ok([path("json"), path("csv")])
    }

    /// The trace that was made of a run later; none where there is no such file, or it is of another run.
    pub(super) fn later_trace(&self, arm: usize, replicate: u64) -> Option<RunTable> {
        if !self.directory().join(FOLDER).is_dir() {
            return None;
        }
        let bytes = fedbits_spec::files::read(self.trace_path((arm, replicate), "trace")).ok()?;
        let StoredTrace { key, table } = postcard::from_bytes(&bytes).ok()?;
        let is_whole = table.check().is_ok() && table.name == crate::TRACE;
        (is_whole && self.plan().arms[arm].key(replicate)?.to_string() == key).then_some(table)
    }

    /// The path of the trace of an arm's replicate in one format: `csv`, `json`, or `trace` for reports.
    #[must_use]
    pub fn trace_path(&self, (arm, replicate): (usize, u64), ending: &str) -> PathBuf {
        let name = &self.plan().arm_files()[arm];
        self.directory().join(Path::new(FOLDER)).join(format!("{name}-{replicate}.{ending}"))
    }
}
