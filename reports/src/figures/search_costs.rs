//! What the figures of an optimization share: its arms as the record knows them, and how a cost stands on an axis.

use super::units::heading;
use crate::axes::scale_of_all;
use crate::decision::{Decided, counted};
use crate::figures::charts::Side;
use crate::options::XScale;
use crate::report::Report;
use fedbits_record::study::PlanObjective;

/// The numbers in the plan of the arms that a report shows and that have a cost.
pub(crate) fn shown(report: &Report<'_>, decided: &Decided<'_>) -> Vec<usize> {
    let is_shown = |arm: usize| report.arms().iter().any(|own| own.name == decided.name(arm));
    let has_cost = |arm: usize| decided.arm(arm).costs.iter().all(Option::is_some);
    (0..decided.plan.arms.len()).filter(|&arm| is_shown(arm) && has_cost(arm)).collect()
}

/// The cost of an arm by an objective; NaN without a run.
pub(crate) fn cost(decided: &Decided<'_>, arm: usize, objective: usize) -> f64 {
    decided.arm(arm).costs[objective].unwrap_or(f64::NAN)
}

/// That means are over different numbers of runs, with a space before it; empty where they are not.
pub(crate) fn numbers_of_runs(decided: &Decided<'_>, arms: &[usize]) -> String {
    let runs = || arms.iter().map(|&arm| decided.arm(arm).runs);
    match (runs().min(), runs().max()) {
        (Some(least), Some(most)) if least < most => {
            format!(" Means are over {least} to {most} runs: arms differ also in the replicates that they have.")
        }
        _ => String::new(),
    }
}

/// The label of an axis of these costs, and its unit.
pub(crate) fn label(objective: &PlanObjective, costs: &[f64]) -> (String, f64) {
    match objective {
        PlanObjective::Best(column) => (format!("{column} at the end"), 1.0),
        own => heading(counted(own), costs.iter().copied().fold(0.0, f64::max)),
    }
}

/// A vertical axis of these costs, and its unit.
pub(crate) fn side(objective: &PlanObjective, costs: &[f64]) -> (Side, f64) {
    let (label, unit) = label(objective, costs);
    let scale = match objective.has_ratios() {
        true => scale_of_all(costs.iter().copied(), XScale::Auto),
        false => scale_of_all(costs.iter().copied(), XScale::Linear),
    };
    (Side { label, scale, ..Side::default() }, unit)
}
