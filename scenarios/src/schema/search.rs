//! How a study chooses its runs, and what it decides. This file must not know how the decision is made.

use std::collections::BTreeMap;

use fedbits_record::study::PlanObjective;
use fedbits_spec::{Described, Duration};
use serde::{Deserialize, Serialize};

use super::levels::{Law, Which};
use super::target::Target;

/// How runs are chosen, to find the arm that is best by the objective.
#[derive(Clone, Debug, Described, Deserialize, PartialEq, Serialize)]
#[serde(deny_unknown_fields)]
pub enum Method {
    /// Replicates are given to all arms of the axes, one after the other, and an arm gets no more as soon as paired
    /// evidence says that it is not the best.
    Race(Race),
    /// Arms are proposed one after the other, by a model of what was seen so far. The study has no `axes`.
    Optimize(Optimize),
}

/// A race of all arms.
#[derive(Clone, Debug, Described, Deserialize, PartialEq, Serialize)]
#[serde(deny_unknown_fields)]
pub struct Race {
    /// The cost to minimize.
    pub objective: Objective,
    /// The probability that an arm is dropped which is better than the one that is chosen, by more than `margin`; in
    /// (0, 0.5]. It holds for the whole race, however many replicates there are.
    #[serde(default = "five_percent")]
    #[described(by_rules)]
    pub error: f64,
    /// Differences that do not matter: a share of the cost, by default 0.02; for `Best` of a column that can be
    /// negative a difference of its values, which is to be given. At least 0.
    #[serde(default)]
    #[described(by_rules)]
    pub margin: Option<f64>,
    /// The race ends early when the probability that the replicates to come would drop an arm is less than this, given
    /// those that were made; in [0, 1). 0: only when all replicates are made, or one arm is left.
    #[serde(default = "three_tenths")]
    #[described(by_rules)]
    pub futility: f64,
    /// A run ends early when it has cost this many times what the arm that leads costs in the same replicate, in the
    /// first one what the baseline costs: it counts as one that did not reach the target before. Runs of the baseline
    /// do not; nor is there a cut where that other run did not reach the target, or of `Best`. Above 1; `None`: none
    /// does.
    #[serde(default = "eightfold")]
    #[described(by_rules)]
    pub cut: Option<f64>,
    /// Constraints on every run: an arm is dropped as soon as too many of its runs break them. Runs that end at the
    /// `cut` count as if they met them.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub constraints: Vec<Constraint>,
}

/// A search in the space of several settings.
#[derive(Clone, Debug, Described, Deserialize, PartialEq, Serialize)]
#[serde(deny_unknown_fields)]
pub struct Optimize {
    /// The cost to minimize.
    pub objective: Objective,
    /// Paths, and the laws of their values.
    pub over: BTreeMap<String, Law>,
    /// Paths that exist only where other paths, which have a `Choice`, have these values; default: all exist always.
    #[serde(default)]
    pub when: BTreeMap<String, BTreeMap<String, Which>>,
    /// Constraints on every run.
    #[serde(default)]
    pub constraints: Vec<Constraint>,
    /// How many runs are made at most. About the last fifth of them are replicates of the best arms by then, and of
    /// the baseline.
    pub budget: SearchBudget,
    /// Points that are proposed at a time, 1 to 64: so many processes have work. The decision depends on it,
    /// and not on the number of processes.
    #[serde(default = "four")]
    pub batch: u64,
    /// The root of the search's own draws.
    #[serde(default = "first_seed")]
    pub seed: u64,
}

/// A cost to minimize.
#[derive(Clone, Debug, Described, Deserialize, PartialEq, Serialize)]
#[serde(deny_unknown_fields)]
pub enum Objective {
    /// All bits until the target is reached: payload in all directions, and headers.
    BitsTo(Target),
    /// Payload bits from clients to the server, and packets sent again with their headers, until then.
    UploadTo(Target),
    /// Simulated time until then.
    TimeTo(Target),
    /// Rounds until then.
    RoundsTo(Target),
    /// The last value of this column, where more is better the largest: the best model within the study's `budget`.
    Best(String),
    /// Several costs, none of them a `Front`; 2 or 3. The result is the set of arms that no other beats in all of them.
    /// Not for races.
    Front(Vec<Objective>),
}

/// A constraint on runs.
#[derive(Clone, Copy, Debug, Described, Deserialize, PartialEq, Serialize)]
#[serde(deny_unknown_fields)]
pub enum Constraint {
    /// The target is reached within this simulated time, in all runs, or in the share of them that `Reached` gives.
    Time(Duration),
    /// This share of an arm's runs reaches the target; in (0, 1].
    Reached(#[described(by_rules)] f64),
}

/// When a search ends.
#[derive(Clone, Copy, Debug, Described, Deserialize, PartialEq, Serialize)]
#[serde(deny_unknown_fields)]
pub enum SearchBudget {
    /// After so many runs; 1 to 1 000. What the optimizer itself computes grows with their fourth power: about a second
    /// of processor time for 200 of them, and as much again for a search that is resumed.
    Runs(u64),
}

fn five_percent() -> f64 {
    0.05
}

fn three_tenths() -> f64 {
    0.3
}

/// The `cut` of races that say nothing of it.
pub(crate) fn eightfold() -> Option<f64> {
    Some(8.0)
}

fn four() -> u64 {
    4
}

fn first_seed() -> u64 {
    1
}

impl Objective {
    /// As the plan of a study has it; of a front all its costs.
    #[must_use]
    pub fn planned(&self) -> Vec<PlanObjective> {
        vec![match self {
            Self::BitsTo(target) => PlanObjective::BitsTo(target.planned()),
            Self::UploadTo(target) => PlanObjective::UploadTo(target.planned()),
            Self::TimeTo(target) => PlanObjective::TimeTo(target.planned()),
            Self::RoundsTo(target) => PlanObjective::RoundsTo(target.planned()),
            Self::Best(column) => PlanObjective::Best(column.clone()),
            Self::Front(all) => return all.iter().flat_map(Self::planned).collect(),
        }]
    }

    /// The targets that it needs.
    #[must_use]
    pub fn targets(&self) -> Vec<&Target> {
        match self {
            Self::BitsTo(target) | Self::UploadTo(target) | Self::TimeTo(target) | Self::RoundsTo(target) => {
                vec![target]
            }
            Self::Best(_) => Vec::new(),
            Self::Front(all) => all.iter().flat_map(Self::targets).collect(),
        }
    }
}

impl Race {
    /// Differences that do not matter: what is given, else two percent; none of what has no ratios.
    #[must_use]
    pub fn margin(&self) -> Option<f64> {
        let has_ratios = self.objective.planned().iter().all(PlanObjective::has_ratios);
        self.margin.or(has_ratios.then_some(0.02))
    }

    /// The factor by which runs are cut; `None` where none is.
    #[must_use]
    pub fn cut(&self) -> Option<f64> {
        self.cut.filter(|_| !matches!(self.objective, Objective::Best(_)))
    }
}

impl Optimize {
    /// A race by the same cost and constraints. What has no ratios has no margin.
    #[must_use]
    pub fn race(&self) -> Race {
        let race = Race {
            objective: self.objective.clone(),
            error: five_percent(),
            margin: None,
            futility: three_tenths(),
            cut: eightfold(),
            constraints: self.constraints.clone(),
        };
        Race { margin: race.margin().or(Some(0.0)), ..race }
    }
}

impl Method {
    /// The cost to minimize.
    #[must_use]
    pub fn objective(&self) -> &Objective {
        match self {
            Self::Race(race) => &race.objective,
            Self::Optimize(own) => &own.objective,
        }
    }

    /// Constraints on every run.
    #[must_use]
    pub fn constraints(&self) -> &[Constraint] {
        match self {
            Self::Race(race) => &race.constraints,
            Self::Optimize(own) => &own.constraints,
        }
    }

    /// The share of an arm's runs that must keep to the constraints.
    #[must_use]
    pub fn reached(&self) -> f64 {
        let named = self.constraints().iter().find_map(|constraint| match constraint {
            Constraint::Reached(share) => Some(*share),
            Constraint::Time(_) => None,
        });
        named.unwrap_or(1.0)
    }
}
