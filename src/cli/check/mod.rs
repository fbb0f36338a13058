//! `fedbits check`: what a scenario says when every default is filled in, and what a run of it will cost.
//!
//! Costs are measured, not guessed: a short pilot of the run itself (no record, no figure) is extrapolated to its end.
//! Preparing an arm and its pilot may take some seconds of the processor's time: what lasts longer is stopped, and said
//! to be.

use fedbits_kernel::StopReason;
use fedbits_protocols::journal::Subject;
use fedbits_protocols::reference::allowed_passes;
use fedbits_protocols::theory::Setting;
use fedbits_protocols::theory::local::{affordable, explore};
use fedbits_record::{RoundRow, Totals};
use fedbits_scenarios::Checked;
use fedbits_scenarios::prepare::Preparer;
use fedbits_scenarios::prepare::memory::{Estimate, shown};
use serde_json::{Value, json};

use crate::cli::args::CheckOptions;
use crate::cli::failure::Failure;
use crate::cli::host;
use crate::cli::output;
use crate::cli::pilot::{Pilot, Seldom, earlier, pilot, rounds, seldom, shorten};
use crate::cli::progress::Console;
use crate::cli::study;
use crate::cli::time_limit::{Ended, Progress, within};
use crate::cli::units::bits;
use crate::executor::prepare;
use crate::listener::Listener;
use crate::machine::{self, Stopwatch};
use crate::scenario::{arm_name, check_fit};

/// Checks a scenario and prints its arms, or a study and prints what it will cost.
pub(crate) fn check(options: &CheckOptions, console: &Console) -> Result<(), Failure> {
    if crate::study::is_study(&options.scenario.file)? {
        return study::check::check(options, console);
    }
    host::set_threads(options.scenario.host.threads);
    let arms = options.scenario.read()?.arms()?;
    let machine = options.scenario.host.machine();
    let mut preparer = machine.preparer(&arms[0].folders(&machine));
    let watch = Stopwatch::start();
    if !options.text_only {
        check_fit("scenario", &mut preparer, arms.iter().map(|arm| &arm.checked))?;
    }
    let mut whole = Whole { data_seconds: watch.seconds(), runs_seconds: Some(0.0), is_bound: false };
    let mut pilots = Pilots::new(preparer, f64::from(options.pilot_seconds));
    let (mut costs, mut failed) = (Vec::new(), Vec::new());
    for checked in arms.iter().map(|arm| &arm.checked) {
        if !options.json {
            output::line(format_args!("// {}\n{}", arm_name(checked), checked.text.trim_end()))?;
        }
        checked.caveats.iter().for_each(|caveat| console.caveat(caveat));
        if options.text_only {
            continue;
        }
        match pilots.run(checked)? {
            Piloted::Cost(cost) => {
                whole.add(&cost);
                cost.caveats.iter().for_each(|caveat| console.caveat(caveat));
                failed.extend(cost.failed().map(|why| format!("the pilot of `{}` failed: {why}", arm_name(checked))));
                if options.json {
                    costs.push(cost.json(checked));
                } else {
                    output::print(cost.text())?;
                }
            }
            Piloted::Not(why) => {
                whole.runs_seconds = None;
                if options.json {
                    costs.push(json!({ "arm": arm_name(checked), "not_piloted": why }));
                } else {
                    output::line(format_args!("// {why}"))?;
                }
            }
        }
    }
    if options.json {
        output::line(json!({ "arms": costs, "elapsed_seconds": whole.seconds(), "may_end_earlier": whole.is_bound }))?;
    } else if !options.text_only {
        whole.print()?;
    }
    if failed.is_empty() { Ok(()) } else { Err(Failure::Input(failed.join("\n"))) }
}

/// What `fedbits run` will take for all arms.
struct Whole {
    /// Seconds until the data are read or drawn, and prepared.
    data_seconds: f64,
    /// Seconds of the runs, where all of them can be predicted.
    runs_seconds: Option<f64>,
    /// Whether a run may end earlier.
    is_bound: bool,
}

impl Whole {
    fn add(&mut self, cost: &RunCost) {
        self.data_seconds += cost.preparation_seconds;
        self.is_bound |= cost.earlier.is_some();
        self.runs_seconds = self.runs_seconds.zip(cost.host_seconds()).map(|(sum, own)| sum + own);
    }

    fn seconds(&self) -> Option<f64> {
        self.runs_seconds.map(|runs| runs + self.data_seconds)
    }

    fn print(&self) -> Result<(), Failure> {
        let Some(seconds) = self.seconds() else { return Ok(()) };
        let (data, bound) = (self.data_seconds, if self.is_bound { "at most " } else { "" });
        output::line(format_args!(
            "// the whole command: {bound}{seconds:.1} s on this machine without figures, {data:.1} s of them until \
             the data are prepared"
        ))
    }
}

/// What came of an arm.
pub(crate) enum Piloted {
    /// What it will cost.
    Cost(Box<RunCost>),
    /// Why that is not known.
    Not(String),
}

/// Who runs pilots, one after the other, as long as the user can be expected to wait.
pub(crate) struct Pilots {
    /// None when a preparation was given up: it still has it.
    preparer: Option<Preparer>,
    /// Seconds of processor time for an arm.
    each: f64,
    /// What is left for all of them.
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
    ///
    /// # Errors
    /// When the run cannot be prepared.
    pub(crate) fn run(&mut self, checked: &Checked) -> Result<Piloted, Failure> {
        let Some(mut preparer) = self.preparer.take() else {
            return Ok(Piloted::Not("no pilot: one before took too long".to_owned()));
        };
        if self.left <= 0.0 {
            self.preparer = Some(preparer);
            return Ok(Piloted::Not("no pilot: those before took all the time that `check` takes".to_owned()));
        }
        let (begin, own) = (machine::processor_seconds(), checked.clone());
        let ended = within(self.each, move |progress| {
            let cost = RunCost::of(&own, &mut preparer, progress);
            (cost, preparer)
        })?;
        self.left -= machine::processor_seconds() - begin;
        match ended {
            Ended::Done((cost, preparer)) => {
                self.preparer = Some(preparer);
                cost.map(|cost| Piloted::Cost(Box::new(cost)))
            }
            Ended::GivenUp(doing) => Ok(Piloted::Not(format!(
                "no pilot: {doing} took more than {} s of processor time, so what a run costs is not known \
                 (`--pilot-seconds` allows more)",
                self.each
            ))),
        }
    }
}

/// What a run will cost.
pub(crate) struct RunCost {
    clients: u32,
    q: usize,
    notes: Vec<String>,
    /// What only preparing the run could show.
    caveats: Vec<String>,
    /// What was exchanged before the first round, once.
    start: RoundRow,
    /// Host seconds until the run could begin; of several arms with the same data the first reads them.
    preparation_seconds: f64,
    pilot: Totals,
    /// Host seconds of a round.
    round_seconds: f64,
    seldom: Seldom,
    /// How many probes there will be.
    probes: Option<u64>,
    /// Passes over all data by exact EM after the run, at most.
    search: u64,
    /// Rounds until the nearest countable stop rule, estimated.
    rounds: Option<f64>,
    /// The stop rule that nobody can count, and that may end the run earlier.
    earlier: Option<String>,
    failed: Option<String>,
    /// Whether the pilot was stopped before its end, because it took too long.
    cut: bool,
    /// The memory of the run, estimated.
    memory: Estimate,
    /// What the theory says, from local estimates; empty where there is none.
    theory: Vec<String>,
}

impl RunCost {
    /// Runs a pilot of the run.
    fn of(checked: &Checked, preparer: &mut Preparer, progress: &Progress) -> Result<Self, Failure> {
        progress.doing("reading and preparing the data");
        let watch = Stopwatch::start();
        let mut prepared = prepare(preparer, checked)?;
        let preparation_seconds = watch.seconds();
        let (stop, notes, caveats) = (prepared.experiment.stop, prepared.notes.clone(), prepared.caveats.clone());
        let subject = prepared.experiment.protocol.subject();
        let (clients, q, total) = (subject.clients(), subject.state().s_hat.len(), subject.problem().total());
        let memory = prepared.memory.estimate().clone();
        progress.doing("a pass over all data");
        let seldom = seldom(subject)?;
        progress.doing("estimating the constants of the theory");
        let theory = prepared.theory.as_ref().map_or(Vec::new(), |setting| theory(setting, subject));
        let probe_every = prepared.experiment.record.probe_every;
        shorten(&mut prepared.experiment, &checked.scenario);
        progress.doing("the pilot");
        let Pilot { outcome, start, round_seconds } = pilot(prepared, checked, seldom.probe, progress.stop());
        let cut = outcome.stop == StopReason::Interrupted;
        let failed = if let StopReason::Failed(why) = outcome.stop { Some(why) } else { None };
        // Of a pilot without a round nothing follows.
        let finished = outcome.totals.rounds > 0;
        let rounds = finished.then(|| rounds(&stop, &start, &outcome.totals, total)).flatten();
        let probes = rounds.map(|rounds| 1 + probe_every.map_or(1, |every| (rounds as u64).div_ceil(every)));
        let epochs = (outcome.totals.expectations - start.expectations) as f64 / total.max(1) as f64;
        let made = rounds.unwrap_or(0.0) * epochs / outcome.totals.rounds.max(1) as f64 + probes.unwrap_or(0) as f64;
        let search = if seldom.search { allowed_passes(total, q, made) } else { 0 };
        Ok(Self {
            clients,
            q,
            notes,
            caveats,
            start,
            preparation_seconds,
            pilot: outcome.totals,
            round_seconds,
            seldom,
            probes,
            search,
            rounds,
            earlier: earlier(&stop),
            failed,
            cut,
            memory,
            theory,
        })
    }

    /// What a round adds to a total that stood at `start` before the first.
    fn per_round(&self, start: u64, pilot: u64) -> f64 {
        (pilot - start) as f64 / self.pilot.rounds.max(1) as f64
    }

    /// The total of the whole run.
    fn whole(&self, start: u64, pilot: u64) -> f64 {
        start as f64 + self.per_round(start, pilot) * self.rounds.unwrap_or(0.0)
    }

    /// Rounds of the whole run, where they can be predicted.
    pub(crate) fn rounds(&self) -> Option<f64> {
        self.rounds
    }

    /// Bits of the whole run: payload up, down and between peers, and headers; where they can be predicted.
    pub(crate) fn bits(&self) -> Option<f64> {
        let (start, pilot) = (&self.start, &self.pilot);
        let sum = [
            self.whole(start.bits_up, pilot.bits_up),
            self.whole(start.bits_down, pilot.bits_down),
            self.whole(start.bits_peer, pilot.bits_peer),
            self.whole(start.bits_header, pilot.bits_header),
        ];
        self.rounds.map(|_| sum.iter().sum())
    }

    /// Why the pilot failed, if it did.
    pub(crate) fn failed(&self) -> Option<&str> {
        self.failed.as_deref()
    }

    /// Host seconds of the whole run without its preparation, where they can be predicted.
    pub(crate) fn host_seconds(&self) -> Option<f64> {
        let passes = self.probes? + self.search;
        Some(self.rounds? * self.round_seconds + passes as f64 * self.seldom.probe + self.seldom.tables)
    }

    fn text(&self) -> String {
        let mut lines = self.notes.clone();
        lines.push(format!("{} clients, q = {} numbers in a statistic", self.clients, self.q));
        let (start, pilot) = (&self.start, &self.pilot);
        if start.bits_up + start.bits_down + start.bits_peer > 0 {
            lines.push(format!(
                "before the first round: {} (initial memories, constants)",
                payload(start.bits_up, start.bits_down, start.bits_peer)
            ));
        }
        lines
            .extend(self.cut.then(|| format!("the pilot took too long and was stopped after {} rounds", pilot.rounds)));
        if pilot.rounds > 0 {
            lines.extend([self.a_round(), self.the_run()]);
        }
        lines.push(self.memory_line());
        lines.extend(self.theory.iter().cloned());
        lines.extend(self.failed.iter().map(|why| format!("the pilot failed: {why}")));
        lines.iter().map(|line| format!("// {line}\n")).collect()
    }

    fn a_round(&self) -> String {
        let (start, pilot) = (&self.start, &self.pilot);
        format!(
            "a round (mean of a pilot of {}): {}, {} headers, {:.3} s simulated",
            pilot.rounds,
            self.payload(|start, pilot| self.per_round(start, pilot)),
            bits(self.per_round(start.bits_header, pilot.bits_header) as u64),
            self.per_round(start.time_ns, pilot.time_ns) / 1e9
        )
    }

    fn the_run(&self) -> String {
        let (start, pilot) = (&self.start, &self.pilot);
        match (self.rounds, self.host_seconds()) {
            (Some(rounds), Some(seconds)) => format!(
                "the run: {}about {rounds:.0} rounds, {}, {:.3} s simulated, {seconds:.1} s on this machine, \
                 of which {} probes of {:.4} s{}",
                if self.earlier.is_some() { "at most " } else { "" },
                self.payload(|start, pilot| self.whole(start, pilot)),
                self.whole(start.time_ns, pilot.time_ns) / 1e9,
                self.probes.unwrap_or(0),
                self.seldom.probe,
                self.earlier.as_ref().map_or(String::new(), |rule| format!("; it ends earlier when {rule}"))
            ),
            _ => "the run: unknown, it depends on when a target is met (`stop: (rounds: …)` would bound it)".to_owned(),
        }
    }

    /// Payload by direction, of what `of` makes of a total at the start and one of the pilot.
    fn payload(&self, of: impl Fn(u64, u64) -> f64) -> String {
        let (start, pilot) = (&self.start, &self.pilot);
        let [up, down, peer] = [
            of(start.bits_up, pilot.bits_up),
            of(start.bits_down, pilot.bits_down),
            of(start.bits_peer, pilot.bits_peer),
        ];
        payload(up as u64, down as u64, peer as u64)
    }

    /// Estimated, and what preparing the run and its pilot took.
    fn memory_line(&self) -> String {
        let peak = machine::peak_memory_bytes()
            .map_or(String::new(), |bytes| format!("; until the end of this pilot it was {}", shown(bytes)));
        format!("memory: about {} ({}){peak}", shown(self.memory.total()), self.memory.largest_parts())
    }

    /// Bytes of memory that the run takes, estimated.
    pub(crate) fn memory_bytes(&self) -> u64 {
        self.memory.total()
    }

    fn json(&self, checked: &Checked) -> Value {
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
            "ends_earlier_when": self.earlier,
            "host_seconds": self.host_seconds(),
            "peak_memory_bytes": machine::peak_memory_bytes(),
            "memory_bytes": self.memory.total(),
            "pilot_cut_short": self.cut,
            "failed": self.failed,
            "theory": self.theory,
        })
    }
}

/// Payload by direction; only agents of a graph send to each other.
fn payload(up: u64, down: u64, peer: u64) -> String {
    let peers = if peer > 0 { format!(", {} between peers", bits(peer)) } else { String::new() };
    format!("{} up, {} down{peers}", bits(up), bits(down))
}

/// What the theory says at the initial value; a reason instead where the estimates cannot be had.
fn theory(setting: &Setting, subject: &dyn Subject) -> Vec<String> {
    let Some(federation) = subject.problem().federation() else { return Vec::new() };
    let start = subject.state().s_hat;
    let Some(passes) = affordable(federation, start.len()) else {
        return vec!["theory: not estimated, a pass over these data takes too long".to_owned()];
    };
    match explore(federation, start, passes) {
        Ok(constants) => setting.lines(&constants),
        Err(why) => vec![format!("theory: no estimates, EM from here fails: {why}")],
    }
}
