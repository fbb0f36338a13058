//! `fedbits status` of runs and studies that processes work on: a few lines, which change while they are watched.

mod folder;

use std::io::IsTerminal;
use std::path::Path;
use std::sync::atomic::Ordering;
use std::time::Duration;

use fedbits_record::{Hold, missing_caveat};
use fedbits_spec::so_many;
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

use self::folder::{Ending, Process, Watched, at_work};
use crate::cli::failure::Failure;
use crate::cli::format::{TableFormat, Titled};
use crate::cli::host::Signals;
use crate::cli::output;
use crate::cli::progress::{Console, Counts, eta, why_failed};
use crate::cli::summary;
use crate::cli::table::{Cell, Quantity, Table};
use crate::listener::Listener;

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

/// Where lines are shown.
enum Display {
    Nowhere,
    /// On a terminal, where they are written over; before the first there is no bar.
    Terminal(Option<ProgressBar>),
    /// In a pipe, one whenever something has changed.
    Pipe {
        said: String,
    },
}

impl Display {
    fn new(console: &Console) -> Self {
        if console.is_quiet() {
            return Self::Nowhere;
        }
        if !std::io::stdout().is_terminal() {
            return Self::Pipe { said: String::new() };
        }
        Self::Terminal(None)
    }

    fn show(&mut self, lines: &[String]) -> Result<(), Failure> {
        match self {
            Self::Nowhere => Ok(()),
            Self::Terminal(bar) => {
                bar.get_or_insert_with(line_bar).set_message(lines.join("\n"));
                Ok(())
            }
            Self::Pipe { said } => {
                let line = lines.join("; ");
                if *said == line {
                    return Ok(());
                }
                said.clone_from(&line);
                output::line(line)
            }
        }
    }
}

impl Drop for Display {
    fn drop(&mut self) {
        if let Self::Terminal(Some(bar)) = self {
            bar.finish_and_clear();
        }
    }
}

/// A bar that is text alone.
fn line_bar() -> ProgressBar {
    let bar = ProgressBar::with_draw_target(None, ProgressDrawTarget::stdout());
    bar.with_style(ProgressStyle::with_template("{msg}").unwrap_or_else(|_| ProgressStyle::default_bar()))
}

/// Says once how a run is, which is at work or over.
pub(crate) fn glance(folder: &Path, format: TableFormat) -> Result<(), Failure> {
    let watched = Watched::open(folder)?;
    let processes = watched.processes();
    match format {
        TableFormat::Human if processes.is_empty() => ending(&watched),
        TableFormat::Human => lines(&watched).iter().try_for_each(output::line),
        // A study at its beginning is no run, and has no results yet.
        _ if processes.iter().any(|process| process.is_shared) => {
            let folder = folder.display();
            Err(Failure::Input(format!("a study begins in {folder}, and has no plan yet: expected one that has begun")))
        }
        other => {
            let (runs, processes) = (runs(&watched), who_works(&watched));
            let mut tables = vec![Titled { title: "runs", name: "runs", table: &runs }];
            if other == TableFormat::Json {
                tables.push(Titled { title: "processes", name: "processes", table: &processes });
            }
            other.print(&tables)?;
            if watched.processes().is_empty() { verdict(&watched) } else { Ok(()) }
        }
    }
}

/// A row per record in the folder, and per run in progress.
fn runs(watched: &Watched) -> Table {
    let table = Table::default().text("arm").text("state").text("why");
    let mut table = table.column("host_s", "took", Quantity::Seconds);
    for ending in watched.endings() {
        let manifest = &ending.manifest;
        let state = match manifest.failure() {
            Some(_) => "failed",
            None if manifest.is_degenerate() => "degenerate",
            None => "done",
        };
        let why = Cell::Text(manifest.stop_reason.clone());
        table.row(vec![Cell::Text(ending.name()), state.into(), why, Cell::Number(manifest.host.seconds)]);
    }
    let running = watched.processes().iter().filter_map(|process| process.report.as_ref()?.run.as_ref());
    for run in running {
        table.row(vec![run.name.as_str().into(), "running".into(), Cell::Missing, Cell::Number(run.seconds)]);
    }
    table
}

/// A row per process that is at work, or went without an end.
fn who_works(watched: &Watched) -> Table {
    let mut table = Table::default().column("process", "process", Quantity::Plain).text("host").text("state");
    for name in ["planned", "done", "degenerate", "failed", "not_begun", "running"] {
        table = table.column(name, name, Quantity::Plain);
    }
    let mut table = table.column("seconds", "since", Quantity::Seconds).column("rest_s", "ETA", Quantity::Seconds);
    for Process { holder, hold, report, .. } in watched.processes().iter().chain(watched.gone()) {
        let state = match hold {
            Hold::Held => "at work",
            Hold::Free => "killed",
            Hold::Unknown => "unknown",
        };
        let mut row = vec![Cell::Count(u64::from(holder.process)), holder.host.as_str().into(), state.into()];
        let counts = report.as_ref().map(|report| report.counts);
        let of = |count: fn(&Counts) -> u64| counts.as_ref().map_or(Cell::Missing, |counts| Cell::Count(count(counts)));
        row.extend([of(|own| own.planned), of(|own| own.done), of(|own| own.degenerate), of(|own| own.failed)]);
        row.extend([of(|own| own.not_begun), of(|own| own.running)]);
        row.extend([report.as_ref().map(|report| report.seconds).into()]);
        row.push(report.as_ref().and_then(|report| report.rest).into());
        table.row(row);
    }
    table
}

/// The processes that work in a folder, for people.
pub(crate) fn processes(folder: &Path) -> Vec<String> {
    at_work(folder).iter().map(line_of_process).collect()
}

fn line_of_process(process: &Process) -> String {
    let (number, host) = (process.holder.process, &process.holder.host);
    let report = process.report.as_ref();
    let progress =
        report.map(|report| format!(": {} in progress{}", so_many(report.counts.running, "run"), eta(report.rest)));
    format!("process {number} on {host} works on it{}", progress.unwrap_or_default())
}

/// How far a run or a study is.
fn lines(watched: &Watched) -> Vec<String> {
    if let Some(counts) = watched.study() {
        let leader = watched.leader().map(str::to_owned);
        return gone(watched).into_iter().chain([format!("{counts}{}", eta(watched.rest()))]).chain(leader).collect();
    }
    let of_process = |process: &Process| {
        let Some(report) = &process.report else { return vec![line_of_process(process)] };
        let whole = (report.counts.planned > 1).then(|| format!("{}{}", report.counts, eta(report.rest)));
        let run = report.run.as_ref().map(ToString::to_string);
        let lines: Vec<String> = whole.into_iter().chain(run).collect();
        if lines.is_empty() { vec![line_of_process(process)] } else { lines }
    };
    gone(watched).into_iter().chain(watched.processes().iter().flat_map(of_process)).collect()
}

/// Processes that went without an end.
fn gone(watched: &Watched) -> Vec<String> {
    let line = |process: &Process| {
        let (number, host) = (process.holder.process, &process.holder.host);
        match process.hold {
            Hold::Unknown => format!(
                "whether process {number} on {host} still works here cannot be seen: the file system has no locks"
            ),
            _ => format!("process {number} on {host} was killed, or its machine was"),
        }
    };
    watched.gone().iter().map(line).collect()
}

/// Says how it ended; what failed, or was killed, is an error.
fn ending(watched: &Watched) -> Result<(), Failure> {
    let Some(counts) = watched.study() else {
        gone(watched).iter().try_for_each(output::line)?;
        return run_ending(watched);
    };
    lines(watched).iter().try_for_each(output::line)?;
    let Counts { planned, done, failed, not_begun, .. } = counts;
    match (planned - done, failed, not_begun) {
        (0, 0, 0) => Ok(()),
        (0, failed, 0) => Err(Failure::Run(format!("{} failed", so_many(failed, "run")))),
        (0, 0, not_begun) => Err(Failure::Run(format!("{} could not be begun", so_many(not_begun, "run")))),
        (0, ..) => Err(Failure::Run(format!("{} failed, {not_begun} could not be begun", so_many(failed, "run")))),
        (missing, ..) => Err(Failure::Run(format!(
            "no process works on it; runs without a result: {missing} of {planned}; `fedbits study` goes on"
        ))),
    }
}

fn run_ending(watched: &Watched) -> Result<(), Failure> {
    for ending in watched.new_endings() {
        output::lines(format_args!("{}: {}", ending.name(), summary::ended(&ending.manifest, &ending.folder)))?;
    }
    verdict(watched)
}

/// Had all runs of a process ended before it was killed?
fn has_ended(gone: &Process) -> bool {
    gone.report.as_ref().is_some_and(|report| report.counts.done >= report.counts.planned)
}

/// How a run ended that is over: what failed, was stopped or is missing is an error.
fn verdict(watched: &Watched) -> Result<(), Failure> {
    let (new, missing) = (watched.new_endings(), missing_caveat(watched.folder()));
    let failed = new.iter().find_map(|Ending { manifest, .. }| Some((&manifest.arm, why_failed(manifest)?)));
    let why = match (failed, missing) {
        (Some((arm, why)), _) => format!("{arm} failed: {why}"),
        (None, Some(missing)) => missing.to_string(),
        (None, None) if new.is_empty() => "it was stopped before its end, and left no record".to_owned(),
        (None, None) if !watched.began() && watched.gone().iter().any(|gone| !has_ended(gone)) => {
            "it was stopped before its end: the records are of a run before it".to_owned()
        }
        (None, None) => return Ok(()),
    };
    Err(Failure::Run(why))
}
