//! The least reference of the objective of every problem that runs solve.

use crate::data::{Arm, Run};
use crate::text::grouped;
use fedbits_spec::so_many;
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
            problem.take_if(|known| *known != reference.problem);
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
        let lacking = |arm: &'_ Arm| {
            let without = || arm.runs.iter().filter(has_objective).filter(|run| self.of_run(run).is_none());
            let run = without().next()?;
            let reference = run.record.manifest.reference.as_ref();
            let why = reference.map_or("the record has no reference objective", |reference| reference.how.as_str());
            let label = match (without().count(), arm.runs.iter().filter(has_objective).count()) {
                (some, all) if some < all => format!("{some} of {all} runs of {}", arm.label),
                _ => arm.label.clone(),
            };
            Some((why.to_owned(), label))
        };
        let reasons = grouped(arms.iter().filter_map(lacking));
        reasons.iter().map(|(why, labels)| format!("{}: no objective gap, as {why}", labels.join("; "))).collect()
    }
}

/// Share of an objective that its rounding may be: that of a sum over many examples.
const ROUNDING: f64 = 64.0 * f64::EPSILON;

/// Which values have no gap above zero, and which runs have no gap.
pub(crate) fn notes(arms: &[Arm], references: &References) -> Vec<String> {
    let mut notes = references.missing(arms);
    for arm in arms {
        let (mut equal, mut below, mut deepest) = (0, 0, 0.0_f64);
        for run in &arm.runs {
            let Some(reference) = references.of_run(run) else { continue };
            for objective in run.record.rounds.iter().filter_map(|row| row.objective) {
                let gap = objective - reference;
                if gap.abs() <= ROUNDING * reference.abs() {
                    equal += usize::from(gap <= 0.0);
                } else if gap < 0.0 {
                    below += 1;
                    deepest = deepest.max(-gap);
                }
            }
        }
        let below_by = format!("below the reference, by up to {deepest:.1e}, at a worse optimum");
        let places = [(equal, "at the reference, up to rounding".to_owned()), (below, below_by)];
        for (count, place) in places.into_iter().filter(|(count, _)| *count > 0) {
            let values = so_many(count, "recorded value is|recorded values are");
            notes.push(format!("{}: {values} {place}: no coordinate on a log axis", arm.label));
        }
    }
    notes
}

#[cfg(test)]
mod tests {
    use super::{References, notes};
    use crate::curves::Curve;
    use crate::data::{Arm, Run};
    use fedbits_figures::Band;
    use fedbits_record::{Columns, Manifest, Recorder, Reference, RoundRow};
    use std::path::PathBuf;

    /// An arm with one run: the problem it solves, the reference that it ends with, and its objectives.
    fn arm(label: &str, problem: &str, reference: Option<f64>, objectives: &[f64]) -> Arm {
        let mut recorder = Recorder::memory(Columns::default());
        for (round, &objective) in (0_u64..).zip(objectives) {
            let row = RoundRow { round, bits_up: 8 * round, objective: Some(objective), ..RoundRow::default() };
            recorder.round(&row).unwrap();
        }
        let how = "the passes did not suffice".to_owned();
        let reference = Reference { problem: problem.to_owned(), objective: reference, how, ..Reference::default() };
        let manifest = Manifest { reference: Some(reference), ..Manifest::default() };
        let record = recorder.finish(manifest, &[], &[]).unwrap().unwrap();
        let runs = vec![Run { directory: PathBuf::new(), record: record.into() }];
        Arm {
            label: label.to_owned(),
            name: label.to_owned(),
            levels: Vec::new(),
            merged: Vec::new(),
            style: 0,
            band: Band::Quartiles,
            runs,
        }
    }

    fn gaps(arms: &[Arm]) -> Vec<Vec<f64>> {
        let references = References::of(arms);
        let curves = arms.iter().filter_map(|arm| arm.gap(|run| references.of_run(run)));
        curves.map(|curve: Curve| curve.points.iter().map(|point| point.median).collect()).collect()
    }

    /// Arms on the same data share the least reference; one on other data has its own, however much higher its
    /// objective is. No arm's own end is the zero.
    #[test]
    fn a_reference_belongs_to_its_data() {
        let arms = [
            arm("good", "p", Some(1.0), &[3.0, 1.5, 1.125]),
            arm("bad", "p", Some(1.25), &[3.0, 2.5, 2.0]),
            arm("other data", "q", Some(7.0), &[9.0, 8.0, 7.5]),
        ];
        assert_eq!(gaps(&arms), [[2.0, 0.5, 0.125], [2.0, 1.5, 1.0], [2.0, 1.0, 0.5]]);
    }

    /// Without a reference there is no gap, and it is said why; an arm that another has found a reference for has one.
    #[test]
    fn without_a_reference_there_is_no_gap() {
        let none = [arm("a", "p", None, &[3.0, 2.0]), arm("b", "p", None, &[3.0, 1.0])];
        assert!(gaps(&none).is_empty());
        let missing = References::of(&none).missing(&none);
        assert_eq!(missing, ["a; b: no objective gap, as the passes did not suffice"]);
        let one = [arm("a", "p", None, &[3.0, 2.0]), arm("b", "p", Some(0.5), &[3.0, 1.0])];
        assert_eq!(gaps(&one), [[2.5, 1.5], [2.5, 0.5]]);
    }

    /// Values at and below the reference are counted where the caption is read.
    #[test]
    fn values_below_the_reference_are_reported() {
        let arms = [arm("a", "p", Some(1.0), &[3.0, 0.75, 1.5]), arm("b", "p", Some(1.25), &[2.0, 1.0])];
        let notes = notes(&arms, &References::of(&arms));
        assert!(notes.iter().any(|note| note.contains("a: 1 recorded value is below") && note.contains("2.5e-1")));
        assert!(notes.iter().any(|note| note.contains("b: 1 recorded value is at the reference")), "{notes:?}");
    }
}
