//! `fedbits report`: figures from records.

use std::path::{Path, PathBuf};

use fedbits_record::FigureFolder;
use fedbits_record::results::Results;
use fedbits_reports::declare::{Curves, Figure, FigureKind, ShownArm};
use fedbits_reports::{Declarations, Figures, Format, PageBook, PageEngine, ReportError, ReportOptions, Wanted};
use fedbits_scenarios::{Set, with_sets};
use fedbits_spec::{Caveat, so_many};

use crate::cli::args::ReportCommand;
use crate::cli::failure::Failure;
use crate::cli::output;
use crate::cli::progress::Console;
use crate::cli::project;
use crate::cli::state::open;
use crate::error::Error;
use crate::listener::Listener;
use crate::options::RunOptions;
use crate::page_engine::page_engine_of;

/// Writes the figures and prints their paths.
pub(crate) fn report(command: &ReportCommand, figures: &Figures, console: &Console) -> Result<(), Failure> {
    no_format_is_a_folder(command)?;
    let usual = || if let [only] = &command.runs[..] { only.join("figures") } else { PathBuf::from("figures") };
    let directory = command.out.clone().unwrap_or_else(usual);
    let mut options = ReportOptions::new(command.style.unwrap_or_else(project::style), &command.format, directory);
    options.wanted = match (command.all, &command.figure[..]) {
        (true, _) => Wanted::All,
        (false, []) => Wanted::Declared,
        (false, names) => Wanted::Named(names.to_vec()),
    };
    if command.page.is_some() && !command.format.contains(&Format::Html) {
        return Err(Failure::Input(
            "--page run is of the page: expected html among the formats (--format html)".to_owned(),
        ));
    }
    let runs = open(&command.runs, console)?;
    if command.page.is_some() {
        match &runs[..] {
            [record] => options.engine = Some(engine(command, record, console)?),
            several => return tell(&book(command, figures, (several, options), console)?, console),
        }
    }
    options.declared = edited(command, figures, (&runs, &options.wanted))?;
    // Of all that there can be a part is enough; a figure that is asked for is there, or an error behind the others.
    let written = if command.all {
        let (written, left_out) = figures.report_possible(&runs, &options)?;
        left_out.iter().for_each(|why| console.caveat(&Caveat::MissingFigure { why: why.to_string() }));
        written
    } else {
        match figures.report(&runs, &options) {
            Err(ReportError::Partly { written, left_out }) => {
                tell(&written, console)?;
                return Err(ReportError::Partly { written, left_out }.into());
            }
            written => written?,
        }
    };
    tell(&written, console)
}

/// Prints the paths of what is written.
fn tell(written: &[PathBuf], console: &Console) -> Result<(), Failure> {
    written.iter().try_for_each(|path| output::line(path.display()))?;
    let folder = written.first().and_then(|path| path.parent()).unwrap_or(Path::new(""));
    let earlier = match FigureFolder::open(folder)?.others(written) {
        0 => String::new(),
        some => format!("; {some} of earlier reports stay there"),
    };
    console.message(&format!("{} in {}{earlier}", so_many(written.len(), "file"), folder.display()));
    Ok(())
}

fn engine(command: &ReportCommand, record: &Results, console: &Console) -> Result<PageEngine, Failure> {
    let machine = RunOptions { data: command.data.clone(), ..RunOptions::default() };
    Ok(page_engine_of(record, command.engine.as_deref(), command.with_data, &machine, console)?)
}

/// Writes one file with a page for the runs of each folder.
fn book(
    command: &ReportCommand,
    figures: &Figures,
    (folders, mut options): (&[Results], ReportOptions),
    console: &Console,
) -> Result<Vec<PathBuf>, Failure> {
    let mut book = PageBook { pages: Vec::new(), module: Vec::new() };
    for record in folders {
        let mut engine = engine(command, record, console)?;
        book.module = std::mem::take(&mut engine.module);
        options.engine = Some(engine);
        options.declared = edited(command, figures, (std::slice::from_ref(record), &options.wanted))?;
        book.pages.push((record.plan().name.clone(), figures.page(record, &options)?));
    }
    Ok(figures.write_book(&book, &options)?)
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

/// The declared figures after `--set` and the options that are edits of them; none where there is no edit.
fn edited(
    command: &ReportCommand,
    figures: &Figures,
    (runs, wanted): (&[Results], &Wanted),
) -> Result<Option<Vec<Figure>>, Failure> {
    let edits = edits(command);
    if command.set.is_empty() && edits.is_empty() {
        return Ok(None);
    }
    let Declarations { figures: declared, arms, axes } = figures.declarations(runs, wanted)?;
    let (arm_names, axis_names) = (texts(&arms), texts(&axes));
    let set = |declared, sets: &[Set]| {
        with_sets(declared, arm_names.clone(), axis_names.clone(), sets)
            .map_err(|problems| Error::Problems { what: "list of figures", problems })
    };
    let mut declared = set(declared, &command.set)?;
    let chosen = figures.choose(wanted, &mut declared)?;
    let mut sets = Vec::new();
    for edit in &edits {
        let fitting: Vec<usize> = chosen.iter().copied().filter(|&number| edit.fits(&declared[number])).collect();
        if fitting.is_empty() {
            return Err(edit.unfit(&declared));
        }
        for number in fitting {
            // A kind by its name has no fields.
            if edit.kind == CURVES && matches!(declared[number].kind, FigureKind::Named(_)) {
                declared[number].kind = FigureKind::Curves(Curves::default());
            }
            let path = format!("figures[{number}].{}", edit.field);
            let value = edit.value.clone().map_or_else(|| shown(command, &declared[number], &arms), Ok)?;
            sets.push(Set { path, value });
        }
    }
    Ok(Some(set(declared, &sets)?))
}

fn texts(names: &[String]) -> Vec<&str> {
    names.iter().map(String::as_str).collect()
}

/// The name of the kind of figures of curves.
const CURVES: Option<&str> = Some("convergence");

/// What an option says of a field of declared figures.
struct FigureEdit {
    option: &'static str,
    /// The kind of figures that have the field; none: every figure has it.
    kind: Option<&'static str>,
    field: &'static str,
    /// The value in RON; none: the arms that are [`shown`], which differ by figure.
    value: Option<String>,
}

impl FigureEdit {
    fn fits(&self, figure: &Figure) -> bool {
        self.kind.is_none_or(|kind| kind == figure.kind.name())
    }

    fn unfit(&self, declared: &[Figure]) -> Failure {
        let Self { option, kind, field, .. } = self;
        let fitting: Vec<String> =
            declared.iter().filter(|figure| self.fits(figure)).map(|figure| format!("`{}`", figure.name)).collect();
        let expected = match (&fitting[..], kind) {
            ([], Some("heat")) => "expected `--figure heat`, or a declared figure `Heat(…)`".to_owned(),
            ([], Some(_)) => "expected `--figure convergence`, or a declared figure `Curves(…)`".to_owned(),
            ([], None) => "expected a declared figure, or `--figure NAME`".to_owned(),
            (names, _) => format!("expected `--figure` with one of {}", names.join(", ")),
        };
        let costs = match *option {
            "--x" => "; kinds without curves have `costs`, as in the declared figure `Cost(costs: [Time])`",
            _ => "",
        };
        Failure::Input(format!("{option}: no chosen figure has `{field}`: {expected}{costs}"))
    }
}

fn edits(command: &ReportCommand) -> Vec<FigureEdit> {
    let (curves, heat) = (CURVES, Some("heat"));
    let edit = |option, kind, field, value| FigureEdit { option, kind, field, value: Some(value) };
    let axes = (!command.x.is_empty()).then(|| edit("--x", curves, "kind.x", fedbits_text::write(&command.x)));
    let scale = |scale| edit("--x-scale", curves, "kind.x_scale", fedbits_text::write(scale));
    let free_x = command.free_x.then(|| edit("--free-x", curves, "kind.free_x", "true".to_owned()));
    let sides = |(rows, columns): &(String, String)| {
        [("kind.rows", rows), ("kind.columns", columns)]
            .map(|(field, axis)| edit("--axes", heat, field, fedbits_text::write(&Some(axis))))
    };
    let option = if command.arm.is_empty() { "--label" } else { "--arm" };
    let names_arms = !command.arm.is_empty() || !command.label.is_empty();
    let arms = names_arms.then_some(FigureEdit { option, kind: None, field: "arms", value: None });
    let mut edits: Vec<FigureEdit> = axes.into_iter().chain(command.x_scale.as_ref().map(scale)).collect();
    edits.extend(free_x.into_iter().chain(command.axes.iter().flat_map(sides)).chain(arms));
    edits
}

/// The arms of a figure by `--arm` and `--label`, in RON.
fn shown(command: &ReportCommand, figure: &Figure, arms: &[String]) -> Result<String, Failure> {
    let named = |names: &[String]| names.iter().cloned().map(ShownArm::Arm).collect();
    let shown: Vec<ShownArm> = match (&command.arm[..], &figure.arms[..]) {
        ([], []) => named(arms),
        ([], declared) => declared.to_vec(),
        (chosen, _) => named(chosen),
    };
    if command.label.is_empty() {
        return Ok(fedbits_text::write(&shown));
    }
    let (labels, count) = (&command.label, shown.len());
    if labels.len() != count {
        let (labels, arms) = (so_many(labels.len(), "label"), so_many(count, "arm"));
        return Err(Failure::Input(format!(
            "{labels} for {arms} of the figure `{}`: expected one per arm",
            figure.name
        )));
    }
    let labelled = |(arm, label): (ShownArm, &String)| match arm {
        ShownArm::Arm(arm) | ShownArm::Labelled { arm, .. } => ShownArm::Labelled { arm, label: label.clone() },
        ShownArm::Group { arms, .. } => ShownArm::Group { label: label.clone(), arms },
    };
    Ok(fedbits_text::write(&shown.into_iter().zip(labels).map(labelled).collect::<Vec<_>>()))
}
