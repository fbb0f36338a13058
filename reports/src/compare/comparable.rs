//! Which arms may be ranked together: those whose runs solve the same problem, and by one error.

use super::problem::ErrorKind;
use super::samples::Samples;

/// Whether two arms solve the same problem in the replicates that both have; without any, whether one of their problems
/// is the same. An arm without a run does not differ from any.
pub(super) fn same_problem(samples: &Samples, one: usize, other: usize) -> bool {
    let (one, other) = (&samples.arms[one].runs, &samples.arms[other].runs);
    if one.is_empty() || other.is_empty() {
        return true;
    }
    let mut common = one.iter().filter_map(|(pair, run)| Some((run, other.get(pair)?))).peekable();
    if common.peek().is_some() {
        return common.all(|(one, other)| one.problem.is(&other.problem));
    }
    one.values().any(|run| other.values().any(|other| run.problem.is(&other.problem)))
}

/// Which arms are ranked: the largest group that solves one problem, the first of several. A single arm is no group
/// where others solve other problems.
pub(super) fn ranked(samples: &Samples) -> Vec<bool> {
    let arms = samples.arms.len();
    let with_runs: Vec<usize> = (0..arms).filter(|&arm| !samples.arms[arm].runs.is_empty()).collect();
    let mut groups: Vec<Vec<usize>> = Vec::new();
    for &arm in &with_runs {
        match groups.iter_mut().find(|group| same_problem(samples, group[0], arm)) {
            Some(group) => group.push(arm),
            None => groups.push(vec![arm]),
        }
    }
    let largest = groups.iter().map(Vec::len).max().unwrap_or(0);
    let group = groups.iter().find(|group| group.len() == largest && (largest > 1 || with_runs.len() == 1));
    let is_ranked = |arm: usize| !with_runs.contains(&arm) || group.is_some_and(|group| group.contains(&arm));
    (0..arms).map(is_ranked).collect()
}

/// What is not compared, and why.
pub(super) fn notes(samples: &Samples, tolerance: Option<f64>) -> Vec<String> {
    let mut notes = Vec::new();
    let names = |is: &dyn Fn(usize) -> bool| {
        let arms = (0..samples.arms.len()).filter(|&arm| is(arm)).map(|arm| samples.arms[arm].name.as_str());
        arms.collect::<Vec<_>>().join("; ")
    };
    let ranked = ranked(samples);
    let unranked = names(&|arm| !ranked[arm]);
    if !unranked.is_empty() {
        notes.push(match ranked.iter().zip(&samples.arms).any(|(ranked, arm)| *ranked && !arm.runs.is_empty()) {
            true => format!(
                "solve another problem than the other arms (other data or model), on no front and in no ranking: \
                 {unranked}"
            ),
            false => "every arm solves a problem of its own (other data or model): there is no front and no ranking"
                .to_owned(),
        });
    }
    let without = names(&|arm| !same_problem(samples, samples.baseline, arm));
    if !without.is_empty() {
        notes.push(format!(
            "solve another problem than the baseline (other data or model), so no ratio is given: {without}"
        ));
    }
    if samples.error == ErrorKind::Mixed {
        notes.push("some arms measured only ‖h(Ŝ)‖², others only the objective: errors are not compared".to_owned());
    }
    if let Some(tolerance) = tolerance {
        notes.push(format!(
            "all runs ended by the same tolerance, ‖h(Ŝ)‖² ≤ {tolerance:?}: their errors differ by what they overshot \
             it, and are not compared"
        ));
    }
    notes
}

#[cfg(test)]
mod tests {
    use crate::compare::comparison::tests::{samples, three};
    use crate::compare::{ErrorKind, LeftOut, Quantity, Samples, SolvedProblem, compare};

    fn solving(problems: [(&str, Option<&str>); 3]) -> Samples {
        let mut samples = three();
        for (arm, (data, reference)) in samples.arms.iter_mut().zip(problems) {
            for (pair, run) in &mut arm.runs {
                // Other replicates have other data.
                let of = |text: &str| format!("{text} of replicate {}", pair.1);
                run.problem = SolvedProblem { data: of(data), reference: reference.map(of) };
            }
        }
        samples
    }

    /// An arm with other data, or another model, has no ratio, no rank and no position on a front, and is named.
    #[test]
    fn an_arm_of_another_problem_is_not_compared() {
        let model = [("d", Some("p")), ("d", Some("q")), ("d", Some("p"))];
        for problems in [[("d", None), ("e", None), ("d", Some("p"))], model] {
            let samples = solving(problems);
            let found = compare(&samples);
            assert_eq!(found.fronts[0].arms[1].compared, Err(LeftOut::OtherProblem));
            assert!(found.fronts[0].arms[0].compared.as_ref().unwrap().on_front);
            assert!(found.notes.iter().all(|note| note.contains("another problem") && note.ends_with(": fewer bits")));
            assert_eq!(found.notes.len(), 2);
            for block in &found.blocks {
                assert!(block.arms[1].paired.is_none() && block.arms[1].rank.is_none());
                assert!(block.arms[2].paired.is_some() && block.arms[2].rank.is_some() && block.arms[0].rank.is_some());
            }
        }
    }

    /// Where every arm has data of its own there is no front, and that is said.
    #[test]
    fn arms_of_three_problems_have_no_front() {
        let found = compare(&solving([("d", None), ("e", None), ("f", None)]));
        assert!(found.fronts[0].arms.iter().all(|arm| arm.compared == Err(LeftOut::OtherProblem)));
        assert!(
            found.blocks.iter().flat_map(|block| &block.arms).all(|arm| arm.rank.is_none() && arm.paired.is_none())
        );
        assert!(found.notes[0].contains("no front and no ranking"), "{:?}", found.notes);
    }

    /// ‖h(Ŝ)‖² where every arm has it, else the objective, else no error.
    #[test]
    fn errors_are_of_one_quantity() {
        let both = (Some(1e-6), Some(7.0));
        let cases = [
            ([both, both, (Some(2e-6), None)], ErrorKind::MeanField, [Some(1e-6), Some(1e-6), Some(2e-6)]),
            ([both, (None, Some(3.0)), both], ErrorKind::Objective, [Some(7.0), Some(3.0), Some(7.0)]),
            ([(Some(1.0), None), (None, Some(3.0)), both], ErrorKind::Mixed, [None; 3]),
            ([both, both, (None, None)], ErrorKind::MeanField, [Some(1e-6), Some(1e-6), None]),
        ];
        for (ends, kind, errors) in cases {
            let mut samples = samples(&["a", "b", "c"].map(|name| (name, [0, 0], &[(1, 1, 0.0)][..])));
            for (arm, (mean_field_sq, objective)) in samples.arms.iter_mut().zip(ends) {
                let run = arm.runs.values_mut().next().unwrap();
                (run.mean_field_sq, run.objective) = (mean_field_sq, objective);
            }
            samples.settle_errors();
            let found = samples.arms.iter().map(|arm| arm.runs.values().next().unwrap().error).collect::<Vec<_>>();
            assert_eq!((samples.error, &found[..]), (kind, &errors[..]));
            let front = compare(&samples).fronts.pop().unwrap();
            assert_eq!(front.costs.contains(&Quantity::Error), kind != ErrorKind::Mixed);
        }
    }
}
