//! `fedbits report`: figures from records.

use std::path::PathBuf;

use fedbits_reports::declare::Figure;
use fedbits_reports::{Declarations, Figures, Format, ReportOptions, Wanted, XAxis};
use fedbits_scenarios::with_sets;
use fedbits_spec::so_many;

use crate::cli::args::ReportCommand;
use crate::cli::failure::Failure;
use crate::cli::output;
use crate::cli::passed_over;
use crate::cli::progress::Console;
use crate::cli::project;
use crate::cli::study;
use crate::error::Error;
use crate::listener::Listener;

/// Writes the figures and prints their paths.
pub(crate) fn report(command: &ReportCommand, figures: &Figures, console: &Console) -> Result<(), Failure> {
    no_format_is_a_folder(command)?;
    let directory = command.out.clone().unwrap_or_else(|| default_directory(&command.runs));
    let mut options = ReportOptions::new(command.style.unwrap_or_else(project::style), &command.format, directory);
    options.labels.clone_from(&command.label);
    // Of a run that gets nearer the logarithm falls.
    options.slopes = command.slope.iter().map(|(arm, decades)| (arm.clone(), -decades)).collect();
    options.arms.clone_from(&command.arm);
    options.axes.clone_from(&command.axes);
    (options.x_scale, options.free_x) = (command.x_scale, command.free_x);
    options.wanted = match (command.all, &command.figure[..]) {
        (true, _) => Wanted::All,
        (false, []) => Wanted::Declared,
        (false, names) => Wanted::Named(names.to_vec()),
    };
    options.declared = changed(command)?;
    let axes = (!command.x.is_empty()).then(|| command.x.clone());
    match command.single {
        true => (options.panels, options.singles) = (Some(Vec::new()), axes.unwrap_or_else(|| USUAL.to_vec())),
        false => options.panels = axes,
    }
    // Of all that there can be a part is enough; a figure that is asked for is there, or why it is not is an error.
    let written = if command.all {
        let (written, left_out) = figures.report_possible(&command.runs, &options)?;
        left_out.iter().for_each(|why| console.caveat(&format!("a figure is missing: {why}")));
        written
    } else {
        figures.report(&command.runs, &options)?
    };
    command.runs.iter().try_for_each(|folder| study::report_state_of(folder, console))?;
    passed_over::report(&command.runs, console);
    written.iter().try_for_each(|path| output::line(path.display()))?;
    console.message(&format!("{} in {}", so_many(written.len(), "file"), options.directory.display()));
    Ok(())
}

/// `--format svg pdf` would take the second format as a folder.
fn no_format_is_a_folder(command: &ReportCommand) -> Result<(), Failure> {
    let format = |run: &PathBuf| run.to_str().filter(|_| !run.exists()).and_then(Format::from_name);
    let Some(format) = command.runs.iter().find_map(format) else { return Ok(()) };
    let name = format.ending();
    Err(Failure::Input(format!(
        "there is no folder {name}, which is a format: expected commas between formats, --format svg,{name}"
    )))
}

/// Axes of single figures where none are given.
const USUAL: [XAxis; 4] = [XAxis::Epochs, XAxis::BitsUp, XAxis::BitsTotal, XAxis::Time];

/// The declared figures after `--set`; none where there is none.
fn changed(command: &ReportCommand) -> Result<Option<Vec<Figure>>, Failure> {
    if command.set.is_empty() {
        return Ok(None);
    }
    let Declarations { figures, arms, axes } = Declarations::read(&command.runs)?;
    let (arms, axes) = (arms.iter().map(String::as_str).collect(), axes.iter().map(String::as_str).collect());
    let figures = with_sets(figures, arms, axes, &command.set);
    Ok(Some(figures.map_err(|problems| Error::Problems { what: "list of figures", problems })?))
}

/// `figures` inside a single folder, else in the working directory.
fn default_directory(runs: &[PathBuf]) -> PathBuf {
    match runs {
        [only] => only.join("figures"),
        _ => PathBuf::from("figures"),
    }
}
