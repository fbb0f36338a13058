//! Which arms no other arm beats in bits, time and error at once.

use std::collections::{BTreeMap, BTreeSet};

use super::samples::{Pair, Sample, Samples};
use crate::curves::quantile;

/// An arm's place relative to the front.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Front {
    /// Medians over the replicates: all bits, simulated seconds, and the error, all at the end of the runs.
    pub medians: [f64; 3],
    /// Whether no arm's medians are all at most these and one of them less.
    pub on_front: bool,
    /// Replicates in which the arm is on the front of that replicate alone.
    pub times: usize,
    /// Replicates in which it was compared.
    pub of: usize,
}

/// The place of every arm; `None` for one without a measured run.
#[must_use]
pub fn front(samples: &Samples) -> Vec<Option<Front>> {
    let point = |sample: &Sample| Some([sample.bits_total as f64, sample.time_ns as f64 / 1e9, sample.error?]);
    let place =
        |place: Place<3>| Front { medians: place.medians, on_front: place.on_front, times: place.times, of: place.of };
    places(samples, point).into_iter().map(|own| own.map(place)).collect()
}

/// An arm among the others in N costs.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Place<const N: usize> {
    /// Medians over the replicates.
    pub medians: [f64; N],
    /// Lower and upper quartiles.
    pub quartiles: [(f64, f64); N],
    /// Whether no arm's medians are all at most these and one of them less.
    pub on_front: bool,
    /// Replicates in which the arm is on the front of that replicate alone.
    pub times: usize,
    /// Replicates in which it was compared.
    pub of: usize,
}

/// The place of every arm by the costs of its runs; a run without them is left out, and so is an arm without such a run.
pub(crate) fn places<const N: usize>(
    samples: &Samples,
    costs: impl Fn(&Sample) -> Option<[f64; N]>,
) -> Vec<Option<Place<N>>> {
    let of = |runs: &BTreeMap<Pair, Sample>| -> BTreeMap<Pair, [f64; N]> {
        runs.iter().filter_map(|(pair, sample)| Some((*pair, costs(sample)?))).collect()
    };
    let points: Vec<BTreeMap<Pair, [f64; N]>> = samples.arms.iter().map(|arm| of(&arm.runs)).collect();
    let medians: Vec<Option<[f64; N]>> = points.iter().map(|own| quantiles(own, 0.5)).collect();
    let all: Vec<[f64; N]> = medians.iter().copied().flatten().collect();
    let pairs: BTreeSet<Pair> = points.iter().flat_map(BTreeMap::keys).copied().collect();
    let mut times = vec![0; points.len()];
    for pair in pairs {
        let here: Vec<Option<&[f64; N]>> = points.iter().map(|own| own.get(&pair)).collect();
        for (arm, point) in here.iter().enumerate() {
            let Some(point) = point else { continue };
            times[arm] += usize::from(!here.iter().flatten().any(|other| beats(other, point)));
        }
    }
    let place = |arm: usize| {
        let (own, times) = (&points[arm], times[arm]);
        let (medians, low, high) = (medians[arm]?, quantiles(own, 0.25)?, quantiles(own, 0.75)?);
        let on_front = !all.iter().any(|other| beats(other, &medians));
        let quartiles = std::array::from_fn(|cost| (low[cost], high[cost]));
        Some(Place { medians, quartiles, on_front, times, of: own.len() })
    };
    (0..points.len()).map(place).collect()
}

/// A quantile of every cost.
fn quantiles<const N: usize>(points: &BTreeMap<Pair, [f64; N]>, q: f64) -> Option<[f64; N]> {
    let of = |cost: usize| {
        let mut values: Vec<f64> = points.values().map(|point| point[cost]).collect();
        values.sort_by(f64::total_cmp);
        quantile(&values, q)
    };
    (!points.is_empty()).then(|| std::array::from_fn(of))
}

/// At most as much of everything, and less of something.
fn beats<const N: usize>(one: &[f64; N], other: &[f64; N]) -> bool {
    one.iter().zip(other).all(|(one, other)| one <= other) && one != other
}
