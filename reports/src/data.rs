//! From directories to arms: which runs belong to one line. Knows record files, no figure.

use crate::ReportError;
use fedbits_record::{MANIFEST_FILE, RunRecord};
use std::path::{Path, PathBuf};

/// A run and where it lies.
#[derive(Debug, Clone)]
pub(crate) struct Run {
    pub directory: PathBuf,
    pub record: RunRecord,
}

/// The replicates of one setting: one line of a figure.
#[derive(Debug, Clone)]
pub(crate) struct Arm {
    pub label: String,
    pub runs: Vec<Run>,
}

/// Reads every run in and directly under the given directories and groups them by label, in the order given.
pub(crate) fn collect(directories: &[PathBuf], labels: &[String]) -> Result<Vec<Arm>, ReportError> {
    if directories.is_empty() {
        return Err(ReportError::NoRuns);
    }
    if !labels.is_empty() && labels.len() != directories.len() {
        return Err(ReportError::Labels { labels: labels.len(), runs: directories.len() });
    }
    let mut found = Vec::new();
    for (index, directory) in directories.iter().enumerate() {
        for directory in run_directories(directory)? {
            let record = RunRecord::read(&directory)?;
            found.push((labels.get(index).cloned(), Run { directory, record }));
        }
    }
    let several = found.iter().any(|(_, run)| run.record.manifest.scenario != found[0].1.record.manifest.scenario);
    let named = found.into_iter().map(|(label, run)| (label.unwrap_or_else(|| own_label(&run, several)), run));
    let arms = split_same_runs(group(named.collect()));
    arms.iter().try_for_each(check_distinct)?;
    Ok(arms)
}

/// The directory itself when it is a run, otherwise its children that are, by name.
fn run_directories(directory: &Path) -> Result<Vec<PathBuf>, ReportError> {
    if directory.join(MANIFEST_FILE).is_file() {
        return Ok(vec![directory.to_path_buf()]);
    }
    let io = |source| ReportError::Io { path: directory.to_path_buf(), source };
    let mut children = Vec::new();
    for entry in std::fs::read_dir(directory).map_err(io)? {
        let path = entry.map_err(io)?.path();
        if path.join(MANIFEST_FILE).is_file() {
            children.push(path);
        }
    }
    children.sort();
    match children.is_empty() {
        true => Err(ReportError::NotARun { path: directory.to_path_buf() }),
        false => Ok(children),
    }
}

/// The arm's name, with the scenario's when several scenarios meet.
fn own_label(run: &Run, several_scenarios: bool) -> String {
    let manifest = &run.record.manifest;
    match several_scenarios && manifest.arm != manifest.scenario {
        true => format!("{}: {}", manifest.scenario, manifest.arm),
        false => manifest.arm.clone(),
    }
}

fn group(runs: Vec<(String, Run)>) -> Vec<Arm> {
    let mut arms: Vec<Arm> = Vec::new();
    for (label, run) in runs {
        match arms.iter_mut().find(|arm| arm.label == label) {
            Some(arm) => arm.runs.push(run),
            None => arms.push(Arm { label, runs: vec![run] }),
        }
    }
    arms
}

/// One setting has one run per seed and replicate. Where an arm has two, they are two settings, told apart by directory.
fn split_same_runs(arms: Vec<Arm>) -> Vec<Arm> {
    let split = arms.into_iter().flat_map(|arm| match same_run(&arm) {
        None => vec![(arm.label, arm.runs)],
        Some(_) => arm.runs.into_iter().map(|run| (directory_label(&arm.label, &run), vec![run])).collect(),
    });
    group(split.flat_map(|(label, runs)| runs.into_iter().map(move |run| (label.clone(), run))).collect())
}

fn directory_label(label: &str, run: &Run) -> String {
    run.directory.file_name().map_or_else(|| label.to_owned(), |name| name.to_string_lossy().into_owned())
}

/// Two runs of the arm with the same seed and replicate.
fn same_run(arm: &Arm) -> Option<(&Run, &Run)> {
    let key = |run: &Run| (run.record.manifest.seed, run.record.manifest.replicate);
    arm.runs.iter().enumerate().find_map(|(index, second)| {
        arm.runs[..index].iter().find(|first| key(first) == key(second)).map(|first| (first, second))
    })
}

fn check_distinct(arm: &Arm) -> Result<(), ReportError> {
    match same_run(arm) {
        None => Ok(()),
        Some((first, second)) => Err(ReportError::SameRun {
            first: first.directory.clone(),
            second: second.directory.clone(),
            label: arm.label.clone(),
            seed: first.record.manifest.seed,
            replicate: first.record.manifest.replicate,
        }),
    }
}
