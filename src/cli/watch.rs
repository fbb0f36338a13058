//! `fedbits status` of runs that processes work on: a few lines, which change while they are watched. What processes do
//! in a folder its files say.

use std::io::IsTerminal;
use std::path::{Path, PathBuf};
use std::sync::atomic::Ordering;
use std::time::Duration;

use fedbits_record::results::{Results, RunCounts, has_plan};
use fedbits_record::{FoundClaim, Hold, Holder, claims_on};
use fedbits_reports::ReportError;
use fedbits_reports::compare::Samples;
use fedbits_spec::so_many;
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

use crate::cli::compare::human::leader;
use crate::cli::failure::Failure;
use crate::cli::format::{TableFormat, Titled};
use crate::cli::host::Signals;
use crate::cli::output;
use crate::cli::progress::{Console, Counts, ProgressReport, eta};
use crate::cli::skipped;
use crate::cli::table::{Cell, CellOf, Quantity, Table};
use crate::listener::Listener;
use crate::machine::Stopwatch;
use crate::runs::size_of_store;

/// How often files are looked at, in tenths of a second.
const LOOK_EVERY: u32 = 5;
const TENTH: Duration = Duration::from_millis(100);

/// Watches until no process works there any more.
pub(crate) fn watch(folder: &Path, console: &Console) -> Result<(), Failure> {
    let signals = Signals::listen()?;
    let mut watched = Watched::open(folder)?;
    let mut display = Display::new(console);
    let mut tick = 0_u32;
    while tick > 0 || watched.look()? {
        if tick == 0 {
            display.show(&lines(&watched))?;
        }
        std::thread::sleep(TENTH);
        if signals.stop().load(Ordering::Relaxed) {
            drop(display);
            console.message("no longer watched; what was watched goes on");
            return Err(Failure::Told(128 + crate::cli::signal::number()));
        }
        tick = (tick + 1) % LOOK_EVERY;
    }
    drop(display);
    ending(&watched)
}

/// Where lines are shown, unless nothing is: on a terminal on a bar that they are written over, else one whenever
/// something has changed.
struct Display {
    is_quiet: bool,
    bar: Option<ProgressBar>,
    said: String,
}

impl Display {
    fn new(console: &Console) -> Self {
        let style = ProgressStyle::with_template("{msg}").unwrap_or_else(|_| ProgressStyle::default_bar());
        let bar = || ProgressBar::with_draw_target(None, ProgressDrawTarget::stdout()).with_style(style);
        let has_bar = !console.quiet && std::io::stdout().is_terminal();
        Self { is_quiet: console.quiet, bar: has_bar.then(bar), said: String::new() }
    }

    fn show(&mut self, lines: &[String]) -> Result<(), Failure> {
        match &self.bar {
            Some(bar) => bar.set_message(lines.join("\n")),
            None if self.is_quiet || self.said == lines.join("; ") => {}
            None => {
                self.said = lines.join("; ");
                return output::line(&self.said);
            }
        }
        Ok(())
    }
}

impl Drop for Display {
    fn drop(&mut self) {
        self.bar.iter().for_each(ProgressBar::finish_and_clear);
    }
}

/// Says once how runs are that begin, and have no plan yet.
pub(crate) fn glance(folder: &Path, format: TableFormat) -> Result<(), Failure> {
    let watched = Watched::open(folder)?;
    match format {
        TableFormat::Human => lines(&watched).iter().try_for_each(output::line),
        format => {
            let table = who_works(watched.processes.iter().chain(&watched.gone));
            format.print(&[Titled { title: "processes", name: "processes", table: &table }])
        }
    }
}

/// A row per process that is at work, or went without an end.
fn who_works<'a>(processes: impl IntoIterator<Item = &'a Process>) -> Table {
    let state = |hold| match hold {
        Hold::Held => "at work",
        Hold::Free => "killed",
        Hold::Unknown => "unknown",
    };
    let count = |process: &Process, count: fn(&Counts) -> u64| {
        process.report.as_ref().map_or(Cell::Missing, |report| count(&report.counts).into())
    };
    let seconds = |process: &Process, of: fn(&ProgressReport) -> Option<f64>| process.report.as_ref().and_then(of);
    let columns: [CellOf<'_, &Process>; 11] = [
        ("process", "process", Quantity::Plain, &|process| u64::from(process.holder.process).into()),
        ("host", "host", Quantity::Text, &|process| process.holder.host.as_str().into()),
        ("state", "state", Quantity::Text, &|process| state(process.hold).into()),
        ("planned", "planned", Quantity::Plain, &|process| count(process, |counts| counts.runs.planned)),
        ("done", "done", Quantity::Plain, &|process| count(process, Counts::done)),
        ("degenerate", "degenerate", Quantity::Plain, &|process| count(process, |counts| counts.runs.degenerate)),
        ("failed", "failed", Quantity::Plain, &|process| count(process, |counts| counts.runs.failed)),
        ("not_begun", "not_begun", Quantity::Plain, &|process| count(process, |counts| counts.runs.not_run)),
        ("running", "running", Quantity::Plain, &|process| count(process, |counts| counts.running)),
        ("seconds", "since", Quantity::Seconds, &|process| seconds(process, |report| Some(report.seconds)).into()),
        ("rest_s", "ETA", Quantity::Seconds, &|process| seconds(process, |report| report.rest).into()),
    ];
    Table::of(processes, &columns)
}

pub(crate) fn processes(folder: &Path) -> Vec<String> {
    processes_of(folder).iter().filter(|process| process.hold == Hold::Held).map(line_of_process).collect()
}

/// The processes that work in a folder, and those that were killed there: a line and a row each.
pub(crate) fn all_processes(folder: &Path) -> (Vec<String>, Table) {
    let processes = processes_of(folder);
    (processes.iter().map(line_of_process).collect(), who_works(&processes))
}

fn line_of_process(process: &Process) -> String {
    let (number, host) = (process.holder.process, &process.holder.host);
    match process.hold {
        Hold::Held => {}
        Hold::Free => return format!("process {number} on {host} was killed, or its machine was"),
        Hold::Unknown => {
            return format!(
                "whether process {number} on {host} still works here cannot be seen: the file system has no locks"
            );
        }
    }
    let report = process.report.as_ref();
    let progress =
        report.map(|report| format!(": {} in progress{}", so_many(report.counts.running, "run"), eta(report.rest)));
    format!("process {number} on {host} works on it{}", progress.unwrap_or_default())
}

fn lines(watched: &Watched) -> Vec<String> {
    if let Some(counts) = watched.counts() {
        let running = watched.processes.iter().filter_map(|process| process.report.as_ref()?.run.as_ref());
        let running = running.map(ToString::to_string).chain(watched.leader().map(str::to_owned));
        return gone(watched).into_iter().chain([format!("{counts}{}", eta(watched.rest()))]).chain(running).collect();
    }
    let of_process = |process: &Process| {
        let Some(report) = &process.report else { return vec![line_of_process(process)] };
        let whole = (report.counts.runs.planned > 1).then(|| format!("{}{}", report.counts, eta(report.rest)));
        let run = report.run.as_ref().map(ToString::to_string);
        let lines: Vec<String> = whole.into_iter().chain(run).collect();
        if lines.is_empty() { vec![line_of_process(process)] } else { lines }
    };
    gone(watched).into_iter().chain(watched.processes.iter().flat_map(of_process)).collect()
}

/// Processes that went without an end.
fn gone(watched: &Watched) -> Vec<String> {
    watched.gone.iter().map(line_of_process).collect()
}

/// Says how it ended; what failed, or was killed, is an error.
fn ending(watched: &Watched) -> Result<(), Failure> {
    lines(watched).iter().try_for_each(output::line)?;
    let Some(counts) = watched.counts() else {
        return Err(Failure::Run("it was stopped before its end, and left no result".to_owned()));
    };
    let RunCounts { planned, failed, not_run, .. } = counts.runs;
    match (counts.runs.missing(), failed, not_run) {
        (0, 0, 0) => Ok(()),
        (0, failed, 0) => Err(Failure::Run(format!("{} failed", so_many(failed, "run")))),
        (0, 0, not_run) => Err(Failure::Run(format!("{} could not be begun", so_many(not_run, "run")))),
        (0, ..) => Err(Failure::Run(format!("{} failed, {not_run} could not be begun", so_many(failed, "run")))),
        (missing, ..) => Err(Failure::Run(format!(
            "no process works on it; runs without a result: {missing} of {planned}; `fedbits run` goes on"
        ))),
    }
}

/// Reading results takes at most this share of the time.
const READING: f64 = 0.05;

struct Watched {
    folder: PathBuf,
    clock: Stopwatch,
    processes: Vec<Process>,
    /// Processes that were killed, and those of which it cannot be seen whether they were.
    gone: Vec<Process>,
    results: Option<ReadResults>,
}

#[derive(Clone)]
struct Process {
    /// Its number and its machine.
    holder: Holder,
    hold: Hold,
    /// How far it is; none where it did not say.
    report: Option<ProgressReport>,
}

impl Process {
    fn of(claim: FoundClaim) -> Self {
        let report = serde_json::from_str(&claim.report).ok();
        Self { holder: claim.holder, hold: claim.hold, report }
    }
}

struct ReadResults {
    counts: RunCounts,
    /// The arm that leads, in words.
    leader: Option<String>,
    /// Bytes of its segments when they were read.
    bytes: u64,
    next: f64,
}

impl Watched {
    /// Looks for the first time.
    fn open(folder: &Path) -> Result<Self, Failure> {
        let mut watched = Self {
            folder: folder.to_path_buf(),
            clock: Stopwatch::start(),
            processes: Vec::new(),
            gone: Vec::new(),
            results: None,
        };
        watched.look()?;
        if !watched.processes.is_empty() || !watched.gone.is_empty() || watched.results.is_some() {
            return Ok(watched);
        }
        let found = match folder.metadata() {
            Ok(about) if !about.is_dir() => return Err(ReportError::NotADirectory(folder.to_path_buf()).into()),
            Ok(_) => {
                format!("there is no run in {}, finished or in progress{}", folder.display(), skipped::hint(folder))
            }
            Err(_) => skipped::no_folder(folder),
        };
        Err(Failure::Input(format!("expected what `fedbits run --out` was given (by default out/NAME): {found}")))
    }

    /// Looks once more; returns whether a process works there.
    fn look(&mut self) -> Result<bool, Failure> {
        let (held, gone): (Vec<Process>, Vec<Process>) =
            claims_on(&self.folder)?.into_iter().map(Process::of).partition(|process| process.hold == Hold::Held);
        self.processes = held;
        for process in gone {
            if self.gone.iter().all(|known| known.holder != process.holder) {
                self.gone.push(process);
            }
        }
        self.read_results()?;
        Ok(!self.processes.is_empty())
    }

    /// Reads the results when there are more of them, and not so often that it takes much of the time.
    fn read_results(&mut self) -> Result<(), Failure> {
        if !has_plan(&self.folder)? {
            return Ok(());
        }
        let (now, over) = (self.clock.seconds(), self.processes.is_empty());
        let bytes = size_of_store(&self.folder);
        if self.results.as_ref().is_some_and(|known| !over && (known.bytes == bytes || now < known.next)) {
            return Ok(());
        }
        let record = Results::open(&self.folder)?;
        let counts = record.counts();
        let leader = leader(&Samples::of_folder(&record, &[])?);
        let took = self.clock.seconds() - now;
        self.results = Some(ReadResults { counts, leader, bytes, next: now + took / READING });
        Ok(())
    }

    /// The runs, with those in progress; none where there is no plan yet.
    fn counts(&self) -> Option<Counts> {
        let running = self.processes.iter().filter_map(|process| process.report.as_ref());
        let running = running.map(|report| report.counts.running).sum();
        self.results.as_ref().map(|results| Counts { runs: results.counts, running })
    }

    /// The arm that leads, in words.
    fn leader(&self) -> Option<&str> {
        self.results.as_ref()?.leader.as_deref()
    }

    /// Host seconds until the last process is done.
    fn rest(&self) -> Option<f64> {
        self.processes.iter().filter_map(|process| process.report.as_ref()?.rest).reduce(f64::max)
    }
}

/// The processes that work in a folder, or were killed there; none where that cannot be read.
fn processes_of(folder: &Path) -> Vec<Process> {
    claims_on(folder).unwrap_or_default().into_iter().map(Process::of).collect()
}
