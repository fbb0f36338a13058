//! `decision.json`: what a race has asked for and decided so far. It follows from the plan and the results, and is
//! written anew after each step.

use std::path::Path;

use serde::{Deserialize, Serialize};

use super::{PlanObjective, StoreError};
use crate::files::read_text;
use crate::{Cut, RecordError, write_whole};

/// Name of the file inside a folder of runs.
pub const DECISION_FILE: &str = "decision.json";

/// How a race chooses its runs.
#[derive(Clone, Debug, Deserialize, PartialEq, Serialize)]
pub struct PlanSearch {
    /// What is to be small.
    pub objective: PlanObjective,
    /// The probability of a wrong decision.
    pub error: f64,
    /// Differences that do not matter: a share of the cost, or a difference where costs have no ratios.
    pub margin: f64,
    /// The probability of dropping another arm below which the race ends.
    #[serde(default)]
    pub futility: f64,
    /// A run ends when it costs this many times what the arm that leads costs in the same replicate; `None`:
    /// never.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cut: Option<f64>,
}

/// What was decided.
#[derive(Clone, Debug, Default, Deserialize, PartialEq, Serialize)]
pub struct Decision {
    /// Whether the race has ended.
    pub ended: bool,
    /// The numbers of the arms that are left, the best first: one, or those that cannot be told apart.
    pub best: Vec<usize>,
    /// By arm what is known of it.
    pub arms: Vec<DecisionArm>,
    /// What was seen and decided after each replicate.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub looks: Vec<DecisionLook>,
    /// By replicate, counted from the first, where the runs of a race ended that cost too much.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub cuts: Vec<Option<Cut>>,
}

/// What a race knows of one arm.
#[derive(Clone, Debug, Default, Deserialize, PartialEq, Serialize)]
pub struct DecisionArm {
    /// How many of its replicates, from the first on, were asked for.
    pub asked: u64,
    /// How many of them have a result.
    pub runs: u64,
    /// How many of those reached the target and kept to the constraints.
    #[serde(alias = "reached")]
    pub feasible: u64,
    /// How many cost more than the cut of their replicate, and count no further.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub cut: u64,
    /// The mean cost of its runs: the geometric mean where costs have ratios; a lower bound where `feasible` is less
    /// than `runs`. `None` without a run.
    pub cost: Option<f64>,
    /// Its cost against the baseline.
    pub against_baseline: Option<Effect>,
}

fn is_zero(count: &u64) -> bool {
    *count == 0
}

/// The cost of an arm beside another's, over the replicates in which both reached the target: a ratio, or a difference
/// where costs have no ratios.
#[derive(Clone, Copy, Debug, Deserialize, PartialEq, Serialize)]
pub struct Effect {
    /// Replicates in which both reached the target.
    pub pairs: usize,
    /// The (geometric) mean.
    pub mean: f64,
    /// The ends of its 95 % interval by Student's t; `None` for one pair.
    pub low: Option<f64>,
    /// The other end.
    pub high: Option<f64>,
}

/// One look of a race.
#[derive(Clone, Debug, Deserialize, PartialEq, Serialize)]
pub struct DecisionLook {
    /// Replicates of each arm so far.
    pub replicates: u64,
    /// The number of the arm that was best then.
    pub leader: usize,
    /// The others that were left.
    pub standings: Vec<DecisionStanding>,
}

/// An arm beside the leader at a look.
#[derive(Clone, Debug, Deserialize, PartialEq, Serialize)]
pub struct DecisionStanding {
    /// The number of the arm.
    pub arm: usize,
    /// Replicates that could be compared.
    pub pairs: usize,
    /// Its cost beside the leader's: a ratio or a difference; at least this where runs ended before the target.
    pub mean: Option<f64>,
    /// The lower end of the interval that the race decides by.
    pub low: Option<f64>,
    /// Why it was dropped.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub dropped: Option<DropReason>,
}

/// Why an arm was dropped.
#[derive(Clone, Copy, Debug, Deserialize, Eq, PartialEq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum DropReason {
    /// It costs more.
    Worse,
    /// It is not better by more than the margin.
    NotBetter,
    /// A run failed, or broke a constraint.
    Infeasible,
}

impl Decision {
    /// Reads it from a folder of runs; `None` where there is none.
    pub fn read(directory: &Path) -> Result<Option<Self>, StoreError> {
        let path = directory.join(DECISION_FILE);
        let text = match read_text(&path) {
            Ok(text) => text,
            Err(StoreError::Io { source, .. }) if source.kind() == std::io::ErrorKind::NotFound => return Ok(None),
            Err(error) => return Err(error),
        };
        let hint = "; without this file `fedbits run` decides anew from the results";
        Ok(Some(serde_json::from_str(&text).map_err(|error| RecordError::json(&path, &error, hint))?))
    }

    /// Writes it, whole or not at all; nothing where it is there already.
    pub fn write(&self, directory: &Path) -> Result<(), StoreError> {
        match self.is_written(directory) {
            true => Ok(()),
            false => Ok(write_whole(&directory.join(DECISION_FILE), self.text().as_bytes())?),
        }
    }

    /// Whether the file of a folder of runs is what [`Decision::write`] writes.
    #[must_use]
    pub fn is_written(&self, directory: &Path) -> bool {
        fedbits_spec::files::read(directory.join(DECISION_FILE)).is_ok_and(|there| there == self.text().as_bytes())
    }

    fn text(&self) -> String {
        serde_json::to_string_pretty(self).expect("texts and finite numbers always serialize") + "\n"
    }

    /// Where runs of a replicate, counted from the first, ended that cost too much.
    #[must_use]
    pub fn cut_of(&self, number: u64) -> Option<Cut> {
        *self.cuts.get(usize::try_from(number).ok()?)?
    }

    /// Whether it speaks of the arms of a plan.
    #[must_use]
    pub fn fits(&self, arms: usize) -> bool {
        let standings =
            self.looks.iter().flat_map(|look| look.standings.iter().map(|standing| standing.arm).chain([look.leader]));
        let mut named = self.best.iter().copied().chain(standings);
        self.arms.len() == arms && named.all(|arm| arm < arms)
    }
}
