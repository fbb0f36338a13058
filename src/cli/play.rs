//! Plays one arm of a scenario and writes its record.

use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicBool;

use fedbits_kernel::{Entry, StopReason};
use fedbits_protocols::journal::Journal;
use fedbits_protocols::run::{Audience, Outcome, run};
use fedbits_record::{
    ExtraTable, Host, LinkRow, Manifest, Recorder, Reference, RunRecord, StopRules, TopologyRows, problem_digest,
};
use fedbits_scenarios::Checked;
use fedbits_scenarios::prepare::{Prepared, Preparer};

use crate::cli::failure::Failure;
use crate::cli::host::{self, Signals, Stopwatch};
use crate::cli::input;
use crate::cli::progress::Talk;

/// What all arms of a command share.
pub struct Stage<'a> {
    /// Talk.
    pub talk: &'a Talk,
    /// Signals.
    pub signals: &'a Signals,
    /// Number of threads, for the manifest.
    pub threads: usize,
}

/// The name of an arm in records and legends: the scenario's name when it has no arms.
pub fn arm_name(checked: &Checked) -> String {
    checked.arm.clone().unwrap_or_else(|| checked.scenario.name.clone())
}

impl Stage<'_> {
    /// Prepares, plays and records; the record appears in `directory` whole or not at all.
    pub fn play(&self, checked: &Checked, preparer: &mut Preparer, directory: &Path) -> Result<Manifest, Failure> {
        let watch = Stopwatch::start();
        let prepared = input::prepare(preparer, checked)?;
        prepared.notes.iter().for_each(|note| self.talk.explain(format!("  {note}")));
        self.talk.explain(format!("  data and model ready after {:.1} s", watch.seconds()));
        let mut recorder = Recorder::files(directory, columns(&prepared, checked))?;
        let begun = Begun::new(checked, &prepared, &mut recorder, watch)?;
        let mut outcome = self.perform(prepared, recorder, &arm_name(checked), None);
        if outcome.stop == StopReason::Interrupted {
            return Err(self.signals.failure());
        }
        let manifest = begun.end(&mut outcome, preparer, self.threads)?;
        outcome.recorder.timeline(&outcome.checks)?;
        outcome.recorder.finish(manifest.clone(), &outcome.ledger, &outcome.histograms)?;
        Ok(manifest)
    }

    /// Plays again what was recorded, and keeps the record in memory; `watch` is the number of an event to be kept.
    pub fn again(&self, checked: &Checked, preparer: &mut Preparer, watch: Option<u64>) -> Result<Kept, Failure> {
        let perform = |prepared: Prepared, recorder| self.perform(prepared, recorder, &arm_name(checked), watch);
        let kept = kept(checked, preparer, self.threads, perform)?;
        kept.ok_or_else(|| self.signals.failure())
    }

    /// Plays a prepared run with a progress display.
    fn perform(&self, prepared: Prepared, recorder: Recorder, name: &str, watch: Option<u64>) -> Outcome {
        let mut follower = self.talk.follow(name, prepared.experiment.stop);
        let observer = Box::new(move |row: &_| follower.row(row));
        let audience = Audience { observer: Some(observer), watch, reference: true };
        run(prepared.experiment, recorder, audience, self.signals.stop())
    }
}

/// Plays an arm with nobody looking on and keeps its record in memory; `None` when a signal came.
pub fn in_memory(
    checked: &Checked,
    preparer: &mut Preparer,
    stop: &AtomicBool,
    threads: usize,
) -> Result<Option<RunRecord>, Failure> {
    let audience = || Audience { reference: true, ..Audience::default() };
    let silent = |prepared: Prepared, recorder| run(prepared.experiment, recorder, audience(), stop);
    Ok(kept(checked, preparer, threads, silent)?.map(|kept| kept.record))
}

/// What is kept in memory of a run.
pub struct Kept {
    /// Its record, without a file of check bytes.
    pub record: RunRecord,
    /// One check byte per event.
    pub checks: Vec<u8>,
    /// The watched event.
    pub watched: Option<Entry>,
}

/// Prepares, has it played by `perform`, and keeps the record; `None` when a signal came.
fn kept(
    checked: &Checked,
    preparer: &mut Preparer,
    threads: usize,
    perform: impl FnOnce(Prepared, Recorder) -> Outcome,
) -> Result<Option<Kept>, Failure> {
    let watch = Stopwatch::start();
    let prepared = input::prepare(preparer, checked)?;
    let mut recorder = Recorder::memory(columns(&prepared, checked));
    let begun = Begun::new(checked, &prepared, &mut recorder, watch)?;
    let mut outcome = perform(prepared, recorder);
    if outcome.stop == StopReason::Interrupted {
        return Ok(None);
    }
    let manifest = begun.end(&mut outcome, preparer, threads)?;
    let Outcome { recorder, ledger, histograms, checks, watched, .. } = outcome;
    let record = recorder.finish(manifest, &ledger, &histograms)?;
    Ok(record.map(|record| Kept { record, checks, watched }))
}

/// A run that is about to be played: what its manifest will say besides its outcome.
struct Begun<'a> {
    checked: &'a Checked,
    clients: u64,
    caveats: Vec<String>,
    topology: Option<TopologyRows>,
    stop_rules: StopRules,
    watch: Stopwatch,
    playing: Stopwatch,
}

impl<'a> Begun<'a> {
    /// Records the topology; `watch` has run since the preparation began.
    fn new(
        checked: &'a Checked,
        prepared: &Prepared,
        recorder: &mut Recorder,
        watch: Stopwatch,
    ) -> Result<Self, Failure> {
        let clients = u64::from(prepared.experiment.protocol.subject().clients());
        let caveats = [checked.caveats.clone(), prepared.caveats.clone()].concat();
        let topology = prepared.topology.clone();
        topology.iter().try_for_each(|topology| recorder.topology(topology))?;
        let stop = &prepared.experiment.stop;
        let stop_rules = StopRules {
            mean_field_sq: stop.mean_field_sq,
            bits: stop.bits.map(|bits| bits.count()),
            time_ns: stop.time.map(|time| time.as_nanos()),
        };
        Ok(Self { checked, clients, caveats, topology, stop_rules, watch, playing: Stopwatch::start() })
    }

    /// Records what the links carried, and says the manifest of the run.
    fn end(self, outcome: &mut Outcome, preparer: &Preparer, threads: usize) -> Result<Manifest, Failure> {
        let cost = Host {
            events_per_second: events_per_second(outcome, &self.playing),
            seconds: self.watch.seconds(),
            peak_memory_bytes: host::peak_memory_bytes(),
            threads: threads as u64,
            scenario_folder: preparer.scenario_folder().map(whole),
        };
        if let Some(topology) = &self.topology {
            let links = links_table(topology, outcome);
            outcome.recorder.extra(&links)?;
        }
        Ok(Manifest {
            stop_rules: self.stop_rules,
            ..manifest(self.checked, outcome, self.clients, self.caveats, cost)
        })
    }
}

/// A folder by its whole path: whoever looks there later may be elsewhere.
fn whole(folder: PathBuf) -> String {
    std::path::absolute(&folder).unwrap_or(folder).display().to_string()
}

/// What each link of the topology carried.
fn links_table(topology: &TopologyRows, outcome: &Outcome) -> ExtraTable {
    let rows = outcome.links.iter().filter_map(|(link, bits)| LinkRow::new(topology, link.0, bits.clone()));
    LinkRow::table(&rows.collect::<Vec<_>>())
}

/// Events of the timeline per second of `playing`; none on a clock too coarse to tell.
fn events_per_second(outcome: &Outcome, playing: &Stopwatch) -> Option<f64> {
    Some(outcome.totals.events as f64 / playing.seconds()).filter(|events| events.is_finite())
}

/// The columns that a record of the run has.
pub fn columns(prepared: &Prepared, checked: &Checked) -> fedbits_record::Columns {
    let record = &checked.scenario.record;
    Journal::columns(prepared.experiment.protocol.subject(), record.theta, record.statistics)
}

fn manifest(checked: &Checked, outcome: &Outcome, clients: u64, mut caveats: Vec<String>, host: Host) -> Manifest {
    match &outcome.stop {
        StopReason::Failed(why) => {
            caveats.push(format!("the run failed after {} rounds: {why}", outcome.totals.rounds))
        }
        StopReason::Idle => caveats.push("the run ended early: nothing was left to happen".to_owned()),
        StopReason::TimeLimit => caveats.push("the run ended early: a century of virtual time had passed".to_owned()),
        _ => {}
    }
    caveats.extend(outcome.caveats.iter().cloned());
    let problem = || problem_digest(&outcome.digests.data, &checked.scenario.objective_text());
    let reference = outcome.reference.clone().map(|reference| Reference { problem: problem(), ..reference });
    Manifest {
        format: String::new(),
        engine_version: env!("CARGO_PKG_VERSION").to_owned(),
        scenario: checked.scenario.name.clone(),
        arm: arm_name(checked),
        arm_index: checked.arm_index,
        scenario_text: checked.text.clone(),
        seed: checked.scenario.seed,
        replicate: checked.scenario.replicate,
        clients,
        digests: outcome.digests.clone(),
        stop_reason: outcome.stop.to_string(),
        stop_rules: StopRules::default(),
        reference,
        caveats,
        totals: outcome.totals.clone(),
        host,
        extra_columns: Vec::new(),
        files: Vec::new(),
    }
}
