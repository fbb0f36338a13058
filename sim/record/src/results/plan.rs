//! `plan.json`: what was to be run.

use std::collections::BTreeSet;
use std::io::{ErrorKind, Read};
use std::path::Path;

use fedbits_spec::{Caveat, files};
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::frame::MARK;
use super::{ArmIdentity, Key, PLAN_FILE, PlanSearch, PlanTarget, SEGMENTS_FOLDER, StoreError};
use crate::files::read_text;
use crate::{RecordError, make_folder, write_whole};

/// What is to be run: arms × replicates, and what is compared in their results.
#[derive(Clone, Debug, Default, Deserialize, PartialEq, Serialize)]
pub struct RunPlan {
    /// Version of the program that made the plan.
    pub engine_version: String,
    /// The scenario's name.
    pub name: String,
    /// Its question.
    pub about: String,
    /// The scenario with every default, as RON.
    pub scenario_text: String,
    /// What is varied.
    pub axes: Vec<PlanAxis>,
    /// All arms; the last axis changes fastest.
    pub arms: Vec<PlanArm>,
    /// The number of the arm that the others are compared with.
    pub baseline: usize,
    /// How often every arm is run.
    pub replicates: u64,
    /// The number of the first replicate; the others follow.
    pub first_replicate: u64,
    /// What it takes to get where.
    pub targets: Vec<PlanTarget>,
    /// What a reader must know before trusting the results.
    pub caveats: Vec<Caveat>,
    /// The figures that the scenario declares, as JSON; null where it declares none.
    #[serde(default, skip_serializing_if = "Value::is_null")]
    pub figures: Value,
    /// How its runs are chosen; `None` where all are made.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub search: Option<PlanSearch>,
}

/// An axis.
#[derive(Clone, Debug, Default, Deserialize, PartialEq, Serialize)]
pub struct PlanAxis {
    /// Its name.
    pub name: String,
    /// The settings that it changes.
    pub paths: Vec<String>,
    /// The names of its levels.
    pub levels: Vec<String>,
    /// By path the value of every level, where a level is a point in the space of the paths; else empty.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub values: Vec<Vec<String>>,
    /// The level of arms in which the axis does not exist, where there are such.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub absent: Option<usize>,
}

/// An arm.
#[derive(Clone, Debug, Default, Deserialize, PartialEq, Serialize)]
pub struct PlanArm {
    /// Its name, different from the others'.
    pub name: String,
    /// The number of its level on each axis.
    pub levels: Vec<usize>,
    /// The root seed of its runs.
    pub seed: u64,
    /// Name of its scenario.
    pub scenario: String,
    /// The scenario of the arm's first replicate as resolved, as RON.
    pub scenario_text: String,
    /// [`ArmIdentity`] of the arm, in hexadecimal.
    pub identity: String,
    /// What a reader must know before trusting the arm.
    pub caveats: Vec<Caveat>,
}

impl PlanArm {
    /// The key of its run number `replicate`; `None` when the plan's identity is not one.
    #[must_use]
    pub fn key(&self, replicate: u64) -> Option<Key> {
        Some(ArmIdentity::from_hex(&self.identity)?.key(self.seed, replicate))
    }
}

impl RunPlan {
    /// Reads `directory/plan.json`.
    ///
    /// # Errors
    /// When it cannot be read, is no plan (with line and column), or was changed after it was written.
    pub fn read(directory: &Path) -> Result<Self, StoreError> {
        let path = directory.join(PLAN_FILE);
        let (text, unread) = (read_text(&path)?, |error| RecordError::json(&path, &error, ""));
        let mark: Mark = serde_json::from_str(&text).map_err(unread)?;
        let plan: Self = serde_json::from_str(&text).map_err(unread)?;
        let checked = mark.check(&plan).and_then(|()| plan.check());
        checked.map_err(|message| RecordError::syntax(&path, (1, 1), message))?;
        Ok(plan)
    }

    /// Writes `directory/plan.json`, whole or not at all; the directory is made when missing.
    pub fn write(&self, directory: &Path) -> Result<(), StoreError> {
        make_folder(directory).map_err(|error| StoreError::io(directory, error))?;
        let text = serde_json::to_string_pretty(self).expect("texts and finite numbers always serialize");
        let fields = text.strip_prefix("{\n").unwrap_or(&text);
        let text = format!("{{\n  \"format\": \"{FORMAT}\",\n  \"digest\": \"{}\",\n{fields}\n", self.digest());
        Ok(write_whole(&directory.join(PLAN_FILE), text.as_bytes())?)
    }

    /// BLAKE3 of its fields as JSON, in hexadecimal.
    fn digest(&self) -> String {
        let fields = serde_json::to_vec(self).expect("texts and finite numbers always serialize");
        blake3::hash(&fields).to_hex().to_string()
    }

    /// The names of the arms as names of files, of at most 150 bytes: what file systems dislike becomes a dash, also a
    /// dot at the beginning, and no two are the same.
    #[must_use]
    pub fn arm_files(&self) -> Vec<String> {
        let safe = |c: char| if c.is_alphanumeric() || "._-=+".contains(c) { c } else { '-' };
        let mut taken = BTreeSet::new();
        let mut file = |arm: &PlanArm| {
            let mut name: String = arm.name.chars().map(safe).collect();
            name.truncate(name.floor_char_boundary(150));
            if name.starts_with('.') {
                name.replace_range(..1, "-");
            }
            let numbered = (2u32..).map(|number| format!("{name}-{number}"));
            let free = std::iter::once(name.clone()).chain(numbered).find(|name| taken.insert(name.to_lowercase()));
            free.unwrap_or(name)
        };
        self.arms.iter().map(&mut file).collect()
    }

    /// Numbers of all replicates.
    pub fn replicate_numbers(&self) -> std::ops::Range<u64> {
        self.first_replicate..self.first_replicate.saturating_add(self.replicates)
    }

    /// Whether the runs of another plan are the same, in the same order.
    #[must_use]
    pub fn has_runs_of(&self, other: &Self) -> bool {
        let same = |(one, other): (&PlanArm, &PlanArm)| one.seed == other.seed && one.identity == other.identity;
        self.replicate_numbers() == other.replicate_numbers()
            && self.arms.len() == other.arms.len()
            && self.arms.iter().zip(&other.arms).all(same)
    }

    /// Arm, replicate and key of every run, replicate by replicate.
    pub(super) fn keys(&self) -> impl Iterator<Item = (usize, u64, Key)> + use<> {
        let identity =
            |(number, arm): (usize, &PlanArm)| Some((number, ArmIdentity::from_hex(&arm.identity)?, arm.seed));
        let arms: Vec<(usize, ArmIdentity, u64)> = self.arms.iter().enumerate().filter_map(identity).collect();
        self.replicate_numbers().flat_map(move |replicate| {
            let key =
                |&(arm, identity, seed): &(usize, ArmIdentity, u64)| (arm, replicate, identity.key(seed, replicate));
            arms.iter().map(key).collect::<Vec<_>>()
        })
    }

    /// The names of an arm's levels, in the order of the axes.
    #[must_use]
    pub fn level_names(&self, arm: usize) -> Vec<&str> {
        self.axes.iter().zip(&self.arms[arm].levels).map(|(axis, &level)| axis.levels[level].as_str()).collect()
    }

    /// The names of an arm's levels; none of axes that do not exist in it.
    #[must_use]
    pub(crate) fn existing_levels(&self, arm: usize) -> Vec<Option<&str>> {
        let levels = self.axes.iter().zip(&self.arms[arm].levels);
        levels.map(|(axis, &level)| (axis.absent != Some(level)).then(|| axis.levels[level].as_str())).collect()
    }

    /// The paths of axes whose levels are points in a space.
    #[must_use]
    pub fn searched(&self) -> Vec<&str> {
        self.axes
            .iter()
            .filter(|axis| !axis.values.is_empty())
            .flat_map(|axis| &axis.paths)
            .map(String::as_str)
            .collect()
    }

    /// The values of an arm on the paths that are [`searched`](Self::searched); none of one that does not exist there.
    #[must_use]
    pub fn point(&self, arm: usize) -> Vec<Option<&str>> {
        let levels = self.axes.iter().zip(&self.arms[arm].levels);
        let values = levels.flat_map(|(axis, &level)| axis.values.iter().map(move |values| values.get(level)));
        values.map(|value| value.map(String::as_str).filter(|value| *value != ABSENT)).collect()
    }

    /// What every function here relies on, so that no number in it makes a reader work without end.
    fn check(&self) -> Result<(), String> {
        let fits = |arm: &PlanArm| {
            arm.levels.len() == self.axes.len()
                && self.axes.iter().zip(&arm.levels).all(|(axis, &level)| level < axis.levels.len())
                && arm.key(0).is_some()
        };
        let (arms, replicates) = (self.arms.len() as u128, self.replicates);
        let values_fit = |axis: &PlanAxis| {
            let levels = axis.levels.len() - usize::from(axis.absent.is_some_and(|absent| absent < axis.levels.len()));
            axis.values.is_empty()
                || axis.values.len() == axis.paths.len() && axis.values.iter().all(|values| values.len() == levels)
        };
        let arms_names = self.arms.iter().flat_map(|arm| [&arm.name, &arm.scenario]);
        let levels = self.axes.iter().flat_map(|axis| axis.levels.iter().chain([&axis.name]));
        let mut names = [&self.name].into_iter().chain(arms_names).chain(levels);
        if let Some(name) = names.find(|name| fedbits_spec::visible(name) != **name) {
            let name = fedbits_spec::visible(name);
            return Err(format!("the name `{name}` has characters that a terminal obeys: expected none of them"));
        }
        if !self.axes.iter().all(values_fit) {
            return Err("an axis has not a value of every path for every level".to_owned());
        }
        if !self.arms.iter().all(fits) {
            return Err("an arm has levels that the axes have not, or no identity".to_owned());
        }
        if self.baseline >= self.arms.len() {
            return Err("the baseline is none of the arms".to_owned());
        }
        if replicates == 0 || arms * u128::from(replicates) > MAX_RUNS {
            return Err(format!("{arms} arms × {replicates} replicates: expected 1 to {MAX_RUNS} runs"));
        }
        match self.first_replicate.checked_add(replicates) {
            Some(_) => Ok(()),
            None => {
                Err(format!("replicates {} and {replicates} further: there is no such number", self.first_replicate))
            }
        }
    }
}

/// What every plan says first.
const FORMAT: &str = "fedbits plan 1";
/// What a plan has for the value of a path that does not exist at a point.
const ABSENT: &str = "–";
/// As many runs as a plan may have.
const MAX_RUNS: u128 = 10_000_000;

/// What stands before the fields of a plan. A plan without them has lost them.
#[derive(Deserialize)]
struct Mark {
    format: Option<String>,
    digest: Option<String>,
}

impl Mark {
    fn check(&self, plan: &RunPlan) -> Result<(), String> {
        match (self.format.as_deref(), self.digest.as_deref()) {
            (None, None) => Err("the plan has neither `format` nor `digest`: expected both; `fedbits run` with the \
                                 scenario's file writes it anew"
                .to_owned()),
            (Some(FORMAT), Some(digest)) if digest == plan.digest() => Ok(()),
            (Some(FORMAT), _) => {
                Err("the plan is not the one that was written here: its digest differs; `fedbits run` \
                                      with the scenario's file writes it anew"
                    .to_owned())
            }
            (format, _) => Err(format!("the format is `{}`, expected `{FORMAT}`", format.unwrap_or_default())),
        }
    }
}

/// Whether a directory is a folder of runs: its plan says so, be it damaged, or its segments hold results.
pub fn is_result_folder(directory: &Path) -> Result<bool, StoreError> {
    let begins = |path: &Path, mark: &[u8]| -> Result<bool, StoreError> {
        let start = match beginning(path) {
            Err(error) if error.kind() == ErrorKind::IsADirectory => None,
            read => files::if_there(read).map_err(|error| StoreError::io(path, error))?,
        };
        Ok(start.is_some_and(|start| start.windows(mark.len()).any(|part| part == mark)))
    };
    if begins(&directory.join(PLAN_FILE), FORMAT.as_bytes())? {
        return Ok(true);
    }
    for segment in super::segment::segments(&directory.join(SEGMENTS_FOLDER))? {
        if begins(&segment, &MARK)? {
            return Ok(true);
        }
    }
    Ok(false)
}

/// The first bytes of a file.
fn beginning(path: &Path) -> std::io::Result<Vec<u8>> {
    let mut start = Vec::new();
    files::open(path)?.take(256).read_to_end(&mut start)?;
    Ok(start)
}

/// Whether a directory has a file of the name of a plan, be it one or not.
pub fn has_plan(directory: &Path) -> Result<bool, StoreError> {
    let path = directory.join(PLAN_FILE);
    files::is_file(&path).map_err(|error| StoreError::io(&path, error))
}
