//! `fedbits verify`: a figure is compared with its runs, a record or a study with what its scenarios give.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use fedbits_record::study::{StudyRecord, has_plan};
use fedbits_record::{has_manifest, is_temporary, missing_caveat};
use fedbits_reports::{FigureVerdict, Figures};
use fedbits_spec::{files, so_many};
use serde_json::json;

use crate::cli::args::VerifyOptions;
use crate::cli::failure::Failure;
use crate::cli::format::{TableFormat, Titled};
use crate::cli::host::{self, Signals};
use crate::cli::output;
use crate::cli::passed_over;
use crate::cli::progress::Console;
use crate::cli::study::{report_state, report_state_of};
use crate::cli::style::{BAD, GOOD};
use crate::cli::table::{Cell, Table};
use crate::cli::wrap;
use crate::error::Error;
use crate::executor::Executor;
use crate::listener::Listener;
use crate::verify::record::listed;
use crate::verify::{Agreement, record, study};

/// Verifies a figure against its runs, or every record in a folder, or a study.
pub(crate) fn verify(options: &VerifyOptions, figures: &Figures, console: &Console) -> Result<(), Failure> {
    if files::is_file(&options.path).map_err(|error| Failure::file(&options.path, &error))? {
        return figure(options, figures, console);
    }
    if !options.runs.is_empty() {
        let path = options.path.display();
        return Err(Failure::Input(format!(
            "{path} is no file: --runs belongs to a figure or table that is compared with them"
        )));
    }
    runs(&options.path, options, console)
}

/// Runs every record in the folder, or every run of the study there, again.
fn runs(folder: &Path, options: &VerifyOptions, console: &Console) -> Result<(), Failure> {
    let (threads, format) = (host::set_threads(options.host.threads), options.format.get());
    let signals = Signals::listen()?;
    let machine = options.host.machine_of_record()?;
    let executor = Executor { listener: console, stop: signals.stop(), threads };
    if has_plan(folder)? {
        let record = StudyRecord::open(folder)?;
        report_state(&record, console);
        return whole_study(study::compare(&record, &machine, &executor)?, format);
    }
    let mut verified = Verified::new();
    passed_over::report_left_out(&[folder.to_path_buf()], console);
    let directories = records(folder)?;
    for directory in &directories {
        let compared = record::compare(directory, &machine, &executor);
        let is_unread = matches!(compared, Err(Error::File { .. }));
        match compared.map_err(cannot_run_again) {
            Ok(found) => verified.note(directory, &found, (format, console))?,
            // It keeps no other from being verified.
            Err(why) if directories.len() > 1 && (is_unread || matches!(why, Failure::Input(_) | Failure::Run(_))) => {
                verified.refuse(directory, why);
            }
            Err(other) => return Err(other),
        }
    }
    let table = if format == TableFormat::Human { &verified.records } else { &verified.parts };
    format.print(&[Titled { title: "records", name: "records", table }])?;
    if format == TableFormat::Human {
        files_read(&verified.data_files)?;
    }
    let some = |count: u32, words| (count > 0).then(|| so_many(count, words));
    let differs = "record differs from what its scenario gives|records differ from what their scenarios give";
    let different = some(verified.different, differs);
    let refused = some(verified.refused, "record cannot be run again|records cannot be run again");
    let missing = missing_caveat(folder);
    let wrong: Vec<String> =
        different.into_iter().chain(refused).chain(missing.map(|caveat| caveat.to_string())).collect();
    if wrong.is_empty() { Ok(()) } else { Err(Failure::Run(wrong.join("; "))) }
}

/// The text of a record was valid where it was run: what is wrong with it here and now is noted, as a difference is.
fn cannot_run_again(error: Error) -> Failure {
    let is_difference = matches!(error, Error::Problems { .. } | Error::Input(_));
    let failure = Failure::from(error);
    match is_difference {
        true => Failure::Run(format!("{NOT_HERE}: {}", failure.text())),
        false => failure,
    }
}

/// What precedes the reason: other data, another program, data that are not found, or too little memory.
const NOT_HERE: &str = "it cannot be run again here";

/// The folder itself if it is a record, else its children that are.
pub(crate) fn records(dir: &Path) -> Result<Vec<PathBuf>, Failure> {
    if has_manifest(dir)? {
        return Ok(vec![dir.to_path_buf()]);
    }
    let entries = std::fs::read_dir(dir).map_err(|error| match error.kind() {
        std::io::ErrorKind::NotFound => Failure::Input(format!("there is no folder {}", dir.display())),
        _ => Failure::file(dir, &error),
    })?;
    let mut records = Vec::new();
    for entry in entries {
        let path = entry.map_err(|error| Failure::file(dir, &error))?.path();
        if !path.file_name().is_some_and(is_temporary) && has_manifest(&path)? {
            records.push(path);
        }
    }
    records.sort();
    if records.is_empty() && fedbits_record::is_there(&dir.join(fedbits_record::MANIFEST_FILE))? {
        return Ok(vec![dir.to_path_buf()]);
    }
    if records.is_empty() {
        let hint = passed_over::hint(dir);
        return Err(Failure::Input(format!("{} holds no record (a folder with manifest.json){hint}", dir.display())));
    }
    Ok(records)
}

/// Names the files that runs have read, for people.
fn files_read(files: &BTreeSet<PathBuf>) -> Result<(), Failure> {
    listed(files).map_or(Ok(()), |files| output::print(wrap::prose("", "  ", &format!("files read: {files}"))))
}

/// What was compared in the records of a folder.
struct Verified {
    /// A row per record, for people.
    records: Table,
    /// A row per record and part, with its value, for programs.
    parts: Table,
    different: u32,
    /// How many cannot be run again.
    refused: u32,
    /// The files that the runs have read.
    data_files: BTreeSet<PathBuf>,
}

impl Verified {
    fn new() -> Self {
        let records = Table::default().text("record").text("data").text("timeline").text("state").text("files");
        let parts = Table::default().text("record").text("part").text("verdict").text("value");
        Self { records, parts, different: 0, refused: 0, data_files: BTreeSet::new() }
    }

    /// Notes a record that cannot be run again, and says why at once.
    fn refuse(&mut self, directory: &Path, why: Failure) {
        let record = || Cell::Text(directory.display().to_string());
        self.records.row([record()].into_iter().chain((0..4).map(|_| Cell::Missing)).collect());
        self.parts.row(vec![record(), "run".into(), "cannot be run again".into(), why.text().into()]);
        self.refused += 1;
        why.about(&directory.display().to_string()).print();
    }

    /// Notes how a record compares; where people look on, what differs is said at once.
    fn note(
        &mut self,
        directory: &Path,
        found: &record::Verification,
        (format, console): (TableFormat, &Console),
    ) -> Result<(), Failure> {
        let verdict = |part: &Agreement| Cell::from(if part.same { "same" } else { "differs" });
        let [data, timeline, state] = &found.digests;
        let record = || Cell::Text(directory.display().to_string());
        self.records.row(vec![record(), verdict(data), verdict(timeline), verdict(state), verdict(&found.files)]);
        for part in found.digests.iter().chain([&found.files]) {
            self.parts.row(vec![record(), part.name.into(), verdict(part), Cell::Text(part.detail.clone())]);
        }
        for file in &found.data_files {
            self.parts.row(vec![record(), "file".into(), "read".into(), Cell::Text(file.display().to_string())]);
        }
        self.data_files.extend(found.data_files.iter().cloned());
        self.different += u32::from(!found.same());
        if !found.same_digests() && found.engine_version != env!("CARGO_PKG_VERSION") {
            console.message(&format!("  the record was made by version {}", found.engine_version));
        }
        let mut lines: Vec<String> =
            found.digests.iter().filter(|part| !part.same).map(|part| line(directory, part)).collect();
        lines.extend(found.first_difference.clone());
        lines.extend((!found.files.same).then(|| line(directory, &found.files)));
        for line in lines {
            match format {
                TableFormat::Human => output::print(wrap::prose("", "  ", &line))?,
                _ => console.message(&line),
            }
        }
        Ok(())
    }
}

/// What differs in one part.
fn line(directory: &Path, part: &Agreement) -> String {
    format!("{}  {}  DIFFERENT  {}", directory.display(), part.name, part.detail)
}

/// Says how the runs and the tables of a study compare.
fn whole_study(found: study::StudyVerification, format: TableFormat) -> Result<(), Failure> {
    let study::StudyVerification { same, different, data, impossible, missing, tables, data_files } = found;
    let not_again: Vec<&String> = impossible.iter().map(|(name, _)| name).collect();
    let mut all = Table::default().text("what").text("name").text("verdict");
    let row = |what: &str, name: &str, verdict: &str| vec![what.into(), name.into(), verdict.into()];
    different.iter().for_each(|name| all.row(row("run", name, "differs")));
    data.iter().for_each(|files| all.row(row("data", files, "differs")));
    not_again.iter().for_each(|name| all.row(row("run", name, "cannot be run again")));
    tables.iter().for_each(|name| all.row(row("table", name, "differs")));
    data_files.iter().for_each(|file| all.row(row("file", &file.display().to_string(), "read")));
    match format {
        TableFormat::Json => output::line(json!({
            "same": same, "different": different, "data_that_differ": data, "cannot_be_run_again": not_again,
            "missing": missing, "tables_that_differ": tables, "files_read": data_files,
        }))?,
        TableFormat::Human => {
            let line =
                |name: &String, what: &str| output::print(wrap::prose("", "  ", &format!("{name}  DIFFERENT{what}")));
            different.iter().try_for_each(|name| line(name, ""))?;
            data.iter().try_for_each(|files| output::lines(format_args!("data  DIFFERENT  {files}")))?;
            let further = [
                (not_again.len() as u64, "cannot be run again|cannot be run again"),
                (missing, "has no result|have no result"),
            ];
            let further = further.iter().filter(|(count, _)| *count > 0);
            let further: String = further.map(|(count, what)| format!(", {}", so_many(count, what))).collect();
            output::line(format_args!(
                "{} the same, {}{further}",
                so_many(same, "run is|runs are"),
                so_many(different.len(), "differs|differ")
            ))?;
            tables.iter().try_for_each(|name| line(name, " from what the runs give"))?;
            files_read(&data_files)?;
        }
        other => other.print(&[Titled { title: "what differs", name: "differs", table: &all }])?,
    }
    let mut wrong = Vec::new();
    if !different.is_empty() {
        wrong.push(so_many(
            different.len(),
            "run differs from what its scenario gives|runs differ from what their scenarios give",
        ));
    }
    if !impossible.is_empty() {
        wrong.push(so_many(impossible.len(), "run cannot be made again|runs cannot be made again"));
    }
    if wrong.is_empty() && !tables.is_empty() {
        let tables = tables.join(", ");
        wrong.push(format!("{tables} are not what the runs give: `fedbits study` or `fedbits merge` writes them anew"));
    }
    // The first stands for all: what keeps one run from being made again mostly keeps the others from it, too.
    if let Some((name, why)) = impossible.into_iter().next() {
        cannot_run_again(why).about(&name).print();
    }
    if wrong.is_empty() { Ok(()) } else { Err(Failure::Run(wrong.join("; "))) }
}

/// Verifies a figure or a table.
fn figure(options: &VerifyOptions, figures: &Figures, console: &Console) -> Result<(), Failure> {
    let path = options.path.display();
    if options.runs.is_empty() {
        return Err(Failure::Input(format!(
            "{path} is compared with the runs it was made of: name them by --runs DIR"
        )));
    }
    let finding = figures.verify(&options.path, &options.runs)?;
    options.runs.iter().try_for_each(|folder| report_state_of(folder, console))?;
    let (text, verdict) = of_figure(&finding);
    let same = verdict.is_ok();
    match options.format.get() {
        TableFormat::Human => {
            let (style, word) = if same { (GOOD, "same") } else { (BAD, "DIFFERENT") };
            output::print(wrap::prose("", "  ", &format!("{path}  {style}{word}{style:#}  {text}")))?;
        }
        other => {
            let mut table = Table::default().text("figure").text("verdict").text("why");
            let word = if same { "same" } else { "differs" };
            table.row(vec![Cell::Text(path.to_string()), word.into(), Cell::Text(text)]);
            other.print(&[Titled { title: "figure", name: "figures", table: &table }])?;
        }
    }
    if options.rerun {
        options.runs.iter().try_for_each(|folder| runs(folder, options, console))?;
    }
    verdict
}

/// Arms that are listed by name where a figure and runs have different ones.
const LISTED_ARMS: usize = 20;

/// What is said of a figure, and how the command ends.
fn of_figure(finding: &FigureVerdict) -> (String, Result<(), Failure>) {
    match finding {
        FigureVerdict::Same(runs) => {
            (format!("what {}, to the last byte", so_many(runs, "run gives|runs give")), Ok(()))
        }
        FigureVerdict::OtherRuns { figure, given } => {
            let words = |(runs, digest): &(usize, String)| {
                format!("{} with digest {}", so_many(runs, "run"), digest.get(..16).unwrap_or(digest))
            };
            let text = format!("these are other runs: it was made of {}, these are {}", words(figure), words(given));
            (text, Err(Failure::Run("the figure was made of other runs".to_owned())))
        }
        FigureVerdict::OtherArms { figure, given } => {
            let words = |arms: &[String]| {
                let names =
                    arms.iter().take(LISTED_ARMS).map(|name| format!("`{name}`")).collect::<Vec<_>>().join(", ");
                if arms.len() > LISTED_ARMS { format!("{names}, … ({})", arms.len()) } else { names }
            };
            let text = format!("these are other runs: it has the arms {}, they have {}", words(figure), words(given));
            (text, Err(Failure::Run("the figure was made of other runs".to_owned())))
        }
        FigureVerdict::OtherStudy { figure, given } => {
            let given =
                given.as_ref().map_or_else(|| "of no study".to_owned(), |given| format!("of the study `{given}`"));
            let text = format!(
                "it names these runs, of the study `{figure}`; they are {given} now, and figures name the study"
            );
            (text, Err(Failure::Run("the figure was made of a study of another name".to_owned())))
        }
        FigureVerdict::Changed { version } => {
            let why = match version {
                Some(version) => format!("it was made by version {version}"),
                None => "the file, or a record, was changed after it was made".to_owned(),
            };
            let text = format!("it names these runs and is not what they give: {why}");
            (text, Err(Failure::Run("the figure is not what these runs give".to_owned())))
        }
    }
}
