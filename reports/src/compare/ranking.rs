//! The order of the arms and how sure it is: the replicates are resampled, and the arms ranked each time.

use std::collections::BTreeMap;

use fedbits_random::{DrawPurpose, Streams};

use super::comparable::ranked;
use super::measure::Measure;
use super::samples::{Pair, Samples};
use super::survival::Observation;

/// An arm's place, 1 for the best.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Rank {
    /// By the medians of all replicates.
    pub place: usize,
    /// The 95 % interval of its place over the resamples.
    pub low: usize,
    /// Its other end.
    pub high: usize,
    /// Share of the resamples in which it is first.
    pub first: f64,
}

/// Resamples of the replicates: fewer where there are very many runs, whose order is the surer.
fn resamples(runs: usize) -> u64 {
    (20_000_000 / runs.max(1) as u64).clamp(200, 1_000)
}

/// The ranks of all arms by the median of a measure, over the replicates that every arm has; a run that did not get
/// there counts as one that never does. Arms that tie share the better place. `None` for all when fewer than two
/// replicates are common; for an arm of which not more than half of these get there; and for one that solves another
/// problem than those that are ranked.
#[must_use]
pub fn ranks(samples: &Samples, measure: &Measure) -> Vec<Option<Rank>> {
    let mut all_ranks = vec![None; samples.arms.len()];
    let ranked = ranked(samples);
    let members: Vec<usize> = (0..ranked.len()).filter(|&arm| ranked[arm]).collect();
    for (&arm, rank) in members.iter().zip(ranks_of(&common_values(samples, &members, measure))) {
        all_ranks[arm] = rank;
    }
    all_ranks
}

/// The ranks of arms by their values, of which each arm has one per replicate.
fn ranks_of(values: &[Vec<f64>]) -> Vec<Option<Rank>> {
    let arms = values.len();
    let count = values.first().map_or(0, Vec::len);
    if arms < 2 || count < 2 {
        return vec![None; arms];
    }
    let all: Vec<usize> = (0..count).collect();
    let places = places(values, &all);
    let mut resampled: Vec<Vec<Option<usize>>> = vec![Vec::new(); arms];
    let streams = Streams::new(0, 1);
    for index in 0..resamples(arms * count) {
        let mut stream = streams.at(DrawPurpose::Bootstrap, count as u64, index);
        let drawn: Vec<usize> = (0..count).map(|_| stream.below(count as u64) as usize).collect();
        for (own, place) in resampled.iter_mut().zip(self::places(values, &drawn)) {
            own.push(place);
        }
    }
    let rank = |(place, drawn): (Option<usize>, Vec<Option<usize>>)| {
        let first = drawn.iter().filter(|place| **place == Some(1)).count() as f64 / drawn.len() as f64;
        let mut drawn: Vec<usize> = drawn.into_iter().map(|place| place.unwrap_or(arms)).collect();
        drawn.sort_unstable();
        let tail = drawn.len() / 40;
        Some(Rank { place: place?, low: drawn[tail], high: drawn[drawn.len() - 1 - tail], first })
    };
    places.into_iter().zip(resampled).map(rank).collect()
}

/// Per arm the values of the replicates that all arms have, in one order; infinite where the run did not reach the
/// target.
fn common_values(samples: &Samples, members: &[usize], measure: &Measure) -> Vec<Vec<f64>> {
    let arms: Vec<BTreeMap<Pair, Observation>> =
        members.iter().map(|&arm| samples.observations(arm, measure)).collect();
    let Some(first) = arms.first() else { return Vec::new() };
    let common: Vec<Pair> =
        first.keys().copied().filter(|pair| arms.iter().all(|arm| arm.contains_key(pair))).collect();
    let value = |observation: &Observation| if observation.reached { observation.value } else { f64::INFINITY };
    arms.iter().map(|arm| common.iter().map(|pair| value(&arm[pair])).collect()).collect()
}

/// The place of every arm by the median of the drawn replicates; none of an arm that has no median.
fn places(values: &[Vec<f64>], drawn: &[usize]) -> Vec<Option<usize>> {
    let median = |own: &Vec<f64>| {
        let mut picked: Vec<f64> = drawn.iter().map(|&index| own[index]).collect();
        let (middle, count) = (picked.len() / 2, picked.len());
        let (below, upper, _) = picked.select_nth_unstable_by(middle, f64::total_cmp);
        let lower = if count % 2 == 0 { below.iter().copied().fold(f64::NEG_INFINITY, f64::max) } else { *upper };
        // When only half of the runs reach the target, there is no median: it is infinite.
        0.5 * (lower + *upper)
    };
    let medians: Vec<f64> = values.iter().map(median).collect();
    let place = |own: &f64| 1 + medians.iter().filter(|other| *other < own).count();
    medians.iter().map(|own| own.is_finite().then(|| place(own))).collect()
}
