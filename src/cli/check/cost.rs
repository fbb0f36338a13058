//! What runs will cost, from their preparation and short pilots, as long as the user can be expected to wait.

use crate::cli::failure::Failure;
use crate::cli::pilot::{Pilot, Seldom, earlier, needs_probes, pilot, rounds, seldom, shorten};
use crate::cli::time_limit::{Ended, Progress, within};
use crate::executor::{columns, prepare};
use crate::machine::{self, Stopwatch};
use crate::scenario::arm_name;
use fedbits_kernel::StopReason;
use fedbits_protocols::journal::Subject;
use fedbits_protocols::plan::StopRules;
use fedbits_protocols::reference::{ExactEm, allowed_passes};
use fedbits_protocols::run::Experiment;
use fedbits_protocols::theory::descent::{DescentConstants, DescentPremises, DescentSummary};
use fedbits_protocols::theory::local::{affordable, explore};
use fedbits_protocols::theory::{Premises, Summary};
use fedbits_record::{RoundRow, Totals};
use fedbits_scenarios::Checked;
use fedbits_scenarios::prepare::memory::Estimate;
use fedbits_scenarios::prepare::{Prepared, Preparer};
use fedbits_spec::{Caveat, caught};
use serde_json::{Value, json};
use std::sync::{Arc, OnceLock};

pub(crate) struct RunCost {
    pub(super) clients: u32,
    pub(super) q: usize,
    pub(super) notes: Vec<String>,
    pub(super) caveats: Vec<Caveat>,
    /// What was exchanged before the first round, once.
    pub(super) start: RoundRow,
    /// Whether moments of columns are among it.
    pub(super) sends_moments: bool,
    /// The row of the pilot from which on its rounds are alike.
    pub(super) from: RoundRow,
    /// Host seconds until the run could begin; of several arms with the same data the first reads them.
    pub(super) preparation_seconds: f64,
    pub(super) pilot: Totals,
    /// Host seconds of a round.
    round_seconds: f64,
    seldom: Seldom,
    probes: Option<u64>,
    /// Passes over all data by exact EM after the run, at most.
    search: u64,
    /// Rounds until the nearest countable stop rule, estimated.
    pub(super) rounds: Option<f64>,
    pub(super) stop: StopRules,
    /// The stop rule that nobody can count, and that may end the run earlier.
    pub(super) earlier: Option<String>,
    failed: Option<String>,
    /// Whether the pilot was stopped before its end, because it took too long.
    pub(super) cut: bool,
    pub(super) memory: Estimate,
    kept: Kept,
    /// What the theory says, from local estimates; empty where there is none.
    pub(super) theory: Theory,
}

/// Bytes that a run leaves, in its segment and in the tables together.
struct Kept {
    /// Of a recorded round.
    row: f64,
    run: f64,
}

impl Kept {
    fn of(prepared: &Prepared) -> Self {
        // Measured on scenarios of the library: a row and a run, without what has terms of its own here.
        const ROW: f64 = 290.0;
        const RUN: f64 = 8_000.0;
        // Numbers of θ or of the statistic, and their names; rows of clients, sites and links: each stands in the store
        // and in a table.
        const NUMBER: f64 = 28.0;
        const NAME: f64 = 20.0;
        const CLIENT: f64 = 330.0;
        const SITE: f64 = 100.0;
        const LINK: f64 = 82.0;
        let (record, subject) = (&prepared.experiment.record, prepared.experiment.protocol.subject());
        let theta = if record.theta { subject.problem().parameter_names().len() } else { 0 };
        let statistics = if record.statistics { subject.state().s_hat.len() } else { 0 };
        let numbers = (theta + statistics) as f64;
        let clients = if record.clients { subject.clients() } else { 0 };
        let (sites, links) = prepared.topology.as_ref().map_or((0, 0), |rows| (rows.sites.len(), rows.links.len()));
        let tables = CLIENT * f64::from(clients) + SITE * sites as f64 + LINK * links as f64;
        Self { row: ROW + NUMBER * numbers, run: RUN + NAME * numbers + tables }
    }

    /// With so many rows of the ledger, and of what links between sites carried.
    fn with_ledger(self, ledger: usize, links: usize) -> Self {
        const LEDGER: f64 = 110.0;
        const CARRIED: f64 = 260.0;
        Self { run: self.run + LEDGER * ledger as f64 + CARRIED * links as f64, ..self }
    }
}

/// Prepares a run; how many seconds that took.
fn prepared(checked: &Checked, preparer: &mut Preparer, progress: &Progress) -> Result<(Prepared, f64), Failure> {
    progress.doing("reading and preparing the data");
    let watch = Stopwatch::start();
    Ok((prepare(preparer, checked)?, watch.seconds()))
}

impl RunCost {
    /// Runs a pilot of the run.
    ///
    /// Says the memory of the run as soon as it is known.
    pub(super) fn of(
        checked: &Checked,
        preparer: &mut Preparer,
        (progress, told): (&Progress, &OnceLock<Estimate>),
    ) -> Result<Self, Failure> {
        let (prepared, preparation_seconds) = prepared(checked, preparer, progress)?;
        let (stop, notes, mut caveats) = (prepared.experiment.stop, prepared.notes.clone(), prepared.caveats.clone());
        caveats.extend_from_slice(&prepared.experiment.record.assessment.rounding);
        let subject = prepared.experiment.protocol.subject();
        let (clients, q, total) = (subject.clients(), subject.state().s_hat.len(), subject.problem().total());
        let (memory, kept, columns) =
            (prepared.memory.estimate().clone(), Kept::of(&prepared), columns(&prepared).extra);
        told.get_or_init(|| memory.clone());
        progress.doing("a pass over all data");
        let seldom = seldom(&prepared.experiment)?;
        progress.doing("estimating the constants of the theory");
        let theory = said(&prepared, subject);
        let (probe_every, descends) = (prepared.experiment.record.probe_every, descends(subject));
        progress.doing("the pilot");
        let Pilot { outcome, start, from, round_seconds, is_whole } =
            shown_by(prepared, (checked, preparer), seldom.probe, progress)?;
        let cut = outcome.stop == StopReason::Interrupted;
        if let (StopReason::Reached(rule), 0) = (&outcome.stop, outcome.totals.rounds) {
            caveats.push(Caveat::ReachedAtStart { rule: rule.clone() });
        }
        let left = stop.measured(&start, &columns);
        let endless = left.err().map(str::to_owned);
        let failed = if let StopReason::Failed(why) = outcome.stop { Some(why) } else { endless };
        let stop = left.unwrap_or(stop);
        let all = is_whole.then_some(outcome.totals.rounds as f64);
        // Of a pilot without a round nothing follows.
        let rounds = all.or_else(|| rounds(&stop, &from, &outcome.totals, total)).filter(|_| outcome.totals.rounds > 0);
        let probes = rounds.map(|rounds| 1 + probe_every.map_or(1, |every| (rounds as u64).div_ceil(every)));
        let expectations = expectations([&start, &from], &outcome.totals, rounds);
        let made = expectations / total.max(1) as f64 + probes.unwrap_or(0) as f64;
        let search = if seldom.search { allowed_passes(total, q, made, descends) } else { 0 };
        Ok(Self {
            clients,
            q,
            notes,
            caveats,
            start,
            sends_moments: checked.scenario.preprocess.iter().any(|step| step.exchanged(1) != (0, 0)),
            from,
            preparation_seconds,
            kept: kept.with_ledger(outcome.ledger.len(), outcome.links.len()),
            pilot: outcome.totals,
            round_seconds,
            seldom,
            probes,
            search,
            rounds,
            stop,
            earlier: earlier(&stop).filter(|_| !is_whole),
            failed,
            cut,
            memory,
            theory,
        })
    }

    /// What a round adds to a total that stood at `from` when rounds began to be alike.
    pub(super) fn per_round(&self, from: u64, pilot: u64) -> f64 {
        (pilot - from) as f64 / (self.pilot.rounds - self.from.round).max(1) as f64
    }

    pub(super) fn whole(&self, from: u64, pilot: u64) -> f64 {
        let further = self.rounds.map_or(0.0, |rounds| rounds - self.pilot.rounds as f64);
        pilot as f64 + self.per_round(from, pilot) * further
    }

    /// Bits of the whole run: payload up, down and between peers, and headers; where they can be predicted.
    pub(crate) fn bits(&self) -> Option<f64> {
        let (from, pilot) = (&self.from, &self.pilot);
        let sum = [
            self.whole(from.bits_up, pilot.bits_up),
            self.whole(from.bits_down, pilot.bits_down),
            self.whole(from.bits_peer, pilot.bits_peer),
            self.whole(from.bits_header, pilot.bits_header),
        ];
        self.rounds.map(|_| sum.iter().sum())
    }

    /// Whether the run may end before its rounds, bits and times are reached.
    pub(crate) fn is_bound(&self) -> bool {
        self.earlier.is_some()
    }

    pub(crate) fn failed(&self) -> Option<&str> {
        self.failed.as_deref()
    }

    /// Host seconds of the whole run without its preparation, where they can be predicted.
    pub(crate) fn host_seconds(&self) -> Option<f64> {
        let passes = self.probes? + self.search;
        Some(self.rounds? * self.round_seconds + passes as f64 * self.seldom.probe + self.seldom.tables)
    }

    /// Bytes that the run leaves, with a row after every so many rounds.
    pub(crate) fn bytes_on_disk(&self, every: u64) -> Option<f64> {
        let events = self.pilot.events as f64 / self.pilot.rounds.max(1) as f64 * self.rounds?;
        let checks = events.min(fedbits_record::MOST_CHECKS as f64);
        Some(self.kept.run + checks + self.kept.row * (self.rounds? / every as f64 + 2.0))
    }

    pub(super) fn json(&self, checked: &Checked) -> Value {
        json!({
            "arm": arm_name(checked),
            "clients": self.clients,
            "statistic_dimension": self.q,
            "caveats": checked.caveats.iter().chain(&self.caveats).collect::<Vec<_>>(),
            "preparation_seconds": self.preparation_seconds,
            "pilot": self.pilot,
            "round_seconds": self.round_seconds,
            "probe_seconds": self.seldom.probe,
            "tables_seconds": self.seldom.tables,
            "probes": self.probes,
            "rounds": self.rounds,
            "bits": self.bits(),
            "time_ns": self.rounds.map(|_| self.whole(self.from.time_ns, self.pilot.time_ns)),
            "ends_earlier_when": self.earlier,
            "host_seconds": self.host_seconds(),
            "peak_memory_bytes": machine::peak_memory_bytes(),
            "memory_bytes": self.memory.total(),
            "pilot_cut_short": self.cut,
            "failed": self.failed,
            "theory": self.theory.lines,
        })
    }
}

/// What the pilot of a run shows. Where it fails, it is made again with the run's own probes, which may end it before
/// that.
fn shown_by(
    mut prepared: Prepared,
    (checked, preparer): (&Checked, &mut Preparer),
    probe_seconds: f64,
    progress: &Progress,
) -> Result<Pilot, Failure> {
    let Experiment { stop, record, .. } = &prepared.experiment;
    let (stop, probe_every) = (*stop, record.probe_every);
    let cycle = shorten(&mut prepared.experiment, &checked.scenario);
    let shown = pilot(prepared, cycle, probe_seconds, progress.stop());
    if !(matches!(shown.outcome.stop, StopReason::Failed(_)) && needs_probes(&stop)) {
        return Ok(shown);
    }
    let mut again = prepare(preparer, checked)?;
    shorten(&mut again.experiment, &checked.scenario);
    again.experiment.record.probe_every = probe_every;
    Ok(Pilot { round_seconds: shown.round_seconds, ..pilot(again, cycle, probe_seconds, progress.stop()) })
}

/// Conditional expectations that so many rounds compute, of the pilot alone where nobody knows how many.
fn expectations([start, from]: [&RoundRow; 2], pilot: &Totals, rounds: Option<f64>) -> f64 {
    let further = rounds.map_or(0.0, |rounds| rounds - pilot.rounds as f64);
    let per_round = (pilot.expectations - from.expectations) as f64 / (pilot.rounds - from.round).max(1) as f64;
    (pilot.expectations - start.expectations) as f64 + per_round * further
}

/// What the theory says from local estimates.
#[derive(Clone, Debug, Default)]
pub(crate) struct Theory {
    /// Everything, a line each; or why there is nothing.
    pub(super) lines: Vec<String>,
    pub(super) summary: Option<Summary>,
    /// Is it that of gradient methods?
    pub(super) of_losses: bool,
}

impl Theory {
    fn none(why: String) -> Self {
        Self { lines: vec![why], ..Self::default() }
    }
}

/// What the theory says of a run.
fn said(prepared: &Prepared, subject: &dyn Subject) -> Theory {
    let of_em = || prepared.theory.as_ref().map(|premises| theory(premises, subject));
    of_descent(prepared.descent.as_ref(), subject).or_else(of_em).unwrap_or_default()
}

/// What the theory of gradient methods says, where E-steps are gradient steps.
fn of_descent(premises: Option<&DescentPremises>, subject: &dyn Subject) -> Option<Theory> {
    let (premises, federation) = (premises?, subject.problem().federation()?);
    let state = subject.state();
    federation.model().descent()?;
    if affordable(federation, state.s_hat.len()).is_none() {
        return Some(Theory::none("theory: not computed, a pass over these data takes too long".to_owned()));
    }
    let constants = DescentConstants::of(federation, &state)?;
    let DescentSummary { gamma, gamma_max, covered, slope, rounds } = premises.summary(&constants);
    let (omega, gamma_max, covered) = (premises.method.omega(), Some(gamma_max), Some(covered));
    let summary = Some(Summary { omega, gamma, gamma_max, covered, slope, rounds });
    Some(Theory { lines: premises.lines(&constants), summary, of_losses: true })
}

/// Are E-steps gradient steps, of which more passes lead to the least objective?
fn descends(subject: &dyn Subject) -> bool {
    subject.problem().exact().is_some_and(ExactEm::descends)
}

/// What the theory says at the initial value; a reason instead where the estimates cannot be had.
fn theory(premises: &Premises, subject: &dyn Subject) -> Theory {
    let Some(federation) = subject.problem().federation() else { return Theory::default() };
    let start = subject.state().s_hat;
    let Some(passes) = affordable(federation, start.len()) else {
        return Theory::none("theory: not estimated, a pass over these data takes too long".to_owned());
    };
    match explore(federation, start, passes) {
        Ok(constants) => {
            let (lines, summary) = (premises.lines(&constants), Some(premises.summary(&constants)));
            Theory { lines, summary, of_losses: false }
        }
        Err(why) => Theory::none(format!("theory: no estimates, EM from here fails: {why}")),
    }
}

pub(crate) enum Piloted {
    Cost(Box<RunCost>),
    /// Why that is not known, and the memory that the run takes, where it could be prepared.
    Not(String, Option<Estimate>),
    /// Why such a run cannot be finished.
    Failed(String),
}

/// Who runs pilots, one after the other, as long as the user can be expected to wait.
pub(crate) struct Pilots {
    /// None when a preparation was given up: it still has it.
    preparer: Option<Preparer>,
    /// Seconds of processor time for an arm.
    each: f64,
    left: f64,
}

/// All pilots of a command together may take this many times the time of one.
const LONG_PILOTS: f64 = 3.0;

impl Pilots {
    /// `each`: seconds of processor time that an arm may take.
    pub(crate) fn new(preparer: Preparer, each: f64) -> Self {
        Self { preparer: Some(preparer), each, left: LONG_PILOTS * each }
    }

    /// Prepares an arm and runs its pilot.
    pub(crate) fn run(&mut self, checked: &Checked) -> Result<Piloted, Failure> {
        let Some(mut preparer) = self.preparer.take() else {
            return Ok(Piloted::Not("no pilot: one before took too long".to_owned(), None));
        };
        if self.left <= 0.0 {
            self.preparer = Some(preparer);
            let why = "no pilot: those before took all the time that `check` takes".to_owned();
            return Ok(Piloted::Not(why, None));
        }
        let (begin, arm) = (machine::processor_seconds(), checked.clone());
        let memory = Arc::new(OnceLock::new());
        let told = Arc::clone(&memory);
        let ended = within(self.each, move |progress| {
            (caught(|| RunCost::of(&arm, &mut preparer, (progress, &told))), preparer)
        })?;
        self.left -= machine::processor_seconds() - begin;
        match ended {
            Ended::Done((cost, preparer)) => {
                self.preparer = Some(preparer);
                let cost = cost.map_err(|panic| Failure::from(panic).about(arm_name(checked)))?;
                cost.map(|cost| Piloted::Cost(Box::new(cost)))
            }
            Ended::NoThread => {
                let why = "no pilot: the system makes no thread for it, so what a run costs is not known".to_owned();
                Ok(Piloted::Not(why, memory.get().cloned()))
            }
            Ended::GivenUp(doing) => {
                let why = format!(
                    "no pilot: {doing} took more than {} s of processor time, so what a run costs is not known \
                     (`--pilot-seconds` allows more)",
                    self.each
                );
                Ok(Piloted::Not(why, memory.get().cloned()))
            }
        }
    }
}
