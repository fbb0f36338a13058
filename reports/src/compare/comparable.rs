//! Which arms may be ranked together: those whose runs solve the same problem, and by one error.

use fedbits_spec::so_many;
use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};

use super::measure::{ErrorKind, SolvedProblem};
use super::samples::{Pair, Samples};
use crate::words::raised;
use fedbits_record::MEASURED_COLUMNS;

/// Whether two arms solve the same problem in the replicates that both have. Without any nothing says that they do not:
/// other replicates may have other data.
pub(super) fn same_problem(samples: &Samples, first: usize, second: usize) -> bool {
    shared(samples, first, second).all(|(a, b)| a.is(b))
}

/// Whether two arms minimize the same objective in the replicates that both have: a reference is there for both, or for
/// none. Exact EM on the data of one of them has no objective of a model that is not fitted by EM.
pub(super) fn same_objective(samples: &Samples, first: usize, second: usize) -> bool {
    shared(samples, first, second).all(|(a, b)| a.reference.is_some() == b.reference.is_some())
}

/// What two arms solve in the replicates that both have.
fn shared(samples: &Samples, first: usize, second: usize) -> impl Iterator<Item = (&SolvedProblem, &SolvedProblem)> {
    let (first, second) = (&samples.arms[first].runs, &samples.arms[second].runs);
    first.iter().filter_map(|(pair, run)| Some((&run.problem, &second.get(pair)?.problem)))
}

/// Which arms are ranked: the largest group that solves one problem in every replicate, the first of several. A single
/// arm is no group where others solve other problems.
pub(super) fn ranked(samples: &Samples) -> Vec<bool> {
    let arms = samples.arms.len();
    let with_runs: Vec<usize> = (0..arms).filter(|&arm| !samples.arms[arm].runs.is_empty()).collect();
    // The problems of a group by replicate, and its arms. Arms with more replicates say more of them, and come first.
    let mut groups: Vec<(BTreeMap<Pair, &SolvedProblem>, BTreeSet<usize>)> = Vec::new();
    let mut in_turn = with_runs.clone();
    in_turn.sort_by_key(|&arm| Reverse(samples.arms[arm].runs.len()));
    for arm in in_turn {
        let problems = || samples.arms[arm].runs.iter().map(|(pair, run)| (*pair, &run.problem));
        let fits = |known: &BTreeMap<Pair, &SolvedProblem>| {
            problems().all(|(pair, problem)| known.get(&pair).is_none_or(|known| known.is(problem)))
        };
        match groups.iter_mut().find(|(known, _)| fits(known)) {
            Some((known, group)) => {
                for (pair, problem) in problems() {
                    known.entry(pair).or_insert(problem);
                }
                group.insert(arm);
            }
            None => groups.push((problems().collect(), BTreeSet::from([arm]))),
        }
    }
    let largest = groups.iter().map(|(_, group)| group.len()).max().unwrap_or(0);
    let groups = groups.iter().map(|(_, group)| group);
    let groups = groups.filter(|group| group.len() == largest && (largest > 1 || with_runs.len() == 1));
    let group = groups.min_by_key(|group| group.first());
    let is_ranked = |arm: usize| samples.arms[arm].runs.is_empty() || group.is_some_and(|group| group.contains(&arm));
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
    let base = &samples.arms[samples.baseline].runs;
    let apart = names(&|arm| {
        let runs = &samples.arms[arm].runs;
        !runs.is_empty() && !base.is_empty() && !runs.keys().any(|pair| base.contains_key(pair))
    });
    if !apart.is_empty() {
        notes.push(format!("have no replicate in common with the baseline, so no ratio is given: {apart}"));
    }
    if samples.error == ErrorKind::Mixed {
        notes.push("some arms measured only ‖h(Ŝ)‖², others only the objective: errors are not compared".to_owned());
    }
    let overshot = || {
        let runs = samples.arms.iter().flat_map(|arm| arm.runs.values()).filter(|run| !run.failed && !run.cut);
        runs.filter(|run| run.tolerance.zip(run.error).is_some_and(|((least, _), error)| error < least)).count()
    };
    let overshot = if samples.error == ErrorKind::MeanField && tolerance.is_none() { overshot() } else { 0 };
    if overshot > 0 {
        let runs = so_many(overshot, "run");
        notes.push(format!(
            "how far runs overshot the tolerance that ended them: their errors are that tolerance ({runs})"
        ));
    }
    notes.extend(ended_otherwise(samples));
    if let Some(tolerance) = tolerance {
        notes.push(format!(
            "all runs ended by the same tolerance, ‖h(Ŝ)‖² ≤ {}: their errors differ only by how far they overshot \
             it, and are not compared",
            raised(tolerance)
        ));
    }
    notes
}

/// Costs at the end of runs that did not end by the tolerance by which others ended.
fn ended_otherwise(samples: &Samples) -> impl Iterator<Item = String> {
    let runs = || samples.arms.iter().flat_map(|arm| arm.runs.values());
    let [mut missed, mut without] = [0, 0];
    for run in runs().filter(|_| samples.tolerance.is_some()) {
        let has_rule = run.stop_rules.mean_field_sq == samples.tolerance;
        let is_missed = run.tolerance.is_none() && !run.cut && !run.failed && !run.degenerate;
        missed += usize::from(has_rule && is_missed);
        without += usize::from(!has_rule);
    }
    let tolerance = format!("‖h(Ŝ)‖² ≤ {}", raised(samples.tolerance.unwrap_or_default()));
    let all = so_many(runs().count(), "run");
    let missed = (missed > 0).then(|| {
        format!(
            "costs at the end of runs that ended before {tolerance}: they count as more than all \
             others ({missed} of {all})"
        )
    });
    let without = (without > 0)
        .then(|| format!("costs at the end of runs whose stop rules do not have {tolerance} ({without} of {all})"));
    missed.into_iter().chain(without)
}

impl Samples {
    /// The tolerance that ended runs; without one the largest that a stop rule asks for; none where nothing measured
    /// ‖h(Ŝ)‖², as it was no rule then.
    pub(crate) fn goal_tolerance(&self) -> Option<f64> {
        let runs = self.arms.iter().flat_map(|arm| arm.runs.values());
        let rules = runs.filter_map(|run| run.stop_rules.mean_field_sq);
        self.tolerance.or_else(|| rules.filter(|_| self.columns.contains(MEASURED_COLUMNS[1])).reduce(f64::max))
    }
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

    /// While runs are missing, each arm has other replicates, with other data. They are compared where they have one in
    /// common, and none is said to solve another problem. An arm that has other data in a replicate that others have
    /// does, whether or not the first arm has that replicate.
    #[test]
    fn other_replicates_are_no_other_problem() {
        let kept = |replicates: [&[u64]; 3], unlike: Option<usize>| {
            let mut samples = solving([("d", None); 3]);
            for (number, (arm, numbers)) in samples.arms.iter_mut().zip(replicates).enumerate() {
                arm.runs.retain(|pair, _| numbers.contains(&pair.1));
                if unlike == Some(number) {
                    arm.runs.values_mut().for_each(|run| run.problem.data += " of others");
                }
            }
            (super::ranked(&samples), compare(&samples).notes)
        };
        let (ranked, notes) = kept([&[0], &[1], &[2]], None);
        assert_eq!((ranked, notes.len()), (vec![true; 3], 2));
        assert_eq!(notes[0], "have no replicate in common with the baseline, so no ratio is given: fewer bits; beaten");
        assert!(notes[1].contains("no replicate in common"), "{notes:?}");
        let (ranked, notes) = kept([&[0], &[0, 1], &[1]], Some(2));
        assert_eq!(ranked, [true, true, false]);
        assert!(notes[0].starts_with("solve another problem than the other arms"), "{notes:?}");
        assert_eq!(kept([&[0], &[1], &[0, 1]], Some(1)).0, [true, false, true]);
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
