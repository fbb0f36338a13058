//! The logarithm of the expected improvement, which does not vanish far from the best point (S. Ament, S. Daulton,
//! D. Eriksson, M. Balandat and E. Bakshy, *Unexpected improvements to expected improvement for Bayesian optimization*,
//! NeurIPS 2023): log σ + log h(z) with z = (best − mean) / σ and h(z) = φ(z) + z Φ(z).

use core::f64::consts::{FRAC_1_SQRT_2, PI};

/// Below, differences of nearly equal numbers lose digits that the asymptotic series has.
const SERIES: f64 = -12.0;

/// log E max(`best` − Y, 0) for Y normal with this mean and standard deviation; −∞ where that is 0.
pub(crate) fn log_expected_improvement(best: f64, mean: f64, deviation: f64) -> f64 {
    if deviation > 0.0 {
        libm::log(deviation) + log_h((best - mean) / deviation)
    } else {
        libm::log((best - mean).max(0.0))
    }
}

/// log (φ(z) + z Φ(z)).
fn log_h(z: f64) -> f64 {
    let log_density = -0.5 * z * z - 0.5 * libm::log(2.0 * PI);
    if z > -1.0 {
        return libm::log(libm::exp(log_density) + z * normal_cdf(z));
    }
    if z > SERIES {
        return log_density + libm::log1p(z * normal_cdf(z) / libm::exp(log_density));
    }
    // h(z) = φ(z) (1 − 3/z² + 15/z⁴ − …) / z².
    let inverse = 1.0 / (z * z);
    let mut term = 1.0;
    let mut sum = 1.0;
    for factor in [3.0, 5.0, 7.0, 9.0, 11.0, 13.0] {
        term *= -factor * inverse;
        sum += term;
    }
    log_density + libm::log(inverse * sum)
}

/// Φ(z).
fn normal_cdf(z: f64) -> f64 {
    0.5 * libm::erfc(-z * FRAC_1_SQRT_2)
}

/// log Φ(z).
pub(crate) fn log_normal_cdf(z: f64) -> f64 {
    if z > SERIES {
        return libm::log(normal_cdf(z));
    }
    let inverse = 1.0 / (z * z);
    let series = 1.0 - inverse * (1.0 - 3.0 * inverse * (1.0 - 5.0 * inverse * (1.0 - 7.0 * inverse)));
    -0.5 * z * z - 0.5 * libm::log(2.0 * PI) - libm::log(-z) + libm::log(series)
}

/// E[Y | Y > bound] for Y normal with this mean and standard deviation.
pub(crate) fn mean_above(bound: f64, mean: f64, deviation: f64) -> f64 {
    if deviation <= 0.0 {
        return mean.max(bound);
    }
    let z = (bound - mean) / deviation;
    let log_hazard = -0.5 * z * z - 0.5 * libm::log(2.0 * PI) - log_normal_cdf(-z);
    (mean + deviation * libm::exp(log_hazard)).max(bound)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// `tests/golden/make_process.py` has the same by SciPy, log h as an integral.
    #[test]
    fn functions_are_scipys() {
        for line in include_str!("../../tests/golden/improvement.csv").lines().filter(|line| !line.starts_with('#')) {
            let row: Vec<f64> = line.split(',').map(|cell| cell.parse().unwrap()).collect();
            let near = |ours: f64, theirs: f64| (ours - theirs).abs() <= 1e-9 * theirs.abs().max(1.0);
            let [z, h, cdf, above] = row[..] else { panic!("{line}") };
            assert!(near(log_h(z), h), "log h({z}) = {}, {h}", log_h(z));
            assert!(near(log_normal_cdf(z), cdf), "log Φ({z}) = {}, {cdf}", log_normal_cdf(z));
            assert!(near(mean_above(z, 0.0, 1.0), above), "{} above {z}, {above}", mean_above(z, 0.0, 1.0));
            // Of any normal variable.
            let scaled = log_expected_improvement(5.0 + 3.0 * z, 5.0, 3.0);
            assert!(near(scaled, h + libm::log(3.0)), "{scaled} at {z}");
        }
    }

    #[test]
    fn without_deviation_it_is_the_difference() {
        assert_eq!(log_expected_improvement(3.0, 2.0, 0.0), 0.0);
        assert_eq!(log_expected_improvement(2.0, 3.0, 0.0), f64::NEG_INFINITY);
        assert_eq!((mean_above(1.0, 2.0, 0.0), mean_above(2.0, 1.0, 0.0)), (2.0, 2.0));
    }
}
