//! What must be known before a comparison is trusted, whether it is a table, a figure or a sentence: of its runs, and
//! of its medians.

use super::measure::Goal;
use super::samples::Samples;
use crate::words::first_few;
use fedbits_spec::{Caveat, so_many};

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

/// An arm that has a median of what a target costs.
pub(super) struct WithMedian {
    pub arm: usize,
    /// Its runs that got there, of all that the median is over.
    pub reached: usize,
    pub runs: usize,
}

/// Of the arms that have a median although not more than half of their runs got to the target: a race cut others.
pub(super) fn few_at(
    samples: &Samples,
    target: usize,
    medians: impl IntoIterator<Item = WithMedian>,
) -> Option<Caveat> {
    let few = medians.into_iter().filter(|counts| 2 * counts.reached <= counts.runs);
    let words =
        |counts: WithMedian| format!("{}: {} of {}", samples.arms[counts.arm].name, counts.reached, counts.runs);
    let few: Vec<String> = few.map(words).collect();
    let target = samples.targets[target].name();
    let named = first_few(few.into_iter(), NAMED);
    (!named.is_empty()).then_some(Caveat::FewAtTheTarget { target, arms: named })
}
