//! The law of a response given its linear predictor η: density, slope, what statistics need, and draws.

use fedbits_random::Stream;
use fedbits_spec::Described;
use serde::{Deserialize, Serialize};

use crate::latent::Abilities;

/// log(2π)/2.
pub(super) const HALF_LOG_TAU: f64 = 0.918_938_533_204_672_7;

/// Response given η = intercept + general · z₀ + specific · z_g.
#[derive(Clone, Copy, Debug, Default, Described, Deserialize, Eq, PartialEq, Serialize)]
#[serde(rename = "ResponseLaw")]
pub enum Law {
    /// Normal with mean η and a variance per item.
    Gaussian,
    /// 0 or 1: the sign of a normal variable around η.
    Probit,
    /// 0 or 1 with log-odds η (two-parameter logistic).
    #[default]
    Logit,
}

impl Law {
    /// What samplers may ask for, with this many groups.
    pub(super) fn abilities(self, groups: usize) -> Abilities {
        Abilities {
            gradient: true,
            gibbs: self != Self::Logit,
            continuous: true,
            expectation: self == Self::Gaussian,
            parameter_gradient: true,
            latent: 1 + groups,
            ..Abilities::default()
        }
    }

    /// q of a number of items in groups.
    pub(super) fn statistic(self, groups: usize, items: usize) -> usize {
        match self {
            Self::Gaussian => 2 + 3 * groups + 4 * items,
            Self::Probit => 2 + 3 * groups + 3 * items,
            Self::Logit => 9 * items,
        }
    }

    /// Parameters of an item.
    pub(super) fn parameters(self) -> usize {
        if self == Self::Gaussian { 4 } else { 3 }
    }

    /// log p(y | η) and its derivative in η; ψ counts with Gaussian responses only.
    pub(super) fn density_and_slope(self, y: f64, eta: f64, psi: f64) -> (f64, f64) {
        match self {
            Self::Gaussian => {
                let residual = y - eta;
                (-residual * residual / (2.0 * psi) - HALF_LOG_TAU - libm::log(psi) / 2.0, residual / psi)
            }
            Self::Probit => {
                let sign = sign(y);
                let (log_probability, ratio) = log_normal_distribution(sign * eta);
                (log_probability, sign * ratio)
            }
            Self::Logit => {
                let sign = sign(y);
                // −log(1 + e^{−x}) and 1/(1 + e^{x}) without overflow.
                let x = sign * eta;
                let tail = libm::exp(-x.abs());
                let log_probability = x.min(0.0) - libm::log1p(tail);
                let miss = if x > 0.0 { tail / (1.0 + tail) } else { 1.0 / (1.0 + tail) };
                (log_probability, sign * miss)
            }
        }
    }

    /// (t, ω): what stands for the response in r, and its weight in M.
    pub(super) fn expected_augmentation(self, y: f64, eta: f64) -> (f64, f64) {
        match self {
            Self::Gaussian => (y, 1.0),
            Self::Probit => {
                let (_, ratio) = log_normal_distribution(sign(y) * eta);
                (eta + sign(y) * ratio, 1.0)
            }
            // tanh(x)/(4x) with x = η/2; the first two terms of its series near 0.
            Self::Logit if eta.abs() < 1e-4 => (y - 0.5, 0.25 - eta * eta / 48.0),
            Self::Logit => (y - 0.5, libm::tanh(eta / 2.0) / (2.0 * eta)),
        }
    }
}

/// −1 for y = 0, 1 for y = 1.
pub(super) fn sign(y: f64) -> f64 {
    2.0 * y - 1.0
}

/// log Φ(x) and φ(x)/Φ(x). Far in the lower tail by the asymptotic series of Mills' ratio.
fn log_normal_distribution(x: f64) -> (f64, f64) {
    if x > -20.0 {
        let upper = libm::erfc(-x * core::f64::consts::FRAC_1_SQRT_2) / 2.0;
        let log_density = -x * x / 2.0 - HALF_LOG_TAU;
        return (libm::log(upper), libm::exp(log_density) / upper);
    }
    let square = 1.0 / (x * x);
    // Φ(x) = φ(x)/|x| · (1 − 1/x² + 3/x⁴ − 15/x⁶ + 105/x⁸ − …): the next term is below 1e-10 of the first at x = −20.
    let series = 1.0 - square * (1.0 - square * (3.0 - square * (15.0 - square * (105.0 - square * 945.0))));
    (-x * x / 2.0 - HALF_LOG_TAU - libm::log(-x) + libm::log(series), -x / series)
}

/// From here on a normal variable above a number is that number: they differ by 1/a, which rounding swallows.
const FAR: f64 = 1e8;

/// A standard normal above `a` (Robert 1995: rejection from the normal, or from a shifted exponential in the tail); NaN
/// above NaN, with which the run ends.
pub(super) fn normal_above(a: f64, stream: &mut Stream) -> f64 {
    if a > FAR || a.is_nan() {
        return a;
    }
    if a <= 0.0 {
        loop {
            let x = stream.normal();
            if x > a {
                return x;
            }
        }
    }
    let rate = f64::midpoint(a, (a * a + 4.0).sqrt());
    loop {
        let x = a + stream.exponential() / rate;
        let miss = x - rate;
        if stream.uniform() < libm::exp(-miss * miss / 2.0) {
            return x;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use fedbits_random::{DrawPurpose, Streams};

    /// log Φ and φ/Φ: known values (scipy.stats.norm, mpmath for the tail), and no step where the series begins.
    #[test]
    fn normal_distribution() {
        let close = |(a, b): (f64, f64), (c, d): (f64, f64)| {
            assert!((a / c - 1.0).abs() < 1e-11 && (b / d - 1.0).abs() < 1e-11, "{a} {b}, expected {c} {d}");
        };
        close(log_normal_distribution(0.0), (-core::f64::consts::LN_2, 0.797_884_560_802_865_4));
        close(log_normal_distribution(-1.5), (-2.705_944_400_823_889_8, 1.938_677_166_622_543_3));
        close(log_normal_distribution(-20.0), (-203.917_155_371_097_3, 20.049_753_068_528_293));
        let (above, below) = (log_normal_distribution(-20.0 + 1e-9), log_normal_distribution(-20.0 - 1e-9));
        assert!((above.0 - below.0).abs() < 1e-7 && (above.1 - below.1).abs() < 1e-8, "{above:?} {below:?}");
    }

    /// Where squares overflow no draw was ever accepted.
    #[test]
    fn truncated_normals_end_everywhere() {
        let mut stream = Streams::new(2, 0).at(DrawPurpose::Sampler, 0, 0);
        for a in [-1e200, -1e8, 1e7, 1e8, 1.1e8, 1e154, 1e155, 1e200, f64::MAX, f64::INFINITY] {
            let x = normal_above(a, &mut stream);
            assert!(x >= a && x <= a.max(10.0) * (1.0 + 1e-12), "{x} above {a}");
        }
        assert!(normal_above(f64::NAN, &mut stream).is_nan());
    }

    /// Mean of the truncated normal: φ(a)/(1 − Φ(a)), within 4 standard errors (its variance is below 1).
    #[test]
    fn truncated_normals_have_their_mean() {
        let mut stream = Streams::new(2, 0).at(DrawPurpose::Sampler, 0, 0);
        let n = 40_000;
        for a in [-2.0, -0.1, 0.1, 1.0, 4.0] {
            let mean = (0..n).map(|_| normal_above(a, &mut stream)).sum::<f64>() / f64::from(n);
            let (_, expected) = log_normal_distribution(-a);
            assert!((mean - expected).abs() < 4.0 / f64::from(n).sqrt(), "{mean} and not {expected} above {a}");
        }
    }
}
