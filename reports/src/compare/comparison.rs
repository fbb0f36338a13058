//! All comparisons of arms: medians, differences to the baseline, ranks and fronts.

use super::comparable::{notes, same_objective, same_problem};
use super::measure::{ErrorKind, Goal, Measure, Quantity};
use super::paired::Paired;
use super::pareto::{Front, LeftOut, common_tolerance, fronts};
use super::ranking::{Rank, Ranking, ranking};
use super::samples::{SampleArm, Samples};
use super::trust::{Shared, few_at, of_runs};
use fedbits_spec::{Caveat, CountedCaveat, so_many};

/// One measure over all arms.
#[derive(Clone, Debug, PartialEq)]
pub struct Block {
    /// What is measured.
    pub measure: Measure,
    /// An entry per arm.
    pub arms: Vec<ArmResult>,
    /// Replicates that all ranked arms have: the places are over these alone.
    pub ranked_over: usize,
}

impl Block {
    /// The arms that have a rank, by number, the best first.
    #[must_use]
    pub fn ranked(&self) -> Vec<(usize, Rank)> {
        let ranked = self.arms.iter().enumerate().filter_map(|(number, arm)| Some((number, arm.rank?)));
        let mut ranked: Vec<(usize, Rank)> = ranked.collect();
        let key = |rank: &Rank| rank.place.unwrap_or(usize::MAX);
        ranked.sort_by(|(_, a), (_, b)| key(a).cmp(&key(b)).then(b.first.total_cmp(&a.first)));
        ranked
    }
}

/// What one measure says of one arm.
#[derive(Clone, Debug, PartialEq)]
pub struct ArmResult {
    /// Runs that were made.
    pub runs: usize,
    /// Those of them that reached the target; without one, for costs those that reached [`Samples::tolerance`].
    pub reached: usize,
    /// Those of them whose final fit is degenerate; none of these is among [`Self::reached`].
    pub degenerate: usize,
    /// Kaplan–Meier median; `None` where the estimated share of runs that get to the target stays at or below a half.
    pub median: Option<f64>,
    /// Against the baseline; `None` for the baseline itself, without a replicate that both have, for an arm that solves
    /// another problem, and for errors at the end of runs that all ended by one tolerance.
    pub paired: Option<Paired>,
    /// The place among the arms; `None` when the arms do not share three replicates, for an arm without a median over
    /// those that they share which is first in no resample, and where [`Self::paired`] is none for all arms.
    pub rank: Option<Rank>,
}

/// All comparisons of the arms.
#[derive(Clone, Debug, PartialEq)]
pub struct Comparison {
    /// One per measure: targets first, the end of the runs last.
    pub blocks: Vec<Block>,
    /// The Pareto fronts, as [`fronts`] says.
    pub fronts: Vec<Front>,
    /// What is not compared, and why.
    pub notes: Vec<String>,
    /// What must be known before it is trusted.
    pub caveats: Vec<CountedCaveat>,
}

impl Comparison {
    /// A line for whatever is not compared, and for every caveat.
    #[must_use]
    pub fn remarks(&self) -> Vec<String> {
        let notes = self.notes.iter().map(|note| format!("not compared: {note}"));
        notes.chain(self.caveats.iter().map(|caveat| format!("caveat: {caveat}"))).collect()
    }
}

/// Compares all arms with the baseline, by every measure.
#[must_use]
pub fn compare(samples: &Samples) -> Comparison {
    let to_targets = (0..samples.targets.len()).flat_map(|target| {
        [Quantity::BitsTotal, Quantity::BitsUp, Quantity::Time, Quantity::Rounds]
            .map(|what| Measure { target: Some(target), what })
    });
    let at_end = [Quantity::BitsTotal, Quantity::Time, Quantity::Error].map(|what| Measure { target: None, what });
    let blocks: Vec<Block> = to_targets.chain(at_end).map(|measure| block(samples, measure)).collect();
    let fronts = fronts(samples);
    let mut notes = notes(samples, common_tolerance(samples));
    let has_nothing_common =
        |front: &Front| front.arms.iter().any(|standing| standing.compared == Err(LeftOut::NothingCommon));
    if fronts.iter().any(has_nothing_common) {
        notes.push("the arms have no replicate in common: there is no front and no ranking".to_owned());
    }
    let caveats = what_to_know(samples, &blocks, &fronts);
    Comparison { blocks, fronts, notes, caveats }
}

/// The measure that arms are ranked by: a cost to the last target; without a target a cost to the tolerance that ended
/// runs, or else the error at the end.
#[must_use]
pub fn leading(samples: &Samples, cost: Quantity) -> Measure {
    let target = samples.targets.len().checked_sub(1);
    let is_cost = target.is_some() || samples.tolerance.is_some();
    Measure { target, what: if is_cost { cost } else { Quantity::Error } }
}

/// Compares all arms by one measure.
#[must_use]
pub fn block(samples: &Samples, measure: Measure) -> Block {
    // Where one tolerance ended all runs, their errors differ by how far they overshot it.
    let is_overshoot =
        measure == (Measure { target: None, what: Quantity::Error }) && common_tolerance(samples).is_some();
    let Ranking { replicates, ranks } = match is_overshoot {
        true => Ranking { replicates: 0, ranks: vec![None; samples.arms.len()] },
        false => ranking(samples, &measure),
    };
    let arm = |(number, rank): (usize, Option<Rank>)| {
        let outcome = Shared::with_all_runs().outcome(samples, number, &measure);
        ArmResult {
            runs: outcome.runs.len(),
            reached: outcome.reached(),
            degenerate: outcome.degenerate,
            median: outcome.median,
            paired: if is_overshoot { None } else { paired(samples, number, &measure) },
            rank,
        }
    };
    let arms = ranks.into_iter().enumerate().map(arm).collect();
    Block { measure, arms, ranked_over: replicates }
}

/// What must be known before the comparison is trusted.
fn what_to_know(samples: &Samples, blocks: &[Block], fronts: &[Front]) -> Vec<CountedCaveat> {
    let all: Vec<usize> = (0..samples.arms.len()).collect();
    let missing = samples.arms.iter().filter(|arm| arm.runs.len() < arm.planned).count();
    let missing = (missing > 0).then(|| Caveat::MissingRuns { arms: so_many(missing, "arm") });
    let few = |target: usize| {
        let blocks = || blocks.iter().filter(|block| block.measure.target == Some(target));
        let median = |&arm: &usize| {
            let result = blocks().map(|block| &block.arms[arm]).find(|result| result.median.is_some())?;
            Some((arm, result.reached, result.runs))
        };
        few_at(samples, target, all.iter().filter_map(median))
    };
    let common = fronts.iter().find_map(Front::common);
    let common = common.map(|replicates| Caveat::FewCommon { replicates });
    let few = (0..samples.targets.len()).filter_map(few);
    let goals: Vec<Goal> = fronts.iter().map(|front| front.goal).collect();
    let of_comparison = of_runs(samples, &all, &goals).into_iter().chain(missing).chain(few).chain(common);
    of_comparison.map(CountedCaveat::from).chain(samples.caveats.iter().cloned()).collect()
}

/// An arm against the baseline; `None` for the baseline itself, without a replicate that both have, for an arm that
/// solves another problem, and for its objective where that is of another model.
pub(crate) fn paired(samples: &Samples, arm: usize, measure: &Measure) -> Option<Paired> {
    let is_objective = measure.what == Quantity::Error && samples.error == ErrorKind::Objective;
    let comparable = arm != samples.baseline
        && same_problem(samples, samples.baseline, arm)
        && (!is_objective || same_objective(samples, samples.baseline, arm));
    let of = |arm: usize| samples.observations(arm, measure);
    comparable.then(|| Paired::of(&of(arm), &of(samples.baseline))).flatten()
}

/// Arms that differ from the baseline on one axis alone: number of the axis, number of the arm; by axis, then level. An
/// axis that does not exist in an arm is none on which it differs.
#[must_use]
pub fn one_at_a_time(samples: &Samples) -> Vec<(usize, usize)> {
    let base = &samples.arms[samples.baseline].levels;
    let absent = |axis: usize, level: usize| samples.absent.get(axis).copied().flatten() == Some(level);
    let differs = |levels: &[usize], axis: usize| levels[axis] != base[axis] && !absent(axis, levels[axis]);
    let differing = |levels: &[usize]| (0..levels.len()).filter(|&axis| differs(levels, axis)).collect::<Vec<_>>();
    let single = |(number, arm): (usize, &SampleArm)| match differing(&arm.levels)[..] {
        [axis] => Some((axis, number)),
        _ => None,
    };
    let mut single: Vec<(usize, usize)> = samples.arms.iter().enumerate().filter_map(single).collect();
    single.sort();
    single
}

#[cfg(test)]
pub(crate) mod tests;
