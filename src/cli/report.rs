//! `fedbits report`: figures from records.

use std::path::PathBuf;

use fedbits_reports::{Figures, ReportOptions};

use crate::cli::args::ReportCommand;
use crate::cli::failure::Failure;
use crate::cli::output;
use crate::cli::progress::Console;
use crate::cli::project;
use crate::cli::study;
use crate::listener::Listener;

/// Writes the figures and prints their paths.
pub(crate) fn report(command: &ReportCommand, figures: &Figures, console: &Console) -> Result<(), Failure> {
    let directory = command.out.clone().unwrap_or_else(|| default_directory(&command.runs));
    let mut options = ReportOptions::new(command.style.unwrap_or_else(project::style), &command.format, directory);
    options.labels.clone_from(&command.label);
    options.slopes.clone_from(&command.slope);
    options.arms.clone_from(&command.arm);
    options.axes.clone_from(&command.axes);
    (options.x_scale, options.free_x) = (command.x_scale, command.free_x);
    let axes = command.x.clone();
    (options.panels, options.singles) = if command.single { (Vec::new(), axes) } else { (axes, Vec::new()) };
    let written = figures.report(&command.runs, &options)?;
    command.runs.iter().try_for_each(|folder| study::report_state_of(folder, console))?;
    written.iter().try_for_each(|path| output::line(path.display()))?;
    console.message(&format!("{} files in {}", written.len(), options.directory.display()));
    Ok(())
}

/// `figures` inside a single folder, else in the working directory.
fn default_directory(runs: &[PathBuf]) -> PathBuf {
    match runs {
        [only] => only.join("figures"),
        _ => PathBuf::from("figures"),
    }
}
