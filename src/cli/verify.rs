//! `fedbits verify`: a figure is compared with its runs, runs with what their scenarios give.

use std::path::{Path, PathBuf};

use fedbits_reports::{FigureVerdict, Figures};
use fedbits_spec::{files, so_many};
use serde_json::json;

use crate::cli::args::VerifyOptions;
use crate::cli::failure::Failure;
use crate::cli::format::{TableFormat, Titled};
use crate::cli::host::{self, Signals};
use crate::cli::output;
use crate::cli::progress::Console;
use crate::cli::state::open;
use crate::cli::style::{BAD, GOOD};
use crate::cli::table::{Cell, Table};
use crate::cli::wrap;
use crate::error::Error;
use crate::executor::Executor;
use crate::listener::Listener;
use crate::scenario::LISTED_ARMS;
use crate::verify::{RunDifference, Verification, compare, listed};

/// Verifies a figure against its runs, or the runs of a folder.
pub(crate) fn verify(options: &VerifyOptions, figures: &Figures, console: &Console) -> Result<(), Failure> {
    host::set_threads(options.host.threads);
    if files::is_file(&options.path).map_err(|error| Failure::file(&options.path, &error))? {
        return figure(options, figures, console);
    }
    if !options.runs.is_empty() {
        let path = options.path.display();
        return Err(Failure::Input(format!(
            "{path} is not a file: --runs belongs to a figure or table that is compared with them"
        )));
    }
    runs(&options.path, options, console)
}

/// Makes every run of the folder, or of those directly in it, again.
fn runs(folder: &Path, options: &VerifyOptions, console: &Console) -> Result<(), Failure> {
    let (threads, format) = (host::set_threads(options.host.threads), options.format.get());
    let signals = Signals::listen()?;
    let machine = options.host.machine_of_record()?;
    let executor = Executor { listener: console, stop: signals.stop(), threads };
    let mut found = Vec::new();
    for record in open(&[folder.to_path_buf()], console)? {
        found.push((record.directory().to_path_buf(), compare(&record, &machine, &executor)?));
    }
    print(&found, format, console)?;
    verdict(found)
}

/// The text of a run was valid where it was made: what is wrong with it here and now is noted, as a difference is.
fn cannot_run_again(error: Error) -> Failure {
    let is_difference = matches!(error, Error::Problems { .. } | Error::Input(_));
    let failure = Failure::from(error);
    if is_difference { Failure::Run(format!("{NOT_HERE}: {}", failure.text())) } else { failure }
}

/// What precedes the reason: other data, another program, data that are not found, or too little memory.
const NOT_HERE: &str = "it cannot be run again here";

/// Says how the runs and the tables of folders compare.
fn print(found: &[(PathBuf, Verification)], format: TableFormat, console: &Console) -> Result<(), Failure> {
    match format {
        TableFormat::Human => found.iter().try_for_each(|(folder, verification)| {
            if found.len() > 1 {
                output::line(folder.display())?;
            }
            for_people(verification, console)
        }),
        TableFormat::Json => {
            let all: Vec<_> = found.iter().map(|(folder, found)| json(folder, found)).collect();
            output::line(match &all[..] {
                [only] => only.clone(),
                several => json!({ "folders": several }),
            })
        }
        format => {
            let mut table = Table::default().text("folder").text("what").text("name").text("verdict");
            found.iter().for_each(|(folder, found)| rows(&folder.display().to_string(), found, &mut table));
            format.print(&[Titled { title: "what differs", name: "differs", table: &table }])
        }
    }
}

fn json(folder: &Path, found: &Verification) -> serde_json::Value {
    let not_again: Vec<_> =
        found.impossible.iter().map(|(run, why)| json!({ "run": run, "why": why.to_string() })).collect();
    json!({
        "directory": folder,
        "same": found.same,
        "different": found.different,
        "data_that_differ": found.data,
        "cannot_be_run_again": not_again,
        "missing": found.missing,
        "tables_that_differ": found.tables,
        "files_read": found.data_files,
    })
}

fn rows(folder: &str, found: &Verification, table: &mut Table) {
    let mut row = |what: &str, name: &str, verdict: &str| {
        table.row(vec![folder.into(), what.into(), name.into(), Cell::from(verdict)]);
    };
    let counts = [(found.same, "same"), (found.missing, "no result")];
    counts.iter().filter(|(runs, _)| *runs > 0).for_each(|(runs, verdict)| row("runs", &runs.to_string(), verdict));
    found.different.iter().for_each(|run| row("run", &run.run, &format!("differs: {}", run.parts.join(", "))));
    found.data.iter().for_each(|files| row("data", files, "differs"));
    found.impossible.iter().for_each(|(name, _)| row("run", name, "cannot be run again"));
    found.tables.iter().for_each(|name| row("table", name, "differs"));
    found.data_files.iter().for_each(|file| row("file", &file.display().to_string(), "read"));
}

fn for_people(found: &Verification, console: &Console) -> Result<(), Failure> {
    let line = |text: &str| output::print(wrap::prose("", "  ", text));
    for RunDifference { run, parts, first_event, engine_version } in &found.different {
        line(&format!("{run}  DIFFERENT  {}", parts.join(", ")))?;
        first_event.iter().try_for_each(|event| line(&format!("  {event}")))?;
        if let Some(version) = engine_version {
            console.message(&format!("  the run was made by version {version}"));
        }
    }
    found.data.iter().try_for_each(|files| output::lines(format_args!("data  DIFFERENT  {files}")))?;
    let further = [
        (found.impossible.len() as u64, "cannot be run again|cannot be run again"),
        (found.missing, "has no result|have no result"),
    ];
    let further = further.iter().filter(|(count, _)| *count > 0);
    let further: String = further.map(|(count, what)| format!(", {}", so_many(count, what))).collect();
    output::line(format_args!(
        "{} the same, {}{further}",
        so_many(found.same, "run is|runs are"),
        so_many(found.different.len(), "differs|differ")
    ))?;
    found.tables.iter().try_for_each(|name| line(&format!("{name}  DIFFERENT from what the runs give")))?;
    listed(&found.data_files).map_or(Ok(()), |files| line(&format!("files read: {files}")))
}

/// What differs, or cannot be made again, is an error.
fn verdict(found: Vec<(PathBuf, Verification)>) -> Result<(), Failure> {
    let mut wrong = Vec::new();
    let count = |of: fn(&Verification) -> usize| found.iter().map(|(_, found)| of(found)).sum::<usize>();
    let (different, impossible) = (count(|found| found.different.len()), count(|found| found.impossible.len()));
    if different > 0 {
        let what = "run differs from what its scenario gives|runs differ from what their scenarios give";
        wrong.push(so_many(different, what));
    }
    if impossible > 0 {
        wrong.push(so_many(impossible, "run cannot be made again|runs cannot be made again"));
    }
    let tables: Vec<&str> = found.iter().flat_map(|(_, found)| &found.tables).map(String::as_str).collect();
    if wrong.is_empty() && !tables.is_empty() {
        let tables = tables.join(", ");
        wrong.push(format!("{tables} are not what the runs give: `fedbits run` or `fedbits merge` writes them anew"));
    }
    if wrong.is_empty() && count(|found| usize::try_from(found.same).unwrap_or(usize::MAX)) == 0 {
        wrong.push("nothing was verified: no run has a result".to_owned());
    }
    // The first stands for all: what keeps one run from being made again mostly keeps the others from it, too.
    let several = found.len() > 1;
    let named = |(folder, found): (PathBuf, Verification)| {
        let name = move |name| if several { format!("{}: {name}", folder.display()) } else { name };
        found.impossible.into_iter().map(move |(run, why)| (name(run), why))
    };
    if let Some((name, why)) = found.into_iter().flat_map(named).next() {
        cannot_run_again(why).about(&name).print();
    }
    if wrong.is_empty() { Ok(()) } else { Err(Failure::Run(wrong.join("; "))) }
}

fn figure(options: &VerifyOptions, figures: &Figures, console: &Console) -> Result<(), Failure> {
    let path = options.path.display();
    if options.runs.is_empty() {
        return Err(Failure::Input(format!(
            "{path} is compared with the runs it was made of: name them by --runs DIR"
        )));
    }
    let records = open(&options.runs, console)?;
    let finding = figures.verify(&options.path, &records.iter().collect::<Vec<_>>())?;
    let (text, difference) = of_figure(&finding);
    let same = difference.is_none();
    match options.format.get() {
        TableFormat::Human => {
            let (style, word) = if same { (GOOD, "same") } else { (BAD, "DIFFERENT") };
            output::print(wrap::prose("", "  ", &format!("{path}  {style}{word}{style:#}  {text}")))?;
        }
        format => {
            let mut table = Table::default().text("figure").text("verdict").text("why");
            let word = if same { "same" } else { "differs" };
            table.row(vec![Cell::Text(path.to_string()), word.into(), Cell::Text(text)]);
            format.print(&[Titled { title: "figure", name: "figures", table: &table }])?;
        }
    }
    if options.rerun {
        options.runs.iter().try_for_each(|folder| runs(folder, options, console))?;
    }
    difference.map_or(Ok(()), |why| Err(Failure::Run(why.to_owned())))
}

/// What is said of a figure, and in a few words why it differs.
fn of_figure(finding: &FigureVerdict) -> (String, Option<&'static str>) {
    const OTHER_RUNS: &str = "the figure was made of other runs";
    match finding {
        FigureVerdict::Same(runs) => (format!("as drawn from {}, byte for byte", so_many(runs, "run")), None),
        FigureVerdict::OtherRuns { figure, given } => {
            let words = |(runs, digest): &(usize, String)| {
                format!("{} with digest {}", so_many(runs, "run"), digest.get(..16).unwrap_or(digest))
            };
            let text = format!("these are other runs: it was made of {}, these are {}", words(figure), words(given));
            (text, Some(OTHER_RUNS))
        }
        FigureVerdict::OtherArms { figure, given } => {
            let [figure, given] = [figure, given].map(|arms| fedbits_text::first_few(arms, LISTED_ARMS));
            let text = format!("these are other runs: it has the arms {figure}, they have {given}");
            (text, Some(OTHER_RUNS))
        }
        FigureVerdict::OtherScenario { figure, given } => {
            let of_one = given.as_ref().map(|given| format!("of the scenario `{given}`"));
            let given = of_one.unwrap_or_else(|| "of several folders".to_owned());
            let text = format!(
                "it names these runs, of the scenario `{figure}`; they are {given} now, and figures name the scenario"
            );
            (text, Some("the figure was made of a scenario of another name"))
        }
        FigureVerdict::Changed { version } => {
            let made = version.as_ref().map(|version| format!("it was made by version {version}"));
            let why = made.unwrap_or_else(|| "the file, or a run, was changed after it was made".to_owned());
            let text = format!("it names these runs and is not what they give: {why}");
            (text, Some("the figure is not what these runs give"))
        }
    }
}
