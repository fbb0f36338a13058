//! A folder of runs as typed data: the entrance for everything that shows results.
//!
//! Traces that were made of runs later are no results: `traces/ARM-REPLICATE.csv`, `.json` for viewers, and `.trace`,
//! from which the figures are drawn.

use std::path::{Path, PathBuf};

use fedbits_spec::Caveat;
use serde::{Deserialize, Serialize};

use super::frame::Header;
use super::run::Depth;
use super::store::Damage;
use super::{DECISION_FILE, Decision, Key, RunPlan, RunStatus, SEGMENTS_FOLDER, SegmentWriter, Store, StoreError};
use crate::files::make;
use crate::{Cut, Host, RunRecord, RunTable, write_whole};

/// A plan, and the results that there are so far.
pub struct Results {
    directory: PathBuf,
    plan: RunPlan,
    store: Store,
    runs: Vec<KnownRun>,
    decision: Option<Decision>,
    /// Whether there is a decision that speaks of other arms than the plan.
    has_other_decision: bool,
}

/// A run that the plan contains, and what the store has of it.
#[derive(Clone, Copy, Debug)]
pub struct PlannedRun {
    /// The number of its arm.
    pub arm: usize,
    /// Its replicate.
    pub replicate: u64,
    /// Its key.
    pub key: Key,
    /// The key of what the store has of it: this one, or that of the run as a search ended it.
    pub found: Key,
    /// What became of it, if anything did.
    pub kind: Option<RunStatus>,
    /// Host seconds that it took; 0 for one that was not run.
    pub seconds: f64,
}

/// A run that the plan contains, and the frame that the store has of it. There can be 10⁶ of them, and every query
/// needs all.
struct KnownRun {
    arm: usize,
    replicate: u64,
    key: Key,
    frame: Option<usize>,
}

/// How many of the planned runs are there.
#[derive(Clone, Copy, Debug, Default, Deserialize, Eq, PartialEq, Serialize)]
pub struct RunCounts {
    /// Arms × replicates; of a search those that it has asked for.
    pub planned: u64,
    /// Finished to their end.
    pub finished: u64,
    /// Those of them whose final fit is degenerate.
    pub degenerate: u64,
    /// Ended early by the search, which needs no more of them.
    pub cut: u64,
    /// The simulation failed: a result, and it would be the same again.
    pub failed: u64,
    /// Could not be run when last tried.
    pub not_run: u64,
    /// Results in the store that the plan does not contain.
    pub orphaned: u64,
    /// Stretches of the store that hold no whole result.
    pub damaged: u64,
}

impl RunCounts {
    /// Counts a run that has ended so.
    pub fn add(&mut self, status: RunStatus) {
        match status {
            RunStatus::Finished => self.finished += 1,
            RunStatus::Degenerate => (self.finished, self.degenerate) = (self.finished + 1, self.degenerate + 1),
            RunStatus::Cut => self.cut += 1,
            RunStatus::Failed => self.failed += 1,
            RunStatus::NotRun => self.not_run += 1,
        }
    }

    /// Runs that are still to be run.
    #[must_use]
    pub fn missing(&self) -> u64 {
        self.planned - self.results() - self.not_run
    }

    /// Runs that have a result.
    #[must_use]
    pub fn results(&self) -> u64 {
        self.finished + self.failed + self.cut
    }
}

/// Room that is taken for so many runs of a plan at once.
const RESERVED: usize = 1 << 20;

impl Results {
    /// Opens a folder of runs.
    ///
    /// # Errors
    /// [`StoreError`]: no plan, an unreadable file, two results under one key.
    pub fn open(directory: &Path) -> Result<Self, StoreError> {
        let plan = RunPlan::read(directory)?;
        Self::with_plan(directory, plan)
    }

    /// Opens the results in a directory as those of `plan`.
    pub fn with_plan(directory: &Path, plan: RunPlan) -> Result<Self, StoreError> {
        let store = Store::open(&directory.join(SEGMENTS_FOLDER))?;
        Self::of(directory, plan, store)
    }

    /// The results whose frames ([`frame`](super::frame())) are these bytes; they are in no folder.
    ///
    /// # Errors
    /// [`StoreError`]: two results under one key.
    pub fn in_memory(plan: RunPlan, frames: Vec<u8>) -> Result<Self, StoreError> {
        Self::of(Path::new("memory"), plan, Store::in_memory(frames)?)
    }

    /// The results in the same directory as they are now. Only what has been added is read: what was read before is
    /// taken to be as it was.
    pub fn reread(&self) -> Result<Self, StoreError> {
        let store = self.store.reread(&self.directory.join(SEGMENTS_FOLDER))?;
        Self::of(&self.directory, self.plan.clone(), store)
    }

    fn of(directory: &Path, plan: RunPlan, store: Store) -> Result<Self, StoreError> {
        let found = if plan.search.is_some() { Decision::read(directory)? } else { None };
        let is_found = found.is_some();
        let decision = found.filter(|decision| decision.fits(plan.arms.len()));
        let has_other_decision = is_found && decision.is_none();
        let run = |(arm, replicate, key)| {
            let cut = decision.as_ref().and_then(|decision| decision.cut_of(replicate - plan.first_replicate));
            KnownRun { arm, replicate, key, frame: store.frame_of(key, cut) }
        };
        let count = plan.arms.len().saturating_mul(plan.replicates as usize);
        let mut runs = Vec::with_capacity(count.min(RESERVED));
        runs.extend(plan.keys().map(run));
        Ok(Self { directory: directory.to_path_buf(), plan, store, runs, decision, has_other_decision })
    }

    /// What a search has decided so far; `None` where all runs are made, and before the first step.
    #[must_use]
    pub fn decision(&self) -> Option<&Decision> {
        self.decision.as_ref()
    }

    /// Whether a run of the plan is to be made: of a search those that it has asked for.
    fn is_wanted(&self, run: &KnownRun) -> bool {
        run.replicate - self.plan.first_replicate < self.plan.replicates_of(run.arm, self.decision())
    }

    /// Where it lies.
    #[must_use]
    pub fn directory(&self) -> &Path {
        &self.directory
    }

    /// What was to be run.
    #[must_use]
    pub fn plan(&self) -> &RunPlan {
        &self.plan
    }

    /// What is in the store.
    #[must_use]
    pub fn store(&self) -> &Store {
        &self.store
    }

    /// The run of an arm (by its number) and replicate, with a whole manifest; `None` when it has not been run. One
    /// that a search has ended early goes as far as that.
    pub fn run(&self, arm: usize, replicate: u64) -> Result<Option<RunRecord>, StoreError> {
        self.run_until(arm, replicate, self.cut_of(replicate))
    }

    /// The same, of the whole run where it is there, else of the one that ended at `cut`.
    pub fn run_until(&self, arm: usize, replicate: u64, cut: Option<Cut>) -> Result<Option<RunRecord>, StoreError> {
        self.read_run((arm, replicate), cut, Depth::Tables)
    }

    /// As [`Results::run`], with the trace that was made of the run later, if there is one.
    pub fn run_with_trace(&self, arm: usize, replicate: u64) -> Result<Option<RunRecord>, StoreError> {
        let mut run = self.run(arm, replicate)?;
        if let Some(record) = &mut run
            && let Some(trace) = self.later_trace(arm, replicate)
        {
            record.extra.retain(|table| table.name != trace.name);
            record.extra.push(trace);
        }
        Ok(run)
    }

    /// As [`Results::run`], with manifest and rounds alone: the other tables are empty.
    pub fn run_without_tables(&self, arm: usize, replicate: u64) -> Result<Option<RunRecord>, StoreError> {
        self.read_run((arm, replicate), self.cut_of(replicate), Depth::Rounds)
    }

    /// What the machine of the first run contributed that has a result; none where no run has one.
    pub fn host(&self) -> Result<Option<Host>, StoreError> {
        let mut runs = self.runs().filter(|run| run.kind.is_some());
        let first = runs.find_map(|run| self.run_without_tables(run.arm, run.replicate).transpose());
        Ok(first.transpose()?.map(|run| run.manifest.host))
    }

    fn read_run(
        &self,
        (number, replicate): (usize, u64),
        cut: Option<Cut>,
        depth: Depth,
    ) -> Result<Option<RunRecord>, StoreError> {
        let arm = &self.plan.arms[number];
        let Some(key) = arm.key(replicate) else { return Ok(None) };
        let Some(mut record) = self.store.record(&self.store.key_of(key, cut), depth)? else { return Ok(None) };
        let manifest = &mut record.manifest;
        manifest.scenario.clone_from(&arm.scenario);
        manifest.arm.clone_from(&arm.name);
        manifest.arm_index = u32::try_from(number).unwrap_or(u32::MAX);
        manifest.scenario_text = with_replicate(&arm.scenario_text, self.plan.first_replicate, replicate);
        manifest.caveats.extend(record.no_model.clone().map(|why| Caveat::NoModelFile { why }));
        Ok(Some(record))
    }

    /// Where runs of a replicate end early, as the search has decided.
    pub(super) fn cut_of(&self, replicate: u64) -> Option<Cut> {
        self.decision()?.cut_of(replicate.checked_sub(self.plan.first_replicate)?)
    }

    /// Keys of all runs that the plan contains: arm, replicate, key; replicates of one number stand together, so that
    /// whoever makes them one after the other load their common data once.
    pub fn keys(&self) -> impl Iterator<Item = (usize, u64, Key)> {
        self.runs.iter().map(|run| (run.arm, run.replicate, run.key))
    }

    /// The same runs, with what the store had of them when the folder was opened.
    pub fn runs(&self) -> impl Iterator<Item = PlannedRun> {
        self.runs.iter().map(|run| {
            let found = self.header_of(run);
            PlannedRun {
                arm: run.arm,
                replicate: run.replicate,
                key: run.key,
                found: found.map_or(run.key, |header| header.key),
                kind: found.map(|header| header.kind),
                seconds: found.map_or(0.0, |header| header.seconds),
            }
        })
    }

    /// What the store has of a run, if anything.
    fn header_of(&self, run: &KnownRun) -> Option<&Header> {
        run.frame.map(|number| self.store.header(number))
    }

    /// The same, of a run that has a result.
    fn result_of(&self, run: &KnownRun) -> Option<&Header> {
        self.header_of(run).filter(|header| header.kind != RunStatus::NotRun)
    }

    /// How many of the runs are there.
    #[must_use]
    pub fn counts(&self) -> RunCounts {
        let mut counts = RunCounts { damaged: self.store.damage().len() as u64, ..RunCounts::default() };
        let mut superseded = 0;
        for run in &self.runs {
            counts.planned += u64::from(run.frame.is_some() || self.is_wanted(run));
            let Some(status) = self.header_of(run).map(|header| header.kind) else { continue };
            counts.add(status);
            // What could not be begun before has its own key.
            superseded += u64::from(status == RunStatus::Cut && self.store.kind(&run.key).is_some());
        }
        let all = self.store.distinct_keys();
        counts.orphaned = all.saturating_sub(counts.results() + counts.not_run + superseded);
        counts
    }

    /// What must be known before the results are trusted: what is damaged in the store, and how many runs have no
    /// result. Every command that shows results says it.
    #[must_use]
    pub fn caveats(&self) -> Vec<Caveat> {
        let (counts, mut caveats) = (self.counts(), self.faults());
        if counts.missing() > 0 {
            let (missing, planned) = (counts.missing().to_string(), counts.planned.to_string());
            caveats.push(Caveat::RunsToCome { missing, planned });
        }
        caveats
    }

    /// Those of them that speak of the files as they are, and not of what is still to be run.
    #[must_use]
    pub fn faults(&self) -> Vec<Caveat> {
        let mut caveats: Vec<Caveat> = self.store.damage().iter().map(Damage::caveat).collect();
        if self.has_other_decision {
            caveats.push(Caveat::ForeignDecision { file: DECISION_FILE.to_owned() });
        }
        caveats
    }

    /// BLAKE3 of the keys and results of the plan's runs, of a search those that its decision asked for: the same
    /// results have the same digest, however many processes made them, in whatever order, in however many files. In
    /// hexadecimal.
    #[must_use]
    pub fn digest(&self) -> String {
        let is_counted = |run: &&KnownRun| self.decision.is_none() || self.is_wanted(run);
        let results =
            self.runs.iter().filter(is_counted).filter_map(|run| Some((&run.key, &self.result_of(run)?.hash)));
        // The first bytes of keys nearly always tell them apart, and are moved in a fraction of the time.
        let mut results: Vec<(u64, (&Key, &[u8; 32]))> = results.map(|result| (result.0.prefix(), result)).collect();
        results.sort_unstable();
        let mut hasher = blake3::Hasher::new();
        for (_, (key, hash)) in &results {
            hasher.update(&key.0).update(*hash);
        }
        hasher.finalize().to_hex().to_string()
    }

    /// Copies the runs of the plan that `into` has not into a segment there, and returns how many, and how many that
    /// failed in both did not fail alike: of these it has one.
    ///
    /// # Errors
    /// [`StoreError`]: results that cannot be read, or written, or differ from those there.
    pub fn copy_missing(&self, into: &Results, writer: &mut SegmentWriter) -> Result<(u64, u64), StoreError> {
        let (mut copied, mut unlike) = (0, 0);
        for run in &self.runs {
            let Some(key) = self.result_of(run).map(|header| header.key) else { continue };
            unlike += u64::from(self.failed_otherwise(&key, into));
            let is_whole_there = into.store.found(&run.key).is_some_and(|(header, _)| header.kind.is_final());
            if self.is_known(&key, into)? || (key != run.key && is_whole_there) {
                continue;
            }
            if let Some(frame) = self.store.frame(&key)? {
                writer.append_bytes(&frame)?;
                copied += 1;
            }
        }
        writer.sync()?;
        Ok((copied, unlike))
    }

    /// Whether the run of a key failed here and in `into`, and not alike.
    fn failed_otherwise(&self, key: &Key, into: &Results) -> bool {
        let both = self.store.found(key).zip(into.store.found(key));
        both.is_some_and(|((here, _), (there, _))| {
            (here.kind, there.kind) == (RunStatus::Failed, RunStatus::Failed) && here.hash != there.hash
        })
    }

    /// Whether the result of a key adds nothing to `into`.
    fn is_known(&self, key: &Key, into: &Results) -> Result<bool, StoreError> {
        let (Some((here, first)), Some((there, second))) = (self.store.found(key), into.store.found(key)) else {
            return Ok(false);
        };
        if here.kind.is_final() && there.kind.is_final() && here.hash != there.hash {
            let (first, second) = (first.to_path_buf(), second.to_path_buf());
            return Err(StoreError::Conflict { key: key.to_string(), first, second });
        }
        Ok(here.kind.rank() <= there.kind.rank())
    }
}

impl RunPlan {
    /// Replicates that there should be of an arm: of a search those that it has asked for.
    #[must_use]
    pub fn replicates_of(&self, arm: usize, decision: Option<&Decision>) -> u64 {
        match (&self.search, decision) {
            (None, _) => self.replicates,
            (Some(_), decision) => decision.map_or(0, |decision| decision.arms[arm].asked),
        }
    }
}

/// The resolved scenario of another replicate: the field stands on a line of its own, as every resolved text has it.
fn with_replicate(text: &str, first: u64, replicate: u64) -> String {
    text.replacen(&format!("\n    replicate: {first},\n"), &format!("\n    replicate: {replicate},\n"), 1)
}

/// Name of the folder of traces.
const TRACES_FOLDER: &str = "traces";

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
        make(&self.directory().join(TRACES_FOLDER))?;
        write_whole(&path("csv"), table.text()?.as_bytes())?;
        write_whole(&path("json"), events)?;
        write_whole(&path("trace"), &stored)?;
        Ok([path("json"), path("csv")])
    }

    /// The trace that was made of a run later; none where there is no such file, or it is of another run.
    fn later_trace(&self, arm: usize, replicate: u64) -> Option<RunTable> {
        if !self.directory().join(TRACES_FOLDER).is_dir() {
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
        self.directory().join(TRACES_FOLDER).join(format!("{name}-{replicate}.{ending}"))
    }
}
