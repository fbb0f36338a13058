//! The invented study with a race: its decision is written by hand.

use super::write_study;
use fedbits_record::results::{
    Decision, DecisionArm, DecisionLook, DecisionStanding, DropReason, Effect, PlanObjective, PlanSearch, PlanTarget,
    RunPlan,
};
use std::path::{Path, PathBuf};

/// An arm that has all the runs that were asked for.
fn arm(runs: u64, cost: f64, effect: Option<Effect>) -> DecisionArm {
    DecisionArm { asked: runs, runs, feasible: runs, cut: 0, cost: Some(cost), against_baseline: effect }
}

fn ratio(pairs: usize, mean: f64, low: f64, high: f64) -> Effect {
    Effect { pairs, mean, low: Some(low), high: Some(high) }
}

/// A race over two looks: after two replicates arm 5 leads and all but arms 4 and 8 are dropped, after three arm 8 is.
pub fn race() -> (PlanSearch, Decision) {
    let search = PlanSearch {
        objective: PlanObjective::BitsTo(PlanTarget::at_most("mean_field_sq", 1e-3)),
        error: 0.05,
        futility: 0.3,
        margin: 0.02,
        cut: Some(8.0),
    };
    let standing = |arm: usize, pairs, mean: f64, dropped| DecisionStanding {
        arm,
        pairs,
        mean: Some(mean),
        low: Some(mean * 0.8),
        dropped,
    };
    let mean = |arm: usize| 1.2 + 0.2 * arm as f64;
    let first = |arm: usize| match arm {
        4 | 8 => standing(arm, 2, 1.1, None),
        6 => standing(arm, 2, 1.25, Some(DropReason::NotBetter)),
        7 => DecisionStanding { arm, pairs: 0, mean: None, low: None, dropped: Some(DropReason::Infeasible) },
        arm => standing(arm, 2, mean(arm), Some(DropReason::Worse)),
    };
    let looks = vec![
        DecisionLook { replicates: 2, leader: 5, standings: (0..12).filter(|arm| *arm != 5).map(first).collect() },
        DecisionLook {
            replicates: 3,
            leader: 5,
            standings: vec![standing(4, 3, 1.06, None), standing(8, 3, 1.3, Some(DropReason::Worse))],
        },
    ];
    let state = |number: usize| match number {
        0 => arm(3, 4.0e6, None),
        4 => arm(3, 1.06e6, Some(ratio(3, 0.265, 0.25, 0.28))),
        5 => arm(3, 1.0e6, Some(ratio(3, 0.25, 0.2, 0.32))),
        8 => arm(3, 1.3e6, None),
        number => arm(2, 1.0e6 * mean(number), None),
    };
    let decision =
        Decision { ended: true, best: vec![5, 4], arms: (0..12).map(state).collect(), looks, ..Decision::default() };
    (search, decision)
}

/// Writes the invented study of three replicates with a race, and what it decided.
pub fn write_search(home: &Path, (search, decision): (PlanSearch, Decision)) -> PathBuf {
    let study = write_study(home, 3, 300);
    let mut plan = RunPlan::read(&study).unwrap();
    plan.search = Some(search);
    plan.write(&study).unwrap();
    decision.write(&study).unwrap();
    study
}
