//! `study.json`: what was to be run. It must not know whether it was.

use std::path::Path;

use serde::{Deserialize, Serialize};

use super::{Identity, Key, PLAN_FILE, StoreError};
use crate::{RecordError, write_whole};

/// A study: arms × replicates, and what is asked of their results.
#[derive(Clone, Debug, Deserialize, PartialEq, Serialize)]
pub struct StudyPlan {
    /// Version of the program that made the plan.
    pub engine_version: String,
    /// The study's name.
    pub name: String,
    /// What it asks.
    pub about: String,
    /// The study's file with every default, as RON.
    pub study_text: String,
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
    pub caveats: Vec<String>,
}

/// An axis.
#[derive(Clone, Debug, Deserialize, PartialEq, Serialize)]
pub struct PlanAxis {
    /// Its name.
    pub name: String,
    /// The settings that it changes.
    pub paths: Vec<String>,
    /// The names of its levels.
    pub levels: Vec<String>,
}

/// An arm.
#[derive(Clone, Debug, Deserialize, PartialEq, Serialize)]
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
    /// [`Identity`] of the arm, in hexadecimal.
    pub identity: String,
    /// What a reader must know before trusting the arm.
    pub caveats: Vec<String>,
}

/// A target: the first recorded row where the column is at most the value.
#[derive(Clone, Debug, Deserialize, PartialEq, Serialize)]
pub struct PlanTarget {
    /// The column of `rounds.csv`.
    pub column: String,
    /// The value that must not be exceeded.
    pub at_most: f64,
}

impl PlanTarget {
    /// Its name for people, for example `mean_field_sq ≤ 1e-8`.
    #[must_use]
    pub fn name(&self) -> String {
        format!("{} ≤ {:?}", self.column, self.at_most)
    }

    /// Its name in column headers, for example `mean_field_sq_1e-8`.
    #[must_use]
    pub fn column_name(&self) -> String {
        format!("{}_{:?}", self.column, self.at_most)
    }
}

impl PlanArm {
    /// The key of its run number `replicate`; `None` when the plan's identity is not one.
    #[must_use]
    pub fn key(&self, replicate: u64) -> Option<Key> {
        Some(Identity::from_hex(&self.identity)?.key(self.seed, replicate))
    }
}

impl StudyPlan {
    /// Reads `directory/study.json`.
    ///
    /// # Errors
    /// When it cannot be read or is no plan, with line and column.
    pub fn read(directory: &Path) -> Result<Self, StoreError> {
        let path = directory.join(PLAN_FILE);
        let text = std::fs::read_to_string(&path).map_err(|error| StoreError::io(&path, error))?;
        let plan: Self = serde_json::from_str(&text).map_err(|error| RecordError::Syntax {
            path: path.clone(),
            line: error.line() as u64,
            column: error.column() as u64,
            message: error.to_string(),
        })?;
        plan.check().map_err(|message| RecordError::Syntax { path, line: 1, column: 1, message })?;
        Ok(plan)
    }

    /// Writes `directory/study.json`, whole or not at all; the directory is made when missing.
    ///
    /// # Errors
    /// When it cannot be written.
    pub fn write(&self, directory: &Path) -> Result<(), StoreError> {
        std::fs::create_dir_all(directory).map_err(|error| StoreError::io(directory, error))?;
        let mut text = serde_json::to_string_pretty(self).expect("texts and finite numbers always serialize");
        text.push('\n');
        Ok(write_whole(&directory.join(PLAN_FILE), text.as_bytes())?)
    }

    /// Numbers of all replicates.
    pub fn replicate_numbers(&self) -> impl Iterator<Item = u64> + use<> {
        self.first_replicate..self.first_replicate.saturating_add(self.replicates)
    }

    /// The names of an arm's levels, in the order of the axes.
    #[must_use]
    pub fn level_names(&self, arm: usize) -> Vec<&str> {
        self.axes.iter().zip(&self.arms[arm].levels).map(|(axis, &level)| axis.levels[level].as_str()).collect()
    }

    /// What every function here relies on.
    fn check(&self) -> Result<(), String> {
        let fits = |arm: &PlanArm| {
            arm.levels.len() == self.axes.len()
                && self.axes.iter().zip(&arm.levels).all(|(axis, &level)| level < axis.levels.len())
                && arm.key(0).is_some()
        };
        match self.arms.iter().find(|arm| !fits(arm)) {
            Some(arm) => Err(format!("the arm `{}` has levels that the axes have not, or no identity", arm.name)),
            None if self.baseline >= self.arms.len() => Err("the baseline is none of the arms".to_owned()),
            None => Ok(()),
        }
    }
}
