//! What the runs of a search cost. Each result is read once.

use std::collections::BTreeMap;
use std::ops::Range;

use fedbits_numerics::{standard_error, t_quantile};
use fedbits_record::study::{Effect, PlanObjective, RunCost, StudyRecord};
use fedbits_record::{Cut, RunRecord};
use fedbits_search::{Outcome, Race, Score};

use crate::error::Error;

/// The runs that were read, by arm and number of the replicate, counted from 0.
pub(crate) struct Known {
    objectives: Vec<PlanObjective>,
    runs: BTreeMap<(usize, u64), KnownRun>,
    /// The race of them, as far as it is, and where the runs of each replicate may end.
    pub(super) race: Option<(Race, Vec<Option<Cut>>)>,
}

/// What one run says.
#[derive(Clone, Debug)]
pub(crate) struct KnownRun {
    /// By objective; `None` where it failed before it said anything.
    pub(crate) costs: Vec<Option<RunCost>>,
    /// Whether the simulation failed.
    pub(crate) failed: bool,
    /// Whether it cost more than where it may end, and counts no further.
    pub(crate) is_cut: bool,
}

/// A run that a search needs: an arm, and the number of a replicate.
#[derive(Clone, Copy, Debug)]
pub(crate) struct NeededRun {
    pub(crate) arm: usize,
    pub(crate) number: u64,
    /// Where it may end early.
    pub(crate) cut: Option<Cut>,
}

impl NeededRun {
    /// One that is made to its end.
    pub(crate) fn whole((arm, number): (usize, u64)) -> Self {
        Self { arm, number, cut: None }
    }
}

impl Known {
    pub(crate) fn new(objectives: Vec<PlanObjective>) -> Self {
        Self { objectives, runs: BTreeMap::new(), race: None }
    }

    /// What is made small.
    pub(crate) fn objectives(&self) -> &[PlanObjective] {
        &self.objectives
    }

    /// The run of an arm, if it has a result.
    pub(crate) fn run(&mut self, record: &StudyRecord, arm: usize, number: u64) -> Result<Option<&KnownRun>, Error> {
        self.run_until(record, NeededRun::whole((arm, number)))
    }

    /// The same of a run that may end early: what lies beyond that counts no more than if it had not been made.
    pub(crate) fn run_until(&mut self, record: &StudyRecord, run: NeededRun) -> Result<Option<&KnownRun>, Error> {
        let NeededRun { arm, number, cut } = run;
        if !self.runs.contains_key(&(arm, number)) {
            // What one machine could not run says nothing of the arm, and is no record.
            let Some(run) = record.run_until(arm, record.plan().first_replicate + number, cut)? else {
                return Ok(None);
            };
            self.runs.insert((arm, number), KnownRun::of(&run, &self.objectives, cut));
        }
        Ok(self.runs.get(&(arm, number)))
    }

    /// The run of an arm that was read.
    pub(super) fn at(&self, arm: usize, number: u64) -> Option<&KnownRun> {
        self.runs.get(&(arm, number))
    }

    /// Those of an arm's replicates that have no result, as runs to be made.
    pub(super) fn missing(
        &mut self,
        record: &StudyRecord,
        arm: usize,
        numbers: Range<u64>,
    ) -> Result<Vec<(usize, u64)>, Error> {
        let mut missing = Vec::new();
        for number in numbers {
            if self.run(record, arm, number)?.is_none() {
                missing.push((arm, number));
            }
        }
        Ok(missing)
    }

    /// Forgets all runs: some were made again.
    pub(crate) fn forget(&mut self) {
        self.runs.clear();
        self.race = None;
    }

    /// The runs of an arm that were read.
    pub(crate) fn of_arm(&self, arm: usize) -> impl Iterator<Item = (u64, &KnownRun)> {
        self.runs.range((arm, 0)..=(arm, u64::MAX)).map(|(&(_, number), run)| (number, run))
    }

    /// The differences of an arm's scores to another's by one objective, over the replicates in which both reached the
    /// target.
    pub(crate) fn differences(&self, arm: usize, other: usize, objective: usize) -> Vec<f64> {
        self.differences_where(arm, other, objective, |cost| cost.reached)
    }

    /// The same over the replicates in which costs of both count.
    fn differences_where(
        &self,
        arm: usize,
        other: usize,
        objective: usize,
        counts: impl Fn(&RunCost) -> bool,
    ) -> Vec<f64> {
        let own = &self.objectives[objective];
        let scores = |arm: usize| -> BTreeMap<u64, f64> {
            let runs = self.of_arm(arm).filter_map(|(number, run)| Some((number, run.costs[objective]?)));
            runs.filter(|(_, cost)| counts(cost)).map(|(number, cost)| (number, score(own, cost.cost))).collect()
        };
        let others = scores(other);
        scores(arm).into_iter().filter_map(|(number, one)| Some(one - others.get(&number)?)).collect()
    }

    /// What a front dominates of the costs below the baseline's, on the scale of the scores: by means over the
    /// replicates that an arm and the baseline both have, in which a run that did not get there counts with what it had
    /// cost, as in all mean costs. `None` where there is one objective, or the baseline never got there: it bounds
    /// nothing then.
    pub(super) fn hypervolume(&self, front: &[usize], baseline: usize) -> Option<f64> {
        let objectives = 0..self.objectives.len();
        if objectives.len() < 2 || !self.of_arm(baseline).any(|(_, run)| run.is_there()) {
            return None;
        }
        let mean = |arm: usize, objective: usize| {
            let all = self.differences_where(arm, baseline, objective, |_| true);
            (!all.is_empty()).then(|| all.iter().sum::<f64>() / all.len() as f64)
        };
        let point = |&arm: &usize| objectives.clone().map(|objective| mean(arm, objective)).collect();
        let points: Vec<Vec<f64>> = front.iter().filter_map(point).collect();
        Some(fedbits_search::hypervolume(&points, &vec![0.0; objectives.len()]))
    }

    /// The cost of an arm beside another's by one objective, over the replicates in which both reached the target. None
    /// where it is no number: times a cost of 0.
    pub(crate) fn effect(&self, arm: usize, other: usize, objective: usize) -> Option<Effect> {
        let (own, differences) = (&self.objectives[objective], self.differences(arm, other, objective));
        let count = differences.len();
        if count == 0 {
            return None;
        }
        let mean = differences.iter().sum::<f64>() / count as f64;
        let half = (count > 1).then(|| t_quantile(0.05, (count - 1) as f64) * standard_error(&differences, mean));
        let end = |half: f64| Some(shown(own, mean + half)).filter(|end| end.is_finite());
        let ends = [half.and_then(|half| end(-half)), half.and_then(end)];
        // Where more is better, the larger score is the lower value.
        let [low, high] = if own.grows() { [ends[1], ends[0]] } else { ends };
        Some(Effect { pairs: count, mean: shown(own, mean), low, high }).filter(|effect| effect.mean.is_finite())
    }
}

impl KnownRun {
    /// What a run says that may end where it costs more than `cut` by the only objective.
    fn of(run: &RunRecord, objectives: &[PlanObjective], cut: Option<Cut>) -> Self {
        // Of a run that would have been ended before it came to its final fit that fit says nothing.
        let is_beyond = cut.is_some_and(|cut| cut.of.in_all(&run.manifest.totals) > cut.above);
        let cost = |own: &PlanObjective| if is_beyond { own.cost_by_rows(run) } else { own.cost(run) };
        let mut costs: Vec<Option<RunCost>> = objectives.iter().map(cost).collect();
        let mut is_cut = false;
        if let ([objective], Some(cut)) = (objectives, cut) {
            let least = objective.cost_at(&cut);
            let is_there = costs[0].is_some_and(|cost| cost.reached && cost.cost <= least);
            is_cut = !is_there && is_beyond;
            if is_cut {
                let time_s = run.manifest.totals.time_ns as f64 / 1e9;
                costs[0] = Some(RunCost { cost: least, before: least, reached: false, time_s });
            }
        }
        // A run that failed beyond its cut would have been ended before.
        Self { costs, failed: run.manifest.failure().is_some() && !is_cut, is_cut }
    }

    /// Whether it reached every target.
    pub(crate) fn is_there(&self) -> bool {
        !self.failed && self.costs.iter().all(|cost| cost.is_some_and(|cost| cost.reached))
    }

    /// Simulated time until every target was reached; where there is none, until the last row that counts.
    pub(super) fn time_s(&self, objectives: &[PlanObjective]) -> f64 {
        let times = |has_target: bool| {
            let own = objectives.iter().zip(&self.costs).filter(|(own, _)| own.target().is_some() == has_target);
            own.filter_map(|(_, cost)| Some(cost.as_ref()?.time_s)).reduce(f64::max)
        };
        times(true).or_else(|| times(false)).unwrap_or(0.0)
    }

    /// As a search sees it.
    pub(crate) fn outcome(&self, objectives: &[PlanObjective]) -> Outcome {
        let scores = objectives.iter().zip(&self.costs).map(|(objective, cost)| match cost {
            Some(cost) if cost.reached => {
                let at = score(objective, cost.cost);
                // Nothing was spent at the row before: it says as little as none.
                let above =
                    if cost.before == 0.0 && objective.has_ratios() { at } else { score(objective, cost.before) };
                Score::At { at, above }
            }
            Some(cost) => Score::AtLeast(score(objective, cost.cost)),
            None => Score::AtLeast(f64::INFINITY),
        });
        Outcome { scores: scores.collect(), feasible: !self.failed }
    }
}

/// A cost on the scale on which arms are compared. Costs with ratios are above 0 but for a target that is met before
/// anything was sent, which counts as one unit.
pub(crate) fn score(objective: &PlanObjective, cost: f64) -> f64 {
    match objective.has_ratios() {
        true => libm::log(cost.max(objective.least())),
        false => objective.less_is_better(cost),
    }
}

/// A difference of scores as people read it: a ratio, or a difference of costs.
pub(crate) fn shown(objective: &PlanObjective, difference: f64) -> f64 {
    match objective.has_ratios() {
        true => libm::exp(difference),
        false => objective.less_is_better(difference),
    }
}

#[cfg(test)]
mod tests {
    use fedbits_record::study::PlanTarget;

    use super::*;

    /// A cost of 0 is the least number there is: what is so many times it is no number, which no decision could hold.
    #[test]
    fn times_a_cost_of_0_is_no_effect() {
        let run = |cost: f64| {
            let cost = RunCost { cost, before: cost, reached: true, time_s: 1.0 };
            KnownRun { costs: vec![Some(cost)], failed: false, is_cut: false }
        };
        let objective = PlanObjective::Best("mean_field_sq".to_owned());
        for (other, known) in [(0.0, false), (1e-300, true)] {
            let mut all = Known::new(vec![objective.clone()]);
            all.runs.extend([((0, 0), run(other)), ((0, 1), run(other)), ((1, 0), run(5.0)), ((1, 1), run(1e4))]);
            let effect = all.effect(1, 0, 0);
            assert_eq!(effect.is_some(), known, "{effect:?}");
            assert!(effect.is_none_or(|own| own.mean.is_finite() && own.high.is_none_or(f64::is_finite)));
        }
    }

    /// Of two replicates the baseline reaches the target in the first alone: the second counts with what it had cost.
    /// Where it reaches it in none there is no volume.
    #[test]
    fn a_volume_counts_all_replicates_that_both_have() {
        let target = || PlanTarget::at_most("mean_field_sq", 1e-3);
        let run = |cost: f64, reached: bool| {
            let cost = RunCost { cost, before: cost, reached, time_s: cost };
            KnownRun { costs: vec![Some(cost); 2], failed: false, is_cut: false }
        };
        let mut known = Known::new(vec![PlanObjective::BitsTo(target()), PlanObjective::TimeTo(target())]);
        known.runs.extend([((0, 0), run(8.0, true)), ((0, 1), run(2.0, false)), ((0, 2), run(9.0, true))]);
        known.runs.extend([((1, 0), run(1.0, true)), ((1, 1), run(1.0, true))]);
        // Mean logarithms of 8 and 2.
        let side = 2.0 * core::f64::consts::LN_2;
        let volume = known.hypervolume(&[1], 0).unwrap();
        assert!((volume - side * side).abs() < 1e-12, "{volume}");
        for number in [0, 2] {
            known.runs.insert((0, number), run(8.0, false));
        }
        assert_eq!(known.hypervolume(&[1], 0), None);
    }
}
