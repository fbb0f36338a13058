//! Quantiles of samples.

/// Quantile of sorted, non-empty values by linear interpolation between order statistics (type 7 of Hyndman and Fan
/// 1996); `q` in [0, 1].
pub fn quantile(sorted: &[f64], q: f64) -> f64 {
    let position = q * (sorted.len() - 1) as f64;
    let below = position.floor() as usize;
    let above = (below + 1).min(sorted.len() - 1);
    let share = position - below as f64;
    if share == 0.0 { sorted[below] } else { sorted[below] + share * (sorted[above] - sorted[below]) }
}

/// The values in order, NaN last.
pub fn sorted(values: impl IntoIterator<Item = f64>) -> Vec<f64> {
    let mut values: Vec<f64> = values.into_iter().collect();
    sort(&mut values);
    values
}

/// Compiled here once, optimized, and not in each crate that sorts.
#[inline(never)]
fn sort(values: &mut [f64]) {
    values.sort_by(f64::total_cmp);
}

/// For every place of `values` the median of the values not farther from it than `half`, and not farther than the
/// nearer end: the first and the last are the values themselves.
pub fn running_medians(values: &[f64], half: usize) -> Vec<f64> {
    // The values of the window in order; it moves on, and what it has in common with the one before stays.
    let mut ordered: Vec<f64> = Vec::new();
    let (mut from, mut to) = (0, 0);
    let place = |ordered: &[f64], value: f64| ordered.partition_point(|entry| entry.total_cmp(&value).is_lt());
    let median = |at: usize| {
        let half = half.min(at).min(values.len() - 1 - at);
        for &new in &values[to..=at + half] {
            ordered.insert(place(&ordered, new), new);
        }
        for &old in &values[from..at - half] {
            ordered.remove(place(&ordered, old));
        }
        (from, to) = (at - half, at + half + 1);
        quantile(&ordered, 0.5)
    };
    (0..values.len()).map(median).collect()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::{quantile, running_medians, sorted};

    proptest! {
        /// As when every window is put in order by itself; with ties, signed zeros and NaN.
        #[test]
        fn medians_run(
            values in prop::collection::vec(
                prop_oneof![-3.0f64..3.0, Just(0.0), Just(-0.0), Just(1.0), Just(f64::NAN), Just(f64::INFINITY)],
                0..60,
            ),
            half in 0usize..40,
        ) {
            let last = values.len().wrapping_sub(1);
            let window = |at: usize| (at, half.min(at).min(last - at));
            let median =
                |(at, half): (usize, usize)| quantile(&sorted(values[at - half..=at + half].iter().copied()), 0.5);
            let expected = (0..values.len()).map(window).map(median);
            let bits = |value: f64| value.to_bits();
            let found = running_medians(&values, half).into_iter().map(bits);
            prop_assert!(found.eq(expected.map(bits)));
        }
    }

    /// Of 1, 2, 4, 8, 16 the quartiles are the 2nd, 3rd and 4th value; of 1, 2, 4, 8 numpy.quantile gives 1.75, 3, 5.
    #[test]
    fn quartiles() {
        let odd = [1.0, 2.0, 4.0, 8.0, 16.0];
        assert_eq!([0.25, 0.5, 0.75].map(|q| quantile(&odd, q)), [2.0, 4.0, 8.0]);
        let even = [1.0, 2.0, 4.0, 8.0];
        assert_eq!([0.25, 0.5, 0.75].map(|q| quantile(&even, q)), [1.75, 3.0, 5.0]);
        assert_eq!(quantile(&[7.0], 0.25), 7.0);
    }
}
