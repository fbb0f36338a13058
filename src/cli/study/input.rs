//! From the name of a study to its checked arms and its plan.

use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;

use fedbits_record::study::{Identity, PlanArm, PlanAxis, PlanTarget, StudyPlan, file_digest};
use fedbits_scenarios::data_files::DataFolders;
use fedbits_scenarios::study::{CheckedStudy, StudyArm, load_study};
use fedbits_scenarios::{Checked, Source};

use crate::cli::args::HostOptions;
use crate::cli::failure::Failure;
use crate::cli::{input, play};

/// A checked study and where its files are.
pub struct Input {
    /// Name for the output folder: the library name or the file's stem.
    pub name: String,
    /// The study with all its arms.
    pub checked: CheckedStudy,
    /// Where data files are looked for.
    folders: DataFolders,
}

/// Whether `file` names a study, and not a scenario.
pub fn is_study(file: &str) -> Result<bool, Failure> {
    Ok(fedbits_scenarios::study::is_study(&input::text(file)?.source.text))
}

/// Reads a study and checks all its arms.
pub fn read(file: &str, host: &HostOptions) -> Result<Input, Failure> {
    let text = input::text(file)?;
    if !fedbits_scenarios::study::is_study(&text.source.text) {
        return Err(Failure::Input(format!("`{file}` is a scenario, not a study: `fedbits run {file}` runs it")));
    }
    let folder = RefCell::new(text.folder.clone());
    let find_base = |base: &str| -> Result<Source, String> {
        let beside = text.folder.as_ref().map(|folder| folder.join(base)).filter(|_| base.ends_with(".ron"));
        let found = match beside {
            Some(path) => input::from_file(&path),
            None => input::from_library(base),
        };
        let found = found.map_err(|failure| failure.text().to_owned())?;
        // Data lie beside the scenario that reads them; a scenario of the library has none beside it.
        if found.folder.is_some() {
            folder.replace(found.folder);
        }
        Ok(found.source)
    };
    let checked = load_study(text.source.clone(), &find_base).map_err(|problems| input::failure("study", &problems))?;
    Ok(Input { name: text.name, checked, folders: input::folders(host, folder.take()) })
}

/// Digests of data files that were read already, by their paths.
pub type Digests = BTreeMap<PathBuf, String>;

/// What the results of a scenario depend on beside seed and replicate: this program, the scenario, the bytes of its data files as
/// they are now.
pub fn identity(checked: &Checked, folders: &DataFolders, digests: &mut Digests) -> Result<Identity, Failure> {
    let mut files = Vec::new();
    for file in checked.scenario.files() {
        let path = folders.find(file).map_err(|missing| Failure::Input(missing.to_string()))?;
        let digest = match digests.get(&path) {
            Some(known) => known.clone(),
            None => file_digest(&path)?,
        };
        digests.insert(path, digest.clone());
        files.push(digest);
    }
    Ok(Identity::of(env!("CARGO_PKG_VERSION"), &checked.scenario.identity(), &files))
}

impl Input {
    /// Folder of the scenario files, for whoever prepares runs.
    pub fn folders(&self) -> &DataFolders {
        &self.folders
    }

    /// The scenario of a run.
    pub fn scenario_of(&self, arm: usize, replicate: u64) -> Checked {
        let mut checked = self.checked.arms[arm].checked.clone();
        checked.scenario.replicate = replicate;
        checked
    }

    /// What is to be run, with the identities of all arms; data files are read for their digests.
    pub fn plan(&self) -> Result<StudyPlan, Failure> {
        let study = &self.checked.study;
        let mut digests = Digests::new();
        let arms = self.checked.arms.iter().map(|arm| self.plan_arm(arm, &mut digests));
        let axis = |axis: &fedbits_scenarios::schema::Axis| PlanAxis {
            name: axis.name().to_owned(),
            paths: axis.paths().map(|(path, _)| path.to_owned()).collect(),
            levels: axis.labels().to_vec(),
        };
        let target = |target: &fedbits_scenarios::schema::Target| PlanTarget {
            column: target.column().to_owned(),
            at_most: target.at_most(),
        };
        Ok(StudyPlan {
            engine_version: env!("CARGO_PKG_VERSION").to_owned(),
            name: study.name.clone(),
            about: study.about.clone(),
            study_text: self.checked.text.clone(),
            axes: study.axes.iter().map(axis).collect(),
            arms: arms.collect::<Result<_, Failure>>()?,
            baseline: self.checked.baseline,
            replicates: study.replicates,
            first_replicate: self.checked.arms[0].checked.scenario.replicate,
            targets: study.targets.iter().map(target).collect(),
            caveats: self.checked.caveats.clone(),
        })
    }

    fn plan_arm(&self, arm: &StudyArm, digests: &mut Digests) -> Result<PlanArm, Failure> {
        let scenario = &arm.checked.scenario;
        Ok(PlanArm {
            name: arm.name.clone(),
            levels: arm.levels.clone(),
            seed: scenario.seed,
            scenario: scenario.name.clone(),
            scenario_text: arm.checked.text.clone(),
            identity: identity(&arm.checked, &self.folders, digests)?.to_string(),
            caveats: arm.checked.caveats.clone(),
        })
    }

    /// Compares what the arms say with the data of their files, before anything is played.
    pub fn check_fit(&self, host: &HostOptions) -> Result<(), Failure> {
        let arms = self.checked.arms.iter().map(|arm| &arm.checked);
        input::check_fit("study", &mut input::preparer_in(&self.folders, host), arms)
    }

    /// A target on a protocol's own column is one that some arm writes. The arms are prepared until one is found.
    pub fn check_targets(&self, host: &HostOptions) -> Result<(), Failure> {
        let common = ["mean_field_sq", "objective", "field_sq", "parameter_error_sq"];
        let mut wanted: Vec<&str> = self.checked.study.targets.iter().map(|target| target.column()).collect();
        wanted.retain(|column| !common.contains(column));
        let mut preparer = input::preparer_in(&self.folders, host);
        let mut known = BTreeSet::new();
        for arm in &self.checked.arms {
            wanted.retain(|column| !known.contains(*column));
            if wanted.is_empty() {
                return Ok(());
            }
            let prepared = input::prepare(&mut preparer, &arm.checked)?;
            known.extend(play::columns(&prepared, &arm.checked).extra);
        }
        wanted.retain(|column| !known.contains(*column));
        let Some(column) = wanted.first() else { return Ok(()) };
        let targets = &self.checked.study.targets;
        let number = targets.iter().position(|target| target.column() == *column).unwrap_or(0);
        let names = common.into_iter().chain(known.iter().map(String::as_str)).collect();
        let message = format!("no arm measures a column `{column}`");
        let expected = format!("expected one of {}", known_columns(&names));
        let problem = self.checked.problem(&format!("targets[{number}]"), (message, expected), column, &names);
        Err(input::failure("study", &problem))
    }
}

/// "`a`, `b`, `c`".
fn known_columns(names: &BTreeSet<&str>) -> String {
    names.iter().map(|name| format!("`{name}`")).collect::<Vec<_>>().join(", ")
}
