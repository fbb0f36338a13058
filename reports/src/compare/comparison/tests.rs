//! Comparisons by hand, and the samples of other tests.

use std::collections::BTreeMap;

use fedbits_record::results::{PlanTarget, TargetCost};

use crate::compare::{
    Goal, LeftOut, Measure, Quantity, Sample, SampleArm, Samples, Shared, compare, front, one_at_a_time, ranking,
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
        front(&three(), Goal::End).arms.into_iter().map(|standing| (standing.compared.unwrap(), standing.of)).collect();
    let fronts: Vec<_> = fronts.into_iter().map(|(compared, of)| (compared.on_front, compared.times, of)).collect();
    assert_eq!(fronts, [(true, 2, 3), (true, 3, 3), (false, 0, 3)]);
}

/// In every resample `fewer bits` has the smallest median of bits; the other two tie or nearly so.
#[test]
fn ranks_by_hand() {
    let ranks = ranking(&three(), &Measure { target: None, what: Quantity::BitsTotal }).ranks;
    let places: Vec<_> = ranks.iter().flatten().map(|rank| rank.place).collect();
    assert_eq!(places, [2, 1, 2].map(Some));
    let best = ranks[1].expect("all arms share replicates");
    assert_eq!((best.low, best.high, best.first), (1, 1, 1.0));
}

/// Where no run gets to the target no arm has a place, and none is the first; where some runs of one arm do, but
/// not more than half, neither has it. But it is first where a resample has the run that got there twice, and the
/// last of all arms where not.
#[test]
fn arms_without_a_median_have_no_place() {
    let mut samples = three();
    samples.targets = vec![PlanTarget::at_most("mean_field_sq", 1e-3)];
    let reach =
        |reached| vec![Some(TargetCost { reached, round: 1, time_ns: 1, bits_up: 1, bits_total: 1, unseen: 0 })];
    let set = |samples: &mut Samples, reached: [[bool; 3]; 3]| {
        for (arm, reached) in samples.arms.iter_mut().zip(reached) {
            arm.runs.values_mut().zip(reached).for_each(|(run, reached)| run.reaches = reach(reached));
        }
    };
    let measure = Measure { target: Some(0), what: Quantity::BitsTotal };
    set(&mut samples, [[false; 3]; 3]);
    assert_eq!(ranking(&samples, &measure).ranks, [None; 3]);
    set(&mut samples, [[true, true, true], [true, false, false], [false; 3]]);
    let found = ranking(&samples, &measure).ranks;
    let [first, second] = [0, 1].map(|arm| found[arm].expect("it is first in some resamples"));
    assert_eq!((first.place, first.low, first.high, found[2]), (Some(1), 1, 1, None));
    assert_eq!((second.place, second.low, second.high), (None, 1, 3));
    // Twice or thrice of three: 7/27, of which the other arm that ties has half.
    assert!((second.first - 7.0 / 54.0).abs() < 0.04, "{second:?}");
    assert!((first.first + second.first - 1.0).abs() < 1e-9, "{found:?}");
    set(&mut samples, [[true, false, true], [false; 3], [false; 3]]);
    let alone = ranking(&samples, &measure).ranks[0].expect("it has a median");
    // In 7 of 27 resamples it has no median: not the only place.
    assert_eq!((alone.place, alone.low, alone.high), (Some(1), 1, 3));
}

/// Three of seven runs get there; a race cut the others before these did: there is a median, with a caveat, and
/// places follow the medians. Had limits of their scenario ended them, there would be none. Arms that tie share
/// the resamples in which they are first.
#[test]
fn places_are_by_the_medians_that_are_shown() {
    let run = |cost: u64| (cost, cost, 1.0);
    let names = ["base", "few", "dear", "tie"];
    let costs = [[20, 21, 22, 23, 24, 25, 26], [1, 1, 2, 2, 9, 10, 11], [40; 7], [20, 21, 22, 23, 24, 25, 26]];
    let runs = costs.map(|all| all.map(run));
    let arms: Vec<ArmText> = (0..4).map(|arm| (names[arm], [arm, 0], &runs[arm][..])).collect();
    let mut samples = samples(&arms);
    samples.targets = vec![PlanTarget::at_most("mean_field_sq", 1e-3)];
    for arm in &mut samples.arms {
        let few = arm.name == "few";
        for run in arm.runs.values_mut() {
            let (bits_total, time_ns, reached) = (run.bits_total, run.bits_total, !few || run.bits_total > 2);
            let reach = TargetCost { reached, round: 1, time_ns, bits_up: bits_total, bits_total, unseen: 0 };
            (run.reaches, run.cut) = (vec![Some(reach)], !reached);
        }
    }
    let mut ended = samples.clone();
    ended.arms[1].runs.values_mut().for_each(|run| run.cut = false);
    assert_eq!(compare(&ended).blocks[0].arms[1].median, None);
    let found = compare(&samples);
    let bits = &found.blocks[0].arms;
    assert_eq!(bits.iter().map(|arm| arm.median).collect::<Vec<_>>(), [23.0, 10.0, 40.0, 23.0].map(Some));
    assert_eq!((bits[1].reached, bits[1].runs), (3, 7));
    let ranks: Vec<_> = bits.iter().map(|arm| arm.rank.expect("all have medians")).collect();
    assert_eq!(ranks.iter().map(|rank| rank.place).collect::<Vec<_>>(), [2, 1, 4, 2].map(Some));
    assert!((ranks.iter().map(|rank| rank.first).sum::<f64>() - 1.0).abs() < 1e-9, "{ranks:?}");
    assert!(ranks[0].first == ranks[3].first && ranks[0].first > 0.0, "resamples without a run that got there");
    assert!(found.caveats[0].to_string().contains("(few: 3 of 7)"), "{:?}", found.caveats);
    // Figures and sentences over these medians say the same.
    let measure = Measure { target: Some(0), what: Quantity::BitsTotal };
    let of_shared = Shared::of(&samples, 0..4).caveats(&samples, &[0, 1, 2, 3], &[measure]);
    let all: Vec<_> = found.caveats.iter().map(|counted| counted.caveat.clone()).collect();
    assert_eq!([of_shared, found.fronts[0].caveats(&samples)], [&all[..1]; 2]);
    let common = samples.arms[2].runs.keys().nth(3).copied().unwrap();
    samples.arms[2].runs.remove(&common);
    assert_eq!(compare(&samples).blocks[0].ranked_over, 6);
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

/// Replicates between which nothing random differs are no sample.
#[test]
fn identical_replicates_are_told() {
    let told = |samples: &Samples| {
        let found =
            compare(samples).caveats.into_iter().find(|counted| counted.caveat.kind().id == "identical-replicates");
        found.map(|counted| counted.to_string())
    };
    let mut samples = three();
    assert_eq!(told(&samples), None, "their digests are not known");
    samples.arms[..2].iter_mut().flat_map(|arm| arm.runs.values_mut()).for_each(|run| run.digests = "d".to_owned());
    let text = told(&samples).expect("two arms have identical replicates");
    assert!(text.starts_with("the replicates of base; fewer bits are identical: nothing random differs"), "{text}");
    samples.arms[..2].iter_mut().for_each(|arm| arm.runs.values_mut().next().unwrap().digests = "e".to_owned());
    assert_eq!(told(&samples), None);
}

/// Rounds between probes are 3 % of the cost, but the arms differ by no more than the distance of probes.
#[test]
fn arms_that_probes_cannot_tell_apart_are_told() {
    let told = |rounds: [u64; 2], unseen: u64| {
        let run = (1, 1, 1.0);
        let mut samples = samples(&[("a", [0, 0], &[run; 3]), ("b", [1, 0], &[run; 3])]);
        samples.targets = vec![PlanTarget::at_most("mean_field_sq", 1e-3)];
        for (arm, round) in samples.arms.iter_mut().zip(rounds) {
            let reach = TargetCost { reached: true, round, time_ns: 1, bits_up: 1, bits_total: 1, unseen };
            arm.runs.values_mut().for_each(|run| run.reaches = vec![Some(reach)]);
        }
        let found = compare(&samples).caveats.into_iter().find(|counted| counted.caveat.kind().id == "coarse-probes");
        found.map(|counted| counted.to_string())
    };
    let text = told([120, 115], 4).expect("they differ by five rounds");
    assert!(
        text.contains("after 4 rounds without a probe: up to 3 % of its cost") && text.contains("(b; a)"),
        "{text}"
    );
    for (rounds, unseen) in [([115, 121], 4), ([115, 115], 4), ([115, 116], 0), ([1_000, 1_005], 4)] {
        assert_eq!(told(rounds, unseen), None, "{rounds:?}");
    }
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
