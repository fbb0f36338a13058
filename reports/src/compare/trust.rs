//! What must be known before a comparison is trusted, whether it is a table, a figure or a sentence: of its runs, and
//! of its medians; and k of n in words.

use super::measure::{Goal, Measure, Quantity};
use super::samples::{Pair, SampleArm, Samples};
use super::survival::{Observation, kaplan_meier_median, kaplan_meier_quantile};
use crate::words::first_few;
use fedbits_record::results::TargetCost;
use fedbits_spec::{Caveat, so_many};
use std::cmp::Ordering;
use std::collections::{BTreeMap, BTreeSet};

/// Up to this many arms are named, of more their number.
const NAMED: usize = 6;

/// From this share of what a target takes on it is said that it may have passed before somebody looked.
const NOTABLE: f64 = 0.05;

/// The same where the medians of two arms differ by at most the distance of probes.
const CLOSE: f64 = 0.01;

/// Of the runs of some arms, and of these runs on their way to goals.
pub(crate) fn of_runs(samples: &Samples, arms: &[usize], goals: &[Goal]) -> Vec<Caveat> {
    let met = goals.iter().filter_map(|&goal| samples.met_at_the_start(arms, goal));
    failed(samples, arms)
        .into_iter()
        .chain(degenerate(samples, arms))
        .chain(identical(samples, arms))
        .chain(coarse(samples, arms, goals))
        .chain(met)
        .collect()
}

fn failed(samples: &Samples, arms: &[usize]) -> Option<Caveat> {
    let failed: usize = arms.iter().map(|&arm| samples.arms[arm].failed).sum();
    (failed > 0).then(|| Caveat::FailedRuns { runs: so_many(failed, "simulation") })
}

/// Which arms have runs whose final fit is degenerate, and how many.
fn degenerate(samples: &Samples, arms: &[usize]) -> Option<Caveat> {
    let arms = || arms.iter().map(|&arm| &samples.arms[arm]);
    let counts: Vec<(&str, usize, usize)> =
        arms().map(|arm| (&*arm.name, arm.degenerate(), arm.runs.len())).filter(|(_, some, _)| *some > 0).collect();
    let words = |(name, some, of): &(&str, usize, usize)| format!("{name}: {some} of {of}");
    let named = first_few(counts.iter().map(words), NAMED);
    let all: usize = counts.iter().map(|(_, some, _)| some).sum();
    let of: usize = arms().map(|arm| arm.runs.len()).sum();
    (all > 0).then(|| Caveat::DegenerateRuns { count: all.to_string(), runs: so_many(of, "run"), arms: named })
}

/// Which arms have several runs that are all the same.
fn identical(samples: &Samples, arms: &[usize]) -> Option<Caveat> {
    let is_repeated = |arm: &&SampleArm| {
        let mut digests = arm.runs.values().map(|run| &*run.digests);
        let first = digests.next().filter(|digests| !digests.is_empty());
        arm.runs.len() > 1 && first.is_some_and(|first| digests.all(|digests| digests == first))
    };
    let all: Vec<&SampleArm> = arms.iter().map(|&arm| &samples.arms[arm]).filter(is_repeated).collect();
    let arms = first_few(all.iter().map(|arm| arm.name.clone()), NAMED);
    (!arms.is_empty()).then_some(Caveat::IdenticalReplicates { arms })
}

/// Rounds without a probe before a goal was found reached: their share of the cost and their number; goal and arms.
type Unseen = (f64, u64, Goal, Vec<usize>);

/// That much of what goals take may be what passed until somebody looked: of the goal and the arm with the largest
/// share of such rounds, where it is notable; else of two arms that probes cannot tell apart.
fn coarse(samples: &Samples, arms: &[usize], goals: &[Goal]) -> Option<Caveat> {
    let typical = |goal: Goal, arm: usize| -> Option<Unseen> {
        let reaches = samples.arms[arm].runs.values().filter_map(|run| run.reached(goal));
        let share = |reach: &TargetCost| (reach.unseen as f64 / reach.round as f64, reach.unseen);
        let mut shares: Vec<(f64, u64)> = reaches.filter(|reach| reach.round > 0).map(share).collect();
        shares.sort_by(|a, b| a.0.total_cmp(&b.0));
        shares.get(shares.len() / 2).map(|&(share, rounds)| (share, rounds, goal, vec![arm]))
    };
    let close = |goal: Goal| {
        let median = |arm: usize| {
            let rounds = samples.arms[arm].runs.values().filter_map(|run| run.cost(goal, Quantity::Rounds, samples));
            kaplan_meier_median(&rounds.collect::<Vec<_>>())
        };
        let mut medians: Vec<(f64, usize)> = arms.iter().filter_map(|&arm| Some((median(arm)?, arm))).collect();
        medians.sort_by(|a, b| a.0.total_cmp(&b.0));
        let close = move |pair: &[(f64, usize)]| {
            let (difference, two) = (pair[1].0 - pair[0].0, [pair[0].1, pair[1].1]);
            let (share, rounds, ..) = two.iter().filter_map(|&arm| typical(goal, arm)).max_by(by_share)?;
            let is_close = difference > 0.0 && difference <= (rounds + 1) as f64;
            is_close.then(|| (share, rounds, goal, two.to_vec()))
        };
        medians.windows(2).filter_map(close).collect::<Vec<Unseen>>()
    };
    let all = goals.iter().flat_map(|&goal| arms.iter().filter_map(move |&arm| typical(goal, arm)));
    let notable = all.max_by(by_share).filter(|unseen| unseen.0 > NOTABLE);
    let of_two = || goals.iter().flat_map(|&goal| close(goal)).max_by(by_share).filter(|unseen| unseen.0 > CLOSE);
    let (share, rounds, goal, arms) = notable.or_else(of_two)?;
    Some(Caveat::CoarseProbes {
        target: samples.target(goal)?.name(),
        rounds: rounds.to_string(),
        share: format!("{:.0}", 100.0 * share),
        arm: first_few(arms.iter().map(|&arm| samples.arms[arm].name.clone()), NAMED),
    })
}

fn by_share(a: &Unseen, b: &Unseen) -> Ordering {
    a.0.total_cmp(&b.0)
}

/// An arm that has a median of what a target costs, its runs that got there, and all that the median is over.
pub(super) type WithMedian = (usize, usize, usize);

/// Of the arms that have a median although not more than half of their runs got to the target: a race cut others.
pub(super) fn few_at(
    samples: &Samples,
    target: usize,
    medians: impl IntoIterator<Item = WithMedian>,
) -> Option<Caveat> {
    let few = medians.into_iter().filter(|(_, reached, runs)| 2 * reached <= *runs);
    let words = |(arm, reached, runs): WithMedian| format!("{}: {reached} of {runs}", samples.arms[arm].name);
    let few: Vec<String> = few.map(words).collect();
    let target = samples.targets[target].name();
    let named = first_few(few.into_iter(), NAMED);
    (!named.is_empty()).then_some(Caveat::FewAtTheTarget { target, arms: named })
}

/// k of n, for example "23/30", or "23/30, 7 degenerate": runs whose final fit is degenerate are not among the k.
#[must_use]
pub fn reached_of(reached: usize, of: usize, degenerate: usize) -> String {
    worded([reached, of, degenerate], "degenerate")
}

/// The same where there is little room.
pub(crate) fn reached_in_short(counts: [usize; 3]) -> String {
    worded(counts, "deg.")
}

/// What the short form means, for captions; empty where no run is degenerate.
pub(crate) fn short_form(degenerate: usize) -> &'static str {
    if degenerate > 0 { " (deg.: runs with a degenerate fit, which are not among the k)" } else { "" }
}

fn worded([reached, of, degenerate]: [usize; 3], word: &str) -> String {
    match degenerate {
        0 => format!("{reached}/{of}"),
        some => format!("{reached}/{of}, {some} {word}"),
    }
}

impl Samples {
    /// The runs of an arm whose final fit is degenerate, of those that something is known of.
    pub(crate) fn degenerate_among<V>(&self, arm: usize, known: &BTreeMap<Pair, V>) -> usize {
        let runs = &self.arms[arm].runs;
        known.keys().filter(|pair| runs.get(pair).is_some_and(|run| run.degenerate)).count()
    }
}

/// What the runs of an arm say of a measure.
#[derive(Clone, Debug, Default)]
pub(crate) struct ArmOutcome {
    pub runs: Vec<Observation>,
    /// Runs that there should be.
    pub planned: usize,
    /// Those of the runs whose final fit is degenerate.
    pub degenerate: usize,
    /// The Kaplan–Meier median.
    pub median: Option<f64>,
}

impl ArmOutcome {
    pub(crate) fn new(runs: Vec<Observation>, planned: usize, degenerate: usize) -> Self {
        Self { median: kaplan_meier_median(&runs), runs, planned, degenerate }
    }

    pub(crate) fn is_measured(&self) -> bool {
        !self.runs.is_empty()
    }

    /// Runs that get there.
    pub(crate) fn reached(&self) -> usize {
        self.runs.iter().filter(|run| run.is_reached()).count()
    }

    /// How many runs get there, how many there should be, and how many have a degenerate fit.
    pub(crate) fn counts(&self) -> [usize; 3] {
        [self.reached(), self.planned, self.degenerate]
    }

    pub(crate) fn quantile(&self, q: f64) -> Option<f64> {
        kaplan_meier_quantile(&self.runs, q)
    }

    /// Does some run get there at no cost, which has no place on a logarithmic axis?
    pub(crate) fn has_free(&self) -> bool {
        self.runs.iter().any(|run| run.is_reached() && run.value <= 0.0)
    }
}

/// Replicates that some arms have in common: medians that stand side by side are over these alone, as costs of other
/// ones say nothing of which arm is better.
#[derive(Clone)]
pub(crate) struct Shared {
    pairs: BTreeSet<Pair>,
    /// Whether some of the arms have others, too.
    has_more: bool,
}

impl Shared {
    /// Of these arms, but for those without any run.
    pub(crate) fn of(samples: &Samples, arms: impl IntoIterator<Item = usize>) -> Self {
        let runs: Vec<_> =
            arms.into_iter().map(|arm| &samples.arms[arm].runs).filter(|runs| !runs.is_empty()).collect();
        let pairs = common(runs.iter().copied());
        let has_more = runs.iter().any(|runs| runs.len() != pairs.len());
        Self { pairs, has_more }
    }

    /// Of none: every arm counts with all of its own runs, as in the tables of `compare`.
    pub(crate) fn with_all_runs() -> Self {
        Self { pairs: BTreeSet::new(), has_more: false }
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.pairs.is_empty()
    }

    /// What an arm's runs of these replicates say of a measure; where there is none, as of records of different seeds,
    /// all its runs.
    pub(crate) fn outcome(&self, samples: &Samples, arm: usize, measure: &Measure) -> ArmOutcome {
        let mut runs = samples.observations(arm, measure);
        runs.retain(|pair, _| self.is_empty() || self.pairs.contains(pair));
        let degenerate = samples.degenerate_among(arm, &runs);
        let planned = self.of_planned(samples.arms[arm].planned);
        ArmOutcome::new(runs.into_values().collect(), planned, degenerate)
    }

    /// What must be known of the medians of some measures over these replicates, and of the runs of these arms.
    pub(crate) fn caveats(&self, samples: &Samples, arms: &[usize], measures: &[Measure]) -> Vec<Caveat> {
        let few = |&target: &usize| {
            let median = |&arm: &usize| {
                let measures = measures.iter().filter(|measure| measure.target == Some(target));
                let mut outcomes = measures.map(|measure| self.outcome(samples, arm, measure));
                let outcome = outcomes.find(|outcome| outcome.median.is_some())?;
                Some((arm, outcome.reached(), outcome.runs.len()))
            };
            few_at(samples, target, arms.iter().filter_map(median))
        };
        let targets: BTreeSet<usize> = measures.iter().filter_map(|measure| measure.target).collect();
        let few = targets.iter().filter_map(few);
        let goals: Vec<Goal> = targets.iter().copied().map(Goal::Target).collect();
        of_runs(samples, arms, &goals).into_iter().chain(few).collect()
    }

    /// How many there are, of the runs that an arm should have.
    pub(crate) fn of_planned(&self, planned: usize) -> usize {
        if self.has_more && !self.is_empty() { self.pairs.len() } else { planned }
    }

    /// In words: how many these arms have, where some have others, too.
    pub(crate) fn words(&self, arms: &str) -> String {
        match self.has_more {
            false => "the replicates".to_owned(),
            true if self.is_empty() => "each arm's own replicates".to_owned(),
            true => common_words(self.pairs.len(), arms),
        }
    }
}

/// The replicates that all of these have.
pub(super) fn common<'a, V: 'a>(arms: impl IntoIterator<Item = &'a BTreeMap<Pair, V>>) -> BTreeSet<Pair> {
    let mut arms = arms.into_iter();
    let mut common: BTreeSet<Pair> = arms.next().map_or_else(BTreeSet::new, |arm| arm.keys().copied().collect());
    arms.for_each(|arm| common.retain(|pair| arm.contains_key(pair)));
    common
}

/// So many of them in words.
pub(super) fn common_words(count: usize, arms: &str) -> String {
    match count {
        1 => format!("the one replicate that {arms} have"),
        _ => format!("the {count} replicates that {arms} have"),
    }
}
