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

#[cfg(test)]
mod tests {
    use super::quantile;

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
