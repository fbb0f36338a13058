//! An arm against the baseline, replicate by replicate.
//!
//! With d_r the difference of replicate r (or the logarithm of the ratio), d̄ their mean and s their standard
//! deviation, the 95 % interval is d̄ ± t s/√n with t of n − 1 degrees of freedom: exact where differences are normal.
//! Beside it stands one that does not require it, by resampling the pairs: the *bootstrap-t* interval (Efron and
//! Tibshirani 1993, section 12.5) [d̄ − q₉₇.₅ s/√n, d̄ − q₂.₅ s/√n] with q the quantiles of (d̄* − d̄) / (s*/√n) over
//! resamples. Percentile intervals, also expanded ones (Hesterberg 2015), cover 92 % at n = 5, because five values have
//! too few different means; this one covers 95 % at n = 5, 10 and 30, and more than Student's where differences are
//! skewed. Below n = 4 it has no end: too many resamples repeat one value.

use std::collections::BTreeMap;

use fedbits_numerics::{standard_error, t_quantile};
use fedbits_random::{DrawPurpose, Streams};

use super::samples::Pair;
use super::survival::Observation;

/// Fewer values have no interval, and replicates no ranking: two say next to nothing of how far values differ.
pub(super) const FEWEST: usize = 3;

/// A mean with its 95 % interval.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ConfidenceInterval {
    /// The mean.
    pub mean: f64,
    /// Lower end; `None` when there are too few values.
    pub low: Option<f64>,
    /// Upper end; `None` as for the lower.
    pub high: Option<f64>,
}

/// An arm against the baseline, over the replicates in which both reached the target.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Paired {
    /// Pairs in which both reached the target: the n of the intervals.
    pub pairs: usize,
    /// Pairs in all.
    pub of: usize,
    /// Mean of arm − baseline, with the interval by Student's t; `None` where `pairs` is 0.
    pub difference: Option<ConfidenceInterval>,
    /// The same by bootstrap-t.
    pub difference_resampled: Option<ConfidenceInterval>,
    /// Geometric mean of arm / baseline, with the interval by Student's t on logarithms; `None` also when a value is
    /// not positive.
    pub ratio: Option<ConfidenceInterval>,
    /// The same by bootstrap-t.
    pub ratio_resampled: Option<ConfidenceInterval>,
    /// Pairs in which the arm needed less than the baseline; censored runs count where that decides.
    pub better: usize,
    /// Pairs in which it needed more.
    pub worse: usize,
}

impl Paired {
    /// `None` when they have no replicate in common.
    #[must_use]
    pub fn of(arm: &BTreeMap<Pair, Observation>, baseline: &BTreeMap<Pair, Observation>) -> Option<Self> {
        let common = arm.iter().filter_map(|(pair, observed)| Some((*observed, *baseline.get(pair)?)));
        let common: Vec<(Observation, Observation)> = common.collect();
        let both: Vec<(f64, f64)> = common
            .iter()
            .filter(|(observed, base)| observed.is_reached() && base.is_reached())
            .map(|(observed, base)| (observed.value, base.value))
            .collect();
        if common.is_empty() {
            return None;
        }
        let differences: Vec<f64> = both.iter().map(|(value, base)| value - base).collect();
        let differences = (!both.is_empty()).then_some(&differences[..]);
        let positive = !both.is_empty() && both.iter().all(|(value, base)| *value > 0.0 && *base > 0.0);
        let logarithms: Option<Vec<f64>> =
            positive.then(|| both.iter().map(|(value, base)| libm::log(value / base)).collect());
        Some(Self {
            pairs: both.len(),
            of: common.len(),
            difference: differences.map(ConfidenceInterval::of),
            difference_resampled: differences.map(resampled_interval),
            ratio: logarithms.as_deref().map(|logarithms| ConfidenceInterval::of(logarithms).exp()),
            ratio_resampled: logarithms.as_deref().map(|logarithms| resampled_interval(logarithms).exp()),
            better: common.iter().filter(|(observed, base)| less(observed, base)).count(),
            worse: common.iter().filter(|(observed, base)| less(base, observed)).count(),
        })
    }
}

/// Whether the first surely needed less: it reached the target, and the second had not by then.
fn less(first: &Observation, second: &Observation) -> bool {
    first.is_reached() && if second.is_reached() { first.value < second.value } else { first.value <= second.value }
}

impl ConfidenceInterval {
    /// Of the mean of values, at least one, by Student's t.
    #[must_use]
    pub fn of(values: &[f64]) -> Self {
        let mean = mean(values);
        if values.len() < FEWEST {
            return Self { mean, low: None, high: None };
        }
        let half = t_quantile(1.0 - LEVEL, (values.len() - 1) as f64) * standard_error(values, mean);
        Self { mean, low: Some(mean - half), high: Some(mean + half) }
    }

    fn exp(self) -> Self {
        let exp = |value: Option<f64>| value.map(libm::exp);
        Self { mean: libm::exp(self.mean), low: exp(self.low), high: exp(self.high) }
    }
}

/// The confidence of all intervals.
const LEVEL: f64 = 0.95;

/// Resamples of an interval: fewer where there are many values, of which each takes time.
fn resamples(count: usize) -> usize {
    (400_000 / count).clamp(400, 4_000)
}

/// The mean of values and its 95 % bootstrap-t interval. The same values have the same interval.
fn resampled_interval(values: &[f64]) -> ConfidenceInterval {
    let (count, mean) = (values.len(), mean(values));
    if count < FEWEST {
        return ConfidenceInterval { mean, low: None, high: None };
    }
    let error = standard_error(values, mean);
    if error == 0.0 {
        return ConfidenceInterval { mean, low: Some(mean), high: Some(mean) };
    }
    let streams = Streams::new(0, 0);
    let mut drawn = vec![0.0; count];
    let mut studentized = |index: usize| {
        let mut stream = streams.at(DrawPurpose::Bootstrap, count as u64, index as u64);
        drawn.fill_with(|| values[stream.below(count as u64) as usize]);
        let center = self::mean(&drawn);
        match standard_error(&drawn, center) {
            // One value again and again: as far out as can be, on its side.
            0.0 if drawn[0] < mean => f64::NEG_INFINITY,
            0.0 if drawn[0] > mean => f64::INFINITY,
            0.0 => 0.0,
            error => (center - mean) / error,
        }
    };
    let resamples = resamples(count);
    let mut all: Vec<f64> = (0..resamples).map(&mut studentized).collect();
    all.sort_by(f64::total_cmp);
    let tail = (0.5 * (1.0 - LEVEL) * resamples as f64) as usize;
    let end = |quantile: f64| Some(mean - quantile * error).filter(|end| end.is_finite());
    ConfidenceInterval { mean, low: end(all[resamples - 1 - tail]), high: end(all[tail]) }
}

fn mean(values: &[f64]) -> f64 {
    values.iter().sum::<f64>() / values.len() as f64
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use fedbits_random::{DrawPurpose, Streams};

    use super::super::survival::{CostEnd, Observation};
    use super::{ConfidenceInterval, Paired, resampled_interval};

    /// Bits of two arms in `n` replicates: the environment of a replicate multiplies both, the arm needs 0.8 times as
    /// much, and each has noise of its own.
    fn truth(experiment: u64, n: u64) -> Paired {
        let streams = Streams::new(7, experiment);
        let draw = |replicate, index| streams.at(DrawPurpose::Data, replicate, index).normal();
        let reached = Observation::reached;
        let arm = |index, factor: f64| -> BTreeMap<(u64, u64), Observation> {
            let value = |replicate| factor * libm::exp(20.0 + draw(replicate, 0) + 0.1 * draw(replicate, index));
            (0..n).map(|replicate| ((0, replicate), reached(value(replicate)))).collect()
        };
        Paired::of(&arm(1, 0.8), &arm(2, 1.0)).expect("all reached the target")
    }

    /// The interval of the paired ratio contains the truth, 0.8, in 95 % of experiments: logarithms of ratios are
    /// normal, for which Student's interval is exact. Of 5 000 experiments 95 % ± 0.6 % do (two standard deviations).
    #[test]
    fn the_interval_by_student_covers() {
        for n in [5, 10, 30] {
            let covers = |experiment: &u64| {
                let differences: Vec<f64> = (0..n)
                    .map(|replicate| Streams::new(3, *experiment).at(DrawPurpose::Data, replicate, n).normal() - 1.0)
                    .collect();
                let interval = ConfidenceInterval::of(&differences);
                interval.low.is_some_and(|low| low <= -1.0) && interval.high.is_some_and(|high| high >= -1.0)
            };
            let covered = (0..5_000).filter(covers).count();
            assert!((4_650..=4_850).contains(&covered), "n = {n}: {covered} of 5000");
        }
    }

    /// The same through [`Paired`], with the replicates' environment in both arms; fewer experiments, since each
    /// resamples too.
    #[test]
    fn the_paired_ratio_covers() {
        let contains = |ratio: Option<super::ConfidenceInterval>| {
            let ratio = ratio.expect("bits are positive");
            ratio.low.is_some_and(|low| low <= 0.8) && ratio.high.is_some_and(|high| high >= 0.8)
        };
        let both: Vec<Paired> = (0..200).map(|experiment| truth(experiment, 5)).collect();
        let student = both.iter().filter(|paired| contains(paired.ratio)).count();
        let resampled = both.iter().filter(|paired| contains(paired.ratio_resampled)).count();
        // 95 % of 200 is 190, ± 9 are three standard deviations.
        assert!((181..=199).contains(&student) && (181..=199).contains(&resampled), "{student}, {resampled} of 200");
    }

    /// The full measure of both kinds: `cargo test --release -p fedbits-units -- --ignored --nocapture coverage`.
    #[test]
    #[ignore = "5 000 experiments of 4 000 resamples each, at three n: a minute in a release build"]
    fn coverage_of_both_kinds() {
        for n in [5, 10, 30] {
            let contains = |interval: super::ConfidenceInterval| {
                interval.low.is_some_and(|low| low <= 0.8) && interval.high.is_some_and(|high| high >= 0.8)
            };
            let both: Vec<(bool, bool)> = (0..5_000)
                .map(|experiment| truth(experiment, n))
                .map(|paired| (paired.ratio.is_some_and(contains), paired.ratio_resampled.is_some_and(contains)))
                .collect();
            let share = |covered: usize| covered as f64 / both.len() as f64;
            let student = share(both.iter().filter(|(student, _)| *student).count());
            let resampled = share(both.iter().filter(|(_, resampled)| *resampled).count());
            println!("n = {n}: Student {student:.4}, resampled {resampled:.4}");
            assert!((0.93..=0.97).contains(&student) && (0.93..=0.97).contains(&resampled));
        }
    }

    /// Of 1, 2, 3 the mean is 2 and the interval 2 ± 4.30265 / √3 (t of 2 degrees of freedom, s = 1).
    #[test]
    fn by_hand() {
        let interval = ConfidenceInterval::of(&[1.0, 2.0, 3.0]);
        let half = 4.302_652_729_911_275 / libm::sqrt(3.0);
        assert_eq!(interval.mean, 2.0);
        assert!((interval.low.unwrap() - (2.0 - half)).abs() < 1e-9);
        assert!((interval.high.unwrap() - (2.0 + half)).abs() < 1e-9);
        let few: [&[f64]; 3] = [&[4.0], &[4.0, 5.0], &[4.0, 4.0]];
        for few in few {
            let both = [ConfidenceInterval::of(few), resampled_interval(few)];
            assert!(both.iter().all(|interval| (interval.low, interval.high) == (None, None)), "{few:?}");
        }
        // One resample of 1, 2, 3 in nine repeats one value.
        let resampled = resampled_interval(&[1.0, 2.0, 3.0]);
        assert_eq!((resampled.low, resampled.high), (None, None));
        assert_eq!(
            resampled_interval(&[2.0; 5]),
            super::ConfidenceInterval { mean: 2.0, low: Some(2.0), high: Some(2.0) }
        );
    }

    /// The exact bootstrap distribution of five values, all 5⁵ resamples listed in Python with fractions and sorted:
    /// the 2.5 % and 97.5 % quantiles of t* are −3.674235 and 2.449490 (2 % and 3 %: −3.674235 and −3.651484, 2.449490
    /// and 2.390457); 4 000 draws come as close.
    #[test]
    fn the_bootstrap_by_enumeration() {
        let values = [1.0, 2.0, 4.0, 5.0, 8.0];
        let interval = resampled_interval(&values);
        let error = super::standard_error(&values, 4.0);
        let (below, above) = ((4.0 - interval.high.unwrap()) / error, (4.0 - interval.low.unwrap()) / error);
        assert!((below / -3.674_235 - 1.0).abs() < 0.01 && (above / 2.449_490 - 1.0).abs() < 0.025, "{below} {above}");
    }

    /// Censored runs decide a pair only where they must: one that ended after the other reached the target needed more.
    #[test]
    fn censored_pairs() {
        let arm = |values: [(f64, bool); 4]| -> BTreeMap<(u64, u64), Observation> {
            let pair = |(index, (value, reached)): (usize, (f64, bool))| {
                let end = if reached { CostEnd::Reached } else { CostEnd::Missed };
                ((0, index as u64), Observation { value, end })
            };
            values.into_iter().enumerate().map(pair).collect()
        };
        let values = arm([(1.0, true), (9.0, false), (9.0, false), (3.0, true)]);
        let base = arm([(2.0, true), (5.0, true), (9.0, false), (9.0, false)]);
        let paired = Paired::of(&values, &base).unwrap();
        assert_eq!((paired.pairs, paired.of, paired.better, paired.worse), (1, 4, 2, 1));
        assert_eq!(paired.ratio.unwrap().mean, 0.5);
        let difference = paired.difference.unwrap();
        assert_eq!((difference.mean, difference.low), (-1.0, None));
        // Where no pair got there in both, those in which one did still count.
        let values = arm([(1.0, true), (9.0, false), (9.0, false), (9.0, false)]);
        let base = arm([(2.0, false), (5.0, true), (9.0, false), (9.0, false)]);
        let paired = Paired::of(&values, &base).unwrap();
        assert_eq!((paired.pairs, paired.of, paired.better, paired.worse), (0, 4, 1, 1));
        assert!(paired.ratio.is_none() && paired.difference.is_none());
    }
}
