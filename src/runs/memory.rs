//! Runs without a folder: frames of runs, and the results that they are.

use std::sync::OnceLock;

use fedbits_protocols::journal::Observer;
use fedbits_protocols::plan::StopRules;
use fedbits_record::results::{Key, Results, RunPlan, StoredRun, frame};
use fedbits_record::{Manifest, RoundRow, RunRecord, Totals};
use fedbits_scenarios::prepare::Preparer;

use super::Runs;
use crate::error::Error;
use crate::executor::{Executor, columns};
use crate::listener::Listener;
use crate::options::RunOptions;
use crate::scenario::check_replicates;

/// Called with every row of a run: the share of the run that is done (0 if no stop rule counts anything), and a
/// function that makes the frame of the run so far.
pub type PartialRun = fn(f64, &dyn Fn() -> Vec<u8>);

/// The runs of a scenario, made one after the other on the calling thread and kept in no folder.
pub struct MemoryRuns {
    runs: Runs,
    plan: RunPlan,
    preparer: Preparer,
    options: RunOptions,
}

impl MemoryRuns {
    /// The runs of a scenario. Its plan has all arms × replicates, also where the scenario searches.
    ///
    /// # Errors
    /// Data files that are missing.
    pub fn new(runs: Runs, options: RunOptions) -> Result<Self, Error> {
        let plan = RunPlan { search: None, ..runs.plan(&options)? };
        Ok(Self { plan, preparer: runs.preparer(&options)?, runs, options })
    }

    /// The arms and replicates.
    #[must_use]
    pub fn plan(&self) -> &RunPlan {
        &self.plan
    }

    /// Makes one run and returns its record, and its frame: the run as a segment of the store has it. `watcher` can
    /// show it before it has ended.
    ///
    /// # Errors
    /// Data that do not fit; an unknown arm or replicate; [`Error::Stopped`].
    pub fn frame(&mut self, arm: usize, replicate: u64, watcher: PartialRun) -> Result<(RunRecord, Vec<u8>), Error> {
        let key = self.plan.arms.get(arm).and_then(|arm| arm.key(replicate));
        let key = key.ok_or_else(|| Error::Input(format!("there is no replicate {replicate} of an arm {arm}")))?;
        let checked = self.runs.scenario_of(arm, replicate);
        check_replicates(&mut self.preparer, ([&checked], 1))?;
        let manifest = Manifest { seed: checked.scenario.seed, replicate, ..Manifest::default() };
        let partial = Partial { manifest, extra_columns: OnceLock::new(), key, watcher };
        let executor = Executor { listener: &partial, stop: self.options.watch.switch(), threads: 1 };
        let kept = executor.keep(&checked, &mut self.preparer, |prepared| {
            prepared.fitting = None;
            partial.extra_columns.get_or_init(|| columns(prepared).extra);
        })?;
        let frame = frame(key, &StoredRun::finished(kept.record.clone()));
        Ok((kept.record, frame))
    }

    /// The results that these frames are; they are in no folder.
    ///
    /// # Errors
    /// Two results under one key.
    pub fn results(&self, frames: Vec<u8>) -> Result<Results, Error> {
        Ok(Results::in_memory(self.plan.clone(), frames)?)
    }
}

/// Shows a run that has not ended.
struct Partial {
    manifest: Manifest,
    /// Known when the run is prepared.
    extra_columns: OnceLock<Vec<String>>,
    key: Key,
    watcher: PartialRun,
}

impl Listener for Partial {
    fn follow(&self, _: &str, stop: &StopRules) -> Option<Observer> {
        let extra_columns = self.extra_columns.get().cloned().unwrap_or_default();
        let manifest = Manifest { extra_columns, ..self.manifest.clone() };
        let (key, watcher, stop, mut rounds) = (self.key, self.watcher, *stop, Vec::new());
        Some(Box::new(move |row: &RoundRow| {
            rounds.push(row.clone());
            watcher(stop.share_done(row).unwrap_or(0.0), &|| {
                let totals = Totals { rounds: row.round, ..Totals::default() };
                let manifest = Manifest { totals, stop_reason: "it goes on".to_owned(), ..manifest.clone() };
                let record = RunRecord { manifest, rounds: rounds.clone(), ..RunRecord::default() };
                frame(key, &StoredRun::finished(record))
            });
        }))
    }
}
