//! `fedbits run`: a scenario's arms one after the other, their records, and the figures that show them together.
//!
//! An arm that cannot be run or fails does not keep the others from running; it decides the exit code.

use std::path::{Path, PathBuf};

use fedbits_record::{MANIFEST_FILE, Manifest};
use fedbits_reports::{Format, ReportError, ReportOptions, Style};
use fedbits_scenarios::Checked;

use crate::args::RunOptions;
use crate::failure::Failure;
use crate::host::{self, Signals};
use crate::input::{self, Input};
use crate::play::{Stage, arm_name};
use crate::progress::Talk;
use crate::summary;

/// Runs a scenario.
pub fn run(options: &RunOptions, talk: &Talk) -> Result<(), Failure> {
    let threads = host::set_threads(options.scenario.host.threads);
    let input = input::read(&options.scenario)?;
    let out = options.out.clone().unwrap_or_else(|| Path::new("out").join(&input.name));
    let folders = folders(&input.arms, &out);
    folders.iter().try_for_each(|folder| spare_foreign(folder))?;
    let signals = Signals::listen()?;
    let stage = Stage { talk, signals: &signals, threads };
    let played = play_all(&input, options, &stage, folders)?;
    let figures = if options.no_figures { Ok(Vec::new()) } else { figures(&played.runs, &out, talk) };
    summary::tell(&played.runs, figures.as_deref().unwrap_or_default(), options.json)?;
    summary::caveats(&played.runs).iter().for_each(|caveat| talk.caveat(caveat));
    played.verdict().and(figures.map(|_| ()))
}

/// What became of the arms.
#[derive(Default)]
struct Played {
    runs: Vec<(PathBuf, Manifest)>,
    /// Why some could not be run; the same reason once.
    refused: Vec<String>,
}

impl Played {
    fn verdict(self) -> Result<(), Failure> {
        if !self.refused.is_empty() {
            return Err(Failure::Input(self.refused.join("\nfedbits: ")));
        }
        match self.runs.iter().find(|(_, manifest)| manifest.failure().is_some()) {
            Some((_, manifest)) => Err(Failure::Run(format!("{} {}", manifest.arm, manifest.stop_reason))),
            None => Ok(()),
        }
    }
}

fn play_all(input: &Input, options: &RunOptions, stage: &Stage<'_>, folders: Vec<PathBuf>) -> Result<Played, Failure> {
    let mut preparer = input::preparer(&options.scenario.host, input.folder.clone());
    let mut played = Played::default();
    for (checked, folder) in input.arms.iter().zip(folders) {
        stage.talk.say(format!("{}: running {}", checked.scenario.name, arm_name(checked)));
        match stage.play(checked, &mut preparer, &folder) {
            Ok(manifest) => {
                stage.talk.say(format!("  {} in {:.1} s", manifest.stop_reason, manifest.host.seconds));
                played.runs.push((folder, manifest));
            }
            Err(Failure::Input(why)) => {
                stage.talk.say("  cannot be run");
                if !played.refused.contains(&why) {
                    played.refused.push(why);
                }
            }
            Err(other) => return Err(other),
        }
    }
    Ok(played)
}

/// Where the arms' records go: `out` itself without arms, else one folder per arm in it. No two share one, and none takes
/// the folder of the figures.
fn folders(arms: &[Checked], out: &Path) -> Vec<PathBuf> {
    let mut taken = vec![FIGURES.to_owned()];
    let mut folder = |arm: &str| {
        let name = folder_name(arm);
        let numbered = (2u32..).map(|number| format!("{name}-{number}"));
        let free = std::iter::once(name.clone()).chain(numbered).find(|name| !taken.contains(name));
        taken.extend(free.clone());
        out.join(free.unwrap_or(name))
    };
    arms.iter().map(|checked| checked.arm.as_deref().map_or_else(|| out.to_path_buf(), &mut folder)).collect()
}

/// An arm's name as a folder: what file systems dislike becomes a dash.
fn folder_name(arm: &str) -> String {
    let safe = |c: char| if c.is_alphanumeric() || "._-=+".contains(c) { c } else { '-' };
    arm.chars().map(safe).collect()
}

/// The folder of the figures beside the records.
const FIGURES: &str = "figures";

/// A record replaces an earlier record, and nothing else: a folder with other things in it is left alone.
fn spare_foreign(folder: &Path) -> Result<(), Failure> {
    let entries = match std::fs::read_dir(folder) {
        Ok(entries) => entries,
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(()),
        Err(error) => return Err(Failure::file(folder, &error)),
    };
    let ours = |name: &str| name == FIGURES || name.starts_with(".fedbits-");
    let foreign = |name: &String| !ours(name);
    let names = entries.filter_map(|entry| Some(entry.ok()?.file_name().to_string_lossy().into_owned()));
    let first = names.filter(foreign).min();
    match first {
        Some(name) if !folder.join(MANIFEST_FILE).is_file() => Err(Failure::Input(format!(
            "{} holds `{name}` and is no record: choose an empty or a new folder by --out",
            folder.display()
        ))),
        _ => Ok(()),
    }
}

fn figures(runs: &[(PathBuf, Manifest)], out: &Path, talk: &Talk) -> Result<Vec<PathBuf>, Failure> {
    if runs.is_empty() {
        return Ok(Vec::new());
    }
    let options =
        ReportOptions::new(Style::Neurips, &[Format::Svg, Format::Png, Format::Pdf, Format::Html], out.join(FIGURES));
    // The runs by name, not their folder: records of former arms may lie beside them.
    let records: Vec<PathBuf> = runs.iter().map(|(folder, _)| folder.clone()).collect();
    match fedbits_reports::report(&records, &options) {
        Ok(figures) => {
            let removed = remove_former(&options.directory, &figures);
            removed.map_err(|error| Failure::file(&options.directory, &error))?;
            Ok(figures)
        }
        Err(ReportError::NothingMeasured) => {
            talk.say("  no figure: nothing was measured (`record: (probe_every: …)` measures)");
            Ok(Vec::new())
        }
        Err(error) => Err(Failure::from(error).about("the records are whole, the figures are not")),
    }
}

/// Removes figures that a former run left in `folder` and this one has not: they would pass for its own. They are known by their
/// data, which say that a report wrote them.
fn remove_former(folder: &Path, written: &[PathBuf]) -> std::io::Result<()> {
    let files = std::fs::read_dir(folder)?.map(|file| Ok(file?.path())).collect::<std::io::Result<Vec<PathBuf>>>()?;
    let former = |file: &&PathBuf| file.extension().is_some_and(|end| end == "csv") && !written.contains(file);
    for data in files.iter().filter(former) {
        if std::fs::read(data)?.starts_with(b"# fedbits-report") {
            let same_name = |file: &&PathBuf| file.file_stem() == data.file_stem() && !written.contains(file);
            files.iter().filter(same_name).try_for_each(std::fs::remove_file)?;
        }
    }
    Ok(())
}
