//! A short pilot of a run, and what follows from it for the whole: how many rounds there will be.

use std::cell::RefCell;
use std::rc::Rc;
use std::sync::atomic::AtomicBool;

use fedbits_kernel::StopReason;
use fedbits_protocols::error::ProtocolError;
use fedbits_protocols::journal::Observer;
use fedbits_protocols::plan::{Participation, StopRules};
use fedbits_protocols::run::{Experiment, Observers, Outcome, run};
use fedbits_record::{Recorder, RoundRow, Totals};
use fedbits_scenarios::prepare::Prepared;
use fedbits_scenarios::schema::Scenario;
use fedbits_spec::{short_number, so_many};

use crate::cli::failure::Failure;
use crate::executor::columns;
use crate::machine::Stopwatch;

/// Rounds of a pilot, where all rounds are alike; the second number where N times the length of θ is above [`LARGE`]:
/// rounds then take about a second.
const PILOT: [u64; 2] = [10, 3];
const LARGE: u64 = 500_000_000;
const LONGEST_PILOT: u64 = 1_000;

/// Keeps the experiment from lasting longer than its pilot, and from probing; gives the rounds of a cycle.
pub fn shorten(experiment: &mut Experiment, scenario: &Scenario) -> u64 {
    // Whole cycles, two at least where there are any; no longer than is bearable: then the first rounds speak for all,
    // and K_CE is overestimated.
    let cycle = scenario.protocol.profile().cycle.unwrap_or(1).clamp(1, LONGEST_PILOT);
    let subject = experiment.protocol.subject();
    let drawn = drawn_rounds(scenario, subject.clients());
    let is_large = subject.problem().total().saturating_mul(subject.state().theta.len() as u64) > LARGE;
    let pilot = PILOT[usize::from(is_large)].max(cycle + 1).max(drawn).next_multiple_of(cycle).min(LONGEST_PILOT);
    let asked = experiment.stop.rounds.unwrap_or(pilot);
    experiment.stop = StopRules { rounds: Some(asked.min(pilot)), ..experiment.stop };
    experiment.record.probe_every = None;
    // A row for each, so that their times are known.
    experiment.record.every = 1;
    cycle
}

/// Rounds after which the number of those who took part, where it is drawn, is known to one part in twenty: the
/// variance of R draws among n clients is R n s (1 − s). A cohort counts as whole, also where fewer may be there.
fn drawn_rounds(scenario: &Scenario, clients: u32) -> u64 {
    const PRECISION: f64 = 0.05;
    let present = scenario.availability.share(clients as usize).unwrap_or(1.0);
    let share = match scenario.protocol.profile().participation {
        Participation::All => present,
        Participation::Bernoulli(p) => p * present,
        Participation::Cohort(_) => 1.0,
    };
    // Without clients there is nobody to be drawn: what is infinite is as long as a pilot may be.
    if share >= 1.0 || clients == 0 {
        return 0;
    }
    libm::ceil((1.0 - share) / (f64::from(clients) * share) / (PRECISION * PRECISION)).min(LONGEST_PILOT as f64) as u64
}

/// What a pilot shows.
pub struct Pilot {
    pub outcome: Outcome,
    /// The row before the first round.
    pub start: RoundRow,
    /// The row from which on rounds are alike: after the first cycle, in which connections are opened, or before it
    /// where the pilot has no second cycle.
    pub from: RoundRow,
    /// Host seconds of a round without a probe.
    pub round_seconds: f64,
    /// Whether the run came to its end within the pilot, so that its rounds are all there are.
    pub is_whole: bool,
}

/// Plays the pilot until `stop` says that time is up. Its last row is probed, which takes `probe_seconds`. A cycle is
/// this many rounds.
pub fn pilot(prepared: Prepared, cycle: u64, probe_seconds: f64, stop: &AtomicBool) -> Pilot {
    let recorder = Recorder::nothing(columns(&prepared));
    let (first, times) = (Rc::new(RefCell::new(Vec::new())), Rc::new(RefCell::new(Vec::new())));
    let (seen, noted, watch) = (Rc::clone(&first), Rc::clone(&times), Stopwatch::start());
    let observer: Observer = Box::new(move |row| {
        if row.round == 0 || row.round == cycle {
            seen.borrow_mut().push(row.clone());
        }
        noted.borrow_mut().push((row.round, watch.seconds()));
    });
    let observers = Observers { observer: Some(observer), ..Observers::default() };
    let most = prepared.experiment.stop.rounds;
    let outcome = run(prepared.experiment, recorder, observers, stop);
    let is_whole =
        matches!(outcome.stop, StopReason::Reached(_)) && most.is_none_or(|most| outcome.totals.rounds < most);
    let round_seconds = round_seconds(&times.borrow(), probe_seconds);
    let first: Vec<RoundRow> = first.take();
    let start = first.first().cloned().unwrap_or_default();
    // A piece of a cycle does not speak for one.
    let from = first.into_iter().rfind(|row| outcome.totals.rounds >= 2 * row.round.max(1)).unwrap_or_default();
    Pilot { outcome, start, from, round_seconds, is_whole }
}

fn round_seconds(rows: &[(u64, f64)], probe_seconds: f64) -> f64 {
    let (from, to, probe) = match rows {
        // The last row is left out, for its probe.
        [from, .., to, _] if to.0 > from.0 => (from, to, 0.0),
        [from, .., to] => (from, to, probe_seconds),
        _ => return 0.0,
    };
    (to.1 - from.1 - probe).max(0.0) / (to.0 - from.0).max(1) as f64
}

/// Host seconds of what is done once, or seldom.
pub struct Seldom {
    /// A probe: a full pass over all data, and whatever else the protocol measures then.
    pub probe: f64,
    /// The tables that a finished run leaves.
    pub tables: f64,
    /// Whether exact EM looks for the least objective after the run.
    pub search: bool,
}

/// Does each of these once, where the run begins.
pub fn seldom(experiment: &Experiment) -> Result<Seldom, Failure> {
    let (subject, assessment) = (experiment.protocol.subject(), &experiment.record.assessment);
    let failed = |error: ProtocolError| Failure::Run(error.to_string());
    let watch = Stopwatch::start();
    subject.probe().map_err(failed)?;
    subject.values(true).map_err(failed)?;
    assessment.values(subject.problem(), &subject.state()).map_err(failed)?;
    let probe = watch.seconds();
    subject.tables().map_err(failed)?;
    assessment.end(subject.problem(), &subject.state(), subject.is_silent()).map_err(failed)?;
    Ok(Seldom { probe, tables: watch.seconds() - probe, search: subject.problem().exact().is_some() })
}

/// Whether a probe can end the run, which a pilot does not make.
pub fn needs_probes(stop: &StopRules) -> bool {
    stop.mean_field_sq.is_some() || stop.objective_change.is_some() || stop.patience.is_some()
}

/// The rules that depend on what is found.
pub fn earlier(stop: &StopRules) -> Option<String> {
    let field = stop.mean_field_sq.map(|limit| format!("‖h(Ŝ)‖² ≤ {}", short_number(limit)));
    let change = stop
        .objective_change
        .map(|limit| format!("the objective changes by at most {} between two probes", short_number(limit)));
    let energy = stop.energy.map(|limit| format!("{limit} J are used"));
    let patience = stop.patience.map(|patience| {
        format!("{} no better {}", so_many(patience.probes, "probe brings|probes in a row bring"), patience.of.column())
    });
    let by_itself = stop.has_end.then(|| "the protocol ends by itself".to_owned());
    let rules: Vec<String> = field.into_iter().chain(change).chain(energy).chain(patience).chain(by_itself).collect();
    (!rules.is_empty()).then(|| rules.join(" or "))
}

/// Rounds until the nearest countable stop rule, if those after the pilot cost what it took from the row `from` on.
pub fn rounds(stop: &StopRules, from: &RoundRow, pilot: &Totals, examples: u64) -> Option<f64> {
    let alike = (pilot.rounds - from.round) as f64;
    let [bits_before, bits_at_end] = [from.bits_total(), pilot.bits_total()].map(|bits| bits as f64);
    let until = |limit: f64, from: f64, end: f64| pilot.rounds as f64 + (limit - end) / ((end - from) / alike);
    let ends = [
        stop.rounds.map(|limit| limit as f64),
        stop.epochs.map(|limit| until(limit * examples as f64, from.expectations as f64, pilot.expectations as f64)),
        stop.time.map(|limit| until(limit.as_nanos() as f64, from.time_ns as f64, pilot.time_ns as f64)),
        stop.bits.map(|limit| until(limit.count() as f64, bits_before, bits_at_end)),
    ];
    ends.into_iter()
        .flatten()
        .filter(|rounds| rounds.is_finite())
        .map(|rounds| rounds.max(pilot.rounds as f64))
        .reduce(f64::min)
}
