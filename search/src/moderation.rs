//! Variances of few values, moderated across arms: with two replicates a variance of one arm says next to nothing, but
//! the variances of all arms together say how large such variances are. The prior is fitted to the arms as by G. K.
//! Smyth, *Linear models and empirical Bayes methods*, Stat. Appl. Genet. Mol. Biol. 3 (2004), section 6.2: the sample
//! variances s² on d degrees of freedom are s₀² times an F variable with d and d₀ degrees of freedom.

use fedbits_numerics::{bisected, digamma};

/// What the arms together say of the variance of one.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Prior {
    /// Degrees of freedom that it is worth, d₀.
    pub(crate) freedom: f64,
    /// s₀².
    pub(crate) variance: f64,
}

/// The prior is worth at most this share of the degrees of freedom of all variances that it comes from: they have the
/// leader in common.
const SHARED: f64 = 0.5;
/// Fewer variances say nothing of others.
const LEAST_VARIANCES: usize = 3;

impl Prior {
    /// Of variances, each with its degrees of freedom; those that are 0 say nothing.
    pub(crate) fn fit(variances: &[(f64, f64)]) -> Self {
        let known: Vec<(f64, f64)> = variances.iter().copied().filter(|(variance, _)| *variance > 0.0).collect();
        // E ln s² = ln s₀² + ψ(d/2) − ln(d/2) − ψ(d₀/2) + ln(d₀/2).
        let centred =
            |&(variance, freedom): &(f64, f64)| libm::log(variance) - digamma(0.5 * freedom) + libm::log(0.5 * freedom);
        let logs: Vec<f64> = known.iter().map(centred).collect();
        if logs.len() < LEAST_VARIANCES {
            return Self { freedom: 0.0, variance: 0.0 };
        }
        let count = logs.len() as f64;
        let mean = logs.iter().sum::<f64>() / count;
        let spread = logs.iter().map(|log| (log - mean) * (log - mean)).sum::<f64>() / (count - 1.0);
        let excess = spread - known.iter().map(|(_, freedom)| trigamma(0.5 * freedom)).sum::<f64>() / count;
        let fitted = if excess > 0.0 { 2.0 * inverse_trigamma(excess) } else { f64::INFINITY };
        let shift = if fitted.is_finite() { digamma(0.5 * fitted) - libm::log(0.5 * fitted) } else { 0.0 };
        let most = SHARED * known.iter().map(|(_, freedom)| freedom).sum::<f64>();
        Self { freedom: fitted.min(most), variance: libm::exp(mean + shift) }
    }

    /// The variance of an arm with sample variance `variance` on `freedom` degrees of freedom, and the degrees of
    /// freedom of the result.
    pub(crate) fn moderate(self, variance: f64, freedom: f64) -> (f64, f64) {
        let all = self.freedom + freedom;
        ((self.freedom * self.variance + freedom * variance) / all, all)
    }
}

/// ψ′(x) for x > 0, in the same way (DLMF 5.15.8).
fn trigamma(x: f64) -> f64 {
    let (mut x, mut sum) = (x, 0.0);
    while x < 8.0 {
        sum += 1.0 / (x * x);
        x += 1.0;
    }
    let square = 1.0 / (x * x);
    let series = [1.0 / 6.0, -1.0 / 30.0, 1.0 / 42.0, -1.0 / 30.0, 5.0 / 66.0, -691.0 / 2_730.0, 7.0 / 6.0];
    sum + 1.0 / x + 0.5 * square + series.iter().rev().fold(0.0, |tail, term| (tail + term) * square) / x
}

/// The x > 0 with ψ′(x) = `value` > 0, by bisection of its logarithm.
fn inverse_trigamma(value: f64) -> f64 {
    bisected((1e-8, 1e8), |low, high| libm::sqrt(low * high), |x| trigamma(x) > value)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// scipy.special.digamma, scipy.special.polygamma(1, ·).
    #[test]
    fn polygammas_are_scipys() {
        let table = [
            (0.5, -1.9635100260214235, 4.93480220054468),
            (1.0, -0.5772156649015329, 1.6449340668482266),
            (3.7, 1.1671535393615113, 0.31003785767003833),
            (25.0, 3.198742512851974, 0.04081066325722558),
        ];
        for (x, first, second) in table {
            assert!((digamma(x) - first).abs() < 1e-13, "ψ({x}) = {}", digamma(x));
            assert!((trigamma(x) - second).abs() < 1e-13, "ψ′({x}) = {}", trigamma(x));
            assert!((inverse_trigamma(second) / x - 1.0).abs() < 1e-10);
        }
    }

    /// Variances that spread as chance alone makes them give the prior its full weight, equal ones too; far wider ones
    /// next to none.
    #[test]
    fn the_weight_follows_the_spread() {
        assert_eq!(Prior::fit(&[(2.0, 3.0); 8]).freedom, 12.0);
        let wide: Vec<(f64, f64)> = (0..8).map(|power| (libm::exp(3.0 * f64::from(power)), 3.0)).collect();
        assert!(Prior::fit(&wide).freedom < 0.5);
        assert_eq!(Prior::fit(&[(1.0, 3.0), (0.0, 3.0), (2.0, 3.0)]).freedom, 0.0);
        assert_eq!(Prior { freedom: 4.0, variance: 1.0 }.moderate(4.0, 2.0), (2.0, 6.0));
    }
}
