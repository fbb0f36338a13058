//! Bernoulli sparsifier: every entry is kept with probability p, independently, and scaled by 1/p.
//!
//! Q(x)_j = x_j / p with probability p, otherwise 0. Unbiased; E‖Q(x) − x‖² = (1/p − 1)‖x‖² for *every* x, so ω = 1/p −
//! 1 is attained. The wire carries x_j, the receiver scales: with F64 nothing is lost; with F32, x is first rounded to
//! nearest (relative error 2⁻²⁴, included in ω).
//!
//! Message: a mask of d bits, then one float for every entry kept; or the floats alone when both ends share the seed
//! and the receiver draws the mask again.

use fedbits_spec::Described;
use fedbits_spec::range::PROBABILITY;
use serde::{Deserialize, Serialize};

use crate::compressor::Sparsifier;
use crate::error::{check_dimension, check_probability};
use crate::indices::IndexCode;
use crate::setting::build_over_wire;
use crate::{CodecError, Compressor, CompressorSetting, Draw, Encoded, ExpectedBits, WireFloat};

/// Each coordinate with a probability, divided by it: ω = 1/probability − 1 (Konečný and Richtárik 2018).
#[derive(Clone, Copy, Debug, Described, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub struct Bernoulli {
    /// Probability of keeping a coordinate.
    #[serde(rename = "probability")]
    #[range(PROBABILITY)]
    pub p: f64,
    /// Coding of kept positions.
    #[serde(default)]
    pub mask: Mask,
    /// How values are sent.
    #[serde(skip)]
    pub wire: WireFloat,
}

/// Coding of a random selection of coordinates.
#[derive(Clone, Copy, Debug, Default, Described, Deserialize, Eq, PartialEq, Serialize)]
pub enum Mask {
    /// One bit per coordinate; for `RandSeqK` one index.
    #[default]
    Sent,
    /// Free: drawn from a shared seed.
    SharedSeed,
}

impl std::fmt::Display for Mask {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(if *self == Self::Sent { "indices sent" } else { "seed shared" })
    }
}

impl Bernoulli {
    /// Keeps entry j where uniform j is below p; there are at least d uniforms. Without a branch, which would often be
    /// mispredicted.
    #[inline(always)]
    fn keep(&self, dimension: usize, uniforms: impl Iterator<Item = f64>, indices: &mut Vec<u32>) {
        indices.resize(dimension, 0);
        let mut kept = 0;
        for (j, u) in (0..dimension as u32).zip(uniforms) {
            indices[kept] = j;
            kept += usize::from(u < self.p);
        }
        indices.truncate(kept);
    }
}

impl Sparsifier for Bernoulli {
    fn label(&self) -> String {
        format!("Bernoulli p={} ({})", self.p, self.mask)
    }

    fn wire(&self) -> WireFloat {
        self.wire
    }

    fn check(&self, dimension: usize) -> Result<(), CodecError> {
        check_dimension(dimension)?;
        check_probability(self.p)
    }

    fn code(&self) -> IndexCode<'_> {
        if self.mask == Mask::SharedSeed { IndexCode::Shared } else { IndexCode::Mask }
    }

    fn choose(&self, _: &[f64], draw: Draw<'_>, out: &mut Encoded) -> Result<(), CodecError> {
        match draw {
            Draw::Keyed(key) => self.keep(out.dimension, key.uniforms(), &mut out.indices),
            Draw::Given(_) => {
                let xi = draw.given(out.dimension)?.unwrap_or_default();
                self.keep(out.dimension, xi.iter().copied(), &mut out.indices);
            }
        }
        Ok(())
    }

    fn draws(&self, dimension: usize) -> usize {
        dimension
    }

    fn factor(&self, _: usize) -> f64 {
        1.0 / self.p
    }

    fn mean_bits(&self, dimension: usize) -> Option<ExpectedBits> {
        let mask = if self.mask == Mask::SharedSeed { 0.0 } else { dimension as f64 };
        Some(ExpectedBits::OnAverage(mask + self.p * dimension as f64 * self.wire.bits() as f64))
    }
}

impl CompressorSetting for Bernoulli {
    build_over_wire!();

    fn examples() -> Vec<Self> {
        let of = |mask| [0.5, 0.1, 1.0].map(|p| Self { p, mask, wire: WireFloat::F64 });
        [of(Mask::Sent), of(Mask::SharedSeed)].concat()
    }
}
