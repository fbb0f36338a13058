//! Penalties of coefficients: a smooth part, which belongs to every f_j, and one that T takes into account.

use fedbits_spec::Described;
use fedbits_spec::range::POSITIVE;
use serde::{Deserialize, Serialize};

/// Added to the mean loss; intercepts are not penalized.
#[derive(Clone, Copy, Debug, Default, Described, Deserialize, PartialEq, Serialize)]
#[serde(deny_unknown_fields)]
pub enum Penalty {
    /// None.
    #[default]
    NoPenalty,
    /// ½λ ‖x‖², λ-strongly convex.
    Ridge(#[range(POSITIVE)] f64),
    /// λ Σ x²/(1 + x²), smooth and nonconvex.
    NonConvex(#[range(POSITIVE)] f64),
    /// λ ‖x‖₁: soft thresholding after each gradient step.
    L1(#[range(POSITIVE)] f64),
    /// λ₁ ‖x‖₁ + ½λ₂ ‖x‖².
    ElasticNet {
        /// λ₁.
        #[range(POSITIVE)]
        l1: f64,
        /// λ₂.
        #[range(POSITIVE)]
        ridge: f64,
    },
}

impl Penalty {
    /// λ₁ of λ₁ ‖x‖₁.
    pub(super) fn l1(self) -> f64 {
        match self {
            Self::L1(l1) | Self::ElasticNet { l1, .. } => l1,
            _ => 0.0,
        }
    }

    /// λ₂ of ½λ₂ ‖x‖².
    pub(super) fn ridge(self) -> f64 {
        match self {
            Self::Ridge(ridge) | Self::ElasticNet { ridge, .. } => ridge,
            _ => 0.0,
        }
    }

    /// The Lipschitz constant of the gradient of the smooth part.
    pub(super) fn smoothness(self) -> f64 {
        if let Self::NonConvex(lambda) = self { 2.0 * lambda } else { self.ridge() }
    }

    /// The derivative of the smooth part by a coefficient.
    #[inline]
    pub(super) fn slope(self, x: f64) -> f64 {
        match self {
            Self::NonConvex(lambda) => {
                let inverse = 1.0 / (1.0 + x * x);
                2.0 * lambda * x * inverse * inverse
            }
            _ => self.ridge() * x,
        }
    }

    /// What a coefficient costs.
    pub(super) fn value(self, x: f64) -> f64 {
        match self {
            Self::NonConvex(lambda) => {
                let square = x * x;
                // 1 where the square is infinite.
                lambda * if square > 1e300 { 1.0 } else { square / (1.0 + square) }
            }
            _ => self.l1() * x.abs() + 0.5 * self.ridge() * x * x,
        }
    }
}

/// sign(s) max(|s| − t, 0).
pub(super) fn soft_threshold(s: f64, t: f64) -> f64 {
    s - s.clamp(-t, t)
}
