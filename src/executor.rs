//! Runs arms, each a checked scenario, and makes their records.

use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering};

use fedbits_figures::Figure;
use fedbits_kernel::{Entry, StopReason};
use fedbits_protocols::costs::LinkInterval;
use fedbits_protocols::journal::Journal;
use fedbits_protocols::run::{self, Observers, Outcome};
use fedbits_record::{
    Cut, FinalFit, Host, LinkRow, LinkTimeRow, Manifest, Recorder, Reference, RunRecord, RunTable, StopRules,
    TopologyRows, TraceRow, problem_digest,
};
use fedbits_scenarios::Checked;
use fedbits_scenarios::fitted::{Fit, FittedError, Fitting};
use fedbits_scenarios::prepare::{PrepareError, Prepared, Preparer};
use fedbits_spec::{Caveat, caught, so_many};
use serde_json::Value;

use crate::error::Error;
use crate::listener::Listener;
use crate::machine::{self, Stopwatch};
use crate::options::RunOptions;
use crate::scenario::{Arm, arm_name, check_replicates};

/// What the runs of a command share.
#[derive(Clone, Copy)]
pub(crate) struct Executor<'a> {
    pub(crate) listener: &'a dyn Listener,
    /// Ends the runs once it is set.
    pub(crate) stop: &'a AtomicBool,
    pub(crate) threads: usize,
}

impl Executor<'_> {
    /// Prepares, runs, and keeps the record in memory, with the fitted model, after a change of what was prepared. A
    /// part that panics is an error of this run alone.
    pub(crate) fn keep(
        &self,
        checked: &Checked,
        preparer: &mut Preparer,
        change: impl FnOnce(&mut Prepared),
    ) -> Result<KeptRun, Error> {
        caught(|| {
            let clock = Stopwatch::start();
            let mut prepared = prepare(preparer, checked)?;
            prepared.notes.iter().for_each(|note| self.listener.detail(&format!("  {note}")));
            self.listener.detail(&format!("  data and model ready after {:.1} s", clock.seconds()));
            change(&mut prepared);
            let mut recorder = Recorder::memory(columns(&prepared));
            let begun = StartedRun::new(checked, &prepared, &mut recorder, clock)?;
            let fitting = prepared.fitting.take();
            let mut outcome = self.perform(prepared, recorder, checked, None)?;
            let mut manifest = begun.end(&mut outcome, preparer, self.threads)?;
            let model = fitted_model(fitting, &outcome, &manifest);
            manifest.host.peak_memory_bytes = machine::peak_memory_bytes();
            let Outcome { mut recorder, ledger, histograms, checks, trace, .. } = outcome;
            recorder.timeline(&checks);
            let mut record =
                recorder.finish(manifest, &ledger, &histograms)?.expect("a recorder in memory gives its record");
            match model {
                Ok(model) => record.model = model,
                Err(why) => record.no_model = Some(why.to_string()),
            }
            Ok(KeptRun { record, trace })
        })?
    }

    /// Runs again, and says what the event of this number is.
    pub(crate) fn watched(
        &self,
        checked: &Checked,
        preparer: &mut Preparer,
        number: u64,
    ) -> Result<Option<Entry>, Error> {
        caught(|| {
            let prepared = prepare(preparer, checked)?;
            let recorder = Recorder::memory(columns(&prepared));
            Ok(self.perform(prepared, recorder, checked, Some(number))?.watched)
        })?
    }

    fn perform(
        &self,
        prepared: Prepared,
        recorder: Recorder,
        checked: &Checked,
        watch: Option<u64>,
    ) -> Result<Outcome, Error> {
        let observer = self.listener.follow(arm_name(checked), &prepared.experiment.stop);
        let outcome =
            run::run(prepared.experiment, recorder, Observers { observer, watch, reference: true }, self.stop);
        // What fails while it is to end may fail because of what ends it, such as an exception of a model in Python.
        let fails_stopped = || outcome.stop.is_failure() && self.stop.load(Ordering::Relaxed);
        if outcome.stop == StopReason::Interrupted || fails_stopped() { Err(Error::Stopped) } else { Ok(outcome) }
    }
}

/// The fitted model of a run; none of one that failed, whose θ may have no density.
fn fitted_model(
    fitting: Option<Fitting>,
    outcome: &Outcome,
    manifest: &Manifest,
) -> Result<Option<String>, FittedError> {
    let Some(fitting) = fitting.filter(|_| !outcome.stop.is_failure()) else { return Ok(None) };
    // Arms with the same settings are one run in the store: it has no names, the file of an arm gets them.
    let fit = Fit {
        seed: manifest.seed,
        replicate: manifest.replicate,
        rounds: manifest.totals.rounds,
        stop_reason: manifest.stop_reason.clone(),
        measures: outcome.measures.clone(),
        component_classes: outcome.component_classes.clone(),
        caveats: manifest.caveats.clone(),
        ..Fit::default()
    };
    Ok(Some(fitting.at(&outcome.theta, fit)?.text()))
}

/// Builds the run of a checked scenario.
pub(crate) fn prepare(preparer: &mut Preparer, checked: &Checked) -> Result<Prepared, Error> {
    preparer.prepare(&checked.scenario).map_err(|error| match error {
        PrepareError::Unread { path, source } => Error::File { path, source },
        error => Error::scenario(checked.problems(&error)),
    })
}

pub(crate) struct KeptRun {
    /// Its record; with the fitted model where that is asked for and the run did not fail.
    pub(crate) record: RunRecord,
    /// What happened in the traced rounds; none where that is too much.
    pub(crate) trace: Option<Vec<TraceRow>>,
}

/// A run that begins: what its manifest will say besides its outcome.
struct StartedRun<'a> {
    checked: &'a Checked,
    clients: u64,
    caveats: Vec<Caveat>,
    topology: Option<TopologyRows>,
    stop_rules: StopRules,
    cut: Option<Cut>,
    watch: Stopwatch,
    running: Stopwatch,
}

impl<'a> StartedRun<'a> {
    /// Records the topology; `watch` has run since the preparation began.
    fn new(
        checked: &'a Checked,
        prepared: &Prepared,
        recorder: &mut Recorder,
        watch: Stopwatch,
    ) -> Result<Self, Error> {
        let clients = u64::from(prepared.experiment.protocol.subject().clients());
        let caveats = [checked.caveats.clone(), prepared.caveats.clone()].concat();
        let topology = prepared.topology.clone();
        topology.iter().for_each(|topology| recorder.topology(topology));
        prepared.tables.iter().try_for_each(|table| recorder.extra(table))?;
        let stop = &prepared.experiment.stop;
        let stop_rules = StopRules {
            mean_field_sq: stop.mean_field_sq,
            bits: stop.bits.map(|bits| bits.count()),
            time_ns: stop.time.map(|time| time.as_nanos()),
        };
        let cut = stop.cut;
        Ok(Self { checked, clients, caveats, topology, stop_rules, cut, watch, running: Stopwatch::start() })
    }

    /// Records what the links carried, and says the manifest of the run.
    fn end(self, outcome: &mut Outcome, preparer: &Preparer, threads: usize) -> Result<Manifest, Error> {
        let cost = Host {
            events_per_second: events_per_second(outcome, &self.running),
            seconds: self.watch.seconds(),
            peak_memory_bytes: machine::peak_memory_bytes(),
            threads: threads as u64,
            scenario_folder: preparer.scenario_folder().map(whole),
            script: preparer.script.clone(),
        };
        if let Some(topology) = &self.topology {
            let links = outcome.links.iter().filter_map(|(link, bits)| LinkRow::new(topology, link.0, bits.clone()));
            outcome.recorder.extra(&LinkRow::table(&links.collect::<Vec<_>>()))?;
            if self.checked.scenario.record.links_every.is_some() {
                let times = link_times_table(topology, outcome);
                outcome.recorder.extra(&times)?;
            }
        }
        if let Some(trace) = outcome.trace.as_ref().filter(|rows| !rows.is_empty()) {
            outcome.recorder.extra(&TraceRow::table(trace))?;
        }
        Ok(self.manifest(outcome, cost))
    }

    fn manifest(self, outcome: &Outcome, host: Host) -> Manifest {
        let Self { checked, clients, mut caveats, .. } = self;
        caveats.extend(early_end(outcome));
        caveats.extend(outcome.caveats.iter().cloned());
        // A run that failed beyond the cut may have failed by what the cut measured: it is no whole run either.
        let is_beyond = |cut: &Cut| cut.of.in_all(&outcome.totals) > cut.above;
        let is_whole = matches!(outcome.stop, StopReason::Reached(_));
        let problem = || problem_digest(&outcome.digests.data, &checked.scenario.objective_text());
        let reference = outcome.reference.clone().map(|reference| Reference { problem: problem(), ..reference });
        let accepted = checked.scenario.record.accept_degenerate;
        let fit = outcome.fit.clone().map(|fit| FinalFit { accepted, ..fit });
        let cut = self.cut.filter(|cut| !is_whole && is_beyond(cut));
        caveats.extend(fit.as_ref().filter(|_| cut.is_none()).and_then(FinalFit::caveat));
        Manifest {
            engine_version: env!("CARGO_PKG_VERSION").to_owned(),
            scenario: checked.scenario.name.clone(),
            arm: arm_name(checked).to_owned(),
            arm_index: checked.arm_index,
            scenario_text: checked.text.clone(),
            seed: checked.scenario.seed,
            replicate: checked.scenario.replicate,
            clients,
            digests: outcome.digests.clone(),
            stop_reason: outcome.stop.to_string(),
            stop_rules: self.stop_rules,
            cut,
            reference,
            fit,
            caveats,
            totals: outcome.totals.clone(),
            per_client: outcome.per_client.clone(),
            energy: outcome.energy,
            host,
            ..Manifest::default()
        }
    }
}

/// A folder by its whole path: whoever looks there later may be elsewhere.
fn whole(folder: PathBuf) -> String {
    std::path::absolute(&folder).unwrap_or(folder).display().to_string()
}

/// What each link of the topology carried between rounds.
fn link_times_table(topology: &TopologyRows, outcome: &Outcome) -> RunTable {
    let row = |interval: &LinkInterval| {
        let times = interval.times.map(fedbits_kernel::Time::as_nanos);
        LinkTimeRow::new(topology, interval.link.0, (interval.round, times), interval.bits)
    };
    LinkTimeRow::table(&outcome.link_times.iter().filter_map(row).collect::<Vec<_>>())
}

/// Events of the timeline per second of `running`; none on a clock too coarse for it.
fn events_per_second(outcome: &Outcome, running: &Stopwatch) -> Option<f64> {
    Some(outcome.totals.events as f64 / running.seconds()).filter(|events| events.is_finite())
}

pub(crate) fn columns(prepared: &Prepared) -> fedbits_record::Columns {
    Journal::columns(prepared.experiment.protocol.subject(), &prepared.experiment.record)
}

pub(crate) fn declared(figures: &[Figure]) -> Value {
    match figures {
        [] => Value::Null,
        some => serde_json::to_value(some).expect("the settings of figures have texts as keys"),
    }
}

/// The caveat of a run that did not come to an end that it was given, or was there at its start.
fn early_end(outcome: &Outcome) -> Option<Caveat> {
    match &outcome.stop {
        StopReason::Failed(why) => {
            Some(Caveat::RunFailed { rounds: so_many(outcome.totals.rounds, "round"), why: why.clone() })
        }
        StopReason::Cut(how) => Some(Caveat::EndedBySearch { how: how.clone() }),
        StopReason::Reached(rule) if outcome.totals.rounds == 0 => Some(Caveat::ReachedAtStart { rule: rule.clone() }),
        StopReason::Idle => Some(Caveat::RunIdle {}),
        StopReason::TimeLimit => Some(Caveat::RunCentury {}),
        _ => None,
    }
}

/// Runs an arm and keeps its record in memory. A run that diverges has a record, too:
/// [`Manifest::failure`](crate::Manifest::failure) says why.
///
/// # Errors
/// Data that are missing or do not fit; a record with numbers that are not finite; [`Error::Stopped`].
///
/// ```
/// # fn main() -> Result<(), fedbits::Error> {
/// use fedbits::{RunOptions, Scenario, run};
///
/// let arms = Scenario::load("quickstart")?.set("stop.rounds", "5").arms()?;
/// let record = run(&arms[0], &RunOptions::default())?;
/// assert_eq!(record.manifest.totals.rounds, 5);
/// let bits: Vec<u64> = record.rounds.iter().map(|row| row.bits_up).collect();
/// assert!(bits.is_sorted());
/// # Ok(())
/// # }
/// ```
pub fn run(arm: &Arm, options: &RunOptions) -> Result<RunRecord, Error> {
    Ok(run_and_tell(arm, options)?.0)
}

/// The same, with what rounding takes of the variances that the start leads to.
pub(crate) fn run_and_tell(arm: &Arm, options: &RunOptions) -> Result<(RunRecord, Vec<Caveat>), Error> {
    options.with_threads(|threads| {
        let mut preparer = options.preparer(&options.folders(arm.folder.clone()))?;
        check_replicates(&mut preparer, ([&arm.checked], 1))?;
        let executor = Executor { listener: &options.watch, stop: options.watch.switch(), threads };
        let mut rounding = Vec::new();
        let kept = executor.keep(&arm.checked, &mut preparer, |prepared| {
            rounding.clone_from(&prepared.experiment.record.assessment.rounding);
            prepared.fitting = None;
        })?;
        Ok((kept.record, rounding))
    })
}
