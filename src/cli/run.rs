//! `fedbits run`: a scenario's arms one after the other, their records, and the figures that show them together.
//!
//! An arm that cannot be run or fails does not keep the others from running; it decides the exit code.

mod chosen;
pub(crate) mod targets;

use std::path::{Path, PathBuf};
use std::sync::Arc;

use fedbits_record::{FIGURES_FOLDER, FigureFolder, Manifest, undivided};
use fedbits_reports::{Figures, Format, ReportOptions, Style, Wanted};
use fedbits_scenarios::prepare::Preparer;
use fedbits_spec::Caveat;

use crate::cli::args::RunOptions;
use crate::cli::failure::Failure;
use crate::cli::format::TableFormat;
use crate::cli::host::{self, Signals};
use crate::cli::output;
use crate::cli::progress::{Console, Ended, Progress};
use crate::cli::project;
use crate::cli::study::{self, Play};
use crate::cli::summary;
use crate::executor::{Beside, Executor};
use crate::listener::Listener;
use crate::machine::Stopwatch;
use crate::scenario::{Arm, check_fit, is_replicated, made_together};
use crate::study::Study;
use chosen::{chosen, folders, is_pattern};
use targets::Targets;

/// Runs a scenario, or several one after the other; `in_store` also keeps runs without axes together in a store.
pub(crate) fn run(options: &RunOptions, in_store: bool, kinds: &Figures, console: &Console) -> Result<(), Failure> {
    let threads = host::set_threads(options.changes.host.threads);
    let work = Work { options, in_store, kinds, console, threads };
    if options.replicates.is_some() {
        options.changes.spare("replicates")?;
    }
    // How many files a pattern matches does not change where records go.
    let by_pattern = options.files.iter().any(|name| is_pattern(name));
    match &chosen(&options.files)?[..] {
        [only] if !by_pattern => work.one(only, options.out.as_deref()),
        several => work.several(several),
    }
}

/// What all scenarios of a command have in common.
struct Work<'a> {
    options: &'a RunOptions,
    in_store: bool,
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
        let Self { options, in_store, kinds, console, threads } = *self;
        let scenario = options.changes.read(file)?;
        let replicates = options.replicates.map(|replicates| replicates.to_string());
        let scenario = replicates.iter().fold(scenario, |scenario, number| scenario.set("replicates", number));
        let study = scenario.study()?;
        kinds.has_kinds_of(&study.checked.scenario.figures)?;
        let out = out.map_or_else(|| Path::new("out").join(scenario.name()), Path::to_path_buf);
        let format = options.format.get();
        if format == TableFormat::Json {
            output::check_json_path(&out)?;
        }
        if in_store || study.is_varied() || options.shard.is_some() || options.retry_failed {
            return self.play(&study, &out);
        }
        let arms: Vec<Arm> =
            Arm::all(&study.checked, study.folder.as_deref()).iter().flat_map(Arm::replicated).collect();
        let signals = Signals::listen()?;
        let machine = options.changes.host.machine();
        let mut preparer = machine.preparer(&arms[0].folders(&machine))?;
        check_fit(&mut preparer, arms.iter().map(|arm| &arm.checked))?;
        if !options.no_figures {
            study.checked.caveats.iter().for_each(|caveat| console.caveat(caveat));
        }
        let (targets, claim) = Targets::of(&arms, &out, !options.no_figures, console)?;
        let claim = Arc::new(claim);
        let progress = Progress::of_runs(*console, arms.len(), Some(Arc::clone(&claim)));
        let executor = Executor { listener: &progress, stop: signals.stop(), threads };
        let mut told = Told::new(&progress, format!("the record goes to {}", out.display()));
        let finished = run_all(&arms, &mut preparer, &executor, (&targets, &progress, &mut told));
        drop(progress);
        if finished.is_err() && targets.has_former() {
            console.message("the former records stay as they were; none of the new ones replaces them");
        }
        let mut finished = finished?;
        finished.move_records(targets, console)?;
        let drawn = || figures((&finished.runs, &out), (Wanted::Declared, options.style), kinds, console);
        let figures = if options.no_figures { Ok(Vec::new()) } else { drawn() };
        drop(claim);
        let figures_there = figures.as_deref().unwrap_or_default();
        summary::print(&finished.runs, figures_there, format)?;
        if let Some(page) = figures_there.iter().find(|path| path.extension().is_some_and(|end| end == "html")) {
            console.message(&format!("{} is the interactive page", page.display()));
        }
        let caveats = summary::caveats(&finished.runs);
        console.caveats(&caveats);
        summary::explained(&caveats).iter().for_each(|line| console.message(line));
        finished.verdict().and(figures.map(|_| ()))
    }
}

impl Work<'_> {
    /// Runs what is missing in a store, and draws what is there once all runs are.
    fn play(&self, study: &Study, out: &Path) -> Result<(), Failure> {
        let Self { options, kinds, console, .. } = *self;
        let shard = options.shard.map(|shard| shard.resolve()).transpose()?;
        let (retry_failed, host, format) = (options.retry_failed, &options.changes.host, options.format.get());
        let (counts, verdict) = study::play(study, &Play { out, shard, retry_failed, host, format }, console)?;
        if options.no_figures || shard.is_some() || counts.results() == 0 {
            return verdict;
        }
        if counts.missing() > 0 {
            console.message("no figures: another process makes the runs that are missing");
            return verdict;
        }
        let drawn = figures_of((&[out.to_path_buf()], out), (Wanted::Declared, options.style), kinds, console);
        verdict.and(drawn.map(drop))
    }
}

/// What became of the arms.
#[derive(Default)]
struct Finished {
    runs: Vec<(PathBuf, Manifest)>,
    /// Why some have no record; the same reason once.
    refused: Vec<Failure>,
}

impl Finished {
    /// Former records are replaced by all of the new ones or stay: a mixture of both would pass for one run.
    fn move_records(&mut self, targets: Targets, console: &Console) -> Result<(), Failure> {
        if targets.has_former() && !self.refused.is_empty() {
            console.message("the former records stay as they were, because not every arm could be run");
            self.runs.clear();
            return Ok(());
        }
        let made = targets.made_in();
        for (made, folder) in made.iter().zip(undivided(|| targets.take())?) {
            self.runs.iter_mut().filter(|(own, _)| own == made).for_each(|(own, _)| own.clone_from(&folder));
        }
        Ok(())
    }

    fn refuse(&mut self, why: Failure) {
        if self.refused.iter().all(|own| own.text() != why.text()) {
            self.refused.push(why);
        }
    }

    fn verdict(self) -> Result<(), Failure> {
        if !self.refused.is_empty() {
            let why = self.refused.iter().map(Failure::text).collect::<Vec<_>>().join("\nfedbits: ");
            let is_run = self.refused.iter().all(|own| matches!(own, Failure::Run(_)));
            return Err(if is_run { Failure::Run(why) } else { Failure::Input(why) });
        }
        match self.runs.iter().find(|(_, manifest)| manifest.failure().is_some()) {
            Some((_, manifest)) => Err(Failure::Run(format!("{} {}", manifest.arm, manifest.stop_reason))),
            None => Ok(()),
        }
    }
}

/// The messages before the first run. They wait until a run begins, so that where none can be run the error is all that
/// is printed.
struct Told<'a> {
    listener: &'a dyn Listener,
    kept: Vec<String>,
    begun: bool,
}

impl<'a> Told<'a> {
    fn new(listener: &'a dyn Listener, first: String) -> Self {
        Self { listener, kept: vec![first], begun: false }
    }

    fn begin(&mut self, line: &str) {
        self.begun = true;
        self.kept.drain(..).for_each(|line| self.listener.message(&line));
        self.listener.message(line);
    }

    fn refused(&mut self, line: String) {
        match self.begun {
            true => self.listener.message(&line),
            false => self.kept.push(line),
        }
    }
}

fn run_all(
    arms: &[Arm],
    preparer: &mut Preparer,
    executor: &Executor<'_>,
    (targets, progress, told): (&Targets, &Progress, &mut Told<'_>),
) -> Result<Finished, Failure> {
    let mut finished = Finished::default();
    let (several, together) = (is_replicated(arms), made_together(arms));
    for (arm, folder) in arms.iter().zip(targets.made_in()) {
        let name = if several { arm.replicate_name() } else { arm.name().to_owned() };
        let (listener, clock) = (progress.run(name.clone()), Stopwatch::start());
        let executor = Executor { listener: &listener, ..*executor };
        let mut begins = || told.begin(&format!("{}: running {name}", arm.checked.scenario.name));
        let beside = Beside { together: &together, figures: &arm.figures, begins: Some(&mut begins) };
        let recorded = executor.record(&arm.checked, preparer, &folder, beside);
        match recorded.map_err(Failure::from) {
            Ok(manifest) => {
                executor.listener.message(&format!("  {}", summary::ended(&manifest, &folder)));
                progress.ended(0, Ended::of(&manifest), clock.seconds());
                finished.runs.push((folder, manifest));
            }
            Err(failure @ (Failure::Input(_) | Failure::Run(_))) => {
                let (what, ended, failure) = match failure {
                    Failure::Run(_) => ("left no record", Ended::Failed, failure.about(&name)),
                    _ => ("cannot be run", Ended::NotBegun, failure),
                };
                told.refused(format!("{}: {name} {what}", arm.checked.scenario.name));
                progress.ended(0, ended, clock.seconds());
                finished.refuse(failure);
            }
            Err(other) => return Err(other),
        }
    }
    Ok(finished)
}

/// Draws what the records show.
pub(crate) fn figures(
    (runs, out): (&[(PathBuf, Manifest)], &Path),
    (wanted, style): (Wanted, Option<Style>),
    kinds: &Figures,
    console: &Console,
) -> Result<Vec<PathBuf>, Failure> {
    // The runs by name, not their folder: an arm that could not be run has none.
    let records: Vec<PathBuf> = runs.iter().map(|(folder, _)| folder.clone()).collect();
    match records.is_empty() {
        true => Ok(Vec::new()),
        false => figures_of((&records, out), (wanted, style), kinds, console),
    }
}

/// The same of folders of runs.
fn figures_of(
    (records, out): (&[PathBuf], &Path),
    (wanted, style): (Wanted, Option<Style>),
    kinds: &Figures,
    console: &Console,
) -> Result<Vec<PathBuf>, Failure> {
    let options = ReportOptions::new(style.unwrap_or_else(project::style), Format::USUAL, out.join(FIGURES_FOLDER));
    let options = ReportOptions { wanted, ..options };
    match kinds.report_possible(records, &options) {
        Ok((figures, left_out)) => {
            left_out.iter().for_each(|why| console.caveat(&Caveat::MissingFigure { why: why.to_string() }));
            // Figures that a former run left and this one has not would pass for its own.
            FigureFolder::open(&options.directory)?.remove_others(&figures)?;
            Ok(figures)
        }
        Err(error) => Err(Failure::from(error).about("the records are whole, the figures are not")),
    }
}
