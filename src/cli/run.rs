//! `fedbits run`: all arms, axes and replicates of a scenario, their tables, and the figures that show them together.
//!
//! A run that cannot be run or fails does not keep the others from running; it decides the exit code.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use fedbits_record::results::Results;
use fedbits_record::{Claim, FIGURES_FOLDER, FigureFolder, RecordError};
use fedbits_reports::{Figures, Format, ReportOptions, Wanted};
use fedbits_scenarios::library;
use fedbits_spec::{Caveat, so_many};
use glob::{MatchOptions, Pattern};

use crate::cli::args::RunOptions;
use crate::cli::failure::Failure;
use crate::cli::format::TableFormat;
use crate::cli::host::{self, Signals};
use crate::cli::output;
use crate::cli::progress::Console;
use crate::cli::project;
use crate::cli::state::verdict;
use crate::cli::summary;
use crate::cli::table::each_once;
use crate::cli::watch;
use crate::executor::Executor;
use crate::listener::Listener;
use crate::runs::{MissingRuns, Runs, Shard};
use crate::scenario::Scenario;

pub(crate) fn run(options: &RunOptions, kinds: &Figures, console: &Console) -> Result<(), Failure> {
    let threads = host::set_threads(options.changes.host.threads);
    let work = Work { options, kinds, console, threads };
    if options.replicates.is_some() {
        options.changes.spare("replicates")?;
    }
    // How many files a pattern matches does not change where results go.
    let by_pattern = options.files.iter().any(|name| is_pattern(name));
    match &chosen(&options.files)?[..] {
        [only] if !by_pattern => work.one(only, options.out.as_deref()),
        several => work.several(several),
    }
}

/// What all scenarios of a command have in common.
struct Work<'a> {
    options: &'a RunOptions,
    kinds: &'a Figures,
    console: &'a Console,
    threads: usize,
}

impl Work<'_> {
    /// Runs each; one that fails does not keep the others from running, and decides the exit code.
    fn several(&self, names: &[String]) -> Result<(), Failure> {
        let folder = self.options.out.clone().unwrap_or_else(|| PathBuf::from("out"));
        let outs = folders(names, &folder)?;
        let mut failed = Vec::new();
        for (name, out) in names.iter().zip(&outs) {
            match self.one(name, Some(out)) {
                Ok(()) => {}
                Err(failure @ Failure::Signal(_)) => return Err(failure),
                Err(failure) => {
                    failure.print();
                    failed.push(name.as_str());
                }
            }
        }
        match failed.len() {
            0 => Ok(()),
            many => Err(Failure::Run(format!("{many} of {} scenarios failed: {}", names.len(), failed.join(", ")))),
        }
    }

    fn one(&self, file: &str, out: Option<&Path>) -> Result<(), Failure> {
        let Self { options, kinds, console, .. } = *self;
        let scenario = options.changes.read(file)?;
        let replicates = options.replicates.map(|replicates| replicates.to_string());
        let scenario = replicates.iter().fold(scenario, |scenario, number| scenario.set("replicates", number));
        let runs = scenario.runs()?;
        kinds.has_kinds_of(&runs.checked.scenario.figures)?;
        let out = out.map_or_else(|| Path::new("out").join(scenario.name()), Path::to_path_buf);
        let (shard, format) = (options.shard.map(|shard| shard.resolve()).transpose()?, options.format.get());
        if format == TableFormat::Json {
            output::check_json_path(&out)?;
        }
        output::check_folder(&out)?;
        let has_figures = !options.no_figures && shard.is_none();
        if has_figures && let Some(path) = FigureFolder::open(&out.join(FIGURES_FOLDER))?.foreign_entry()? {
            return Err(RecordError::InTheWay { path, what: "no figure that a report wrote here" }.into());
        }
        let record = self.play(&runs, &out, shard)?;
        let counts = record.counts();
        let figures = match has_figures && counts.results() > 0 {
            true if counts.missing() > 0 => {
                console.message("no figures: another process makes the runs that are missing");
                Ok(Vec::new())
            }
            true => self.figures(&record),
            false => {
                let folder = out.join(FIGURES_FOLDER);
                if shard.is_none() && FigureFolder::open(&folder).is_ok_and(|figures| figures.others(&[]) > 0) {
                    let (folder, out) = (folder.display(), out.display());
                    console.message(&format!("{folder} has older figures: `fedbits report {out}` draws them anew"));
                }
                Ok(Vec::new())
            }
        };
        let paths = figures.as_deref().unwrap_or_default();
        summary::print(&record, shard, paths, format, console)?;
        if let Some(page) = paths.iter().find(|path| path.extension().is_some_and(|end| end == "html")) {
            console.message(&format!("{} is the interactive page", page.display()));
        }
        verdict(&record, shard).and(figures.map(drop))
    }

    fn play(&self, runs: &Runs, out: &Path, shard: Option<Shard>) -> Result<Results, Failure> {
        let Self { options, console, threads, .. } = *self;
        let signals = Signals::listen()?;
        if shard.is_none() && !runs.is_search() {
            for process in watch::processes(out) {
                console.caveat(&Caveat::FolderOfTwo { process });
            }
        }
        let listener = console.reporting(Claim::of(out)?);
        let executor = Executor { listener: &listener, stop: signals.stop(), threads };
        let (machine, retry_failed) = (options.changes.host.machine(), options.retry_failed);
        Ok(MissingRuns { runs, options: &machine, executor, shard, retry_failed }.run(out)?)
    }

    /// Draws what the runs of a folder show.
    fn figures(&self, record: &Results) -> Result<Vec<PathBuf>, Failure> {
        let Self { options, kinds, console, .. } = *self;
        let style = options.style.unwrap_or_else(project::style);
        let report = ReportOptions::new(style, Format::USUAL, record.directory().join(FIGURES_FOLDER));
        let report = ReportOptions { wanted: Wanted::Declared, ..report };
        match kinds.report_possible(std::slice::from_ref(record), &report) {
            Ok((figures, left_out)) => {
                left_out.iter().for_each(|why| console.caveat(&Caveat::MissingFigure { why: why.to_string() }));
                // Figures that a former run left and this one has not would pass for its own.
                let removed = FigureFolder::open(&report.directory)?.remove_others(&figures)?;
                if removed > 0 {
                    let files = so_many(removed, "file of former figures was|files of former figures were");
                    let folder = report.directory.display();
                    console.message(&format!("{files} removed from {folder}; `report --out` keeps figures elsewhere"));
                }
                Ok(figures)
            }
            Err(error) => Err(Failure::from(error).about("the results are whole, the figures are not")),
        }
    }
}

fn is_pattern(name: &str) -> bool {
    name.contains(['*', '?', '[']) && !Path::new(name).exists()
}

/// The scenarios that are asked for, each once, in the order in which they are.
fn chosen(asked: &[String]) -> Result<Vec<String>, Failure> {
    let named = |name: &String| if is_pattern(name) { matching(name) } else { Ok(vec![name.clone()]) };
    Ok(each_once(asked.iter().map(named).collect::<Result<Vec<_>, _>>()?.concat()))
}

/// Files and scenarios of the library.
fn matching(text: &str) -> Result<Vec<String>, Failure> {
    let wrong = |error: glob::PatternError| Failure::Input(format!("`{text}` is not a pattern: {error}"));
    let pattern = Pattern::new(text).map_err(wrong)?;
    let options = MatchOptions { require_literal_separator: true, ..MatchOptions::new() };
    let is_scenario = |path: &PathBuf| path.is_file() && path.file_name().is_none_or(|name| name != project::FILE);
    let files = glob::glob(text).map_err(wrong)?.filter_map(Result::ok).filter(is_scenario);
    let files = files.filter_map(|path| path.to_str().map(str::to_owned));
    let built_in = library::list().filter(|entry| pattern.matches_with(entry.name, options));
    let names: Vec<String> = files.chain(built_in.map(|entry| entry.name.to_owned())).collect();
    if names.is_empty() {
        return Err(Failure::Input(format!("`{text}` matches no file and no built-in scenario (`fedbits list`)")));
    }
    Ok(names)
}

/// A folder for each in `out`.
fn folders(names: &[String], out: &Path) -> Result<Vec<PathBuf>, Failure> {
    let mut taken: BTreeMap<PathBuf, &str> = BTreeMap::new();
    let mut folders = Vec::new();
    for name in names {
        // What cannot be read is reported when its turn comes.
        let short = Scenario::load(name).map_or_else(|_| name.clone(), |scenario| scenario.name().to_owned());
        let folder = out.join(short);
        if let Some(earlier) = taken.insert(folder.clone(), name) {
            return Err(Failure::Input(format!(
                "{earlier} and {name} would both go to {}: run them one by one with --out",
                folder.display()
            )));
        }
        folders.push(folder);
    }
    Ok(folders)
}
