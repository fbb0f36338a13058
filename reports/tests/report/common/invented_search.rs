//! The invented study with a search: its decision is written by hand.

use super::write_study;
use fedbits_record::study::{
    Decision, DecisionArm, DecisionLook, DecisionStanding, DropReason, Effect, Incumbent, OtherDecision, PlanAxis,
    PlanObjective, PlanSearch, PlanTarget, SearchKind, StudyPlan,
};
use std::path::{Path, PathBuf};

fn target() -> PlanTarget {
    PlanTarget::at_most("mean_field_sq", 1e-3)
}

/// An arm of one objective that has all the runs that were asked for.
fn arm(runs: u64, cost: f64, effect: Option<Effect>) -> DecisionArm {
    DecisionArm { asked: runs, runs, feasible: runs, cut: 0, costs: vec![Some(cost)], against_baseline: vec![effect] }
}

fn ratio(pairs: usize, mean: f64, low: f64, high: f64) -> Effect {
    Effect { pairs, mean, low: Some(low), high: Some(high) }
}

/// A race over two looks: after two replicates arm 5 leads and all but arms 4 and 8 are dropped, after three arm 8 is.
pub fn race() -> (PlanSearch, Decision) {
    let search = PlanSearch {
        method: SearchKind::Race,
        objectives: vec![PlanObjective::BitsTo(target())],
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
    let own = |number: usize| match number {
        0 => arm(3, 4.0e6, None),
        4 => arm(3, 1.06e6, Some(ratio(3, 0.265, 0.25, 0.28))),
        5 => arm(3, 1.0e6, Some(ratio(3, 0.25, 0.2, 0.32))),
        8 => arm(3, 1.3e6, None),
        number => arm(2, 1.0e6 * mean(number), None),
    };
    let regret = Some(ratio(4, 1.04, 0.99, 1.09));
    let sensitivity = vec![
        other("bandwidth × 2", "dithering, s = 4 / 25 %", None),
        other("clients × 2", "dithering, s = 4 / 50 %", regret),
    ];
    let decision = Decision {
        ended: true,
        best: vec![5, 4],
        arms: (0..12).map(own).collect(),
        looks,
        sensitivity,
        ..Decision::default()
    };
    (search, decision)
}

fn other(name: &str, best: &str, regret: Option<Effect>) -> OtherDecision {
    OtherDecision { name: name.to_owned(), folder: "sensitivity/01".to_owned(), best: vec![best.to_owned()], regret }
}

/// An optimization of one or two costs over two paths; arm 0 led first, then arm 3, then arm 7.
pub fn optimization(objectives: Vec<PlanObjective>) -> (PlanSearch, Decision) {
    let count = objectives.len();
    let own = |number: usize| {
        let bits = 1.0e6 * (1.0 + (number as f64 - 7.0).abs());
        let costs = [Some(bits), Some(10.0 + 5.0 * number as f64)];
        DecisionArm {
            asked: 2,
            runs: 2,
            feasible: if number == 11 { 1 } else { 2 },
            cut: 0,
            costs: costs[..count].to_vec(),
            against_baseline: vec![(number > 0).then(|| ratio(2, bits / 8.0e6, 0.1, 1.5)); count],
        }
    };
    let leads = [(0, 0), (6, 3), (14, 7)].map(|(runs, arm)| Incumbent { runs, arm });
    let decision = Decision {
        ended: true,
        best: if count == 1 { vec![7] } else { vec![0, 3, 7] },
        arms: (0..12).map(own).collect(),
        incumbents: if count == 1 { leads.to_vec() } else { Vec::new() },
        hypervolume: (count > 1).then_some(3.25),
        ..Decision::default()
    };
    (
        PlanSearch { method: SearchKind::Optimize, objectives, error: 0.05, margin: 0.02, futility: 0.0, cut: None },
        decision,
    )
}

/// The two costs of optimizations.
pub fn costs() -> [PlanObjective; 2] {
    [PlanObjective::BitsTo(target()), PlanObjective::TimeTo(target())]
}

/// Writes the invented study of three replicates with a search, and what it decided.
pub fn write_search(home: &Path, (search, decision): (PlanSearch, Decision)) -> PathBuf {
    let study = write_study(home, 3, 300);
    let mut plan = StudyPlan::read(&study).unwrap();
    if search.method == SearchKind::Optimize {
        let points = 0..plan.arms.len();
        plan.arms.iter_mut().enumerate().for_each(|(number, arm)| arm.levels = vec![number]);
        plan.axes = vec![PlanAxis {
            name: "point".into(),
            paths: vec!["protocol.compressor".into(), "protocol.step".into()],
            levels: points.clone().map(|number| format!("point {}", number + 1)).collect(),
            values: vec![
                points.clone().map(|number| ["Identity", "Natural"][number % 2].to_owned()).collect(),
                points.map(|number| format!("{:?}", 0.01 * (number + 1) as f64 * (number + 1) as f64)).collect(),
            ],
            ..PlanAxis::default()
        }];
    }
    plan.search = Some(search);
    plan.write(&study).unwrap();
    decision.write(&study).unwrap();
    study
}
