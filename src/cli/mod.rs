//! The command line of fedbits: commands, talk and exit codes. What a command does lies in its own file; host time and
//! signals are met here and nowhere deeper.

mod args;
mod check;
mod compare;
mod failure;
mod host;
mod list;
mod listening;
mod manual;
mod output;
mod own;
mod patience;
mod pilot;
mod progress;
mod report;
mod run;
mod signalled;
mod stderr;
mod study;
mod study_progress;
mod summary;
mod units;
mod verify;

use std::process::ExitCode;

use clap::Parser;
use fedbits_reports::Figures;

use self::args::{Args, Command};
use crate::options::memory_variable;

/// The whole command line; `report` draws these kinds of figures.
pub fn main(figures: &Figures) -> ExitCode {
    let args = Args::try_parse().unwrap_or_else(|error| args::with_nearest(error).exit());
    let talk = progress::Talk::new(args.quiet, args.verbose);
    let done =
        host::Signals::listen().and_then(|_| Ok(memory_variable()?)).and_then(|_| act(&args.command, figures, &talk));
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(failure) => {
            failure.tell();
            ExitCode::from(failure.code())
        }
    }
}

/// Says why the program does not begin.
pub fn refuse(why: &dyn std::error::Error) -> ExitCode {
    let failure = failure::Failure::Input(why.to_string());
    failure.tell();
    ExitCode::from(failure.code())
}

fn act(command: &Command, figures: &Figures, talk: &progress::Talk) -> Result<(), failure::Failure> {
    match command {
        Command::Run(options) => run::run(options, figures, talk),
        Command::Check(options) => check::check(options, talk),
        Command::Study(options) => study::study(options, talk),
        Command::Status(options) => study::status::status(options, talk),
        Command::Merge(options) => study::merge::merge(options, talk),
        Command::Compare(options) => compare::compare(options, talk),
        Command::Cluster(options) => study::cluster::cluster(options, talk),
        Command::Report(options) => report::report(options, figures, talk),
        Command::Verify(options) => verify::verify(options, figures, talk),
        Command::List(options) => list::list(options),
        Command::New(options) => list::new(options, talk),
        Command::Completions(options) => manual::completions(options),
        Command::Man(options) => manual::pages(options, talk),
    }
}
