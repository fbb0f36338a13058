//! What the runs of a race cost. Each result is read once.

use std::collections::BTreeMap;
use std::ops::Range;

use fedbits_record::results::{Effect, PlanObjective, Results, RunCost};
use fedbits_record::{Cut, RunRecord};
use fedbits_reports::compare::ConfidenceInterval;
use fedbits_scenarios::schema::Constraint;
use fedbits_search::{Race, Score};

use crate::error::Error;

/// The runs that were read, by arm and number of the replicate, counted from 0.
pub(crate) struct Known {
    pub(super) objective: PlanObjective,
    runs: BTreeMap<(usize, u64), KnownRun>,
    /// The race of them, as far as it is, and where the runs of each replicate may end.
    pub(super) race: Option<(Race, Vec<Option<Cut>>)>,
}

#[derive(Clone, Debug)]
pub(crate) struct KnownRun {
    /// `None` where it failed before it said anything.
    pub(crate) cost: Option<RunCost>,
    pub(crate) failed: bool,
    /// Whether it cost more than where it may end, and counts no further.
    pub(crate) is_cut: bool,
}

impl Known {
    pub(crate) fn new(objective: PlanObjective) -> Self {
        Self { objective, runs: BTreeMap::new(), race: None }
    }

    /// The run of an arm that may end early: what lies beyond that counts no more than if it had not been made.
    pub(super) fn run(
        &mut self,
        record: &Results,
        (arm, number): (usize, u64),
        cut: Option<Cut>,
    ) -> Result<Option<&KnownRun>, Error> {
        if !self.runs.contains_key(&(arm, number)) {
            // What one machine could not run says nothing of the arm, and is no record.
            let Some(run) = record.run_until(arm, record.plan().first_replicate + number, cut)? else {
                return Ok(None);
            };
            self.runs.insert((arm, number), KnownRun::of(&run, &self.objective, cut));
        }
        Ok(self.runs.get(&(arm, number)))
    }

    /// The run of an arm that was read.
    pub(super) fn at(&self, arm: usize, number: u64) -> Option<&KnownRun> {
        self.runs.get(&(arm, number))
    }

    /// Those of an arm's replicates that have no result.
    pub(super) fn missing(&mut self, record: &Results, arm: usize, numbers: Range<u64>) -> Result<Vec<u64>, Error> {
        let mut missing = Vec::new();
        for number in numbers {
            missing.extend(self.run(record, (arm, number), None)?.is_none().then_some(number));
        }
        Ok(missing)
    }

    /// Forgets all runs: some were made again.
    pub(crate) fn forget(&mut self) {
        self.runs.clear();
        self.race = None;
    }

    pub(crate) fn of_arm(&self, arm: usize) -> impl Iterator<Item = (u64, &KnownRun)> {
        self.runs.range((arm, 0)..=(arm, u64::MAX)).map(|(&(_, number), run)| (number, run))
    }

    /// The cost of an arm beside another's, over the replicates in which both reached the target. None where it is no
    /// number: times a cost of 0.
    pub(crate) fn effect(&self, arm: usize, baseline: usize) -> Option<Effect> {
        let objective = &self.objective;
        let scores = |arm: usize| -> BTreeMap<u64, f64> {
            let runs = self.of_arm(arm).filter_map(|(number, run)| Some((number, run.cost?)));
            runs.filter(|(_, cost)| cost.reached).map(|(number, cost)| (number, score(objective, cost.cost))).collect()
        };
        let baseline_scores = scores(baseline);
        let differences =
            scores(arm).into_iter().filter_map(|(number, score)| Some(score - baseline_scores.get(&number)?));
        let differences: Vec<f64> = differences.collect();
        if differences.is_empty() {
            return None;
        }
        let ConfidenceInterval { mean, low, high } = ConfidenceInterval::of(&differences);
        let end = |end: Option<f64>| end.map(|end| shown(objective, end)).filter(|end| end.is_finite());
        // Where more is better, the larger score is the lower value.
        let [low, high] = if objective.grows() { [end(high), end(low)] } else { [end(low), end(high)] };
        let effect = Effect { pairs: differences.len(), mean: shown(objective, mean), low, high };
        effect.mean.is_finite().then_some(effect)
    }
}

impl KnownRun {
    /// What a run says that may end where it costs more than `cut`.
    fn of(run: &RunRecord, objective: &PlanObjective, cut: Option<Cut>) -> Self {
        let failed = run.manifest.failure().is_some();
        let Some(cut) = cut.filter(|cut| cut.of.in_all(&run.manifest.totals) > cut.above) else {
            return Self { cost: objective.cost(run), failed, is_cut: false };
        };
        // Of a run that would have been ended before it came to its final fit that fit says nothing.
        let (cost, least) = (objective.cost_by_rows(run), objective.cost_at(&cut));
        if cost.is_some_and(|cost| cost.reached && cost.cost <= least) {
            return Self { cost, failed, is_cut: false };
        }
        // A run that failed beyond its cut would have been ended before.
        let time_s = run.manifest.totals.time_ns as f64 / 1e9;
        Self { cost: Some(RunCost { cost: least, before: least, reached: false, time_s }), failed: false, is_cut: true }
    }

    pub(crate) fn is_there(&self) -> bool {
        !self.failed && self.cost.is_some_and(|cost| cost.reached)
    }

    /// Whether it keeps to the constraints. Of one that was cut it is not known, and it is dear enough.
    pub(super) fn keeps_to(&self, constraints: &[Constraint]) -> bool {
        let (reached, time_s) = (self.is_there(), self.cost.map_or(0.0, |cost| cost.time_s));
        let is_met = |constraint: &Constraint| match constraint {
            Constraint::Time(limit) => reached && time_s <= limit.seconds(),
            Constraint::Reached(_) => reached,
        };
        self.is_cut || constraints.iter().all(is_met)
    }

    /// Its cost as a race sees it.
    pub(crate) fn score(&self, objective: &PlanObjective) -> Score {
        match self.cost {
            Some(cost) if cost.reached => {
                let at = score(objective, cost.cost);
                // Nothing was spent at the row before: it says as little as none.
                let above =
                    if cost.before == 0.0 && objective.has_ratios() { at } else { score(objective, cost.before) };
                Score::At { at, above }
            }
            Some(cost) => Score::AtLeast(score(objective, cost.cost)),
            None => Score::AtLeast(f64::INFINITY),
        }
    }
}

/// A cost on the scale on which arms are compared. Costs with ratios are above 0 but for a target that is met before
/// anything was sent, which counts as one unit.
pub(crate) fn score(objective: &PlanObjective, cost: f64) -> f64 {
    if objective.has_ratios() { libm::log(cost.max(objective.least())) } else { objective.less_is_better(cost) }
}

/// A difference of scores as people read it: a ratio, or a difference of costs.
pub(crate) fn shown(objective: &PlanObjective, difference: f64) -> f64 {
    if objective.has_ratios() { libm::exp(difference) } else { objective.less_is_better(difference) }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A cost of 0 is the least number there is: what is so many times it is no number, which no decision could hold.
    #[test]
    fn times_a_cost_of_0_is_no_effect() {
        let run = |cost: f64| {
            let cost = RunCost { cost, before: cost, reached: true, time_s: 1.0 };
            KnownRun { cost: Some(cost), failed: false, is_cut: false }
        };
        let objective = PlanObjective::Best("mean_field_sq".to_owned());
        for (cost, known) in [(0.0, false), (1e-300, true)] {
            let mut all = Known::new(objective.clone());
            all.runs.extend([((0, 0), run(cost)), ((0, 1), run(cost)), ((1, 0), run(5.0)), ((1, 1), run(1e4))]);
            let effect = all.effect(1, 0);
            assert_eq!(effect.is_some(), known, "{effect:?}");
            assert!(effect.is_none_or(|effect| effect.mean.is_finite() && effect.high.is_none_or(f64::is_finite)));
        }
    }
}
