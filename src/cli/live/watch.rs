//! `fedbits status --watch`: the screen of a run or a study from another terminal, or lines in a pipe.

use std::path::Path;
use std::sync::atomic::Ordering;
use std::time::Duration;

use fedbits_record::missing_caveat;
use fedbits_spec::so_many;

use super::page::Look;
use super::plot;
use super::run_page;
use super::screen::Screen;
use super::state::LiveState;
use super::study_page::{self, Sight};
use super::view::{Key, View};
use super::watched::{Ending, Standing, Watched, at_work};
use crate::cli::failure::Failure;
use crate::cli::format::{TableFormat, Titled};
use crate::cli::host::Signals;
use crate::cli::output;
use crate::cli::progress::Console;
use crate::cli::study_progress::why_failed;
use crate::cli::summary;
use crate::cli::table::{Cell, Quantity, Table};
use crate::cli::units::duration;
use crate::listener::Listener;

/// How often files are looked at, in tenths of a second.
const LOOK_EVERY: u32 = 5;
const TENTH: Duration = Duration::from_millis(100);

/// Watches until no process works there any more, or the viewer leaves.
pub(crate) fn watch(folder: &Path, console: &Console) -> Result<(), Failure> {
    let signals = Signals::listen()?;
    let mut watched = Watched::open(folder)?;
    let mut screen = if console.is_quiet() { None } else { Screen::open() };
    let (mut view, mut is_study) = (View::default(), false);
    let (mut said, mut keys) = (String::new(), Vec::new());
    let mut tick = 0_u32;
    while tick > 0 || watched.look()? == Standing::Running {
        let states = watched.states();
        if !is_study && watched.tally().is_some() {
            (view, is_study) = (View::of_study(), true);
        }
        match &mut screen {
            Some(screen) => {
                if tick == 0 || !keys.is_empty() {
                    draw(screen, &watched, &states, &view);
                }
                keys = screen.keys();
                if keys.contains(&Key::Quit) {
                    return Ok(());
                }
                keys.iter().for_each(|key| press(&mut view, *key, &watched, &states));
            }
            None => {
                if tick == 0 && !console.is_quiet() {
                    say(&watched, &states, &mut said)?;
                }
                std::thread::sleep(TENTH);
            }
        }
        if signals.stop().load(Ordering::Relaxed) {
            drop(screen);
            console.message("no longer watched; what was watched goes on");
            return Err(Failure::Told(128 + crate::cli::signal::number()));
        }
        tick = (tick + 1) % LOOK_EVERY;
    }
    drop(screen);
    ending(&watched)
}

/// Says once how a run is, which is at work or over.
pub(crate) fn glance(folder: &Path, format: TableFormat) -> Result<(), Failure> {
    let watched = Watched::open(folder)?;
    let states = watched.states();
    match format {
        TableFormat::Human if states.is_empty() => ending(&watched),
        TableFormat::Human => say(&watched, &states, &mut String::new()),
        // A study at its beginning is no run, and has no results yet.
        _ if states.iter().any(|state| state.arms_planned == 0) => {
            let folder = folder.display();
            Err(Failure::Input(format!("a study begins in {folder}, and has no plan yet: expected one that has begun")))
        }
        other => {
            let (runs, processes) = (runs(&watched, &states), who_works(&watched, &states));
            let mut tables = vec![Titled { title: "runs", name: "runs", table: &runs }];
            if other == TableFormat::Json {
                tables.push(Titled { title: "processes", name: "processes", table: &processes });
            }
            other.print(&tables)?;
            if states.is_empty() { verdict(&watched) } else { Ok(()) }
        }
    }
}

/// A row per run that has begun in a process at work; where none works, per record.
fn runs(watched: &Watched, states: &[LiveState]) -> Table {
    let table = Table::default().text("arm").text("state").text("why");
    let mut table = table.column("host_s", "took", Quantity::Seconds);
    for arm in states.iter().flat_map(|state| &state.arms) {
        let state = arm.ended.as_ref().map_or("running", |ended| if ended.failed { "failed" } else { "done" });
        let why = arm.ended.as_ref().map_or(Cell::Missing, |ended| Cell::Text(ended.why.clone()));
        table.row(vec![arm.name.as_str().into(), state.into(), why, Cell::Number(arm.seconds)]);
    }
    if !states.is_empty() {
        return table;
    }
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
    table
}

/// A row per process that is at work, or went without an end.
fn who_works(watched: &Watched, states: &[LiveState]) -> Table {
    let mut table = Table::default()
        .column("process", "process", Quantity::Plain)
        .text("host")
        .text("state")
        .text("doing")
        .column("seconds", "since", Quantity::Seconds);
    let at_work = states.iter().map(|state| (state, "at work"));
    for (state, how) in at_work.chain(watched.killed().iter().map(|state| (state, "killed"))) {
        let process = Cell::Count(u64::from(state.process));
        let doing = Cell::Text(state.doing.clone());
        table.row(vec![process, state.host.as_str().into(), how.into(), doing, Cell::Number(state.seconds)]);
    }
    table
}

/// The processes that work in a folder, for people.
pub(crate) fn processes(folder: &Path) -> Vec<String> {
    let states = at_work(folder);
    let line = |state: &LiveState| {
        let jobs = state.jobs.as_ref();
        let running = jobs.map_or(0, |jobs| jobs.running.len());
        let rest = jobs.and_then(|jobs| jobs.rest).map_or_else(String::new, |rest| format!(", ETA {}", duration(rest)));
        let (process, host, since) = (state.process, &state.host, duration(state.seconds));
        format!("process {process} on {host} works on it since {since}: {} in progress{rest}", so_many(running, "run"))
    };
    states.iter().map(line).collect()
}

fn draw(screen: &mut Screen, watched: &Watched, states: &[LiveState], view: &View) {
    let look = Look::of_terminal();
    screen.draw(|area, buffer| match (watched.tally(), states.first()) {
        (Some(tally), _) => {
            study_page::draw(
                &Sight { tally, processes: states, notes: &killed(watched) },
                view,
                "q leave",
                look,
                area,
                buffer,
            );
        }
        (None, Some(state)) => run_page::draw(state, view, "q leave", look, area, buffer),
        (None, None) => {}
    });
}

fn press(view: &mut View, key: Key, watched: &Watched, states: &[LiveState]) {
    match watched.tally() {
        Some(tally) => view.press(key, tally.arms.len(), tally.has_measured()),
        None => {
            let curves = states.iter().flat_map(|state| &state.arms).map(|arm| &arm.curve);
            view.press(key, 0, plot::measured(curves));
        }
    }
}

/// Prints a line, if something has changed since the last.
fn say(watched: &Watched, states: &[LiveState], said: &mut String) -> Result<(), Failure> {
    let (line, changes) = match (watched.tally(), states.first()) {
        (Some(tally), _) => {
            let sight = Sight { tally, processes: states, notes: &killed(watched) };
            (study_page::line(&sight, &View::of_study()), format!("{:?}", tally.counts()))
        }
        (None, Some(state)) => {
            let row = state.arms.last().map(|arm| (arm.curve.last().map(|last| last.round), arm.ended.is_some()));
            (run_page::line(state), format!("{}{row:?}{}", state.arms.len(), state.doing))
        }
        (None, None) => return Ok(()),
    };
    if *said == changes {
        return Ok(());
    }
    *said = changes;
    output::line(line)
}

/// Processes that went without an end.
fn killed(watched: &Watched) -> Vec<String> {
    let line = |gone: &LiveState| {
        let (process, host, after) = (gone.process, &gone.host, duration(gone.seconds));
        format!("process {process} on {host} was killed, or its machine was, after {after}")
    };
    watched.killed().iter().map(line).collect()
}

/// Says how it ended; what failed, or was killed, is an error.
fn ending(watched: &Watched) -> Result<(), Failure> {
    killed(watched).iter().try_for_each(output::line)?;
    match watched.tally() {
        Some(tally) => {
            output::line(study_page::line(&Sight { tally, processes: &[], notes: &[] }, &View::of_study()))?;
            let ((done, failed, not_run), planned) = (tally.counts(), tally.planned());
            match (planned - done, failed, not_run) {
                (0, 0, 0) => Ok(()),
                (0, failed, 0) => Err(Failure::Run(format!("{} failed", so_many(failed, "run")))),
                (0, 0, not_run) => Err(Failure::Run(format!("{} could not be begun", so_many(not_run, "run")))),
                (0, ..) => {
                    Err(Failure::Run(format!("{} failed, {not_run} could not be begun", so_many(failed, "run"))))
                }
                (missing, ..) => Err(Failure::Run(format!(
                    "no process works on it; runs without a result: {missing} of {planned}; `fedbits study` goes on"
                ))),
            }
        }
        None => run_ending(watched),
    }
}

fn run_ending(watched: &Watched) -> Result<(), Failure> {
    for ending in watched.new_endings() {
        output::lines(format_args!("{}: {}", ending.name(), summary::ended(&ending.manifest, &ending.folder)))?;
    }
    verdict(watched)
}

/// Had all arms of a process ended before it was killed?
fn has_ended(gone: &LiveState) -> bool {
    gone.arms.iter().filter(|arm| arm.ended.is_some()).count() >= gone.arms_planned
}

/// How a run ended that is over: what failed, was stopped or is missing is an error.
fn verdict(watched: &Watched) -> Result<(), Failure> {
    let (new, missing) = (watched.new_endings(), missing_caveat(watched.folder()));
    let failed = new.iter().find_map(|Ending { manifest, .. }| Some((&manifest.arm, why_failed(manifest)?)));
    let why = match (failed, missing) {
        (Some((arm, why)), _) => format!("{arm} failed: {why}"),
        (None, Some(missing)) => missing,
        (None, None) if new.is_empty() => "it was stopped before its end, and left no record".to_owned(),
        (None, None) if !watched.began() && watched.killed().iter().any(|gone| !has_ended(gone)) => {
            "it was stopped before its end: the records are of a run before it".to_owned()
        }
        (None, None) => return Ok(()),
    };
    Err(Failure::Run(why))
}
