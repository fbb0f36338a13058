//! The order of the arms and how sure it is: the replicates are resampled, and the arms ranked each time.

use std::collections::BTreeMap;

use fedbits_numerics::sorted;
use fedbits_random::{DrawPurpose, Streams};

use super::comparable::ranked;
use super::measure::Measure;
use super::paired::FEWEST;
use super::samples::{Pair, Samples};
use super::survival::{Observation, order, quantile_of};
use super::trust::common;

/// An arm's place, 1 for the best.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Rank {
    /// By the medians over the replicates that every arm has; `None` without one.
    pub place: Option<usize>,
    /// The 95 % interval of its place over the resamples; in one in which it has no median it is the last of all arms.
    pub low: usize,
    /// Its other end.
    pub high: usize,
    /// Share of the resamples in which it is first; k arms that tie count 1/k each.
    pub first: f64,
}

/// The order of the arms by a measure.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Ranking {
    /// Replicates that all arms that solve the same problem have.
    pub replicates: usize,
    /// Of every arm; `None` for all when fewer than three replicates are common; for an arm without a median over these
    /// that is first in no resample; and for one that solves another problem than those that are ranked.
    pub ranks: Vec<Option<Rank>>,
}

/// Resamples of the replicates: fewer where there are very many runs, whose order is the surer.
fn resamples(runs: usize) -> u64 {
    (20_000_000 / runs.max(1) as u64).clamp(200, 1_000)
}

/// The places of the arms by their Kaplan–Meier medians of a measure over the replicates that every arm has. Arms that
/// tie share the better place; those without a median have none, but can have one in a resample. Arms whose runs
/// have not measured it are not among them.
#[must_use]
pub fn ranking(samples: &Samples, measure: &Measure) -> Ranking {
    let ranked = ranked(samples);
    let is_silent = |arm: usize| !samples.arms[arm].runs.is_empty() && samples.observations(arm, measure).is_empty();
    let members: Vec<usize> = (0..ranked.len()).filter(|&arm| ranked[arm] && !is_silent(arm)).collect();
    ranking_of(samples, &members, measure)
}

/// The same of some arms alone.
pub(crate) fn ranking_of(samples: &Samples, members: &[usize], measure: &Measure) -> Ranking {
    let mut ranks = vec![None; samples.arms.len()];
    let (replicates, values) = common_values(samples, members, measure);
    for (&arm, rank) in members.iter().zip(ranks_of(replicates, values)) {
        ranks[arm] = rank;
    }
    Ranking { replicates, ranks }
}

/// The values of an arm in their order, each with the number of its replicate.
type Values = Vec<(Observation, usize)>;

/// The ranks of arms by their values, of which each arm has one per replicate.
fn ranks_of(replicates: usize, values: Vec<Values>) -> Vec<Option<Rank>> {
    let mut ranks = vec![None; values.len()];
    if values.len() < 2 || replicates < FEWEST {
        return ranks;
    }
    let mut resampled: Vec<Vec<usize>> = vec![Vec::new(); values.len()];
    let mut first = vec![0.0; values.len()];
    let streams = Streams::new(0, 1);
    let count = resamples(ranks.len() * replicates);
    for index in 0..count {
        let mut stream = streams.at(DrawPurpose::Bootstrap, replicates as u64, index);
        let mut times = vec![0; replicates];
        (0..replicates).for_each(|_| times[stream.below(replicates as u64) as usize] += 1);
        let drawn = self::places(&values, &times);
        let ties = drawn.iter().filter(|place| **place == Some(1)).count();
        for (arm, place) in drawn.into_iter().enumerate() {
            first[arm] += if place == Some(1) { 1.0 / ties as f64 } else { 0.0 };
            resampled[arm].push(place.unwrap_or(values.len()));
        }
    }
    let places = places(&values, &vec![1; replicates]);
    for (((rank, place), mut drawn), first) in ranks.iter_mut().zip(places).zip(resampled).zip(first) {
        drawn.sort_unstable();
        let tail = drawn.len() / 40;
        let (low, high) = (drawn[tail], drawn[drawn.len() - 1 - tail]);
        let is_shown = place.is_some() || first > 0.0;
        *rank = is_shown.then(|| Rank { place, low, high, first: first / count as f64 });
    }
    ranks
}

/// How many replicates all arms have, and per arm the values of these.
fn common_values(samples: &Samples, members: &[usize], measure: &Measure) -> (usize, Vec<Values>) {
    let arms: Vec<BTreeMap<Pair, Observation>> =
        members.iter().map(|&arm| samples.observations(arm, measure)).collect();
    let common = common(&arms);
    let values = |arm: &BTreeMap<Pair, Observation>| {
        let mut values: Values = common.iter().map(|pair| arm[pair]).zip(0..).collect();
        values.sort_by(|a, b| order(&a.0, &b.0));
        values
    };
    (common.len(), arms.iter().map(values).collect())
}

/// The place of every arm by the median of its replicates, each of which counts so many times; none of an arm that has
/// no median.
fn places(values: &[Values], times: &[u64]) -> Vec<Option<usize>> {
    let median =
        |values: &Values| quantile_of(values.iter().map(|(value, replicate)| (*value, times[*replicate])), 0.5);
    let medians: Vec<Option<f64>> = values.iter().map(median).collect();
    let ordered = sorted(medians.iter().copied().flatten());
    let place = |median: f64| 1 + ordered.partition_point(|value| *value < median);
    medians.iter().map(|median| median.map(place)).collect()
}
