//! `fedbits run`: a scenario's arms one after the other, their records, and the figures that show them together.

use std::path::{Path, PathBuf};

use fedbits_record::Manifest;
use fedbits_reports::{Format, ReportError, ReportOptions, Style};

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
    let signals = Signals::listen()?;
    let stage = Stage { talk, signals: &signals, threads };
    let runs = play_all(&input, options, &stage, &out)?;
    let figures = if options.no_figures { Vec::new() } else { figures(&out, talk)? };
    summary::tell(&runs, &figures, options.json);
    match runs.iter().find(|(_, manifest)| manifest.stop_reason.starts_with("failed")) {
        Some((_, manifest)) => Err(Failure::Run(format!("{} {}", manifest.arm, manifest.stop_reason))),
        None => Ok(()),
    }
}

fn play_all(
    input: &Input,
    options: &RunOptions,
    stage: &Stage<'_>,
    out: &Path,
) -> Result<Vec<(PathBuf, Manifest)>, Failure> {
    let mut preparer = input::preparer(&options.scenario.host, input.folder.clone());
    let mut runs = Vec::new();
    for checked in &input.arms {
        let directory = match &checked.arm {
            Some(arm) => out.join(folder_name(arm)),
            None => out.to_path_buf(),
        };
        stage.talk.say(format!("{}: running {}", checked.scenario.name, arm_name(checked)));
        checked.caveats.iter().for_each(|caveat| stage.talk.say(format!("  caveat: {caveat}")));
        let manifest = stage.play(checked, &mut preparer, &directory)?;
        stage.talk.say(format!("  {} in {:.1} s", manifest.stop_reason, manifest.host.seconds));
        runs.push((directory, manifest));
    }
    Ok(runs)
}

/// An arm's name as a folder: what file systems dislike becomes a dash.
fn folder_name(arm: &str) -> String {
    let safe = |c: char| if c.is_alphanumeric() || "._-=+".contains(c) { c } else { '-' };
    arm.chars().map(safe).collect()
}

fn figures(out: &Path, talk: &Talk) -> Result<Vec<PathBuf>, Failure> {
    let options = ReportOptions::new(Style::Neurips, &[Format::Svg, Format::Png, Format::Pdf], out.join("figures"));
    match fedbits_reports::report(&[out.to_path_buf()], &options) {
        Ok(figures) => Ok(figures),
        Err(ReportError::NothingMeasured) => {
            talk.say("  no figure: nothing was measured (`record: (probe_every: …)` measures)");
            Ok(Vec::new())
        }
        Err(error) => Err(error.into()),
    }
}
