//! Samples made by hand.

use super::*;
use crate::compare::{CostEnd, Quantity};

fn sample(round: u64, reached: bool) -> Sample {
    let cost = TargetCost { reached, round, time_ns: 1, bits_up: 1, bits_total: 1, unseen: 0 };
    Sample { reaches: vec![Some(cost)], ..Sample::default() }
}

#[test]
fn targets_that_the_start_meets_are_told() {
    let runs: BTreeMap<_, _> = [sample(0, true), sample(0, false), sample(3, true)]
        .into_iter()
        .enumerate()
        .map(|(number, sample)| ((0, number as u64), sample))
        .collect();
    let arm = SampleArm {
        name: "a".to_owned(),
        levels: vec![0],
        level_names: vec!["a".to_owned()],
        point: Vec::new(),
        runs,
        planned: 3,
        failed: 0,
    };
    let targets = vec![PlanTarget::at_most("objective", 0.5)];
    let mut samples = Samples { arms: vec![arm], targets, ..Samples::default() };
    let expected = "objective ≤ 0.5 holds before the first round (1 of 3 runs): start farther away, or lower the target and `stop`";
    assert_eq!(
        samples.met_at_the_start(&[0], Goal::Target(0)).map(|caveat| caveat.to_string()).as_deref(),
        Some(expected)
    );
    samples.arms[0].runs.retain(|_, run| run.reaches[0].as_ref().is_some_and(|reach| reach.round > 0));
    assert_eq!(samples.met_at_the_start(&[0], Goal::Target(0)), None);
}

/// What a run would have cost that a search ended is only known to be more, and where it would have ended is not.
#[test]
fn a_run_that_was_cut_has_no_end() {
    let whole = Sample { bits_total: 7, error: Some(0.5), ..Sample::default() };
    let cut = Sample { cut: true, ..whole.clone() };
    let among = Samples::default();
    let end = |run: &Sample, what| run.cost(Goal::End, what, &among);
    assert_eq!(end(&whole, Quantity::BitsTotal), Some(Observation::reached(7.0)));
    assert_eq!(end(&cut, Quantity::BitsTotal), Some(Observation { value: 7.0, end: CostEnd::Cut }));
    assert_eq!(end(&whole, Quantity::Error), Some(Observation::reached(0.5)));
    assert_eq!(end(&cut, Quantity::Error), None);
    let stop_rules = StopRules { mean_field_sq: Some(0.1), ..StopRules::default() };
    let [missed, cut] =
        [whole, cut].map(|run| Sample { stop_rules: stop_rules.clone(), mean_field_sq: Some(0.5), ..run });
    let among = Samples { tolerance: Some(0.1), ..Samples::default() };
    let at = |run: &Sample| run.cost(Goal::Tolerance(0.1), Quantity::BitsTotal, &among);
    assert_eq!(at(&missed), Some(Observation { value: 7.0, end: CostEnd::Missed }));
    let without = Sample { stop_rules: StopRules::default(), ..missed };
    assert_eq!(at(&without), None, "its rules do not have the tolerance");
    assert_eq!(at(&cut), Some(Observation { value: 7.0, end: CostEnd::Cut }));
}

/// Of an accuracy that no run of an arm has measured nobody knows whether they got there.
#[test]
fn what_was_not_measured_is_not_known() {
    let run = Sample { measured: vec![Some(false), Some(true)], ..sample(3, false) };
    let run = Sample { reaches: vec![run.reaches[0]; 2], ..run };
    let known = |target| run.cost(Goal::Target(target), Quantity::Rounds, &Samples::default());
    assert_eq!((known(0), known(1)), (None, Some(Observation { value: 3.0, end: CostEnd::Missed })));
}

/// Runs that ended before a row could say so do not decide what their arm has measured: an error that no other run
/// measured is not known of a run that failed either.
#[test]
fn runs_without_rows_do_not_decide_what_was_measured() {
    let run = |measured, failed| Sample { measured: vec![measured], failed, ..sample(3, false) };
    let cases = [
        ([Some(false), None], Some(false)),
        ([Some(false), Some(true)], Some(true)),
        ([Some(true), None], Some(true)),
        ([None, None], None),
    ];
    for (votes, expected) in cases {
        let mut runs = votes.map(|vote| run(vote, vote.is_none()));
        runs.iter_mut().zip(votes).for_each(|(run, vote)| run.error_measured = vote.map(|_| false));
        runs.iter_mut()
            .zip(votes)
            .for_each(|(run, vote)| run.objective = vote.filter(|is_measured| *is_measured).map(|_| 2.0));
        let mut arm = SampleArm { name: "a".to_owned(), levels: vec![0], planned: 2, ..SampleArm::default() };
        arm.runs = (0..).map(|number| (0, number)).zip(runs).collect();
        let targets = vec![PlanTarget::at_most("objective", 0.5)];
        let mut samples = Samples { arms: vec![arm], targets, ..Samples::default() };
        samples.settle();
        assert!(samples.arms[0].runs.values().all(|run| run.measured == [expected]), "{votes:?}");
        let known = |target, what| samples.observations(0, &Measure { target, what }).len();
        let is_known = expected != Some(false);
        assert_eq!(known(Some(0), Quantity::BitsTotal), 2 * usize::from(is_known), "{votes:?}");
        // Of the end, one that did not fail and has no error is not known.
        let without = votes.iter().filter(|vote| **vote == Some(false)).count();
        assert_eq!(known(None, Quantity::Error), if is_known { 2 - without } else { 0 }, "{votes:?}");
    }
}

/// A run that failed before its first row has measured nothing, and never gets anywhere.
#[test]
fn a_run_that_failed_at_once_never_gets_there() {
    let failed = Sample { failed: true, reaches: vec![None], ..Sample::default() };
    let ended = Sample { failed: false, ..failed.clone() };
    for what in [Quantity::BitsTotal, Quantity::Time] {
        assert_eq!(failed.cost(Goal::Target(0), what, &Samples::default()), Some(Observation::NEVER));
        assert_eq!(ended.cost(Goal::Target(0), what, &Samples::default()), None);
    }
    assert_eq!(failed.cost(Goal::End, Quantity::Error, &Samples::default()), Some(Observation::NEVER));
    assert_eq!(ended.cost(Goal::End, Quantity::Error, &Samples::default()), None);
}
