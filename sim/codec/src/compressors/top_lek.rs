//! TopLEK (Burlachenko and Richtárik 2024, FedNL implementations): at most k largest entries, as few as a contraction
//! by k/d needs.
//!
//! With r_i = ‖x‖² less the i largest squares, and i the least number with r_i ≤ (1 − k/d)‖x‖², the i − 1 largest
//! entries are sent with probability p and the i largest else, so that p r_{i−1} + (1 − p) r_i = (1 − k/d)‖x‖².
//! NOT unbiased. A contraction: E‖C(x) − x‖² = (1 − k/d)‖x‖² for *every* x; with F32 values are rounded to nearest and
//! δ = (1 − 2⁻⁴⁸) k/d.
//!
//! Message: that of [`super::NonZeros`], with the number of entries.

use fedbits_spec::Described;
use fedbits_spec::range::whole;
use serde::{Deserialize, Serialize};

use crate::compressor::Sparsifier;
use crate::indices::IndexCode;
use crate::norm::check_finite;
use crate::setting::build_over_wire;
use crate::sparse;
use crate::{CodecError, Compressor, CompressorSetting, Draw, Encoded, WireFloat, lanes};

/// At most the k largest magnitudes: the fewest that give δ = k/q, exactly so by a random draw (Burlachenko and
/// Richtárik 2024).
#[derive(Clone, Copy, Debug, Described, Deserialize, Serialize)]
#[serde(deny_unknown_fields, rename = "TopLEK")]
pub struct TopLek {
    /// Largest number of kept coordinates.
    #[range(whole(1, u32::MAX as u64).at_most(|facts| facts.vector, "q, the length of the vector"))]
    pub k: u32,
    /// How values are sent.
    #[serde(skip)]
    pub wire: WireFloat,
}

impl TopLek {
    /// The number of entries that a uniform in [0, 1) chooses of those with these `squares` of decreasing size, whose
    /// sum over all entries is `total`.
    fn count(&self, squares: &[f64], total: f64, dimension: usize, uniform: f64) -> usize {
        let wanted = f64::from(self.k) / dimension as f64 * total;
        let mut sent = 0.0;
        for (i, square) in squares.iter().enumerate() {
            if sent + square >= wanted {
                // Sent are i entries with p, i + 1 else: p sent + (1 − p)(sent + square) = wanted.
                let p = (sent + square - wanted) / square;
                return if *square > 0.0 && uniform < p { i } else { i + 1 };
            }
            sent += square;
        }
        squares.len()
    }
}

impl Sparsifier for TopLek {
    fn label(&self) -> String {
        format!("top-lek-{}", self.k)
    }

    fn wire(&self) -> WireFloat {
        self.wire
    }

    fn check(&self, dimension: usize) -> Result<(), CodecError> {
        sparse::check_kept(self.k, dimension)
    }

    fn code(&self) -> IndexCode<'_> {
        IndexCode::Gaps(self.k)
    }

    fn choose(&self, x: &[f64], draw: Draw<'_>, out: &mut Encoded) -> Result<(), CodecError> {
        check_finite(x)?;
        let (uniform, order) = (draw.one()?, &mut out.indices);
        sparse::choose_largest(x, self.k, order);
        order.sort_unstable_by(|a, b| sparse::by_magnitude(x, a, b));
        // Shares of the largest entry have squares that neither overflow nor vanish.
        let largest = lanes::largest(x);
        let unit = if largest > 0.0 { largest } else { 1.0 };
        let squares: Vec<f64> = order.iter().map(|&j| (x[j as usize] / unit) * (x[j as usize] / unit)).collect();
        let total = lanes::sum(x, |v| (v / unit) * (v / unit));
        order.truncate(if largest > 0.0 { self.count(&squares, total, x.len(), uniform) } else { 0 });
        order.sort_unstable();
        Ok(())
    }

    fn draws(&self, _: usize) -> usize {
        1
    }

    fn largest(&self) -> Option<u32> {
        Some(self.k)
    }

    /// As for 64-bit floats; that of rounding to 32 bits depends on the entries.
    fn variance(&self, x: &[f64]) -> Option<f64> {
        let variance = (1.0 - f64::from(self.k) / x.len() as f64) * lanes::sum(x, |v| v * v);
        (self.wire == WireFloat::F64 && variance.is_finite()).then_some(variance)
    }

    fn is_composed(&self) -> bool {
        false
    }
}

impl CompressorSetting for TopLek {
    build_over_wire!();

    fn examples() -> Vec<Self> {
        [1, 3].map(|k| Self { k, wire: WireFloat::F64 }).to_vec()
    }
}
