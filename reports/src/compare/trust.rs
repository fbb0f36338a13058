//! What must be known before a comparison is trusted, whether it is a table, a figure or a sentence: of its runs, and
//! of its medians; and k of n in words.

use super::measure::Goal;
use super::samples::{Pair, Samples};
use crate::words::first_few;
use fedbits_spec::{Caveat, so_many};
use std::collections::BTreeMap;

/// Up to this many arms are named, of more their number.
const NAMED: usize = 6;

/// Of the runs of some arms, and of these runs on their way to goals.
pub(crate) fn of_runs(samples: &Samples, arms: &[usize], goals: &[Goal]) -> Vec<Caveat> {
    let met = goals.iter().filter_map(|&goal| samples.met_at_the_start(arms, goal));
    failed(samples, arms)
        .into_iter()
        .chain(degenerate(samples, arms))
        .chain(samples.coarse(arms, goals))
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
