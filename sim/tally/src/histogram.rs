//! Distributions of whole numbers (durations in ns, staleness in rounds) at three significant digits, and their summary
//! rows.

use serde::{Deserialize, Serialize};

/// A named distribution that grows with its values; memory is at most some hundred KiB.
///
/// Count, mean, minimum and maximum are exact. For the percentiles values are counted in the buckets of `hdrhistogram`
/// for three digits, by a shift instead of its general arithmetic; that crate is called for them, and gives the upper
/// end of a bucket.
#[derive(Debug, Clone)]
pub struct Histogram {
    name: String,
    unit: String,
    /// By bucket.
    counts: Vec<u64>,
    sum: u128,
    /// Without values the largest and the smallest number there are.
    min: u64,
    max: u64,
}

/// Values below 2^11 have a bucket each; of larger ones the leading 11 bits are kept.
const DIGITS: u32 = 11;
/// Buckets of an octave beyond the first 2^11 values.
const OCTAVE: u64 = 1 << (DIGITS - 1);

/// The bucket of a value.
#[inline]
fn bucket(value: u64) -> usize {
    let shift = (u64::BITS - value.leading_zeros()).saturating_sub(DIGITS);
    (u64::from(shift) * OCTAVE + (value >> shift)) as usize
}

/// The smallest value of a bucket.
fn smallest(bucket: usize) -> u64 {
    let shift = (bucket as u64 / OCTAVE).saturating_sub(1);
    (bucket as u64 - shift * OCTAVE) << shift
}

impl Histogram {
    /// An empty distribution of values in `unit` (for example `"uplink transfer"` in `"ns"`).
    #[must_use]
    pub fn new(name: &str, unit: &str) -> Self {
        Self { name: name.to_owned(), unit: unit.to_owned(), counts: Vec::new(), sum: 0, min: u64::MAX, max: 0 }
    }

    /// Counts one value.
    #[inline]
    pub fn record(&mut self, value: u64) {
        (self.sum, self.min, self.max) = (self.sum + u128::from(value), self.min.min(value), self.max.max(value));
        let bucket = bucket(value);
        if bucket >= self.counts.len() {
            self.counts.resize(bucket + 1, 0);
        }
        self.counts[bucket] += 1;
    }

    /// Number of values counted.
    #[must_use]
    pub fn count(&self) -> u64 {
        self.counts.iter().sum()
    }

    fn statistics(&self) -> hdrhistogram::Histogram<u64> {
        let mut statistics = hdrhistogram::Histogram::new(3).expect("3 significant digits are within 0..=5");
        for (bucket, &count) in self.counts.iter().enumerate().filter(|&(_, &count)| count > 0) {
            statistics.record_n(smallest(bucket), count).expect("the histogram resizes itself over all of u64");
        }
        statistics
    }

    /// The row of `histograms.csv`.
    #[must_use]
    pub fn summary(&self) -> HistogramSummary {
        let statistics = self.statistics();
        let measured = !statistics.is_empty();
        // The upper end of the last bucket may lie above the largest value.
        let quantile = |q: f64| measured.then(|| statistics.value_at_quantile(q).min(self.max));
        HistogramSummary {
            name: self.name.clone(),
            unit: self.unit.clone(),
            count: statistics.len(),
            mean: measured.then(|| self.sum as f64 / statistics.len() as f64),
            min: measured.then_some(self.min),
            p50: quantile(0.5),
            p90: quantile(0.9),
            p99: quantile(0.99),
            p999: quantile(0.999),
            max: measured.then_some(self.max),
        }
    }
}

/// One row of `histograms.csv`; everything but the count is missing when nothing was counted.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct HistogramSummary {
    /// What was measured.
    pub name: String,
    /// Unit of all values.
    pub unit: String,
    /// Number of values.
    pub count: u64,
    /// Mean, in `unit`.
    pub mean: Option<f64>,
    /// Smallest value.
    pub min: Option<u64>,
    /// Median.
    pub p50: Option<u64>,
    /// 90th percentile.
    pub p90: Option<u64>,
    /// 99th percentile.
    pub p99: Option<u64>,
    /// 99.9th percentile.
    pub p999: Option<u64>,
    /// Largest value.
    pub max: Option<u64>,
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Slow reference: a sorted list for what is exact, and `hdrhistogram`, which counts the values itself, for the
    /// percentiles, at most 0.1 % above those of the list. Powers of two and their neighbours are where buckets change.
    #[test]
    fn statistics_are_those_of_hdrhistogram() {
        let edges = (0..64).flat_map(|power| [(1u64 << power).wrapping_sub(1), 1 << power, (1 << power) + 1]);
        let mut sequence = 1u64;
        let mixed = std::iter::repeat_with(|| {
            sequence = sequence.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            sequence >> (sequence % 60)
        });
        let values: Vec<u64> = edges.chain(mixed.take(5_000)).collect();
        for values in [&values[..1], &values[3..90], &values[..], &values[200..]] {
            let mut histogram = Histogram::new("duration", "ns");
            let mut reference = hdrhistogram::Histogram::<u64>::new(3).unwrap();
            for &value in values {
                histogram.record(value);
                reference.record(value).unwrap();
                assert_eq!(bucket(smallest(bucket(value))), bucket(value));
            }
            let summary = histogram.summary();
            assert_eq!((summary.count, histogram.count()), (reference.len(), reference.len()));
            let mut sorted = values.to_vec();
            sorted.sort_unstable();
            let (first, last) = (sorted[0], sorted[sorted.len() - 1]);
            let sum: u128 = values.iter().map(|&value| u128::from(value)).sum();
            assert_eq!(summary.mean, Some(sum as f64 / values.len() as f64));
            assert_eq!((summary.min, summary.max), (Some(first), Some(last)));
            let quantiles = [summary.p50, summary.p90, summary.p99, summary.p999];
            assert_eq!(quantiles, [0.5, 0.9, 0.99, 0.999].map(|q| Some(reference.value_at_quantile(q).min(last))));
            for (reported, q) in quantiles.into_iter().flatten().zip([0.5, 0.9, 0.99, 0.999]) {
                let exact = sorted[((q * sorted.len() as f64).ceil() as usize).max(1) - 1];
                assert!(reported >= exact && reported - exact <= exact / 1_000, "{reported} for {exact}");
            }
        }
    }
}
