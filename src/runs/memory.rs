//! Runs without a folder: frames of runs, and the results that they are.

use std::sync::{Arc, Mutex, PoisonError};

use fedbits_protocols::journal::Observer;
use fedbits_protocols::plan::StopRules;
use fedbits_record::results::{Key, Results, RunPlan, StoredRun, frame};
use fedbits_record::{Manifest, RoundRow, RunRecord, Totals};

use super::Runs;
use crate::error::Error;
use crate::executor::{Executor, columns};
use crate::listener::Listener;
use crate::options::RunOptions;

/// Is told with every row of a run, and how to make the frame of the run as far as it is.
pub type PartialRun = fn(&dyn Fn() -> Vec<u8>);

impl Runs {
    /// Makes one run and returns its record, and its frame: the run as a segment of the store has it. `watcher` can
    /// show it before it has ended.
    ///
    /// # Errors
    /// Data that are missing or do not fit; an arm that there is not; [`Error::Stopped`].
    pub fn frame(
        &self,
        arm: usize,
        replicate: u64,
        options: &RunOptions,
        watcher: PartialRun,
    ) -> Result<(RunRecord, Vec<u8>), Error> {
        let plan = self.plan_in_memory(options)?;
        let key = plan.arms.get(arm).and_then(|arm| arm.key(replicate));
        let key = key.ok_or_else(|| Error::Input(format!("there is no replicate {replicate} of an arm {arm}")))?;
        let (checked, mut preparer) = (self.scenario_of(arm, replicate), self.preparer(options)?);
        crate::scenario::check_fit(&mut preparer, [&checked])?;
        let manifest = Manifest { seed: checked.scenario.seed, replicate, ..Manifest::default() };
        let partial = Partial { manifest: Arc::new(Mutex::new(manifest)), key, watcher };
        let manifest = Arc::clone(&partial.manifest);
        let executor = Executor { listener: &partial, stop: options.watch.switch(), threads: 1 };
        let kept = executor.keep(&checked, &mut preparer, |prepared| {
            prepared.fitting = None;
            manifest.lock().unwrap_or_else(PoisonError::into_inner).extra_columns = columns(prepared).extra;
        })?;
        let frame = frame(key, &StoredRun::finished(kept.record.clone()));
        Ok((kept.record, frame))
    }

    /// The plan with all arms × replicates: a search makes all of its runs where nobody looks at them in between.
    ///
    /// # Errors
    /// Data files that are missing.
    pub fn plan_in_memory(&self, options: &RunOptions) -> Result<RunPlan, Error> {
        Ok(RunPlan { search: None, ..self.plan(options)? })
    }

    /// The results that these frames are; they are in no folder.
    ///
    /// # Errors
    /// Two results under one key.
    pub fn results(&self, frames: Vec<u8>, options: &RunOptions) -> Result<Results, Error> {
        Ok(Results::in_memory(self.plan_in_memory(options)?, frames)?)
    }
}

/// Shows a run that has not ended.
struct Partial {
    manifest: Arc<Mutex<Manifest>>,
    key: Key,
    watcher: PartialRun,
}

impl Listener for Partial {
    fn follow(&self, _: &str, _: &StopRules) -> Option<Observer> {
        let manifest = self.manifest.lock().unwrap_or_else(PoisonError::into_inner).clone();
        let (key, watcher, mut rounds) = (self.key, self.watcher, Vec::new());
        Some(Box::new(move |row: &RoundRow| {
            rounds.push(row.clone());
            watcher(&|| {
                let totals = Totals { rounds: row.round, ..Totals::default() };
                let manifest = Manifest { totals, stop_reason: "it goes on".to_owned(), ..manifest.clone() };
                let record = RunRecord { manifest, rounds: rounds.clone(), ..RunRecord::default() };
                frame(key, &StoredRun::finished(record))
            });
        }))
    }
}
