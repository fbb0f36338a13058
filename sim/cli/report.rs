//! `fedbits report`: figures from records.

use fedbits_reports::{ReportOptions, default_directory};

use crate::args::ReportCommand;
use crate::failure::Failure;
use crate::progress::Talk;

/// Writes the figures and prints their paths.
pub fn report(command: &ReportCommand, talk: &Talk) -> Result<(), Failure> {
    let options = ReportOptions {
        style: command.style.into(),
        formats: command.format.iter().map(|&format| format.into()).collect(),
        directory: command.out.clone().unwrap_or_else(|| default_directory(&command.runs)),
        labels: command.label.clone(),
        ..ReportOptions::default()
    };
    let written = fedbits_reports::report(&command.runs, &options)?;
    written.iter().for_each(|path| println!("{}", path.display()));
    talk.say(format!("{} files in {}", written.len(), options.directory.display()));
    Ok(())
}
