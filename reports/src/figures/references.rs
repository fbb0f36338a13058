//! The least reference of the objective of every problem that runs solve.

use crate::data::{Arm, Run};
use std::collections::BTreeMap;

/// The least reference of every problem among the runs.
pub(crate) struct References {
    /// By the problem's digest.
    least: BTreeMap<String, f64>,
    /// By the digest of data the problem that all runs on them solve; none where there are several.
    problem_of: BTreeMap<String, Option<String>>,
}

impl References {
    pub(crate) fn of(arms: &[Arm]) -> Self {
        let (mut least, mut problem_of) = (BTreeMap::new(), BTreeMap::new());
        for manifest in arms.iter().flat_map(|arm| &arm.runs).map(|run| &run.record.manifest) {
            let Some(reference) = &manifest.reference else { continue };
            let problem = problem_of.entry(manifest.digests.data.clone()).or_insert(Some(reference.problem.clone()));
            problem.take_if(|own| *own != reference.problem);
            let Some(objective) = reference.objective else { continue };
            let best = least.entry(reference.problem.clone()).or_insert(objective);
            *best = f64::min(*best, objective);
        }
        Self { least, problem_of }
    }

    /// The reference of a run's problem. A run that failed names no problem: its is that of all others on its data.
    pub(crate) fn of_run(&self, run: &Run) -> Option<f64> {
        let manifest = &run.record.manifest;
        let problem = match &manifest.reference {
            Some(reference) => &reference.problem,
            None => self.problem_of.get(&manifest.digests.data)?.as_ref()?,
        };
        self.least.get(problem).copied()
    }

    /// The least of all problems, where there is one problem only.
    pub(crate) fn least(&self) -> Option<f64> {
        self.least.values().next().copied().filter(|_| self.least.len() == 1)
    }

    /// The arms that have objectives and no reference, by the reason; of some of their runs, how many.
    pub(crate) fn missing(&self, arms: &[Arm]) -> Vec<String> {
        let has_objective = |run: &&Run| run.record.rounds.iter().any(|row| row.objective.is_some());
        let mut reasons: Vec<(&str, Vec<String>)> = Vec::new();
        for arm in arms {
            let without = || arm.runs.iter().filter(has_objective).filter(|run| self.of_run(run).is_none());
            let Some(run) = without().next() else { continue };
            let reference = run.record.manifest.reference.as_ref();
            let why = reference.map_or("the record has no reference objective", |reference| reference.how.as_str());
            let label = match (without().count(), arm.runs.iter().filter(has_objective).count()) {
                (some, all) if some < all => format!("{some} of {all} runs of {}", arm.label),
                _ => arm.label.clone(),
            };
            match reasons.iter_mut().find(|(own, _)| *own == why) {
                Some((_, labels)) => labels.push(label),
                None => reasons.push((why, vec![label])),
            }
        }
        reasons.iter().map(|(why, labels)| format!("{}: no objective gap, as {why}", labels.join("; "))).collect()
    }
}
