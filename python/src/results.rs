//! A folder of runs for Python: what became of each run, its manifest and model, and the tables of all runs.

use std::path::PathBuf;
use std::sync::{Mutex, PoisonError};

use fedbits::{Error, Results};
use fedbits_record::results::{PlannedRun, RunStatus, Selection, StoredRun};
use fedbits_spec::{Caveat, Caveats, so_many};
use pyo3::prelude::*;

use crate::caveats::{CaveatRow, caveat_rows};
use crate::error::raised;
use crate::frame::Frame;

/// The runs of a folder, as they were when it was opened.
#[pyclass(frozen, module = "fedbits._fedbits")]
pub(crate) struct OpenResults {
    record: Mutex<Results>,
}

/// The number of an arm, and a replicate.
type RunKey = (usize, u64);

/// A run: its manifest as JSON, why it failed, and its caveats.
type RunRow = (String, Option<String>, Vec<CaveatRow>);

#[pymethods]
impl OpenResults {
    /// Opens a folder.
    #[new]
    fn open(py: Python<'_>, folder: PathBuf) -> PyResult<Self> {
        let opened = py.detach(|| Results::open(&folder));
        opened.map(Self::of).map_err(|error| raised(py, error.into()))
    }

    /// Names of the arms.
    #[getter]
    fn arms(&self, py: Python<'_>) -> PyResult<Vec<String>> {
        self.read(py, |record| Ok(record.plan().arms.iter().map(|arm| arm.name.clone()).collect()))
    }

    /// How many runs have a result, how many failed or could not be begun, and how many results are of other runs than
    /// those of the plan.
    #[getter]
    fn counts(&self, py: Python<'_>) -> PyResult<(u64, u64, u64)> {
        let counts = self.read(py, |record| Ok(record.counts()))?;
        Ok((counts.results(), counts.failed + counts.not_run, counts.orphaned))
    }

    /// The runs that have a result, arm by arm.
    #[getter]
    fn runs(&self, py: Python<'_>) -> PyResult<Vec<RunKey>> {
        let has_result = |run: &PlannedRun| run.kind.is_some_and(|kind| kind != RunStatus::NotRun);
        self.read(py, |record| Ok(by_arm(record.runs().filter(has_result)).iter().map(key).collect()))
    }

    /// What became of a run that has a result.
    fn run(&self, py: Python<'_>, arm: usize, replicate: u64) -> PyResult<RunRow> {
        self.read(py, |record| {
            let run = record.run_without_tables(arm, replicate)?;
            let manifest = run.ok_or_else(|| Error::Run("the run has no result".to_owned()))?.manifest;
            let text = serde_json::to_string(&manifest).map_err(|error| Error::Run(error.to_string()))?;
            Ok((text, manifest.failure().map(str::to_owned), caveat_rows(&manifest.caveats)))
        })
    }

    /// Why runs of each arm failed or could not be begun: what the first of them says.
    fn failures(&self, py: Python<'_>) -> PyResult<Vec<String>> {
        self.read(py, |record| {
            let is_failed = |run: &PlannedRun| matches!(run.kind, Some(RunStatus::Failed | RunStatus::NotRun));
            let mut failures = Vec::new();
            for runs in by_arm(record.runs().filter(is_failed)).chunk_by(|one, next| one.arm == next.arm) {
                let why = match record.store().run(&runs[0].found)? {
                    Some(StoredRun::Finished(run)) => run.manifest.stop_reason.clone(),
                    Some(StoredRun::NotRun(why)) => format!("the run could not be begun: {why}"),
                    None => continue,
                };
                let rest = (runs.len() > 1).then(|| format!(" (and {} of it)", so_many(runs.len() - 1, "more run")));
                let name = &record.plan().arms[runs[0].arm].name;
                failures.push(format!("{name}: {why}{}", rest.unwrap_or_default()));
            }
            Ok(failures)
        })
    }

    /// What must be known of the runs before the results are trusted, beside failures.
    fn caveats(&self, py: Python<'_>) -> PyResult<Vec<CaveatRow>> {
        self.read(py, |record| {
            let mut caveats = Caveats::default();
            for PlannedRun { arm, replicate, .. } in by_arm(record.runs()) {
                let run = record.run_without_tables(arm, replicate)?;
                // Failures are told apart.
                let is_no_failure = |caveat: &&Caveat| !matches!(caveat, Caveat::RunFailed { .. });
                let found = run.as_ref().map(|run| run.manifest.caveats.iter().filter(is_no_failure));
                found.into_iter().for_each(|found| caveats.add(&record.plan().arms[arm].name, found));
            }
            Ok(caveat_rows(&caveats.into_vec()))
        })
    }

    /// Names of the tables.
    fn table_names(&self, py: Python<'_>) -> PyResult<Vec<String>> {
        self.read(py, |record| Ok(record.table_names()?))
    }

    /// A table of all runs or of one; none where no such run has it.
    fn table(&self, py: Python<'_>, name: &str, run: Option<RunKey>) -> PyResult<Option<Frame>> {
        let table = self.read(py, |record| Ok(record.table(Selection { run, table: Some(name) })?))?;
        table.map(|table| py.detach(|| Frame::of_table(table))).transpose()
    }

    /// The fitted model of an arm as JSON, in the units of the data.
    fn model(&self, py: Python<'_>, arm: usize, replicate: u64) -> PyResult<String> {
        self.read(py, |record| {
            let plan = record.plan();
            if replicate != plan.first_replicate {
                let first = plan.first_replicate;
                let why = format!("replicate {replicate} has no model: models are kept of replicate {first} alone");
                return Err(Error::Input(why));
            }
            Ok(fedbits::model(record.directory(), Some(&plan.arms[arm].name))?.text())
        })
    }
}

impl OpenResults {
    pub(crate) fn of(record: Results) -> Self {
        Self { record: Mutex::new(record) }
    }

    /// What `work` reads while other threads of Python go on.
    fn read<T: Send>(&self, py: Python<'_>, work: impl FnOnce(&Results) -> Result<T, Error> + Send) -> PyResult<T> {
        let read = py.detach(|| work(&self.record.lock().unwrap_or_else(PoisonError::into_inner)));
        read.map_err(|error| raised(py, error))
    }
}

fn key(run: &PlannedRun) -> RunKey {
    (run.arm, run.replicate)
}

/// Runs arm by arm; those of the plan stand replicate by replicate.
fn by_arm(runs: impl Iterator<Item = PlannedRun>) -> Vec<PlannedRun> {
    let mut runs: Vec<PlannedRun> = runs.collect();
    runs.sort_by_key(key);
    runs
}
