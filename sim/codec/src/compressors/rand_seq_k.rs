//! RandSeqK (Burlachenko and Richtárik 2024, FedNL implementations): k coordinates one after the other from a uniform
//! one, past the last on from the first, scaled by d/k.
//!
//! Every coordinate is kept with probability k/d: unbiased; E‖Q(x) − x‖² = (d/k − 1)‖x‖² for *every* x, as for
//! [`super::RandK`], of which it differs by the length of its message: the first coordinate in ⌈log₂ d⌉ bits, or
//! nothing when both ends share the seed, then k floats.

use fedbits_spec::Described;
use fedbits_spec::range::whole;
use serde::{Deserialize, Serialize};

use super::Mask;
use crate::compressor::Sparsifier;
use crate::indices::{IndexCode, keep_from};
use crate::setting::build_over_wire;
use crate::sparse;
use crate::{CodecError, Compressor, CompressorSetting, Draw, Encoded, ExpectedBits, WireFloat};

/// k consecutive coordinates from a random one, scaled by q/k: ω = q/k − 1 (Burlachenko and Richtárik 2024).
#[derive(Clone, Copy, Debug, Described, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub struct RandSeqK {
    /// Kept coordinates.
    #[range(whole(1, u32::MAX as u64).at_most(|facts| facts.vector, "q, the length of the vector"))]
    pub k: u32,
    /// Coding of the first coordinate.
    #[serde(default)]
    pub first: Mask,
    /// How values are sent.
    #[serde(skip)]
    pub wire: WireFloat,
}

impl Sparsifier for RandSeqK {
    fn label(&self) -> String {
        format!("rand-seq-{} ({})", self.k, self.first)
    }

    fn wire(&self) -> WireFloat {
        self.wire
    }

    fn check(&self, dimension: usize) -> Result<(), CodecError> {
        sparse::check_kept(self.k, dimension)
    }

    fn code(&self) -> IndexCode<'_> {
        if self.first == Mask::SharedSeed { IndexCode::Shared } else { IndexCode::First(self.k) }
    }

    fn choose(&self, _: &[f64], draw: Draw<'_>, out: &mut Encoded) -> Result<(), CodecError> {
        let (uniform, d) = (draw.one()?, out.dimension);
        let first = ((uniform * d as f64) as u32).min(d as u32 - 1);
        keep_from(if self.k as usize == d { 0 } else { first }, self.k, out);
        Ok(())
    }

    fn draws(&self, _: usize) -> usize {
        1
    }

    fn factor(&self, dimension: usize) -> f64 {
        dimension as f64 / f64::from(self.k)
    }

    fn most(&self, _: usize) -> usize {
        self.k as usize
    }

    fn mean_bits(&self, dimension: usize) -> Option<ExpectedBits> {
        self.code().always(dimension, self.k, self.wire)
    }
}

impl CompressorSetting for RandSeqK {
    build_over_wire!();

    fn message_bytes(&self, _length: u64) -> u64 {
        12 * u64::from(self.k)
    }

    fn examples() -> Vec<Self> {
        let of = |k, first| Self { k, first, wire: WireFloat::F64 };
        vec![of(1, Mask::Sent), of(3, Mask::Sent), of(2, Mask::SharedSeed)]
    }
}
