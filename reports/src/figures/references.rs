//! The least reference of the objective of every problem that runs solve.

use crate::data::{Arm, Run};
use std::collections::BTreeMap;

/// The least reference of every problem among the runs, by the problem's digest.
pub(crate) struct References(BTreeMap<String, f64>);

impl References {
    pub(crate) fn of(arms: &[Arm]) -> Self {
        let mut least = BTreeMap::new();
        for reference in arms.iter().flat_map(|arm| &arm.runs).filter_map(|run| run.record.manifest.reference.as_ref())
        {
            let Some(objective) = reference.objective else { continue };
            let best = least.entry(reference.problem.clone()).or_insert(objective);
            *best = f64::min(*best, objective);
        }
        Self(least)
    }

    /// The reference of a run's problem.
    pub(crate) fn of_run(&self, run: &Run) -> Option<f64> {
        self.0.get(&run.record.manifest.reference.as_ref()?.problem).copied()
    }

    /// The least of all problems, where there is one problem only.
    pub(crate) fn least(&self) -> Option<f64> {
        self.0.values().next().copied().filter(|_| self.0.len() == 1)
    }

    /// The arms that have objectives and no reference, by the reason.
    pub(crate) fn missing(&self, arms: &[Arm]) -> Vec<String> {
        let without =
            |run: &&Run| run.record.rounds.iter().any(|row| row.objective.is_some()) && self.of_run(run).is_none();
        let mut reasons: Vec<(&str, Vec<&str>)> = Vec::new();
        for arm in arms {
            let Some(run) = arm.runs.iter().find(without) else { continue };
            let reference = run.record.manifest.reference.as_ref();
            let why = reference.map_or("the record has no reference objective", |reference| reference.how.as_str());
            match reasons.iter_mut().find(|(own, _)| *own == why) {
                Some((_, labels)) => labels.push(&arm.label),
                None => reasons.push((why, vec![&arm.label])),
            }
        }
        reasons.iter().map(|(why, labels)| format!("{}: no objective gap, as {why}", labels.join("; "))).collect()
    }
}
