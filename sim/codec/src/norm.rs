//! ‖x‖_r without overflow or underflow in between.

use fedbits_spec::Described;
use fedbits_spec::range::Interval;
use serde::{Deserialize, Serialize};

use crate::error::parameter;
use crate::{CodecError, lanes};

/// Norm that scales a dithered vector.
#[derive(Clone, Copy, Debug, Described, Deserialize, PartialEq, Serialize)]
pub enum Norm {
    /// ‖x‖_r = (Σ |x_j|^r)^{1/r}.
    L(#[range(ORDER)] f64),
    /// max |x_j|.
    Infinity,
}

/// Orders of norms: beyond, powers of entries overflow where the maximum norm does not.
const ORDER: Interval = Interval::closed(1.0, 1e3, "from 1 to 1000, the order of a norm");

impl Default for Norm {
    fn default() -> Self {
        Self::L(2.0)
    }
}

impl std::fmt::Display for Norm {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::L(r) => write!(f, "{r}"),
            Self::Infinity => f.write_str("inf"),
        }
    }
}

/// Sums of squares in this range lost nothing that matters to underflow and nothing to overflow.
const SAFE: std::ops::Range<f64> = 1e-280..1e300;

impl Norm {
    /// 1/r, and 0 for the maximum norm.
    pub(crate) fn reciprocal(self) -> f64 {
        match self {
            Self::L(r) => 1.0 / r,
            Self::Infinity => 0.0,
        }
    }

    /// Is it a norm: r ≥ 1 or the maximum?
    pub(crate) fn validate(self) -> Result<(), CodecError> {
        match self {
            Self::L(r) if !(r >= 1.0 && r.is_finite()) => {
                Err(parameter("r", r, "a norm r ≥ 1, or infinity".to_owned()))
            }
            _ => Ok(()),
        }
    }

    /// ‖x‖_r, at least max |x_j|, in a fixed order of operations.
    #[inline(always)]
    pub(crate) fn of(self, x: &[f64]) -> Result<f64, CodecError> {
        if self == Self::L(2.0) {
            let squares = lanes::sum(x, |v| v * v);
            if SAFE.contains(&squares) {
                return Ok(squares.sqrt());
            }
        } else if self == Self::L(1.0) {
            let total = lanes::sum(x, f64::abs);
            if total.is_finite() {
                return Ok(total);
            }
        } else if self == Self::Infinity {
            let max = lanes::largest(x);
            if max.is_finite() {
                return Ok(max);
            }
        }
        self.scaled(x)
    }

    /// The same through x ÷ 2^e with max |x_j| ÷ 2^e in [1, 2) (below 1 for denormal vectors).
    fn scaled(self, x: &[f64]) -> Result<f64, CodecError> {
        const EXPONENT: u64 = 0x7FF0_0000_0000_0000;
        let max = lanes::largest(x);
        if !max.is_finite() {
            return Err(not_finite(x));
        }
        let Self::L(r) = self else { return Ok(max) };
        if max == 0.0 {
            return Ok(0.0);
        }
        let unit = f64::from_bits(max.to_bits() & EXPONENT).max(f64::MIN_POSITIVE);
        let total = lanes::sum(x, |v| libm::pow(v.abs() / unit, r));
        let norm = (unit * libm::pow(total, 1.0 / r)).max(max);
        if norm.is_finite() { Ok(norm) } else { Err(CodecError::NormOverflow { bits: 64 }) }
    }
}

/// Are all entries finite?
///
/// # Errors
/// [`CodecError::NotFinite`], which names the first that is not.
pub fn check_finite(x: &[f64]) -> Result<(), CodecError> {
    if lanes::all_finite(x) { Ok(()) } else { Err(not_finite(x)) }
}

/// The error that names the first entry that is not finite.
#[cold]
pub(crate) fn not_finite(x: &[f64]) -> CodecError {
    CodecError::NotFinite { index: x.iter().position(|v| !v.is_finite()).unwrap_or(0) }
}
