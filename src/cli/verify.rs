//! `fedbits verify`: a figure is compared with its runs, a record or a study with what its scenarios give.

use std::path::{Path, PathBuf};

use fedbits_record::study::{PLAN_FILE, StudyRecord};
use fedbits_record::{has_manifest, is_temporary};
use fedbits_reports::{FigureVerdict, Figures};

use crate::cli::args::VerifyOptions;
use crate::cli::failure::Failure;
use crate::cli::host::{self, Signals};
use crate::cli::output;
use crate::cli::progress::Console;
use crate::cli::study::{report_state, report_state_of};
use crate::executor::Executor;
use crate::listener::Listener;
use crate::verify::{Agreement, record, study};

/// Verifies a figure against its runs, or every record in a folder, or a study.
pub(crate) fn verify(options: &VerifyOptions, figures: &Figures, console: &Console) -> Result<(), Failure> {
    if options.path.is_file() {
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
    let threads = host::set_threads(options.host.threads);
    let (signals, machine) = (Signals::listen()?, options.host.machine());
    let executor = Executor { listener: console, stop: signals.stop(), threads };
    if folder.join(PLAN_FILE).is_file() {
        let record = StudyRecord::open(folder)?;
        report_state(&record, console);
        return whole_study(study::compare(&record, &machine, &executor)?);
    }
    let mut different = 0;
    for directory in records(folder)? {
        different += u32::from(!one(&directory, &record::compare(&directory, &machine, &executor)?, console)?);
    }
    match different {
        0 => Ok(()),
        1 => Err(Failure::Run("one record differs from what its scenario gives".to_owned())),
        many => Err(Failure::Run(format!("{many} records differ from what their scenarios give"))),
    }
}

/// The folder itself if it is a record, else its children that are.
fn records(dir: &Path) -> Result<Vec<PathBuf>, Failure> {
    if has_manifest(dir) {
        return Ok(vec![dir.to_path_buf()]);
    }
    let is_record = |path: &Path| !path.file_name().is_some_and(is_temporary) && has_manifest(path);
    let entries = std::fs::read_dir(dir).map_err(|error| match error.kind() {
        std::io::ErrorKind::NotFound => Failure::Input(format!("there is no folder {}", dir.display())),
        _ => Failure::file(dir, &error),
    })?;
    let mut records: Vec<PathBuf> =
        entries.filter_map(|entry| Some(entry.ok()?.path())).filter(|path| is_record(path)).collect();
    records.sort();
    if records.is_empty() && dir.join(fedbits_record::MANIFEST_FILE).is_file() {
        return Ok(vec![dir.to_path_buf()]);
    }
    if records.is_empty() {
        return Err(Failure::Input(format!("{} holds no record (a folder with manifest.json)", dir.display())));
    }
    Ok(records)
}

/// Says how a record compares.
fn one(directory: &Path, found: &record::Verification, console: &Console) -> Result<bool, Failure> {
    let line = |part: &Agreement| {
        let verdict = if part.same { "same" } else { "DIFFERENT" };
        output::line(format_args!("{}  {:<8}  {verdict}  {}", directory.display(), part.name, part.detail))
    };
    found.digests.iter().try_for_each(line)?;
    if !found.same_digests() && found.engine_version != env!("CARGO_PKG_VERSION") {
        console.message(&format!("  the record was made by version {}", found.engine_version));
    }
    found.first_difference.iter().try_for_each(|difference| output::line(format_args!("  {difference}")))?;
    line(&found.files)?;
    Ok(found.same())
}

/// Says how the runs and the tables of a study compare.
fn whole_study(found: study::StudyVerification) -> Result<(), Failure> {
    let study::StudyVerification { same, different, missing, tables } = found;
    different.iter().try_for_each(|name| output::line(format_args!("{name}  DIFFERENT")))?;
    let also = if missing > 0 { format!(", {missing} are missing") } else { String::new() };
    output::line(format_args!("{same} runs are the same, {} differ{also}", different.len()))?;
    tables.iter().try_for_each(|name| output::line(format_args!("{name}  DIFFERENT from what the runs give")))?;
    match (different.len(), &tables[..]) {
        (0, []) => Ok(()),
        (0, tables) => Err(Failure::Run(format!(
            "{} are not what the runs give: `fedbits study` or `fedbits merge` writes them anew",
            tables.join(", ")
        ))),
        (many, _) => Err(Failure::Run(format!("{many} runs differ from what their scenarios give"))),
    }
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
    let verdict = match &finding {
        FigureVerdict::Same(runs) => {
            output::line(format_args!("{path}  same  what {runs} runs give, to the last byte"))?;
            Ok(())
        }
        FigureVerdict::OtherRuns { figure, given } => {
            let words = |(runs, digest): &(usize, String)| {
                format!("{runs} runs with digest {}", &digest[..16.min(digest.len())])
            };
            output::line(format_args!(
                "{path}  DIFFERENT  it was made of {}, these are {}",
                words(figure),
                words(given)
            ))?;
            Err(Failure::Run("the figure was made of other runs".to_owned()))
        }
        FigureVerdict::Changed { version } => {
            let why = match version {
                Some(version) => format!("it was made by version {version}"),
                None => "the file, or a record, was changed after it was made".to_owned(),
            };
            output::line(format_args!("{path}  DIFFERENT  it names these runs and is not what they give: {why}"))?;
            Err(Failure::Run("the figure is not what these runs give".to_owned()))
        }
    };
    if options.rerun {
        options.runs.iter().try_for_each(|folder| runs(folder, options, console))?;
    }
    verdict
}
