//! The progress of the runs of a command, of which several can be in progress at once.

use super::bars::{Bars, STEPS};
use super::console::Console;
use super::counts::{Counts, ProgressReport, RunReport, eta};
use crate::cli::table::number::{duration, significant};
use crate::listener::{Listener, RunsObserver};
use crate::machine::Stopwatch;
use crate::runs::Job;
use fedbits_protocols::journal::Observer;
use fedbits_protocols::plan::StopRules;
use fedbits_record::results::{Results, RunCounts, RunStatus, StoredRun};
use fedbits_record::{FAILED, MEAN_FIELD_REACHED, RoundRow, RunRecord};
use fedbits_spec::{Caveat, short_number};
use indicatif::ProgressBar;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// Seconds between two looks at the rows of a run: rows can come by the million.
const LOOK_EVERY: f64 = 0.1;
/// Seconds between two lines of a run in a pipe, and between two reports to other processes.
const SAY_EVERY: f64 = 1.0;
/// So many runs have lines of their own.
const FEW: u64 = 12;
/// Failures that are told one by one: hundreds of them mostly have one reason.
const TOLD: u64 = 5;

/// The progress of the runs of a command. Clones share it.
#[derive(Clone)]
pub(crate) struct Progress(Arc<Shared>);

struct Shared {
    console: Console,
    bars: Option<Arc<Bars>>,
    arms: Vec<String>,
    is_replicated: bool,
    clock: Stopwatch,
    state: Mutex<State>,
}

struct State {
    counts: Counts,
    rest: RemainingTime,
    run: Option<RunReport>,
    /// Share of the runs after which the next line is due.
    next_line: f64,
    /// Seconds after which the next report of a row is due.
    next_report: f64,
}

impl Progress {
    pub(crate) fn of_run(console: Console) -> Self {
        Self::new(console, (RemainingTime::of_run(), 1), (Vec::new(), false))
    }

    /// Of jobs, made by so many workers at a time.
    pub(crate) fn of_jobs(console: Console, record: &Results, jobs: &[Job], workers: usize) -> Self {
        let plan = record.plan();
        let names = (plan.arms.iter().map(|arm| arm.name.clone()).collect(), plan.replicates > 1);
        Self::new(console, (RemainingTime::of_jobs(record, jobs, workers), jobs.len()), names)
    }

    fn new(console: Console, (rest, runs): (RemainingTime, usize), (arms, is_replicated): (Vec<String>, bool)) -> Self {
        let planned = runs as u64;
        let counts = Counts { runs: RunCounts { planned, ..RunCounts::default() }, running: 0 };
        let state = Mutex::new(State { counts, rest, run: None, next_line: 0.1, next_report: 0.0 });
        let bars = console.has_bars().then(|| Bars::new(planned));
        let progress = Self(Arc::new(Shared { console, bars, arms, is_replicated, clock: Stopwatch::start(), state }));
        progress.show(&mut progress.state());
        progress
    }

    fn has_few(&self) -> bool {
        self.state().counts.runs.planned <= FEW
    }

    /// The arm of a job, and its replicate where there are several.
    fn name(&self, job: &Job) -> String {
        let arm = &self.0.arms[job.arm];
        if self.0.is_replicated { format!("{arm}, replicate {}", job.replicate) } else { arm.clone() }
    }

    /// A run begins; returns who listens to it.
    pub(crate) fn run(&self, name: String) -> RunListener {
        let mut state = self.state();
        state.counts.running += 1;
        self.show(&mut state);
        drop(state);
        RunListener { progress: self.clone(), name }
    }

    fn ended(&self, arm: usize, ended: RunStatus, seconds: f64) {
        let mut state = self.state();
        state.counts.running = state.counts.running.saturating_sub(1);
        state.counts.runs.add(ended);
        state.run = None;
        state.rest.done(arm, seconds);
        self.show(&mut state);
    }

    fn print(&self, print: impl FnOnce(&Console)) {
        match &self.0.bars {
            Some(bars) => bars.suspend(|| print(&self.0.console)),
            None => print(&self.0.console),
        }
    }

    /// A panic elsewhere leaves the state as it was: every change of it stands alone.
    fn state(&self) -> MutexGuard<'_, State> {
        self.0.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Shows how far all runs are: on the bar, in a line when it is due, and to other processes.
    fn show(&self, state: &mut State) {
        let (counts, seconds) = (state.counts, self.0.clock.seconds());
        let (done, planned) = (counts.done(), counts.runs.planned);
        let rest = if done < planned { state.rest() } else { None };
        match &self.0.bars {
            Some(bars) => bars.show(done, format!("{counts}{}", eta(rest))),
            // Each of few runs has a line of its own.
            None if planned > FEW && done as f64 >= state.next_line * planned as f64 => {
                state.next_line = (10.0 * done as f64 / planned as f64).floor() / 10.0 + 0.1;
                self.0.console.message(&format!("{counts}; {}{}", duration(seconds), eta(rest)));
            }
            None => {}
        }
        if let Some(claim) = &self.0.console.claim {
            state.next_report = seconds + SAY_EVERY;
            let report = ProgressReport { counts, run: state.run.clone(), seconds, rest };
            let text = serde_json::to_string(&report).expect("numbers and texts always serialize");
            // The next report tries again: a full disk ends the run itself.
            let _ = claim.report(&text);
        }
    }
}

impl State {
    /// Host seconds to the end of all runs.
    fn rest(&self) -> Option<f64> {
        let Some(run) = &self.run else { return self.rest.seconds() };
        let whole = run.rest().map(|rest| rest + run.seconds);
        let usual = self.rest.mean().or(whole)?;
        let waiting = self.counts.runs.missing().saturating_sub(1);
        Some(waiting as f64 * usual + run.rest().unwrap_or((usual - run.seconds).max(0.0)))
    }
}

impl Drop for Shared {
    fn drop(&mut self) {
        if let Some(bars) = &self.bars {
            bars.clear();
        }
    }
}

impl Listener for Progress {
    fn message(&self, line: &str) {
        self.print(|console| console.message(line));
    }

    fn caveat(&self, caveat: &Caveat) {
        self.print(|console| console.caveat(caveat));
    }

    fn detail(&self, line: &str) {
        self.print(|console| console.detail(line));
    }
}

impl RunsObserver for Progress {
    fn begun(&mut self, job: &Job) -> Option<Box<dyn Listener>> {
        Some(Box::new(self.run(self.name(job))))
    }

    fn done(&mut self, job: &Job, run: &StoredRun, seconds: f64) {
        let ended = run.kind();
        self.ended(job.arm, ended, seconds);
        let (counts, name) = (self.state().counts.runs, self.name(job));
        let (what, count) = match ended {
            RunStatus::NotRun => ("could not be begun", counts.not_run),
            _ => ("failed", counts.failed),
        };
        match (failure(run), run) {
            // Why the only run has no result is said by the end of the command.
            (Some(why), _) if counts.planned > 1 && count <= TOLD => self.message(&format!("{name} {what}: {why}")),
            (None, StoredRun::Finished(record)) if self.has_few() => {
                self.message(&format!("  {name}: {}", why_ended(record)));
            }
            _ => {}
        }
    }
}

/// Why a run failed, if it did.
pub(crate) fn failure(run: &StoredRun) -> Option<&str> {
    match run {
        StoredRun::NotRun(why) => Some(why),
        StoredRun::Finished(record) => {
            let why = record.manifest.failure()?;
            Some(why.strip_prefix(FAILED).unwrap_or(why))
        }
    }
}

pub(crate) struct RunListener {
    progress: Progress,
    name: String,
}

impl Listener for RunListener {
    /// Many runs are not heard of one by one.
    fn next(&self) -> Option<&dyn Listener> {
        self.progress.has_few().then_some(&self.progress)
    }

    fn follow(&self, _: &str, stop: &StopRules) -> Option<Observer> {
        let Shared { console, bars, .. } = &*self.progress.0;
        let bar = bars.as_ref().and_then(|bars| bars.begin(&self.name));
        let has_lines = bars.is_none() && self.progress.has_few() && !console.quiet;
        let reports = self.progress.state().counts.runs.planned == 1;
        if bar.is_none() && !has_lines && (console.claim.is_none() || !reports) {
            return None;
        }
        let (progress, name, clock) = (self.progress.clone(), self.name.clone(), Stopwatch::start());
        let lines = has_lines.then_some(Lines { next: 0.1, printed: 0.0 });
        let mut rows = Rows { progress, name, stop: *stop, bar, lines, reports, clock, next_look: 0.0 };
        Some(Box::new(move |row| rows.row(row)))
    }
}

/// A line at each tenth of a run; the last one was `printed` after that many seconds.
struct Lines {
    next: f64,
    printed: f64,
}

struct Rows {
    progress: Progress,
    name: String,
    stop: StopRules,
    bar: Option<ProgressBar>,
    lines: Option<Lines>,
    /// Is it the only run, whose place other processes see?
    reports: bool,
    clock: Stopwatch,
    next_look: f64,
}

impl Rows {
    fn row(&mut self, row: &RoundRow) {
        let seconds = self.clock.seconds();
        if seconds < self.next_look {
            return;
        }
        self.next_look = seconds + LOOK_EVERY;
        let report = RunReport::of(&self.name, row, self.stop.share_done(row), seconds);
        let share = report.share.unwrap_or(0.0);
        if let Some(bar) = &self.bar {
            bar.set_position((share * STEPS) as u64);
            bar.set_message(report.place());
        }
        if let Some(lines) = &mut self.lines
            && share >= lines.next
            && seconds >= lines.printed + SAY_EVERY
        {
            *lines = Lines { next: (10.0 * share).floor() / 10.0 + 0.1, printed: seconds };
            self.progress.0.console.message(&report.to_string());
        }
        if self.reports {
            let mut state = self.progress.state();
            state.run = Some(report);
            if self.progress.0.clock.seconds() >= state.next_report {
                self.progress.show(&mut state);
            }
        }
    }
}

impl Drop for Rows {
    fn drop(&mut self) {
        if let (Some(bars), Some(bar)) = (&self.progress.0.bars, &self.bar) {
            bars.end(bar);
        }
    }
}

/// Why a run ended, for people: numbers in few digits, and which accuracy was asked for and not reached.
fn why_ended(run: &RunRecord) -> String {
    let manifest = &run.manifest;
    let words = manifest.stop_reason.split(' ').map(|word| match word.parse::<f64>() {
        Ok(value) if word.len() > 6 && value.fract() != 0.0 => significant(value, 4),
        _ => word.to_owned(),
    });
    let reason = words.collect::<Vec<_>>().join(" ");
    let limit = manifest.stop_rules.mean_field_sq.filter(|_| !manifest.stop_reason.starts_with(MEAN_FIELD_REACHED));
    let missed = limit.zip(run.last("mean_field_sq")).filter(|(limit, field)| field > limit);
    let missed = missed.map_or_else(String::new, |(limit, field)| {
        format!("; ‖h‖² is {}, and {} was asked for", significant(field, 4), short_number(limit))
    });
    format!("{reason} in {}{missed}", duration(manifest.host.seconds))
}

/// How long the rest takes: per arm, by the runs of the arm that are finished, else by those of all arms.
struct RemainingTime {
    arms: Vec<ArmTimes>,
    workers: usize,
}

#[derive(Clone, Default)]
struct ArmTimes {
    /// Runs to come, those in progress among them.
    to_come: u64,
    finished: u64,
    /// Host seconds that these took.
    seconds: f64,
}

impl ArmTimes {
    fn mean(&self) -> Option<f64> {
        (self.finished > 0).then(|| self.seconds / self.finished as f64)
    }
}

impl RemainingTime {
    fn of_run() -> Self {
        Self { arms: vec![ArmTimes { to_come: 1, ..ArmTimes::default() }], workers: 1 }
    }

    /// Before the first of `jobs`, run by this many workers at a time.
    fn of_jobs(record: &Results, jobs: &[Job], workers: usize) -> Self {
        let mut arms = vec![ArmTimes::default(); record.plan().arms.len()];
        jobs.iter().for_each(|job| arms[job.arm].to_come += 1);
        for run in record.runs().filter(|run| run.seconds > 0.0) {
            arms[run.arm].finished += 1;
            arms[run.arm].seconds += run.seconds;
        }
        Self { arms, workers }
    }

    fn done(&mut self, arm: usize, seconds: f64) {
        let times = &mut self.arms[arm];
        times.to_come -= 1;
        times.finished += 1;
        times.seconds += seconds;
    }

    /// Host seconds of a run of any arm.
    fn mean(&self) -> Option<f64> {
        let finished = self.arms.iter().map(|arm| arm.finished).sum();
        let seconds = self.arms.iter().map(|arm| arm.seconds).sum();
        ArmTimes { to_come: 0, finished, seconds }.mean()
    }

    /// Host seconds; none before any run is finished.
    fn seconds(&self) -> Option<f64> {
        let usual = self.mean()?;
        let all: f64 = self.arms.iter().map(|arm| arm.to_come as f64 * arm.mean().unwrap_or(usual)).sum();
        Some(all / self.workers as f64)
    }
}
