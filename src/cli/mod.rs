//! The command line of fedbits: commands, console and exit codes. What a command does lies in its own file; host time
//! and signals are met here and nowhere deeper.

mod args;
mod artifact;
mod check;
mod compare;
mod data;
mod diff;
mod explain;
mod export;
mod failure;
mod format;
mod host;
mod list;
mod manual;
mod merge;
mod new;
mod output;
mod pilot;
mod predict;
mod progress;
mod project;
mod report;
mod run;
mod signal;
mod skipped;
mod state;
mod status;
mod style;
mod summary;
mod table;
mod time_limit;
mod trace;
mod verify;
mod watch;
mod wrap;

use std::ffi::OsString;

use clap::Parser;
use fedbits_reports::Figures;
use fedbits_spec::caught;

use self::args::{Args, Command};
use crate::options::memory_variable;

/// The whole command line, given the name of the program and its arguments; `report` draws these kinds of figures.
pub(crate) fn main(arguments: impl Iterator<Item = OsString>, figures: &Figures) -> u8 {
    let args = match Args::try_parse_from(arguments) {
        Ok(args) => args,
        Err(error) => return unparsed(&args::with_help(error)),
    };
    let console = progress::Console::new(args.quiet, args.verbose);
    host::limit_memory();
    let done = host::Signals::listen()
        .and_then(|_| Ok(memory_variable().map(|_| ())?))
        .and_then(|()| project::load())
        .and_then(|()| caught(|| act(&args.command, figures, &console))?);
    match done {
        Ok(()) => 0,
        Err(failure) => {
            failure.print();
            failure.code()
        }
    }
}

/// Prints the help that was asked for, or what is wrong with the arguments.
fn unparsed(error: &clap::Error) -> u8 {
    match output::written(error.print()) {
        Err(failure) if !error.use_stderr() => {
            failure.print();
            failure.code()
        }
        _ => u8::from(error.use_stderr()) * 2,
    }
}

/// Says why the program does not begin.
pub(crate) fn refuse(why: &dyn std::error::Error) -> u8 {
    let failure = failure::Failure::Input(why.to_string());
    failure.print();
    failure.code()
}

fn act(command: &Command, figures: &Figures, console: &progress::Console) -> Result<(), failure::Failure> {
    match command {
        Command::Run(options) => run::run(options, figures, console),
        Command::Check(options) => check::check(options, figures, console),
        Command::Status(options) => status::status(options, console),
        Command::Merge(options) => merge::merge(options, console),
        Command::Compare(options) => compare::compare(options, console),
        Command::Report(options) => report::report(options, figures, console),
        Command::Verify(options) => verify::verify(options, figures, console),
        Command::Trace(options) => trace::trace(options, console),
        Command::Predict(options) => predict::predict(options, console),
        Command::Export(options) => export::export(options, console),
        Command::Artifact(options) => artifact::artifact(options, figures, console),
        Command::Diff(options) => diff::diff(options, console),
        Command::Explain { words } => explain::explain(words),
        Command::List(options) => list::list(*options),
        Command::Show { scenario } => list::show(scenario),
        Command::New(options) => new::new(options, console),
        Command::Completions(options) => manual::completions(options, console),
        Command::Data(options) => data::data(options, console),
        Command::Man(options) => manual::pages(options, console),
    }
}
