//! The arms and replicates of a checked scenario, and their plan.

use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;

use fedbits_protocols::over::Over;
use fedbits_protocols::state::Probe;
use fedbits_record::results::{ArmIdentity, PlanArm, PlanAxis, PlanObjective, PlanSearch, RunPlan, file_digest};
use fedbits_record::{MEASURED_COLUMNS, PARAMETER_ERROR};
use fedbits_scenarios::arms::{ABSENT, ExpandedAxis, unquoted};
use fedbits_scenarios::data_files::DataFolders;
use fedbits_scenarios::prepare::{PrepareError, Preparer};
use fedbits_scenarios::schema::{Race, Target};
use fedbits_scenarios::{Checked, CheckedScenario};

use crate::error::Error;
use crate::executor;
use crate::options::RunOptions;
use crate::scenario::{Scenario, arm_name, check_replicates};

/// The arms and replicates of a checked scenario, which are run into one folder.
///
/// ```
/// # fn main() -> Result<(), fedbits::Error> {
/// let runs = fedbits::Runs::load("studies/compression-participation")?;
/// assert!(runs.arms().len() > 1);
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Debug)]
pub struct Runs {
    pub(crate) name: String,
    pub(crate) checked: CheckedScenario,
    /// Of the scenario's file.
    pub(crate) folder: Option<PathBuf>,
}

/// Models are kept of so many arms at most: each has as many numbers as θ.
pub(crate) const MOST_MODELS: usize = 50;

/// Digests of data files that were read already, by their paths.
pub(crate) type FileDigests = BTreeMap<PathBuf, String>;

/// What the results of a scenario depend on beside seed and replicate: this program, the scenario, the bytes of its
/// data files as they are now.
pub(crate) fn identity(
    checked: &Checked,
    folders: &DataFolders,
    digests: &mut FileDigests,
) -> Result<ArmIdentity, Error> {
    let mut files = Vec::new();
    for file in checked.scenario.files() {
        let missing = |missing| Error::scenario(checked.problems(&PrepareError::MissingFile(missing)));
        for path in folders.find_all(file).map_err(missing)? {
            let digest = match digests.get(&path) {
                Some(known) => known.clone(),
                None => file_digest(&path)?,
            };
            digests.insert(path, digest.clone());
            files.push(digest);
        }
    }
    Ok(ArmIdentity::of(env!("CARGO_PKG_VERSION"), &checked.scenario.identity(), &files))
}

impl Scenario {
    /// Its arms and replicates as what is run into one folder.
    ///
    /// # Errors
    /// As [`Scenario::arms`].
    pub fn runs(&self) -> Result<Runs, Error> {
        Ok(Runs { name: self.name().to_owned(), checked: self.check()?, folder: self.folder.clone() })
    }
}

impl Runs {
    /// As [`Scenario::load`] and [`Scenario::runs`].
    ///
    /// # Errors
    /// When there is none; everything that is wrong with it and with its arms.
    pub fn load(name: &str) -> Result<Self, Error> {
        Scenario::load(name)?.runs()
    }

    /// The name of the file without its ending, or that of the library.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Whether the fitted model of a replicate is kept: of the first one, and only where there are few arms.
    pub(crate) fn keeps_model(&self, replicate: u64) -> bool {
        let arms = &self.checked.arms;
        arms.len() <= MOST_MODELS && replicate == arms[0].scenario.replicate
    }

    /// Whether it chooses its runs one after the other, so that processes divide them by themselves.
    pub(crate) fn is_search(&self) -> bool {
        self.checked.scenario.search.is_some()
    }

    /// The names of its arms; the last axis changes fastest.
    #[must_use]
    pub fn arms(&self) -> Vec<&str> {
        self.checked.arms.iter().map(arm_name).collect()
    }

    pub(crate) fn folders(&self, options: &RunOptions) -> DataFolders {
        options.folders(self.folder.clone())
    }

    pub(crate) fn preparer(&self, options: &RunOptions) -> Result<Preparer, Error> {
        options.preparer(&self.folders(options))
    }

    pub(crate) fn scenario_of(&self, arm: usize, replicate: u64) -> Checked {
        let mut checked = self.checked.arms[arm].clone();
        checked.scenario.replicate = replicate;
        checked
    }

    /// What is to be run, with the identities of all arms; data files are read for their digests.
    pub(crate) fn plan(&self, options: &RunOptions) -> Result<RunPlan, Error> {
        let (scenario, folders, mut digests) = (&self.checked.scenario, self.folders(options), FileDigests::new());
        let arms = self.checked.arms.iter();
        Ok(RunPlan {
            engine_version: env!("CARGO_PKG_VERSION").to_owned(),
            name: scenario.name.clone(),
            about: scenario.about.clone(),
            scenario_text: self.checked.text(),
            axes: self.axes().iter().map(plan_axis).collect(),
            arms: arms
                .map(|arm| plan_arm(arm, self.axes().len(), (&folders, &mut digests)))
                .collect::<Result<_, _>>()?,
            baseline: self.checked.baseline,
            replicates: scenario.replicates,
            first_replicate: self.checked.arms[0].scenario.replicate,
            targets: scenario.targets.iter().map(Target::planned).collect(),
            caveats: self.checked.caveats.clone(),
            figures: executor::declared(&scenario.figures),
            search: scenario.search.as_ref().map(plan_search),
        })
    }

    /// The axes of its results: arms alone are none.
    fn axes(&self) -> &[ExpandedAxis] {
        if self.checked.scenario.axes.is_empty() { &[] } else { &self.checked.axes }
    }

    /// Compares what the arms say with the data of their files, before anything is finished.
    pub(crate) fn check_fit(&self, options: &RunOptions) -> Result<(), Error> {
        let arms = self.checked.arms.iter();
        check_replicates(&mut self.preparer(options)?, (arms, self.checked.scenario.replicates))
    }

    /// What a target is about is what some arm measures: the objective and ‖h‖² wherever examples have exact
    /// expectations, else what a probe of the start says, and what a protocol has columns of its own for. The arms are
    /// prepared until one is found.
    pub(crate) fn check_targets(&self, options: &RunOptions) -> Result<(), Error> {
        let objective = self.checked.scenario.search.as_ref().map(|race| race.objective.planned());
        let targets = self.checked.scenario.targets.iter().map(Target::column);
        let mut wanted: Vec<&str> = targets.chain(objective.iter().map(PlanObjective::column)).collect();
        let mut preparer = self.preparer(options)?;
        let mut known: BTreeSet<String> = [PARAMETER_ERROR, MEASURED_COLUMNS[2]].map(str::to_owned).into();
        let arms = || self.checked.arms.iter();
        let is_exact = |arm: &Checked| !matches!(arm.scenario.protocol.over(), Over::Subjects(_) | Over::Table(_));
        if arms().any(is_exact) {
            known.extend(MEASURED_COLUMNS.map(str::to_owned));
        }
        for arm in arms() {
            wanted.retain(|column| !known.contains(*column));
            if wanted.is_empty() {
                return Ok(());
            }
            // Of an arm that cannot be begun nothing is known: its runs say so, and keep no others from running.
            let prepared = match executor::prepare(&mut preparer, arm) {
                Err(error) if error.is_of_one_run() => return Ok(()),
                prepared => prepared?,
            };
            let mut columns = executor::columns(&prepared).extra;
            if !is_exact(arm) {
                let subject = prepared.experiment.protocol.subject();
                let assessment = &prepared.experiment.record.assessment;
                let values = assessment.values(subject.problem(), &subject.state());
                let (Ok(probe), Ok(values)) = (subject.probe(), values) else { return Ok(()) };
                let assessed = assessment.columns(subject.problem()).into_iter().zip(values);
                let empty: Vec<String> =
                    assessed.filter(|columns| columns.1.is_none()).map(|columns| columns.0).collect();
                columns.retain(|name| !empty.contains(name));
                known.extend(probed(probe).map(str::to_owned));
            }
            known.extend(columns);
        }
        wanted.retain(|column| !known.contains(*column));
        let Some(column) = wanted.first() else { return Ok(()) };
        let targets = &self.checked.scenario.targets;
        let number = targets.iter().position(|target| target.column() == *column);
        let place = number.map_or("search.objective".to_owned(), |number| format!("targets[{number}]"));
        let names: BTreeSet<&str> = known.iter().map(String::as_str).collect();
        let message = format!("no arm measures a column `{column}`");
        let known: Vec<String> = names.iter().map(|name| format!("`{name}`")).collect();
        let expected = format!("expected one of {}", known.join(", "));
        let problem = self.checked.problem(&place, (message, expected), column, &names);
        Err(Error::scenario(problem))
    }
}

/// The columns of [`MEASURED_COLUMNS`] that a probe has filled in.
fn probed(probe: Probe) -> impl Iterator<Item = &'static str> {
    let [objective, mean_field_sq, _] = MEASURED_COLUMNS;
    let found = [probe.objective.map(|_| objective), probe.mean_field_sq.map(|_| mean_field_sq)];
    found.into_iter().flatten()
}

fn plan_search(race: &Race) -> PlanSearch {
    PlanSearch {
        objective: race.objective.planned(),
        error: race.error,
        margin: race.margin().unwrap_or(0.0),
        futility: race.futility,
        cut: race.cut(),
    }
}

fn plan_axis(axis: &ExpandedAxis) -> PlanAxis {
    let values = |(_, values): &(String, Vec<String>)| values.iter().map(|value| unquoted(value)).collect();
    let absent = axis.is_conditional.then_some(axis.labels.len());
    PlanAxis {
        name: axis.name.clone(),
        paths: axis.paths.iter().map(|(path, _)| path.clone()).collect(),
        levels: axis.labels.iter().cloned().chain(absent.map(|_| ABSENT.to_owned())).collect(),
        values: if axis.is_point_set { axis.paths.iter().map(values).collect() } else { Vec::new() },
        absent,
    }
}

fn plan_arm(
    arm: &Checked,
    axes: usize,
    (folders, digests): (&DataFolders, &mut FileDigests),
) -> Result<PlanArm, Error> {
    let scenario = &arm.scenario;
    Ok(PlanArm {
        name: arm_name(arm).to_owned(),
        levels: arm.levels[..axes.min(arm.levels.len())].to_vec(),
        seed: scenario.seed,
        scenario: scenario.name.clone(),
        scenario_text: arm.text.clone(),
        identity: identity(arm, folders, digests)?.to_string(),
        caveats: arm.caveats.clone(),
    })
}
