//! How good a chain is.

/// Autocorrelations are summed over this many lags at most: the work grows with states times lags.
const MOST_LAGS: usize = 1000;

/// Effective sample size n / (1 + 2 Σ ρ_k) by Geyer's initial positive sequence (Practical Markov chain Monte Carlo,
/// 1992): autocorrelations ρ_k are summed in pairs until a pair is no longer positive, or over the first 1000 lags. At
/// most n; n for fewer than 4 states; none of a constant trace, which has no autocorrelations.
pub(super) fn effective_sample_size(trace: impl Iterator<Item = f64>) -> Option<f64> {
    let trace: Vec<f64> = trace.collect();
    let n = trace.len();
    // By the states themselves: the mean rounds, so that the variance of a constant need not be 0.
    if trace.iter().all(|state| *state == trace[0]) {
        return None;
    }
    let mean = trace.iter().sum::<f64>() / n.max(1) as f64;
    let covariance = |lag: usize| -> f64 {
        trace[lag..].iter().zip(&trace).map(|(a, b)| (a - mean) * (b - mean)).sum::<f64>() / n as f64
    };
    let variance = covariance(0);
    // Differences may be too small for their squares.
    if n < 4 || variance <= 0.0 {
        return Some(n as f64);
    }
    let mut sum = -1.0;
    for pair in 0..n.min(MOST_LAGS) / 2 {
        let rho = (covariance(2 * pair) + covariance(2 * pair + 1)) / variance;
        if rho <= 0.0 {
            break;
        }
        sum += 2.0 * rho;
    }
    Some((n as f64 / sum.max(1.0)).min(n as f64))
}

#[cfg(test)]
mod tests {
    use super::*;
    use fedbits_random::{DrawPurpose, Streams};

    /// A first-order autoregression with coefficient φ has n (1 − φ)/(1 + φ) effective states.
    #[test]
    fn autoregression() {
        let mut stream = Streams::new(5, 0).at(DrawPurpose::Sampler, 0, 0);
        for phi in [0.0, 0.5, 0.9] {
            let mut x = 0.0;
            let n = 400_000;
            let trace: Vec<f64> = (0..n)
                .map(|_| {
                    x = phi * x + stream.normal();
                    x
                })
                .collect();
            let expected = n as f64 * (1.0 - phi) / (1.0 + phi);
            let found = effective_sample_size(trace.into_iter()).expect("it moves");
            assert!((found / expected - 1.0).abs() < 0.15, "φ = {phi}: {found}, expected {expected}");
        }
    }

    /// The mean of ten times 0.1 is not 0.1.
    #[test]
    fn a_constant_has_no_autocorrelations() {
        for (state, n) in [(0.1, 10), (0.1, 100), (2.0, 10), (0.0, 3), (0.1, 1)] {
            assert_eq!(effective_sample_size(std::iter::repeat_n(state, n)), None, "{n} of {state}");
        }
    }

    /// One step up in the middle: ρ_k = 1 − 3 k / n, 3·10⁹ products if all that are positive were taken. The mean of
    /// the first 1000 is 1 − 1500 / n; without the bound n / found were n / 3.
    #[test]
    fn the_work_is_bounded() {
        let n = 100_000;
        let found = effective_sample_size((0..n).map(|i| f64::from(u8::from(i >= n / 2)))).expect("it moves");
        assert!((n as f64 / found / 2000.0 - 1.0).abs() < 0.02, "{found}");
    }
}
