//! Observation families in natural form: x ↦ ρ(x) exp(xθ − ψ(θ)), one parameter θ per cell (FedEM paper, section 4).
//!
//! | family | ψ(θ) | ψ'(θ) = E x | ψ''(θ) |
//! |---|---|---|---|
//! | Gaussian, variance 1 | θ²/2 | θ | 1 |
//! | Poisson | e^θ | e^θ | e^θ |
//! | binomial, m trials | m log(1 + e^θ) | m/(1 + e^−θ) | m p (1 − p) ≤ m/4 |

use std::borrow::Cow;

use fedbits_spec::Described;
use fedbits_spec::range::whole;
use serde::{Deserialize, Serialize};

use crate::data::Values;

/// Distribution of an observation with natural parameter θ.
#[derive(Clone, Copy, Debug, Default, Described, Deserialize, Eq, PartialEq, Serialize)]
#[serde(deny_unknown_fields)]
pub enum Family {
    /// Normal with mean θ and variance 1 (FedEM paper).
    #[default]
    Gaussian,
    /// Log-intensity θ.
    Poisson,
    /// Log-odds θ; one trial is presence or absence.
    Binomial {
        /// m.
        #[range(whole(1, 1_000_000))]
        trials: u32,
    },
}

/// ½ log 2π.
const HALF_LOG_TAU: f64 = 0.918_938_533_204_672_8;
/// Means are kept this far inside their range by [`Family::link`], in counts.
const INSIDE: f64 = 1e-3;

impl Family {
    /// ψ(θ).
    pub fn psi(self, theta: f64) -> f64 {
        match self {
            Self::Gaussian => 0.5 * theta * theta,
            Self::Poisson => libm::exp(theta),
            Self::Binomial { trials } => f64::from(trials) * (theta.max(0.0) + libm::log1p(libm::exp(-theta.abs()))),
        }
    }

    /// ψ'(θ), the expectation of an observation.
    pub fn mean(self, theta: f64) -> f64 {
        self.moments(theta).0
    }

    /// ψ''(θ), the variance of an observation.
    pub fn variance(self, theta: f64) -> f64 {
        self.moments(theta).1
    }

    /// ψ'(θ) and ψ''(θ).
    fn moments(self, theta: f64) -> (f64, f64) {
        match self {
            Self::Gaussian => (theta, 1.0),
            Self::Poisson => {
                let mean = libm::exp(theta);
                (mean, mean)
            }
            Self::Binomial { trials } => {
                let (m, inverse) = (f64::from(trials), 1.0 + libm::exp(-theta));
                let p = 1.0 / inverse;
                (m / inverse, m * p * (1.0 - p))
            }
        }
    }

    /// ψ(θ), ψ'(θ) and ψ''(θ).
    pub(super) fn derivatives(self, theta: f64) -> [f64; 3] {
        let (mean, variance) = self.moments(theta);
        // ψ of Poisson is ψ'.
        [if self == Self::Poisson { mean } else { self.psi(theta) }, mean, variance]
    }

    /// (ψ')⁻¹ of a mean, which is first moved inside the range of means.
    pub fn link(self, mean: f64) -> f64 {
        match self {
            Self::Gaussian => mean,
            Self::Poisson => libm::log(mean.max(INSIDE)),
            Self::Binomial { trials } => {
                let mean = mean.clamp(INSIDE, f64::from(trials) - INSIDE);
                libm::log(mean / (f64::from(trials) - mean))
            }
        }
    }

    /// Means, each of which is first moved to the nearest end of their range where it is outside.
    pub(super) fn inside(self, means: &[f64]) -> Cow<'_, [f64]> {
        let most = match self {
            Self::Gaussian => return Cow::Borrowed(means),
            Self::Poisson => f64::INFINITY,
            Self::Binomial { trials } => f64::from(trials),
        };
        match means.iter().all(|mean| (0.0..=most).contains(mean)) {
            true => Cow::Borrowed(means),
            false => means.iter().map(|mean| mean.clamp(0.0, most)).collect(),
        }
    }

    /// −log p(x; θ) = ψ(θ) − xθ − log ρ(x).
    pub fn objective(self, x: f64, theta: f64) -> f64 {
        match self {
            Self::Gaussian => 0.5 * (x - theta) * (x - theta) + HALF_LOG_TAU,
            Self::Poisson => self.psi(theta) - x * theta + libm::lgamma(x + 1.0),
            Self::Binomial { trials } => {
                let m = f64::from(trials);
                let log_choose = libm::lgamma(m + 1.0) - libm::lgamma(x + 1.0) - libm::lgamma(m - x + 1.0);
                self.psi(theta) - x * theta - log_choose
            }
        }
    }

    /// The allowed values of an observation.
    pub fn values(self) -> Values {
        match self {
            Self::Gaussian => Values::Real,
            Self::Poisson => Values::Counts,
            Self::Binomial { trials } => Values::UpTo(trials),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::Family;

    const ALL: [Family; 4] =
        [Family::Gaussian, Family::Poisson, Family::Binomial { trials: 1 }, Family::Binomial { trials: 7 }];

    /// ψ' and ψ'' are the derivatives of ψ: central differences with step h have error O(h²).
    #[test]
    fn derivatives() {
        let h = 1e-4;
        for family in ALL {
            for theta in [-3.0, -0.4, 0.0, 1.1, 2.5] {
                let slope = (family.psi(theta + h) - family.psi(theta - h)) / (2.0 * h);
                let bend = (family.mean(theta + h) - family.mean(theta - h)) / (2.0 * h);
                assert!((slope - family.mean(theta)).abs() < 1e-6, "{family:?} at {theta}");
                assert!((bend - family.variance(theta)).abs() < 1e-6, "{family:?} at {theta}");
                assert!((family.link(family.mean(theta)) - theta).abs() < 1e-9, "{family:?} at {theta}");
            }
        }
    }

    /// Densities sum to one: Σ_x exp(−objective) over the whole range of counts.
    #[test]
    fn densities_sum_to_one() {
        for family in [Family::Poisson, Family::Binomial { trials: 1 }, Family::Binomial { trials: 7 }] {
            for theta in [-2.0, 0.3, 1.5] {
                let range = (0..80).map(f64::from).filter(|&x| family.values().refuses(x).is_none());
                let sum: f64 = range.map(|x| libm::exp(-family.objective(x, theta))).sum();
                assert!((sum - 1.0).abs() < 1e-12, "{family:?} at {theta}: {sum}");
            }
        }
    }
}
