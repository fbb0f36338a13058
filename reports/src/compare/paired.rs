//! An arm against the baseline, replicate by replicate.
//!
//! With d_r the difference of replicate r (or the logarithm of the ratio), d̄ their mean and s their standard deviation, the
//! 95 % interval is d̄ ± t s/√n with t of n − 1 degrees of freedom. Beside it stands one by resampling the pairs: the
//! *expanded percentile* interval of Hesterberg (2015), whose quantile α′ = Φ(−√(n/(n−1)) t) makes up for the narrowness of
//! the bootstrap at small n.

use std::collections::BTreeMap;

use fedbits_random::{Purpose, Streams};

use super::samples::Pair;
use super::student::{normal, t_quantile};
use super::survival::Observation;

/// A mean with its 95 % interval.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Interval {
    /// The mean.
    pub mean: f64,
    /// Lower end; `None` when there are fewer than two values.
    pub low: Option<f64>,
    /// Upper end.
    pub high: Option<f64>,
}

/// An arm against the baseline, over the replicates in which both got there.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Paired {
    /// Pairs in which both got there: the n of the intervals.
    pub pairs: usize,
    /// Pairs in all.
    pub of: usize,
    /// Mean of arm − baseline, with the interval by Student's t.
    pub difference: Interval,
    /// The same by resampling.
    pub difference_resampled: Interval,
    /// Geometric mean of arm / baseline, with the interval by Student's t on logarithms; `None` when a value is not positive.
    pub ratio: Option<Interval>,
    /// The same by resampling.
    pub ratio_resampled: Option<Interval>,
    /// Pairs in which the arm needed less than the baseline; censored runs count where that decides.
    pub better: usize,
    /// Pairs in which it needed more.
    pub worse: usize,
}

impl Paired {
    /// `None` when no replicate got there in both.
    #[must_use]
    pub fn of(arm: &BTreeMap<Pair, Observation>, baseline: &BTreeMap<Pair, Observation>) -> Option<Self> {
        let common = arm.iter().filter_map(|(pair, own)| Some((*own, *baseline.get(pair)?)));
        let common: Vec<(Observation, Observation)> = common.collect();
        let both: Vec<(f64, f64)> = common
            .iter()
            .filter(|(own, base)| own.reached && base.reached)
            .map(|(own, base)| (own.value, base.value))
            .collect();
        if both.is_empty() {
            return None;
        }
        let differences: Vec<f64> = both.iter().map(|(own, base)| own - base).collect();
        let positive = both.iter().all(|(own, base)| *own > 0.0 && *base > 0.0);
        let logarithms: Option<Vec<f64>> =
            positive.then(|| both.iter().map(|(own, base)| libm::log(own / base)).collect());
        Some(Self {
            pairs: both.len(),
            of: common.len(),
            difference: mean_interval(&differences),
            difference_resampled: resampled_interval(&differences),
            ratio: logarithms.as_deref().map(|logarithms| mean_interval(logarithms).exp()),
            ratio_resampled: logarithms.as_deref().map(|logarithms| resampled_interval(logarithms).exp()),
            better: common.iter().filter(|(own, base)| less(own, base)).count(),
            worse: common.iter().filter(|(own, base)| less(base, own)).count(),
        })
    }
}

/// Whether the first surely needed less: it got there, and the second had not by then.
fn less(first: &Observation, second: &Observation) -> bool {
    first.reached && if second.reached { first.value < second.value } else { first.value <= second.value }
}

impl Interval {
    fn exp(self) -> Self {
        let exp = |value: Option<f64>| value.map(libm::exp);
        Self { mean: libm::exp(self.mean), low: exp(self.low), high: exp(self.high) }
    }
}

/// The confidence of all intervals.
const LEVEL: f64 = 0.95;

/// The mean of values and its 95 % interval by Student's t.
#[must_use]
pub fn mean_interval(values: &[f64]) -> Interval {
    let mean = mean(values);
    if values.len() < 2 {
        return Interval { mean, low: None, high: None };
    }
    let freedom = (values.len() - 1) as f64;
    let square: f64 = values.iter().map(|value| (value - mean) * (value - mean)).sum();
    let half = t_quantile(LEVEL, freedom) * libm::sqrt(square / freedom / values.len() as f64);
    Interval { mean, low: Some(mean - half), high: Some(mean + half) }
}

/// Resamples of an interval. The quantiles of small n lie far out, where few resamples are: at n = 5 beyond one in a thousand.
const RESAMPLES: usize = 4_000;

/// The mean of values and its 95 % expanded percentile interval. The same values have the same interval.
#[must_use]
pub fn resampled_interval(values: &[f64]) -> Interval {
    let (count, mean) = (values.len(), mean(values));
    if count < 2 {
        return Interval { mean, low: None, high: None };
    }
    let streams = Streams::new(0, 0);
    let resampled = |index: usize| {
        let mut stream = streams.at(Purpose::Bootstrap, count as u64, index as u64);
        (0..count).map(|_| values[stream.below(count as u64) as usize]).sum::<f64>() / count as f64
    };
    let mut means: Vec<f64> = (0..RESAMPLES).map(resampled).collect();
    means.sort_by(f64::total_cmp);
    let expansion = libm::sqrt(count as f64 / (count - 1) as f64);
    let tail = normal(-expansion * t_quantile(LEVEL, (count - 1) as f64));
    let place = ((tail * RESAMPLES as f64).floor() as usize).min(RESAMPLES / 2 - 1);
    Interval { mean, low: Some(means[place]), high: Some(means[RESAMPLES - 1 - place]) }
}

fn mean(values: &[f64]) -> f64 {
    values.iter().sum::<f64>() / values.len() as f64
}
