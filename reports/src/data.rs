//! From folders to arms: which runs belong to one line. Knows the folders of runs, no figure.

use crate::error::ReportError;
use crate::looks;
use crate::text::grouped;
use fedbits_figures::Band;
use fedbits_record::results::{Decision, PlanArm, PlanTarget, Results, RunPlan, has_plan};
use fedbits_record::{Manifest, RunRecord, is_temporary};
use fedbits_spec::{Caveat, files};
use fedbits_text::Tree;
use serde_json::Value;
use std::borrow::Borrow;
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// A run and where it lies.
#[derive(Debug, Clone)]
pub(crate) struct Run {
    pub directory: PathBuf,
    pub record: Arc<RunRecord>,
}

/// The replicates of one setting: one line of a figure. There is at least one run.
#[derive(Debug, Clone)]
pub struct Arm {
    /// What it is called in figures.
    pub(crate) label: String,
    /// What it is called where arms are chosen, whatever a figure calls it.
    pub(crate) name: String,
    /// Number of its level on each axis of its plan; empty without axes, and for runs of several folders.
    pub(crate) levels: Vec<usize>,
    /// The same of the other arms that are shown as one with it.
    pub(crate) merged: Vec<Vec<usize>>,
    /// Number of its colour, dash and marker, the same in every figure and whichever arms are shown beside it.
    pub(crate) style: usize,
    /// What its lines and bands show of several replicates.
    pub(crate) band: Band,
    pub(crate) runs: Vec<Run>,
}

impl Arm {
    /// What it is called in figures.
    #[must_use]
    pub fn label(&self) -> &str {
        &self.label
    }

    fn new(name: String, levels: Vec<usize>, style: usize, runs: Vec<Run>) -> Self {
        Self { label: name.clone(), name, levels, merged: Vec::new(), style, band: Band::Quartiles, runs }
    }

    /// Is it one arm, and not several as one?
    pub(crate) fn is_one(&self) -> bool {
        self.merged.is_empty()
    }

    /// Numbers of its levels on an axis of the plan: of several arms as one there may be several.
    pub(crate) fn levels_on(&self, axis: usize) -> BTreeSet<usize> {
        std::iter::once(&self.levels).chain(&self.merged).map(|levels| levels[axis]).collect()
    }

    /// The records of its runs, at least one: those that the report shows, in their order.
    pub fn records(&self) -> impl Iterator<Item = &RunRecord> {
        self.runs.iter().map(|run| &*run.record)
    }
}

/// The arms of the runs in the given folders, as figures show them.
///
/// # Errors
/// [`ReportError`]: a folder without runs, a file that is not as documented.
pub fn arms(directories: &[PathBuf]) -> Result<Vec<Arm>, ReportError> {
    Ok(collect(&open_folders(directories)?)?.arms)
}

/// What figures are made of.
#[derive(Clone)]
pub(crate) struct Collected {
    pub arms: Vec<Arm>,
    /// The plan of the arms, where all are of one folder.
    pub planned: Option<Arc<PlannedRuns>>,
    /// What is damaged in the folders, and what is still to be run.
    pub caveats: Vec<Caveat>,
    /// The targets that the scenarios of all folders declare.
    pub targets: Vec<PlanTarget>,
    /// The figures that all folders declare, as JSON; null where they do not declare the same.
    pub figures: Value,
}

/// A plan, beside its runs.
pub(crate) struct PlannedRuns {
    pub plan: RunPlan,
    /// [`Results::digest`].
    pub digest: String,
    /// What its search has decided.
    pub decision: Option<Decision>,
}

impl PlannedRuns {
    /// Runs that there should be of an arm; of several arms as one those of all of them.
    pub(crate) fn planned(&self, arm: &Arm) -> usize {
        let planned = |levels: &Vec<usize>| {
            let is_same = |in_plan: &PlanArm| in_plan.levels == *levels && (!arm.is_one() || in_plan.name == arm.name);
            let number = self.plan.arms.iter().position(is_same);
            number.map_or(self.plan.replicates, |number| self.plan.replicates_of(number, self.decision.as_ref()))
        };
        let all: u64 = std::iter::once(&arm.levels).chain(&arm.merged).map(planned).sum();
        usize::try_from(all).unwrap_or(usize::MAX)
    }
}

/// Opens the folders of runs that are meant: each given one, or those directly in it by name where it has no runs
/// itself.
///
/// # Errors
/// [`ReportError`]: a folder without runs, or with a file that cannot be read.
pub fn open_folders(directories: &[PathBuf]) -> Result<Vec<Results>, ReportError> {
    let folders = run_folders(directories)?;
    folders.iter().map(|folder| Ok(Results::open(folder)?)).collect()
}

/// Reads the runs of the given folders. Of one folder the arms are those of its plan; of several they are grouped by
/// label, in the order given, and within a folder in the order of its plan.
pub(crate) fn collect<R: Borrow<Results>>(folders: &[R]) -> Result<Collected, ReportError> {
    match folders {
        [] => Err(ReportError::NoRuns),
        [only] => of_folder(only.borrow()),
        several => of_folders(several),
    }
}

/// The runs of a folder that are there; arms without any are left out.
fn of_folder(record: &Results) -> Result<Collected, ReportError> {
    let (plan, directory) = (record.plan(), record.directory());
    let mut arms = Vec::new();
    let styles = looks::styles(plan);
    for (number, arm) in plan.arms.iter().enumerate() {
        let mut runs = Vec::new();
        for replicate in plan.replicate_numbers() {
            let run = record.run_with_trace(number, replicate)?;
            runs.extend(run.map(|record| Run { directory: directory.to_path_buf(), record: Arc::new(record) }));
        }
        if !runs.is_empty() {
            arms.push(Arm::new(arm.name.clone(), arm.levels.clone(), styles[number], runs));
        }
    }
    if arms.is_empty() {
        return Err(ReportError::NoFinishedRun(directory.to_path_buf()));
    }
    check_labels(&arms)?;
    let (targets, figures) = (plan.targets.clone(), plan.figures.clone());
    let planned = PlannedRuns { plan: plan.clone(), digest: record.digest(), decision: record.decision().cloned() };
    Ok(Collected { arms, planned: Some(Arc::new(planned)), caveats: record.caveats(), targets, figures })
}

/// That no two arms are called the same.
pub(crate) fn check_labels(arms: &[Arm]) -> Result<(), ReportError> {
    for (index, second) in arms.iter().enumerate() {
        if let Some(first) = arms[..index].iter().find(|first| first.label == second.label) {
            let arms = [first.name.clone(), second.name.clone()];
            return Err(ReportError::LabelTwice { label: second.label.clone(), arms });
        }
    }
    Ok(())
}

pub(crate) fn no_such_arm(name: &str, arms: &[Arm]) -> ReportError {
    let known: Vec<&str> = arms.iter().map(|arm| arm.name.as_str()).collect();
    ReportError::Unknown { what: "arm", name: name.to_owned(), known: fedbits_text::known(name, &known, 30) }
}

fn of_folders<R: Borrow<Results>>(folders: &[R]) -> Result<Collected, ReportError> {
    let (mut found, mut all_caveats, mut figures) = (Vec::new(), Vec::new(), Vec::new());
    let mut shared = folders[0].borrow().plan().targets.clone();
    for folder in folders {
        let Collected { arms, caveats, targets, figures: declared, .. } = of_folder(folder.borrow())?;
        shared.retain(|target| targets.contains(target));
        all_caveats.extend(caveats);
        found.extend(arms.into_iter().flat_map(|arm| arm.runs));
        figures.push(declared);
    }
    let several = found.iter().any(|run| run.record.manifest.scenario != found[0].record.manifest.scenario);
    let mut arms = told_apart(grouped(found.into_iter().map(|run| (label_of(&run, several), run))));
    arms.iter().try_for_each(check_distinct)?;
    check_labels(&arms)?;
    set_styles(&mut arms);
    figures.dedup();
    let figures = if figures.len() == 1 { figures.swap_remove(0) } else { Value::Null };
    Ok(Collected { arms, planned: None, caveats: all_caveats, targets: shared, figures })
}

/// Every arm looks as its position in its scenario says, whichever arms are shown beside it. Where two would look the
/// same (arms of several scenarios, or records without the position), the later one takes the first look that is free.
fn set_styles(arms: &mut [Arm]) {
    let mut taken = BTreeSet::new();
    let mut later = Vec::new();
    for arm in arms {
        arm.style = arm.runs[0].record.manifest.arm_index as usize;
        if !taken.insert(arm.style) {
            later.push(arm);
        }
    }
    let mut free = (0..).filter(|style| !taken.contains(style));
    later.into_iter().zip(&mut free).for_each(|(arm, style)| arm.style = style);
}

/// The folders of runs that are meant: each given one, or those directly in it by name where it has no runs itself.
///
/// # Errors
/// [`ReportError`]: a folder without runs.
pub fn run_folders(directories: &[PathBuf]) -> Result<Vec<PathBuf>, ReportError> {
    Ok(directories.iter().map(|directory| folders_of(directory)).collect::<Result<Vec<_>, _>>()?.concat())
}

/// The folder itself when it has runs, otherwise those directly in it that have, by name.
fn folders_of(directory: &Path) -> Result<Vec<PathBuf>, ReportError> {
    if has_plan(directory)? {
        return Ok(vec![directory.to_path_buf()]);
    }
    let io = |source| ReportError::Io { path: directory.to_path_buf(), source };
    if files::is_file(directory).map_err(io)? {
        return Err(ReportError::NotADirectory(directory.to_path_buf()));
    }
    let mut children = Vec::new();
    for entry in std::fs::read_dir(directory).map_err(io)? {
        let path = entry.map_err(io)?.path();
        if !path.file_name().is_some_and(is_temporary) && has_plan(&path)? {
            children.push(path);
        }
    }
    children.sort();
    match children.is_empty() {
        true => Err(ReportError::NotARun(directory.to_path_buf())),
        false => Ok(children),
    }
}

/// The arm's name, with the scenario's when several scenarios meet.
fn label_of(run: &Run, several_scenarios: bool) -> String {
    let manifest = &run.record.manifest;
    match several_scenarios && manifest.arm != manifest.scenario {
        true => format!("{}: {}", manifest.scenario, manifest.arm),
        false => manifest.arm.clone(),
    }
}

/// The runs that `name` gives one name.
fn grouped_by(runs: Vec<Run>, name: impl Fn(&Run) -> String) -> impl Iterator<Item = Vec<Run>> {
    grouped(runs.into_iter().map(|run| (name(&run), run))).into_iter().map(|(_, runs)| runs)
}

/// Runs of one arm are replicates of one setting, one per seed and replicate. What is called the same and is not, is
/// told apart by as many folders of the paths as distinguish all arms. If a folder has several such arms, each keeps
/// its name behind that of the folder.
fn told_apart(groups: Vec<(String, Vec<Run>)>) -> Vec<Arm> {
    let mut parts: Vec<(String, bool, Vec<Run>)> = Vec::new();
    for (label, runs) in groups {
        let settings = grouped_by(runs, |run| setting(&run.record.manifest));
        let apart: Vec<Vec<Run>> = settings.flat_map(split_same_runs).collect();
        let is_split = apart.len() > 1;
        parts.extend(apart.into_iter().map(|runs| (label.clone(), is_split, runs)));
    }
    let split_in =
        |folder: &Path| parts.iter().filter(|(_, is_split, runs)| *is_split && runs[0].directory == folder).count();
    let name = |(label, is_split, runs): &(String, bool, Vec<Run>), folders: usize| {
        let folder = &runs[0].directory;
        match (is_split, split_in(folder)) {
            (false, _) => label.clone(),
            (true, 1) => last_folders(folder, folders),
            (true, _) => format!("{}: {label}", last_folders(folder, folders)),
        }
    };
    let names = |folders: usize| -> Vec<String> { parts.iter().map(|part| name(part, folders)).collect() };
    let paths = parts.iter().map(|(_, _, runs)| runs[0].directory.as_path());
    let names = distinct_names(paths, names).unwrap_or_else(|| names(usize::MAX));
    names.into_iter().zip(parts).map(|(name, (_, _, runs))| Arm::new(name, Vec::new(), 0, runs)).collect()
}

/// What a run was told to do: all but its name, what is said of it, what is drawn and recorded, and its draws.
fn setting(manifest: &Manifest) -> String {
    const APART: [&str; 7] = ["name", "about", "seed", "replicate", "record", "figures", "arms"];
    let tree = Tree::scan(&manifest.scenario_text);
    let fields = tree.root().fields().into_iter().map(|(name, value)| (&tree.text()[name], &tree.text()[value.span()]));
    let told = fields.filter(|(name, _)| !APART.contains(name)).map(|(name, value)| format!("{name}: {value}\n"));
    told.chain([format!("{} clients", manifest.clients)]).collect()
}

/// The names made from the fewest last folders of the paths that distinguish all of them; `None` if whole paths do not.
pub fn distinct_names<'a>(
    paths: impl Iterator<Item = &'a Path>,
    names: impl Fn(usize) -> Vec<String>,
) -> Option<Vec<String>> {
    let most = paths.map(|path| path.components().count()).max().unwrap_or(1);
    let are_distinct = |names: &Vec<String>| names.iter().collect::<BTreeSet<_>>().len() == names.len();
    (1..=most).map(names).find(are_distinct)
}

/// So many folders of a path, from its end.
#[must_use]
pub fn last_folders(path: &Path, count: usize) -> String {
    let parts: Vec<_> = path.components().collect();
    parts[parts.len().saturating_sub(count)..].iter().collect::<PathBuf>().to_string_lossy().into_owned()
}

/// Where a setting has two runs of one seed and replicate, they are two settings, distinguished by as few folders of
/// their paths as do so.
fn split_same_runs(runs: Vec<Run>) -> Vec<Vec<Run>> {
    if same_run(&runs).is_none() {
        return vec![runs];
    }
    let most = runs.iter().map(|run| run.directory.components().count()).max().unwrap_or(1);
    let split = |folders: usize| -> Vec<Vec<Run>> {
        grouped_by(runs.clone(), |run| last_folders(&run.directory, folders)).collect()
    };
    let is_distinct = |parts: &Vec<Vec<Run>>| parts.iter().all(|part| same_run(part).is_none());
    (1..most).map(split).find(is_distinct).unwrap_or_else(|| split(most))
}

/// Two runs with the same seed and replicate.
fn same_run(runs: &[Run]) -> Option<(&Run, &Run)> {
    let key = |run: &Run| (run.record.manifest.seed, run.record.manifest.replicate);
    runs.iter().enumerate().find_map(|(index, second)| {
        runs[..index].iter().find(|first| key(first) == key(second)).map(|first| (first, second))
    })
}

fn check_distinct(arm: &Arm) -> Result<(), ReportError> {
    match same_run(&arm.runs) {
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
