//! All comparisons of a study: medians, differences to the baseline, ranks and fronts.

use super::comparable::{notes, same_problem};
use super::measure::{Measure, Quantity};
use super::paired::Paired;
use super::pareto::{Front, common_tolerance, fronts};
use super::ranking::{Rank, ranks};
use super::samples::{SampleArm, Samples};
use super::survival::{Observation, kaplan_meier_median};

/// One measure over all arms.
#[derive(Clone, Debug, PartialEq)]
pub struct Block {
    /// What is measured.
    pub measure: Measure,
    /// An entry per arm.
    pub arms: Vec<ArmResult>,
}

/// What one measure says of one arm.
#[derive(Clone, Debug, PartialEq)]
pub struct ArmResult {
    /// Runs that were made.
    pub runs: usize,
    /// Those of them that reached the target; all, where there is none.
    pub reached: usize,
    /// Kaplan–Meier median; `None` when not more than half reach the target.
    pub median: Option<f64>,
    /// Against the baseline; `None` for the baseline itself, when no pair reached the target, for an arm that solves
    /// another problem, and for errors at the end of runs that all ended by one tolerance.
    pub paired: Option<Paired>,
    /// The place among the arms; `None` when the arms do not share two replicates, without a median, and where
    /// [`Self::paired`] is none for all arms.
    pub rank: Option<Rank>,
}

/// All comparisons of a study.
#[derive(Clone, Debug, PartialEq)]
pub struct Comparison {
    /// One per measure: targets first, the end of the runs last.
    pub blocks: Vec<Block>,
    /// The Pareto fronts, as [`fronts`] says.
    pub fronts: Vec<Front>,
    /// What is not compared, and why.
    pub notes: Vec<String>,
}

/// Compares all arms with the baseline, by every measure.
#[must_use]
pub fn compare(samples: &Samples) -> Comparison {
    let to_targets = (0..samples.targets.len()).flat_map(|target| {
        [Quantity::BitsTotal, Quantity::BitsUp, Quantity::Time, Quantity::Rounds]
            .map(|what| Measure { target: Some(target), what })
    });
    let at_end = [Quantity::BitsTotal, Quantity::Time, Quantity::Error].map(|what| Measure { target: None, what });
    let blocks = to_targets.chain(at_end).map(|measure| block(samples, measure)).collect();
    let notes = notes(samples, common_tolerance(samples));
    Comparison { blocks, fronts: fronts(samples), notes }
}

fn block(samples: &Samples, measure: Measure) -> Block {
    // Where one tolerance ended all runs, their errors differ by how far they overshot it.
    let is_overshoot =
        measure == (Measure { target: None, what: Quantity::Error }) && common_tolerance(samples).is_some();
    let ranks = if is_overshoot { vec![None; samples.arms.len()] } else { ranks(samples, &measure) };
    let arm = |(number, rank): (usize, Option<Rank>)| {
        let own = samples.observations(number, &measure);
        let observations: Vec<Observation> = own.values().copied().collect();
        ArmResult {
            runs: observations.len(),
            reached: observations.iter().filter(|observation| observation.reached).count(),
            median: kaplan_meier_median(&observations),
            paired: if is_overshoot { None } else { paired(samples, number, &measure) },
            rank,
        }
    };
    let arms = ranks.into_iter().enumerate().map(arm).collect();
    Block { measure, arms }
}

/// An arm against the baseline; `None` for the baseline itself, when no pair reached the target, and for an arm that
/// solves another problem.
pub(crate) fn paired(samples: &Samples, arm: usize, measure: &Measure) -> Option<Paired> {
    let comparable = arm != samples.baseline && same_problem(samples, samples.baseline, arm);
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
pub(crate) mod tests {
    use std::collections::BTreeMap;

    use fedbits_record::study::{PlanTarget, TargetCost};

    use crate::compare::{
        Goal, LeftOut, Measure, Quantity, Sample, SampleArm, Samples, compare, front, one_at_a_time, ranks,
    };

    /// An arm: its name, its levels on two axes, and (bits, seconds, error) per replicate.
    pub(crate) type ArmText<'a> = (&'a str, [usize; 2], &'a [(u64, u64, f64)]);

    pub(crate) fn samples(arms: &[ArmText<'_>]) -> Samples {
        let sample = |&(bits_total, seconds, error): &(u64, u64, f64)| Sample {
            bits_total,
            bits_up: bits_total,
            time_ns: seconds * 1_000_000_000,
            rounds: 1,
            error: Some(error),
            ..Sample::default()
        };
        let arm = |(name, levels, runs): &ArmText<'_>| SampleArm {
            name: (*name).to_owned(),
            levels: levels.to_vec(),
            level_names: levels.iter().map(ToString::to_string).collect(),
            point: Vec::new(),
            runs: runs.iter().enumerate().map(|(number, run)| ((0, number as u64), sample(run))).collect(),
            planned: arms[0].2.len(),
            failed: 0,
        };
        Samples { arms: arms.iter().map(arm).collect(), ..Samples::default() }
    }

    pub(crate) fn three() -> Samples {
        samples(&[
            ("base", [0, 0], &[(100, 10, 1.0), (110, 10, 1.0), (120, 10, 1.0)]),
            ("fewer bits", [1, 0], &[(50, 20, 1.0), (55, 20, 1.0), (60, 9, 1.0)]),
            ("beaten", [1, 1], &[(100, 11, 1.0), (110, 10, 2.0), (119, 30, 1.0)]),
        ])
    }

    /// The medians of `beaten` (110 bits, 11 s, 1) are beaten by those of `base` (110, 10, 1); replicate by replicate
    /// it is beaten by `base` twice, and in the last by `fewer bits`, which there beats `base` too.
    #[test]
    fn the_front_by_hand() {
        let fronts: Vec<_> =
            front(&three(), Goal::End).arms.into_iter().map(|own| (own.compared.unwrap(), own.of)).collect();
        let fronts: Vec<_> = fronts.into_iter().map(|(own, of)| (own.on_front, own.times, of)).collect();
        assert_eq!(fronts, [(true, 2, 3), (true, 3, 3), (false, 0, 3)]);
    }

    /// In every resample `fewer bits` has the smallest median of bits; the other two tie or nearly so.
    #[test]
    fn ranks_by_hand() {
        let ranks = ranks(&three(), &Measure { target: None, what: Quantity::BitsTotal });
        let places: Vec<_> = ranks.iter().flatten().map(|rank| rank.place).collect();
        assert_eq!(places, [2, 1, 2]);
        let best = ranks[1].expect("all arms share replicates");
        assert_eq!((best.low, best.high, best.first), (1, 1, 1.0));
    }

    /// Where no run gets to the target no arm has a place, and none is the first; where some runs of one arm do, but
    /// not more than half, neither has it.
    #[test]
    fn arms_without_a_median_have_no_place() {
        let mut samples = three();
        samples.targets = vec![PlanTarget::at_most("mean_field_sq", 1e-3)];
        let reach = |reached| vec![Some(TargetCost { reached, round: 1, time_ns: 1, bits_up: 1, bits_total: 1 })];
        let set = |samples: &mut Samples, reached: [[bool; 3]; 3]| {
            for (arm, reached) in samples.arms.iter_mut().zip(reached) {
                arm.runs.values_mut().zip(reached).for_each(|(run, reached)| run.reaches = reach(reached));
            }
        };
        let measure = Measure { target: Some(0), what: Quantity::BitsTotal };
        set(&mut samples, [[false; 3]; 3]);
        assert_eq!(ranks(&samples, &measure), [None; 3]);
        set(&mut samples, [[true, true, true], [true, false, false], [false; 3]]);
        let found = ranks(&samples, &measure);
        let first = found[0].expect("all its runs get there");
        assert_eq!((first.place, first.low, first.high, &found[1..]), (1, 1, 1, &[None, None][..]));
        // At worst another ties with it, where a resample is of the replicate in which that got there.
        assert_eq!(first.first, 1.0);
    }

    /// Failed runs have no end: an arm of which two of three runs failed has no median.
    #[test]
    fn failed_runs_have_no_end() {
        let mut samples = three();
        samples.arms[1].runs.values_mut().take(2).for_each(|run| run.failed = true);
        let found = compare(&samples);
        assert!(found.blocks.iter().all(|block| block.arms[1].median.is_none() && block.arms[1].reached == 1));
        assert_eq!(found.fronts[0].arms[1].compared, Err(LeftOut::NoMedian));
        assert_eq!((found.fronts[0].arms[1].reached, found.fronts[0].arms[1].of), (1, 3));
    }

    /// One axis at a time from (0, 0): (1, 0) differs on the first alone, (1, 1) on both.
    #[test]
    fn single_steps_from_the_baseline() {
        assert_eq!(one_at_a_time(&three()), [(0, 1)]);
    }

    /// The baseline has no comparison with itself, and an arm without runs none at all.
    #[test]
    fn missing_runs_are_no_results() {
        let mut samples = three();
        samples.arms[2].runs = BTreeMap::new();
        let comparison = compare(&samples);
        for block in &comparison.blocks {
            assert!(block.arms[0].paired.is_none() && block.arms[1].paired.is_some() && block.arms[2].paired.is_none());
            assert_eq!((block.arms[2].runs, block.arms[2].median), (0, None));
            assert!(block.arms.iter().all(|arm| arm.rank.is_none()), "no replicate is common to all arms");
        }
        assert_eq!(comparison.fronts[0].arms[2].compared, Err(LeftOut::NotMeasured));
    }
}
