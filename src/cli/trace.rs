//! `fedbits trace`: what happened in rounds of a record, as a table and as trace events.

use std::path::Path;

use fedbits_record::study::{StudyRecord, is_study};
use fedbits_record::{TraceRow, add_to_record, has_manifest, write_whole};

use crate::cli::args::TraceOptions;
use crate::cli::failure::Failure;
use crate::cli::host::{self, Signals};
use crate::cli::progress::Console;
use crate::cli::run::targets::claim;
use crate::cli::verify::records;
use crate::cli::{marked_files, output};
use crate::executor::Executor;
use crate::listener::Listener;
use crate::trace::{EVENTS_FILE, Traced, Wanted, Which, chrome};

/// Runs a record again, and writes what happens in the rounds that are asked for.
pub(crate) fn trace(options: &TraceOptions, console: &Console) -> Result<(), Failure> {
    let (threads, machine) = (host::set_threads(options.host.threads), options.host.machine_of_record()?);
    let signals = Signals::listen()?;
    let executor = Executor { listener: console, stop: signals.stop(), threads };
    let wanted = options.rounds.clone().map_or(Wanted::Slowest, Wanted::Rounds);
    let which = Which { arm: options.arm.clone(), replicate: options.replicate };
    let traced = match is_study(&options.dir)? {
        true => Traced::of_study(&StudyRecord::open(&options.dir)?, &which)?,
        false => Traced::among(records(&options.dir)?, &which)?,
    };
    let Some(folder) = options.out.as_ref().or(traced.folder.as_ref()) else {
        return Err(Failure::Input("the runs of a study have no folders: expected --out DIR".to_owned()));
    };
    let _claim = claim(folder, console)?;
    let is_own = traced.folder.as_ref().is_some_and(|own| is_same(own, folder));
    if !is_own {
        spare_foreign(folder)?;
        output::check_folder(folder)?;
    }
    let found = traced.trace(&wanted, &machine, &executor)?;
    if found.differs {
        let path = options.dir.display();
        return Err(Failure::Run(format!(
            "the run is not what it was when {path} was recorded, and is not traced: `fedbits verify` says what differs"
        )));
    }
    let (table, events) = (&found.table, found.events.as_bytes());
    if is_own {
        add_to_record(folder, table, (EVENTS_FILE, events))?;
    } else {
        fedbits_record::make_folder(folder).map_err(|error| Failure::file(folder, &error))?;
        write_whole(&folder.join(table.file()), table.text()?.as_bytes())?;
        write_whole(&folder.join(EVENTS_FILE), events)?;
    }
    output::line(folder.join(EVENTS_FILE).display())?;
    output::line(folder.join(table.file()).display())?;
    let rounds = match found.rounds[..] {
        [only] => format!("round {only}"),
        [first, .., last] => format!("rounds {first} to {last}"),
        [] => String::new(),
    };
    console.message(&format!(
        "{rounds}; https://ui.perfetto.dev opens {EVENTS_FILE}, `fedbits report --figure round` draws the table"
    ));
    Ok(())
}

/// Whether two paths lead to one folder.
fn is_same(one: &Path, other: &Path) -> bool {
    one == other || one.canonicalize().is_ok_and(|one| other.canonicalize().is_ok_and(|other| one == other))
}

/// A trace replaces a trace, and is put into no record but its own.
fn spare_foreign(folder: &Path) -> Result<(), Failure> {
    if has_manifest(folder)? {
        let folder = folder.display();
        return Err(Failure::Input(format!("{folder} is in the way: it is the record of another run")));
    }
    let table = TraceRow::table(&[]);
    marked_files::spare_foreign(&folder.join(table.file()), &table.text()?)?;
    marked_files::spare_foreign(&folder.join(EVENTS_FILE), chrome::BEGINNING)
}
