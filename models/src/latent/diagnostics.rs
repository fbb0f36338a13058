//! How good a chain is.

/// Effective sample size n / (1 + 2 Σ ρ_k) by Geyer's initial positive sequence (Practical Markov chain Monte Carlo,
/// 1992): autocorrelations ρ_k are summed in pairs until a pair is no longer positive. At most n; n for fewer than 4
/// states or a constant trace.
pub(super) fn effective_sample_size(trace: impl Iterator<Item = f64>) -> f64 {
    let trace: Vec<f64> = trace.collect();
    let n = trace.len();
    let mean = trace.iter().sum::<f64>() / n.max(1) as f64;
    let covariance = |lag: usize| -> f64 {
        trace[lag..].iter().zip(&trace).map(|(a, b)| (a - mean) * (b - mean)).sum::<f64>() / n as f64
    };
    if n < 4 || covariance(0) <= 0.0 {
        return n as f64;
    }
    let variance = covariance(0);
    let mut sum = -1.0;
    for pair in 0..n / 2 {
        let rho = (covariance(2 * pair) + covariance(2 * pair + 1)) / variance;
        if rho <= 0.0 {
            break;
        }
        sum += 2.0 * rho;
    }
    (n as f64 / sum.max(1.0)).min(n as f64)
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
            let found = effective_sample_size(trace.into_iter());
            assert!((found / expected - 1.0).abs() < 0.15, "φ = {phi}: {found}, expected {expected}");
        }
    }
}
