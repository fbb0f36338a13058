//! `fedbits check`: what a scenario says when every default is filled in, and what a run of it will cost.
//!
//! Costs are measured, not guessed: a short pilot of the run itself (no record, no figure) is extrapolated to its end.

use fedbits_kernel::StopReason;
use fedbits_protocols::plan::StopRules;
use fedbits_protocols::run::{Algorithm, Experiment};
use fedbits_record::{Recorder, Totals};
use fedbits_scenarios::Checked;
use fedbits_scenarios::prepare::{Prepared, Preparer};
use serde_json::{Value, json};

use crate::args::CheckOptions;
use crate::failure::Failure;
use crate::host::{self, Signals, Stopwatch};
use crate::input;
use crate::output;
use crate::play::{Stage, arm_name, columns};
use crate::progress::Talk;
use crate::summary::bits;

/// Checks a scenario and prints its arms.
pub fn check(options: &CheckOptions, talk: &Talk) -> Result<(), Failure> {
    let threads = host::set_threads(options.scenario.host.threads);
    let input = input::read(&options.scenario)?;
    let signals = Signals::listen()?;
    let quiet = Talk::new(true, false);
    let stage = Stage { talk: &quiet, signals: &signals, threads };
    let mut preparer = input::preparer(&options.scenario.host, input.folder.clone());
    let mut costs = Vec::new();
    for checked in &input.arms {
        if !options.json {
            output::line(format_args!("// {}\n{}", arm_name(checked), checked.text.trim_end()))?;
        }
        checked.caveats.iter().for_each(|caveat| talk.say(format!("caveat: {caveat}")));
        if options.text_only {
            continue;
        }
        let cost = Cost::of(checked, &mut preparer, &stage)?;
        if options.json {
            costs.push(cost.json(checked));
        } else {
            output::print(cost.text())?;
        }
    }
    if options.json {
        output::line(json!({ "arms": costs }))?;
    }
    Ok(())
}

/// Rounds of a pilot.
const PILOT: u64 = 10;

/// What a run will cost.
struct Cost {
    clients: u32,
    q: usize,
    notes: Vec<String>,
    pilot: Totals,
    pilot_seconds: f64,
    /// Host seconds of one probe, and how many there will be.
    probe_seconds: f64,
    probes: Option<u64>,
    /// Rounds until the nearest countable stop rule, estimated.
    rounds: Option<f64>,
    failed: Option<String>,
}

impl Cost {
    fn of(checked: &Checked, preparer: &mut Preparer, stage: &Stage<'_>) -> Result<Self, Failure> {
        let mut prepared = preparer.prepare(&checked.scenario)?;
        let (stop, notes) = (prepared.experiment.stop, prepared.notes.clone());
        let federation = prepared.experiment.algorithm.federation();
        let (clients, q, total) = (federation.clients(), federation.model().statistic_dimension(), federation.total());
        let probe_seconds = probe_seconds(&prepared.experiment.algorithm)?;
        let probe_every = prepared.experiment.record.probe_every;
        shorten(&mut prepared.experiment);
        let watch = Stopwatch::start();
        let outcome = pilot(prepared, checked, stage);
        let pilot_seconds = (watch.seconds() - 2.0 * probe_seconds).max(0.0);
        let failed = match outcome.stop {
            StopReason::Interrupted => return Err(stage.signals.failure()),
            StopReason::Failed(why) => Some(why),
            _ => None,
        };
        let rounds = rounds(&stop, &outcome.totals, total);
        let probes = rounds.map(|rounds| probe_every.map_or(2, |every| rounds as u64 / every + 2));
        Ok(Self { clients, q, notes, pilot: outcome.totals, pilot_seconds, probe_seconds, probes, rounds, failed })
    }

    /// A pilot's total, scaled to the whole run.
    fn whole(&self, pilot: f64) -> Option<f64> {
        let played = self.pilot.rounds.max(1) as f64;
        self.rounds.map(|rounds| pilot / played * rounds)
    }

    fn host_seconds(&self) -> Option<f64> {
        Some(self.whole(self.pilot_seconds)? + self.probes? as f64 * self.probe_seconds)
    }

    fn text(&self) -> String {
        let mut lines = self.notes.clone();
        lines.push(format!("{} clients, q = {} numbers in a statistic", self.clients, self.q));
        let played = self.pilot.rounds.max(1);
        let (up, down) = (self.pilot.bits_up / played, self.pilot.bits_down / played);
        let header = self.pilot.bits_header / played;
        lines.push(format!(
            "a round (mean of a pilot of {}): {} up, {} down, {} headers, {:.3} s simulated",
            self.pilot.rounds,
            bits(up),
            bits(down),
            bits(header),
            self.pilot.time_ns as f64 / 1e9 / played as f64
        ));
        let unknown = "unknown: it depends on when a target is met";
        let whole = |pilot: u64| self.whole(pilot as f64);
        lines.push(match (self.rounds, self.host_seconds()) {
            (Some(rounds), Some(seconds)) => format!(
                "the run: about {rounds:.0} rounds, {} up, {} down, {:.3} s simulated, {seconds:.1} s on this machine, \
                 of which {} probes of {:.4} s",
                bits(whole(self.pilot.bits_up).unwrap_or(0.0) as u64),
                bits(whole(self.pilot.bits_down).unwrap_or(0.0) as u64),
                whole(self.pilot.time_ns).unwrap_or(0.0) / 1e9,
                self.probes.unwrap_or(0),
                self.probe_seconds
            ),
            _ => format!("the run: {unknown}; a round takes {:.6} s here", self.pilot_seconds / played as f64),
        });
        lines.extend(self.memory());
        lines.extend(self.failed.iter().map(|why| format!("the pilot failed: {why}")));
        lines.iter().map(|line| format!("// {line}\n")).collect()
    }

    fn memory(&self) -> Option<String> {
        let bytes = host::peak_memory_bytes()?;
        Some(format!("memory so far: {:.0} MiB, which a run does not exceed by much", bytes as f64 / 1_048_576.0))
    }

    fn json(&self, checked: &Checked) -> Value {
        json!({
            "arm": arm_name(checked),
            "clients": self.clients,
            "statistic_dimension": self.q,
            "pilot": self.pilot,
            "pilot_seconds": self.pilot_seconds,
            "probe_seconds": self.probe_seconds,
            "probes": self.probes,
            "rounds": self.rounds,
            "host_seconds": self.host_seconds(),
            "peak_memory_bytes": host::peak_memory_bytes(),
            "failed": self.failed,
        })
    }
}

fn shorten(experiment: &mut Experiment) {
    let asked = experiment.stop.rounds.unwrap_or(PILOT);
    experiment.stop = StopRules { rounds: Some(asked.min(PILOT)), ..experiment.stop };
    experiment.record.probe_every = None;
}

fn pilot(prepared: Prepared, checked: &Checked, stage: &Stage<'_>) -> fedbits_protocols::run::Outcome {
    let recorder = Recorder::nothing(columns(&prepared, checked));
    stage.perform(prepared, recorder, &arm_name(checked), None)
}

/// Times one full pass over all data.
fn probe_seconds(algorithm: &Algorithm) -> Result<f64, Failure> {
    let (federation, state) = (algorithm.federation(), algorithm.state());
    let watch = Stopwatch::start();
    let e_step = federation.model().conditional(state.theta).map_err(|error| Failure::Run(error.to_string()))?;
    federation.mean_field(state.s_hat, e_step.as_ref(), &mut vec![0.0; state.s_hat.len()]);
    Ok(watch.seconds())
}

/// Rounds until the nearest countable stop rule.
fn rounds(stop: &StopRules, pilot: &Totals, examples: u64) -> Option<f64> {
    let played = pilot.rounds.max(1) as f64;
    let all_bits = (pilot.bits_up + pilot.bits_down + pilot.bits_peer + pilot.bits_header) as f64;
    let per = |total: f64| total / played;
    let ends = [
        stop.rounds.map(|limit| limit as f64),
        stop.epochs.map(|limit| limit * examples as f64 / per(pilot.expectations as f64)),
        stop.time.map(|limit| limit.as_nanos() as f64 / per(pilot.time_ns as f64)),
        stop.bits.map(|limit| limit.count() as f64 / per(all_bits)),
    ];
    ends.into_iter().flatten().filter(|rounds| rounds.is_finite()).reduce(f64::min)
}
