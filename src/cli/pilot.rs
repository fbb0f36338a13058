//! A short pilot of a run, and what follows from it for the whole: how many rounds there will be.

use std::cell::RefCell;
use std::rc::Rc;
use std::sync::atomic::AtomicBool;

use fedbits_protocols::journal::{Observer, Subject};
use fedbits_protocols::plan::StopRules;
use fedbits_protocols::run::{Experiment, Observers, Outcome, run};
use fedbits_record::{Recorder, RoundRow, Totals};
use fedbits_scenarios::Checked;
use fedbits_scenarios::prepare::Prepared;
use fedbits_scenarios::schema::Scenario;

use crate::cli::failure::Failure;
use crate::executor::columns;
use crate::machine::Stopwatch;

/// Rounds of a pilot, where all rounds are alike.
const PILOT: u64 = 10;
/// A pilot is never longer.
const LONGEST_PILOT: u64 = 1_000;

/// Keeps the experiment from lasting longer than its pilot, and from probing.
pub fn shorten(experiment: &mut Experiment, scenario: &Scenario) {
    // Whole cycles; no longer than is bearable: then the first rounds speak for all, and K_CE is overestimated.
    let pilot = PILOT.next_multiple_of(scenario.protocol.cycle().max(1)).min(LONGEST_PILOT);
    let asked = experiment.stop.rounds.unwrap_or(pilot);
    experiment.stop = StopRules { rounds: Some(asked.min(pilot)), ..experiment.stop };
    experiment.record.probe_every = None;
}

/// Plays the pilot until `stop` says that time is up; also returns its row before the first round.
pub fn pilot(prepared: Prepared, checked: &Checked, stop: &AtomicBool) -> (Outcome, RoundRow) {
    let recorder = Recorder::nothing(columns(&prepared, checked));
    let first = Rc::new(RefCell::new(None));
    let seen = Rc::clone(&first);
    let observer: Observer = Box::new(move |row| {
        seen.borrow_mut().get_or_insert_with(|| row.clone());
    });
    let observers = Observers { observer: Some(observer), ..Observers::default() };
    let outcome = run(prepared.experiment, recorder, observers, stop);
    let row = first.take().unwrap_or_default();
    (outcome, row)
}

/// Times one full pass over all data.
pub fn probe_seconds(subject: &dyn Subject) -> Result<f64, Failure> {
    let watch = Stopwatch::start();
    subject.probe().map_err(|error| Failure::Run(error.to_string()))?;
    Ok(watch.seconds())
}

/// The rules that depend on what is found.
pub fn earlier(stop: &StopRules) -> Option<String> {
    let field = stop.mean_field_sq.map(|limit| format!("‖h(Ŝ)‖² ≤ {limit:e}"));
    let change =
        stop.objective_change.map(|limit| format!("the objective changes by at most {limit:e} between two probes"));
    let rules: Vec<String> = field.into_iter().chain(change).collect();
    (!rules.is_empty()).then(|| rules.join(" or "))
}

/// Rounds until the nearest countable stop rule.
pub fn rounds(stop: &StopRules, start: &RoundRow, pilot: &Totals, examples: u64) -> Option<f64> {
    let finished = pilot.rounds.max(1) as f64;
    let bits = |up: u64, down: u64, peer: u64, header: u64| (up + down + peer + header) as f64;
    let bits_at_start = bits(start.bits_up, start.bits_down, start.bits_peer, start.bits_header);
    let bits_at_end = bits(pilot.bits_up, pilot.bits_down, pilot.bits_peer, pilot.bits_header);
    let until = |limit: f64, start: f64, end: f64| (limit - start) / ((end - start) / finished);
    let ends = [
        stop.rounds.map(|limit| limit as f64),
        stop.epochs.map(|limit| until(limit * examples as f64, start.expectations as f64, pilot.expectations as f64)),
        stop.time.map(|limit| until(limit.as_nanos() as f64, start.time_ns as f64, pilot.time_ns as f64)),
        stop.bits.map(|limit| until(limit.count() as f64, bits_at_start, bits_at_end)),
    ];
    ends.into_iter().flatten().filter(|rounds| rounds.is_finite()).map(|rounds| rounds.max(1.0)).reduce(f64::min)
}
