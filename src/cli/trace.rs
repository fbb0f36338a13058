//! `fedbits trace`: what happened in rounds of a run, as a table and as trace events.

use std::path::{Path, PathBuf};

use fedbits_record::{Claim, TraceRow, write_whole};

use crate::cli::args::TraceOptions;
use crate::cli::failure::Failure;
use crate::cli::host::{self, Signals};
use crate::cli::output;
use crate::cli::progress::Console;
use crate::executor::Executor;
use crate::listener::Listener;
use crate::runs::open_runs;
use crate::trace::{EVENTS_FILE, Trace, Traced, chrome};

/// Makes a run again, and writes what happens in the rounds that are asked for.
pub(crate) fn trace(options: &TraceOptions, console: &Console) -> Result<(), Failure> {
    let (threads, machine) = (host::set_threads(options.host.threads), options.host.machine_of_record()?);
    let signals = Signals::listen()?;
    let executor = Executor { listener: console, stop: signals.stop(), threads };
    let record = open_runs(&options.dir)?;
    let traced = Traced::of(&record, options.arm.as_deref(), options.replicate)?;
    let folder = options.out.as_ref().unwrap_or(&options.dir);
    let _claim = Claim::of(folder)?;
    match &options.out {
        Some(folder) => {
            check_owned([&folder.join(TraceRow::table(&[]).file()), &folder.join(EVENTS_FILE)])?;
            output::check_folder(folder)?;
        }
        None => check_owned(["csv", "json"].map(|ending| record.trace_path(traced.run, ending)).each_ref())?,
    }
    let found = traced.trace(options.rounds.as_ref(), &machine, &executor)?;
    if found.differs {
        let path = options.dir.display();
        return Err(Failure::Run(format!(
            "the run is not what it was when {path} was made, and is not traced: `fedbits verify` says what differs"
        )));
    }
    let paths = match &options.out {
        Some(folder) => write(folder, &found)?,
        None => record.write_trace(traced.run, &found.table, found.events.as_bytes())?,
    };
    paths.iter().try_for_each(|path| output::line(path.display()))?;
    let rounds = match found.rounds[..] {
        [only] => format!("round {only}"),
        [first, .., last] => format!("rounds {first} to {last}"),
        [] => String::new(),
    };
    console.message(&format!(
        "{rounds}; https://ui.perfetto.dev opens {}, `fedbits report --figure round` draws the table",
        paths[0].file_name().unwrap_or_default().display()
    ));
    Ok(())
}

fn write(folder: &Path, trace: &Trace) -> Result<[PathBuf; 2], Failure> {
    fedbits_record::make_folder(folder).map_err(|error| Failure::file(folder, &error))?;
    let paths = [folder.join(EVENTS_FILE), folder.join(trace.table.file())];
    write_whole(&paths[1], trace.table.text()?.as_bytes())?;
    write_whole(&paths[0], trace.events.as_bytes())?;
    Ok(paths)
}

/// A trace replaces a trace, and no other file.
fn check_owned([table, events]: [&PathBuf; 2]) -> Result<(), Failure> {
    output::check_owned(table, &TraceRow::table(&[]).text()?)?;
    output::check_owned(events, chrome::BEGINNING)
}
