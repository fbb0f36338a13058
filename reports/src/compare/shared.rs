//! The replicates that arms have in common: medians that stand side by side are over these alone, as costs of other
//! ones say nothing of which arm is better.

use std::collections::{BTreeMap, BTreeSet};

use fedbits_spec::Caveat;

use super::measure::{Goal, Measure};
use super::samples::{Pair, Samples};
use super::survival::{Observation, kaplan_meier_median};
use super::trust::{few_at, of_runs};

/// Replicates that some arms have in common.
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

    /// The values of a measure in an arm's runs of these replicates; where there is none, as of records of different
    /// seeds, in all its runs.
    pub(crate) fn observations(&self, samples: &Samples, arm: usize, measure: &Measure) -> Vec<Observation> {
        let observations = samples.observations(arm, measure).into_iter();
        observations
            .filter(|(pair, _)| self.is_empty() || self.pairs.contains(pair))
            .map(|(_, observation)| observation)
            .collect()
    }

    /// How many of these runs of an arm have a degenerate fit.
    pub(crate) fn degenerate(&self, samples: &Samples, arm: usize, measure: &Measure) -> usize {
        let mut observations = samples.observations(arm, measure);
        observations.retain(|pair, _| self.is_empty() || self.pairs.contains(pair));
        samples.degenerate_among(arm, &observations)
    }

    /// What must be known of the medians of some measures over these replicates, and of the runs of these arms.
    pub(crate) fn caveats(&self, samples: &Samples, arms: &[usize], measures: &[Measure]) -> Vec<Caveat> {
        let median = |arm: usize, measure: &Measure| {
            let observations = self.observations(samples, arm, measure);
            kaplan_meier_median(&observations)?;
            let reached = observations.iter().filter(|observation| observation.is_reached()).count();
            Some((arm, reached, observations.len()))
        };
        let few = |&target: &usize| {
            let median_of = |arm: usize| {
                measures
                    .iter()
                    .filter(|measure| measure.target == Some(target))
                    .find_map(|measure| median(arm, measure))
            };
            few_at(samples, target, arms.iter().filter_map(|&arm| median_of(arm)))
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
