//! Which arms no other arm beats in several costs at once. Tables and figures take it from here, so that they cannot
//! disagree.
//!
//! Costs are medians over the replicates that all compared arms have, as in a ranking: an arm that a race dropped early
//! may have had the easy ones alone. An arm without a median is on no front.

use std::collections::{BTreeMap, BTreeSet};

use fedbits_record::results::PlanTarget;
use fedbits_spec::Caveat;

use super::comparable::ranked;
use super::measure::{ErrorKind, Goal, Quantity};
use super::samples::{Pair, Sample, SampleArm, Samples};
use super::survival::Observation;
use super::trust::{ArmOutcome, common, common_words, few_at, of_runs};

/// The arms in the costs of getting to a goal.
#[derive(Clone, Debug, PartialEq)]
pub struct Front {
    /// Where costs are counted.
    pub goal: Goal,
    /// What is counted.
    pub costs: Vec<Quantity>,
    /// Replicates that all compared arms have: medians are over these alone.
    pub over: usize,
    /// Whether a search ended runs of these arms, which have no error at the end.
    pub has_cut: bool,
    /// An entry per arm.
    pub arms: Vec<Standing>,
}

/// An arm among the others.
#[derive(Clone, Debug, PartialEq)]
pub struct Standing {
    /// Replicates that get to the goal.
    pub reached: usize,
    /// Those whose final fit is degenerate, which do not.
    pub degenerate: usize,
    /// All replicates, also those that failed or have no result.
    pub of: usize,
    /// Where it stands among the others.
    pub compared: Result<Compared, LeftOut>,
}

/// Costs of an arm that is compared, and whether it is on the front.
#[derive(Clone, Debug, PartialEq)]
pub struct Compared {
    /// One per cost.
    pub costs: Vec<Spread>,
    /// Replicates, of [`Front::over`], that get to the goal.
    pub reached: usize,
    /// Whether no arm's medians are all at most these and one of them less.
    pub on_front: bool,
    /// Replicates, of [`Front::over`], in which the arm is on the front of that replicate alone.
    pub times: usize,
}

/// A cost over the replicates, all quantiles by Kaplan and Meier.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Spread {
    /// The median.
    pub median: f64,
    /// The lower quartile.
    pub low: f64,
    /// The upper quartile; `None` where the estimated share of replicates that reach the target stays
    /// at or below three quarters.
    pub high: Option<f64>,
}

/// Why an arm is not compared.
#[derive(Clone, Copy, Debug, Eq, Ord, PartialEq, PartialOrd)]
pub enum LeftOut {
    /// It has no median: the estimated share of its replicates that get to the goal stays at or below a half.
    NoMedian,
    /// It sends nothing, and others do.
    SendsNothing,
    /// Its runs solve another problem than those of the arms on the front: other data, or another model.
    OtherProblem,
    /// It has no run, or none that measured its error.
    NotMeasured,
    /// A search ended all its runs early: they have no error at the end.
    EndedEarly,
    /// There is no replicate that all arms have.
    NothingCommon,
}

impl LeftOut {
    /// The reason in a few words.
    #[must_use]
    pub const fn words(self) -> &'static str {
        match self {
            Self::NoMedian => "no median",
            Self::SendsNothing => "sends nothing",
            Self::OtherProblem => "solves another problem (other data or model)",
            Self::NotMeasured => "not measured",
            Self::EndedEarly => "ended early by the search",
            Self::NothingCommon => "no replicate in common",
        }
    }
}

impl Front {
    /// The target that it is about; `None` at the end of the runs.
    #[must_use]
    pub fn target(&self, samples: &Samples) -> Option<PlanTarget> {
        samples.target(self.goal)
    }

    /// The replicates that medians are over, where some compared arm has others, too.
    #[must_use]
    pub fn common(&self) -> Option<String> {
        let has_more = self.compared().any(|(_, standing)| standing.of != self.over);
        let arms = "all compared arms";
        has_more.then(|| match (self.has_cut, self.over) {
            (false, over) => common_words(over, arms),
            (true, over) => format!("{} and in which none of their runs was ended early", common_words(over, arms)),
        })
    }

    /// The arms that are left out, by the reason.
    pub fn left_out(&self) -> impl Iterator<Item = (LeftOut, Vec<usize>)> {
        let mut arms: BTreeMap<LeftOut, Vec<usize>> = BTreeMap::new();
        for (arm, standing) in self.arms.iter().enumerate() {
            standing.compared.as_ref().err().into_iter().for_each(|why| arms.entry(*why).or_default().push(arm));
        }
        arms.into_iter()
    }

    /// The arms that could be the best.
    pub(crate) fn compared(&self) -> impl Iterator<Item = (usize, &Standing)> {
        let is_compared = |standing: &Standing| matches!(standing.compared, Ok(_) | Err(LeftOut::NoMedian));
        self.arms.iter().enumerate().filter(move |(_, standing)| is_compared(standing))
    }

    /// What must be known of its medians, and of the runs of the arms that it compares.
    pub(crate) fn caveats(&self, samples: &Samples) -> Vec<Caveat> {
        let arms: Vec<usize> = self.compared().map(|(arm, _)| arm).collect();
        let target = if let Goal::Target(target) = self.goal { Some(target) } else { None };
        let median =
            |(arm, standing): (usize, &Standing)| Some((arm, standing.compared.as_ref().ok()?.reached, self.over));
        let few = target.and_then(|target| few_at(samples, target, self.compared().filter_map(median)));
        of_runs(samples, &arms, &[self.goal]).into_iter().chain(few).collect()
    }
}

/// The fronts of a comparison: one per target, and one at the end of the runs; or, where a tolerance ended runs, at
/// that.
#[must_use]
pub fn fronts(samples: &Samples) -> Vec<Front> {
    let end = samples.tolerance.map_or(Goal::End, Goal::Tolerance);
    let is_target = samples.target(end).is_some_and(|target| samples.targets.contains(&target));
    let goals = (0..samples.targets.len()).map(Goal::Target).chain((!is_target).then_some(end));
    goals.map(|goal| front(samples, goal)).collect()
}

/// The tolerance that ended all runs of the arms that are compared, if there is one; of runs that a search ended, or
/// whose fit is degenerate, nothing is asked.
pub(crate) fn common_tolerance(samples: &Samples) -> Option<f64> {
    let silent = silent(samples);
    let arms = samples.arms.iter().zip(silent).filter(|(_, silent)| !silent);
    let whole = arms.flat_map(|(arm, _)| arm.runs.values()).filter(|run| !run.cut && !run.degenerate);
    let mut whole = whole.peekable();
    let is_common = |tolerance: &f64| {
        whole.peek().is_some() && whole.all(|run| run.tolerance.is_some_and(|(at, _)| at == *tolerance))
    };
    samples.tolerance.filter(is_common)
}

/// Which arms send nothing, if some do send.
fn silent(samples: &Samples) -> Vec<bool> {
    let sends = |arm: &SampleArm| arm.runs.is_empty() || arm.runs.values().any(|run| run.bits_total > 0);
    let somebody = samples.arms.iter().any(|arm| !arm.runs.is_empty() && sends(arm));
    samples.arms.iter().map(|arm| somebody && !sends(arm)).collect()
}

/// The arms in the costs of a goal.
#[must_use]
pub fn front(samples: &Samples, goal: Goal) -> Front {
    let mut costs = vec![Quantity::BitsTotal, Quantity::Time];
    // Costs of runs that ended otherwise than by a tolerance say nothing beside those of runs that did.
    costs.retain(|_| goal != Goal::End || samples.tolerance.is_none());
    costs.extend((goal == Goal::End && samples.error != ErrorKind::Mixed).then_some(Quantity::Error));
    let points: Vec<Points> = samples.arms.iter().map(|arm| points(arm, goal, &costs, samples)).collect();
    let silent = silent(samples);
    let ranked = ranked(samples);
    let compared = |arm: usize| !silent[arm] && ranked[arm] && !points[arm].is_empty();
    let pairs = common((0..points.len()).filter(|&arm| compared(arm)).map(|arm| &points[arm]));
    let of_pairs = |arm: usize| -> Points {
        pairs.iter().filter(|_| compared(arm)).map(|pair| (*pair, points[arm][pair].clone())).collect()
    };
    let shared: Vec<Points> = (0..points.len()).map(of_pairs).collect();
    let outcomes = |points: &Points| -> Vec<ArmOutcome> {
        let of_cost =
            |cost: usize| ArmOutcome::new(points.values().map(|point| point[cost]).collect(), points.len(), 0);
        (0..costs.len()).map(of_cost).collect()
    };
    let outcomes: Vec<Vec<ArmOutcome>> = shared.iter().map(outcomes).collect();
    let median = |outcomes: &Vec<ArmOutcome>| outcomes.iter().map(|outcome| outcome.median).collect();
    let medians: Vec<Option<Vec<f64>>> = outcomes.iter().map(median).collect();
    let times = times(&shared, &pairs);
    let reached = |points: &Points| points.values().filter(|point| point.iter().all(|cost| cost.is_reached())).count();
    // A run that was ended early has costs of a target, where it measured that.
    let ended = |arm: &SampleArm| goal == Goal::End && !arm.runs.is_empty() && arm.runs.values().all(|run| run.cut);
    let standing = |(arm, sampled): (usize, &SampleArm)| {
        let compared = match &medians[arm] {
            _ if !ranked[arm] => Err(LeftOut::OtherProblem),
            _ if silent[arm] => Err(LeftOut::SendsNothing),
            _ if points[arm].is_empty() && ended(sampled) => Err(LeftOut::EndedEarly),
            _ if points[arm].is_empty() => Err(LeftOut::NotMeasured),
            _ if pairs.is_empty() => Err(LeftOut::NothingCommon),
            None => Err(LeftOut::NoMedian),
            Some(values) => Ok(Compared {
                costs: outcomes[arm].iter().zip(values).map(|(outcome, median)| spread(outcome, *median)).collect(),
                reached: reached(&shared[arm]),
                on_front: !medians.iter().flatten().any(|rival| beats(rival, values)),
                times: times[arm],
            }),
        };
        let degenerate = samples.degenerate_among(arm, &points[arm]);
        Standing { reached: reached(&points[arm]), degenerate, of: sampled.planned, compared }
    };
    let arms = samples.arms.iter().enumerate().map(standing).collect();
    let is_cut = |arm: usize| compared(arm) && samples.arms[arm].runs.values().any(|run| run.cut);
    let has_cut = costs.contains(&Quantity::Error) && (0..samples.arms.len()).any(is_cut);
    Front { goal, costs, over: pairs.len(), has_cut, arms }
}

/// The costs of every run of an arm.
type Points = BTreeMap<Pair, Vec<Observation>>;

fn points(arm: &SampleArm, goal: Goal, costs: &[Quantity], among: &Samples) -> Points {
    let point = |run: &Sample| costs.iter().map(|&cost| run.cost(goal, cost, among)).collect::<Option<Vec<_>>>();
    arm.runs.iter().filter_map(|(pair, run)| Some((*pair, point(run)?))).collect()
}

fn spread(outcome: &ArmOutcome, median: f64) -> Spread {
    // Where there is a median there is a lower quartile.
    Spread { median, low: outcome.quantile(0.25).unwrap_or(median), high: outcome.quantile(0.75) }
}

/// How often each arm is on the front of a replicate alone. A run that does not reach the target is beaten by any that
/// does, and is on no front.
fn times(points: &[Points], pairs: &BTreeSet<Pair>) -> Vec<usize> {
    let mut times = vec![0; points.len()];
    for pair in pairs {
        let there = |arm: usize| -> Option<Vec<f64>> {
            points[arm].get(pair)?.iter().map(|cost| cost.is_reached().then_some(cost.value)).collect()
        };
        let here: Vec<Option<Vec<f64>>> = (0..points.len()).map(there).collect();
        for (arm, point) in here.iter().enumerate() {
            let Some(point) = point else { continue };
            times[arm] += usize::from(!here.iter().flatten().any(|rival| beats(rival, point)));
        }
    }
    times
}

/// At most as much of everything, and less of something.
fn beats(a: &[f64], b: &[f64]) -> bool {
    a.iter().zip(b).all(|(a, b)| a <= b) && a != b
}

#[cfg(test)]
mod tests {
    use super::{Goal, LeftOut, Standing, front, fronts};
    use crate::compare::{ErrorKind, Quantity, Sample, SampleArm, Samples, compare};
    use fedbits_record::StopRules;
    use fedbits_record::results::{PlanTarget, TargetCost};

    /// A run that reaches the target, or had cost so much when it ended.
    fn run(reached: bool, bits_total: u64, seconds: u64) -> Sample {
        let time_ns = seconds * 1_000_000_000;
        let reach = TargetCost { reached, round: 1, time_ns, bits_up: bits_total, bits_total, unseen: 0 };
        let reaches = vec![Some(reach)];
        Sample { reaches, bits_total, bits_up: bits_total, time_ns, rounds: 1, error: Some(1e-4), ..Sample::default() }
    }

    fn samples(arms: Vec<(&str, Vec<Sample>)>, planned: usize) -> Samples {
        let arm = |(name, runs): (&str, Vec<Sample>)| SampleArm {
            name: name.to_owned(),
            levels: vec![0],
            level_names: vec![name.to_owned()],
            point: Vec::new(),
            runs: (0..).map(|number| (0, number)).zip(runs).collect(),
            planned,
            failed: 0,
        };
        let targets = vec![PlanTarget::at_most("mean_field_sq", 1e-3)];
        let mut samples = Samples { arms: arms.into_iter().map(arm).collect(), targets, ..Samples::default() };
        samples.settle_tolerance();
        samples
    }

    fn on_front(standing: &Standing) -> bool {
        standing.compared.as_ref().is_ok_and(|compared| compared.on_front)
    }

    /// Two of ten runs of `hasty` reach the target, sooner than anybody: that is no median, and no compared on the
    /// front. Of `slow` nine do, with one that has no result.
    #[test]
    fn two_of_ten_are_on_no_front() {
        let hasty = (0..10).map(|number| run(number < 2, 10, 1)).collect();
        let slow = (0..9).map(|_| run(true, 1_000, 50)).collect();
        let slower = (0..10).map(|_| run(true, 1_001, 51)).collect();
        let samples = samples(vec![("hasty", hasty), ("slow", slow), ("slower", slower)], 10);
        let found = front(&samples, Goal::Target(0));
        assert_eq!(found.arms[0], Standing { reached: 2, degenerate: 0, of: 10, compared: Err(LeftOut::NoMedian) });
        assert_eq!((found.arms[1].reached, found.arms[1].of), (9, 10));
        assert_eq!(found.arms.iter().map(on_front).collect::<Vec<_>>(), [false, true, false]);
        // In the two replicates of which `hasty` reaches the target, it alone is on the front.
        assert_eq!(found.arms[1].compared.as_ref().map(|compared| compared.times), Ok(7));
    }

    /// An arm that was dropped after two replicates, the easy ones, is compared over these; arms without a common
    /// replicate are not compared.
    #[test]
    fn the_front_is_over_what_all_arms_have() {
        let easy = |cost: u64| vec![run(true, cost, cost); 2];
        let all = [easy(10), vec![run(true, 100, 100); 10]].concat();
        let mut samples = samples(vec![("dropped", easy(20)), ("left", all)], 12);
        let found = front(&samples, Goal::Target(0));
        assert_eq!(found.arms.iter().map(on_front).collect::<Vec<_>>(), [false, true]);
        let left = found.arms[1].compared.as_ref().unwrap();
        assert_eq!((found.over, left.costs[0].median, left.times, found.arms[1].reached), (2, 10.0, 2, 12));
        assert_eq!(found.common().as_deref(), Some("the 2 replicates that all compared arms have"));
        let said = compare(&samples).caveats;
        assert!(
            said.iter().any(|caveat| caveat.to_string().starts_with("Pareto fronts use the 2 replicates")),
            "{said:?}"
        );
        samples.arms[0].runs = samples.arms[0].runs.iter().map(|(pair, run)| ((1, pair.1), run.clone())).collect();
        let found = front(&samples, Goal::Target(0));
        assert!(found.arms.iter().all(|standing| standing.compared == Err(LeftOut::NothingCommon)));
        assert!(compare(&samples).notes.iter().any(|note| note.contains("no replicate in common")));
    }

    /// Of three replicates a search ended a run in two: the front at the end is over the third, and says so.
    #[test]
    fn runs_that_a_search_ended_have_no_error() {
        let cut = |cut: bool| Sample { cut, ..run(true, 10, 10) };
        let arms = vec![("a", vec![run(true, 9, 9); 3]), ("b", [true, false, true].map(cut).to_vec())];
        let found = front(&samples(arms, 3), Goal::End);
        let expected = "the one replicate that all compared arms have and in which none of their runs was ended early";
        assert_eq!(found.common().as_deref(), Some(expected));
        // Of an arm all of whose runs were ended it is no lack of measurement.
        let all = vec![("a", vec![run(true, 9, 9); 3]), ("b", vec![cut(true); 3])];
        assert_eq!(front(&samples(all, 3), Goal::End).arms[1].compared, Err(LeftOut::EndedEarly));
        // It is, where a whole run has none or no run measured what a target asks for.
        let unmeasured =
            |cut| Sample { cut, error: None, reaches: vec![None], measured: vec![Some(false)], ..run(true, 9, 9) };
        let some = vec![("a", vec![run(true, 9, 9); 2]), ("b", [true, false].map(unmeasured).to_vec())];
        let some = samples(some, 2);
        for goal in [Goal::End, Goal::Target(0)] {
            assert_eq!(front(&some, goal).arms[1].compared, Err(LeftOut::NotMeasured), "{goal:?}");
        }
    }

    /// Six of ten reach the target: there is a median, and no upper quartile.
    #[test]
    fn a_quartile_that_too_few_reach_does_not_exist() {
        let some = (0..10).map(|number| run(number < 6, 10 + number, 1)).collect();
        let all = (0..10).map(|_| run(true, 100, 9)).collect();
        let found = front(&samples(vec![("some", some), ("all", all)], 10), Goal::Target(0));
        let bits = found.arms[0].compared.as_ref().unwrap().costs[0];
        assert_eq!((bits.median, bits.low, bits.high), (14.5, 12.0, None));
        assert!(on_front(&found.arms[0]));
    }

    /// Runs that one tolerance ended are compared when they reached the target, in bits and time; how far they overshot
    /// it says nothing.
    #[test]
    fn an_overshot_tolerance_is_no_merit() {
        let ended = |error: f64, tolerance: Option<f64>, bits: u64| {
            let sample = run(true, bits, bits);
            let reach = sample.reaches[0].unwrap();
            let tolerance = tolerance.map(|limit| (limit, reach));
            let stop_rules = StopRules { mean_field_sq: Some(1e-6), ..StopRules::default() };
            Sample { error: Some(error), mean_field_sq: Some(error), tolerance, stop_rules, ..sample }
        };
        let near = vec![ended(0.9e-6, Some(1e-6), 10)];
        let far = vec![ended(0.2e-6, Some(1e-6), 20)];
        let arms = samples(vec![("near", near.clone()), ("far", far.clone())], 1);
        let found = fronts(&arms);
        assert_eq!(found.iter().map(|front| front.goal).collect::<Vec<_>>(), [Goal::Target(0), Goal::Tolerance(1e-6)]);
        assert_eq!(found[1].costs, [Quantity::BitsTotal, Quantity::Time]);
        assert_eq!(found[1].arms.iter().map(on_front).collect::<Vec<_>>(), [true, false]);
        // Nor are the errors compared, and that is said; bits and time are.
        let error = |samples: &Samples| compare(samples).blocks.pop().unwrap().arms[1].paired;
        assert_eq!(error(&arms), None);
        assert!(compare(&arms).notes[0].contains("ended by the same tolerance, ‖h(Ŝ)‖² ≤ 10⁻⁶"));
        assert!(compare(&arms).blocks.iter().rev().skip(1).all(|block| block.arms[1].paired.is_some()));
        let otherwise = samples(vec![("near", near.clone()), ("other", vec![ended(1e-2, None, 5)])], 1);
        assert!(error(&otherwise).is_some());
        let notes = [
            "how far runs overshot the tolerance that ended them: their errors are that tolerance (1 run)",
            "costs at the end of runs that ended before ‖h(Ŝ)‖² ≤ 10⁻⁶: they count as more than all others (1 of 2 \
             runs)",
        ];
        assert_eq!(compare(&otherwise).notes, notes);
        // One that ended otherwise, at a larger error, is not cheap; it makes errors worth comparing.
        let unlimited = vec![ended(1e-2, None, 5)];
        let samples = samples(vec![("near", near), ("far", far), ("other", unlimited)], 1);
        let found = fronts(&samples).pop().unwrap();
        assert_eq!((found.goal, found.arms[2].compared.clone()), (Goal::Tolerance(1e-6), Err(LeftOut::NoMedian)));
        assert_eq!(found.arms.iter().map(on_front).collect::<Vec<_>>(), [true, false, false]);
        let median =
            |what| compare(&samples).blocks.into_iter().rfind(|block| block.measure.what == what).unwrap().arms;
        assert_eq!(
            median(Quantity::BitsTotal).iter().map(|arm| arm.median).collect::<Vec<_>>(),
            [Some(10.0), Some(20.0), None]
        );
        assert_eq!(
            median(Quantity::Error).iter().map(|arm| arm.median).collect::<Vec<_>>(),
            [1e-6, 1e-6, 1e-2].map(Some)
        );
    }

    /// A tolerance of ‖h(Ŝ)‖² bounds no objective, which may be negative.
    #[test]
    fn a_tolerance_bounds_no_objective() {
        let reach = run(true, 10, 10).reaches[0].unwrap();
        let ended = Sample { error: Some(-7.0), tolerance: Some((1e-6, reach)), ..run(true, 10, 10) };
        let unlimited = Sample { error: Some(-3.0), ..run(true, 20, 20) };
        let mut arms = samples(vec![("ended", vec![ended]), ("other", vec![unlimited])], 1);
        for (kind, least) in [(ErrorKind::MeanField, 1e-6), (ErrorKind::Objective, -7.0)] {
            arms.error = kind;
            let found = front(&arms, Goal::End);
            assert_eq!(found.arms[0].compared.as_ref().unwrap().costs[0].median, least);
        }
    }

    /// An arm that sends nothing would beat all others in bits; it is left out, unless nobody sends.
    #[test]
    fn who_sends_nothing_is_left_out() {
        let sender = || vec![run(true, 100, 9)];
        let alone = || vec![run(true, 0, 1)];
        let found = front(&samples(vec![("alone", alone()), ("sender", sender())], 1), Goal::Target(0));
        assert_eq!(found.arms[0].compared, Err(LeftOut::SendsNothing));
        assert!(on_front(&found.arms[1]));
        let found = front(&samples(vec![("one", alone()), ("two", alone())], 1), Goal::Target(0));
        assert!(found.arms.iter().all(on_front));
    }
}
