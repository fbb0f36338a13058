//! Races, which choose their runs. A race says which runs it needs next; any number of processes on one folder make
//! them; the decision is written down after each step. What comes next depends on the results alone, so a race that was
//! killed goes on where it was, and several processes come to one decision.

mod known;
mod race;

use std::collections::BTreeSet;
use std::path::Path;
use std::sync::atomic::Ordering;
use std::time::Duration;

use fedbits_record::results::{DECISION_FILE, Decision, Results, RunStatus, SEGMENTS_FOLDER, SegmentWriter};
use fedbits_spec::so_many;
use fedbits_text::first_few;

use self::known::Known;
use super::definition::Runs;
use super::job::Job;
use super::leases::Leases;
use super::runner::Runner;
use super::store;
use crate::error::Error;
use crate::executor::Executor;
use crate::listener::Listener;
use crate::options::RunOptions;
use crate::scenario::Scenario;

#[derive(Clone, Copy)]
pub(super) struct RaceRunner<'a> {
    pub(super) runs: &'a Runs,
    pub(super) options: &'a RunOptions,
    pub(super) executor: Executor<'a>,
    pub(super) retry_failed: bool,
}

impl RaceRunner<'_> {
    /// Makes runs until the race has ended, all into one segment, as each step reads the store; gives the record with
    /// all of them.
    pub(super) fn run(&self, mut record: Results) -> Result<Results, Error> {
        let out = record.directory().to_path_buf();
        let setting = self.runs.checked.scenario.search.as_ref();
        let Some((search, setting)) = record.plan().search.clone().zip(setting) else { return Ok(record) };
        let (leases, mut writer) = (Leases::of(&out), SegmentWriter::new(&out.join(SEGMENTS_FOLDER)));
        let mut known = Known::new(search.objective.clone());
        let (mut told, mut tried, mut done) = (0, BTreeSet::new(), BTreeSet::new());
        loop {
            let size = size_of_store(&out);
            record = record.reread()?;
            let (decision, jobs) = race::advance((&record, &search), setting, &mut known)?;
            let mut failed = if self.retry_failed { store::failed_jobs(&record) } else { Vec::new() };
            // Once.
            failed.retain(|job| !tried.contains(&job.key));
            if !failed.is_empty() {
                tried.extend(failed.iter().map(|job| job.key));
                self.runner(None).run(&record, failed, &mut writer)?;
                known.forget();
                continue;
            }
            tell(&record, &decision, &mut told, self.executor.listener);
            if jobs.is_empty() {
                decision.write(&out)?;
                leases.clear();
                return Ok(Results::with_plan(&out, record.plan().clone())?);
            }
            // Another process may have ended the race by what came meanwhile.
            if size_of_store(&out) == size
                || !Decision::read(&out).is_ok_and(|there| there.is_some_and(|decision| decision.ended))
            {
                decision.write(&out)?;
            }
            // Those that could not be begun by this process are tried again by whoever can.
            let refused =
                |job: &Job| tried.contains(&job.key) && record.store().kind(&job.key) == Some(RunStatus::NotRun);
            if jobs.iter().any(refused) {
                return Ok(Results::with_plan(&out, record.plan().clone())?);
            }
            // What was done before the store was read, and is not there, is made again.
            let said = jobs.iter().map(|job| job.key).filter(|key| leases.is_done(key)).collect::<BTreeSet<_>>();
            said.intersection(&done).for_each(|key| leases.forget(key));
            done = &said - &done;
            let made = self.runner(Some(&leases)).run(&record, jobs, &mut writer)?;
            if made.is_empty() && done.is_empty() {
                self.await_others(&out, size)?;
            }
            tried.extend(made);
        }
    }

    fn runner<'r>(&'r self, leases: Option<&'r Leases>) -> Runner<'r> {
        Runner { runs: self.runs, options: self.options, executor: self.executor, leases, is_first: false }
    }

    /// Waits until another process has added something to the store, or has let go of a run.
    fn await_others(&self, out: &Path, size: u64) -> Result<(), Error> {
        // A process that was killed adds nothing: its lease is free at once, and is asked for again after this.
        const TRIES: u32 = 10;
        for _ in 0..TRIES {
            if self.executor.stop.load(Ordering::Relaxed) {
                return Err(Error::Stopped);
            }
            std::thread::sleep(Duration::from_millis(100));
            if size_of_store(out) != size {
                break;
            }
        }
        Ok(())
    }
}

/// The name of the decision, where the race has ended and its file is not what the results give.
pub(super) fn changed(record: &Results) -> Result<Vec<String>, Error> {
    let plan = record.plan();
    let Some(search) = &plan.search else { return Ok(Vec::new()) };
    // Runs of a scenario that only Python can read cannot be made again here, which the verification says.
    let read = Scenario::from_text(&plan.name, &plan.scenario_text).check();
    let Some(setting) = read.ok().and_then(|read| read.scenario.search) else { return Ok(Vec::new()) };
    let (decision, _) = race::advance((record, search), &setting, &mut Known::new(search.objective.clone()))?;
    let has_ended = decision.ended || record.decision().is_some_and(|there| there.ended);
    let is_changed = has_ended && !decision.is_written(record.directory());
    Ok(is_changed.then(|| DECISION_FILE.to_owned()).into_iter().collect())
}

/// So many arms are named that are dropped at one look.
const NAMED: usize = 4;

/// Says what was decided since the last time.
fn tell(record: &Results, decision: &Decision, told: &mut usize, listener: &dyn Listener) {
    let name = |arm: usize| record.plan().arms[arm].name.as_str();
    for look in &decision.looks[(*told).min(decision.looks.len())..] {
        let dropped: Vec<&str> = look
            .standings
            .iter()
            .filter(|standing| standing.dropped.is_some())
            .map(|standing| name(standing.arm))
            .collect();
        let left = look.standings.len() + 1 - dropped.len();
        let gone = if dropped.is_empty() { "" } else { "; dropped " }.to_owned() + &first_few(&dropped, NAMED);
        listener.message(&format!(
            "{}: `{}` leads, {} left{gone}",
            so_many(look.replicates, "replicate"),
            name(look.leader),
            so_many(left, "arm is|arms are")
        ));
    }
    *told = decision.looks.len();
}

/// The bytes of all segments.
pub(crate) fn size_of_store(folder: &Path) -> u64 {
    let Ok(entries) = std::fs::read_dir(folder.join(SEGMENTS_FOLDER)) else { return 0 };
    entries.filter_map(|entry| Some(entry.ok()?.metadata().ok()?.len())).sum()
}
