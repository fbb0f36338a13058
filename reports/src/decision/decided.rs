//! The decision of a race, beside the plan that it speaks of.

use fedbits_record::results::{
    Decision, DecisionArm, DecisionLook, DecisionStanding, DropReason, PlanObjective, PlanSearch, RunPlan,
};

use crate::compare::Quantity;
use crate::data::Collected;

/// The decision of a race, beside the plan that it speaks of.
#[derive(Clone, Copy, Debug)]
pub struct Decided<'a> {
    /// The plan.
    pub plan: &'a RunPlan,
    /// How it chooses its runs.
    pub search: &'a PlanSearch,
    /// What was decided so far.
    pub decision: &'a Decision,
}

/// Where an arm stands in a race.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum Place {
    /// It is the best.
    Best,
    /// It is among several that cannot be told apart, or may still be the best.
    Left,
    /// It was dropped after so many replicates of each arm.
    Dropped(u64, DropReason),
    /// The race has ended, and too few of its runs reached the target and kept to the constraints.
    Infeasible,
}

impl<'a> Decided<'a> {
    /// That of a plan; `None` of one that makes all runs, and before a race's first step.
    #[must_use]
    pub fn of(plan: &'a RunPlan, decision: Option<&'a Decision>) -> Option<Self> {
        Some(Self { plan, search: plan.search.as_ref()?, decision: decision? })
    }

    /// That of the plan of a report.
    pub(crate) fn of_report(collected: &'a Collected) -> Option<Self> {
        let planned = collected.planned.as_ref()?;
        Self::of(&planned.plan, planned.decision.as_ref())
    }

    /// The name of an arm.
    #[must_use]
    pub fn name(&self, arm: usize) -> &'a str {
        &self.plan.arms[arm].name
    }

    /// What is known of an arm.
    #[must_use]
    pub fn arm(&self, arm: usize) -> &'a DecisionArm {
        &self.decision.arms[arm]
    }

    /// Where an arm stands.
    #[must_use]
    pub fn place(&self, arm: usize) -> Place {
        let is_best = self.decision.best.contains(&arm);
        match self.last(arm) {
            Some((look, DecisionStanding { dropped: Some(why), .. })) => Place::Dropped(look.replicates, *why),
            _ if !self.decision.ended => Place::Left,
            _ if !is_best || self.is_infeasible(arm) => Place::Infeasible,
            _ if self.decision.best.len() > 1 => Place::Left,
            _ => Place::Best,
        }
    }

    /// Whether it has runs, and none of them reached the target and kept to the constraints: its costs are what they
    /// had cost when they ended.
    #[must_use]
    pub fn is_infeasible(&self, arm: usize) -> bool {
        let decided = self.arm(arm);
        decided.runs > 0 && decided.feasible == 0
    }

    /// The last look at which an arm was held against the leader.
    #[must_use]
    pub fn last(&self, arm: usize) -> Option<(&'a DecisionLook, &'a DecisionStanding)> {
        let standing_at =
            |look: &'a DecisionLook| Some((look, look.standings.iter().find(|standing| standing.arm == arm)?));
        self.decision.looks.iter().rev().find_map(standing_at)
    }

    /// What was found at that look. Of the arm that leads at the last one nothing is: that it was held against another
    /// before says nothing of where it is now.
    #[must_use]
    pub fn beside_leader(&self, arm: usize) -> Option<&'a DecisionStanding> {
        let leads = self.decision.looks.last().is_some_and(|look| look.leader == arm);
        self.last(arm).filter(|_| !leads).map(|(_, standing)| standing)
    }

    /// The arms that have a run: the best first, then those that were dropped last, and of these the cheapest; those
    /// that got nowhere stand behind the others.
    #[must_use]
    pub fn order(&self) -> Vec<usize> {
        let objective = &self.search.objective;
        let cost = |arm: usize| self.arm(arm).cost.map(|cost| objective.less_is_better(cost));
        let key = |arm: usize| {
            let best = self.decision.best.iter().position(|known| *known == arm).unwrap_or(usize::MAX);
            let dropped = if let Place::Dropped(after, _) = self.place(arm) { after } else { u64::MAX };
            ((best, std::cmp::Reverse(dropped), self.is_infeasible(arm)), cost(arm).unwrap_or(f64::INFINITY))
        };
        let mut arms: Vec<usize> = (0..self.plan.arms.len()).filter(|&arm| self.arm(arm).runs > 0).collect();
        arms.sort_by(|&a, &b| {
            let (a, b) = (key(a), key(b));
            a.0.cmp(&b.0).then(a.1.total_cmp(&b.1))
        });
        arms
    }

    /// Runs that were asked for, and those of them that have a result.
    #[must_use]
    pub fn runs(&self) -> (u64, u64) {
        let arms = || self.decision.arms.iter();
        (arms().map(|arm| arm.asked).sum(), arms().map(|arm| arm.runs).sum())
    }

    /// The runs of the whole grid.
    #[must_use]
    pub fn grid(&self) -> u64 {
        self.plan.arms.len() as u64 * self.plan.replicates
    }
}

/// What an objective counts; the value of a column is an error.
#[must_use]
pub fn counted(objective: &PlanObjective) -> Quantity {
    match objective {
        PlanObjective::BitsTo(_) => Quantity::BitsTotal,
        PlanObjective::UploadTo(_) => Quantity::BitsUp,
        PlanObjective::TimeTo(_) => Quantity::Time,
        PlanObjective::RoundsTo(_) => Quantity::Rounds,
        PlanObjective::Best(_) => Quantity::Error,
    }
}

/// The mean of costs of several runs: the geometric one where costs have ratios.
pub(crate) fn mean(objective: &PlanObjective) -> &'static str {
    if objective.has_ratios() { "geometric mean" } else { "mean" }
}

/// What is written of an arm that was dropped.
#[must_use]
pub fn reason(why: DropReason) -> &'static str {
    match why {
        DropReason::Worse => "worse",
        DropReason::NotBetter => "not better",
        DropReason::Infeasible => "infeasible",
    }
}
