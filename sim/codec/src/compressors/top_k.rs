//! Top-k: the k entries of largest magnitude, as they are; of equal ones, those that come first.
//!
//! NOT unbiased. A contraction: ‖C(x) − x‖² ≤ (1 − k/d)‖x‖², attained at equal entries; with F32 values are rounded to
//! nearest and δ = (1 − 2⁻⁴⁸) k/d.
//!
//! Message: the subset, then k floats.

use fedbits_spec::Described;
use fedbits_spec::range::whole;
use fedbits_spec::{Facts, Findings, Path};
use serde::{Deserialize, Serialize};

use crate::compressor::{Sparsifier, error_of};
use crate::error::parameter;
use crate::indices::{self, IndexCode};
use crate::norm::check_finite;
use crate::setting::build_over_wire;
use crate::sparse;
use crate::{CodecError, Compressor, CompressorSetting, Draw, Encoded, ExpectedBits, Indices, WireFloat};

/// The k largest magnitudes; of ties the first. Biased: δ = k/q (Stich et al. 2018).
#[derive(Clone, Debug, Described, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
#[described(rules = sends_indices)]
pub struct TopK {
    /// Kept coordinates.
    #[range(whole(1, u32::MAX as u64).at_most(|facts| facts.vector, "q, the length of the vector"))]
    k: u32,
    /// Coding of indices.
    #[serde(default)]
    indices: Indices,
    #[serde(skip)]
    wire: WireFloat,
    #[serde(skip)]
    code: indices::Cached,
}

impl TopK {
    /// Keeps `k` ≥ 1 entries. Their indices depend on the vector, so they cannot be shared ([`Compressor::validate`]
    /// says so).
    pub fn new(k: u32, indices: Indices, wire: WireFloat) -> Self {
        Self { k, indices, wire, code: indices::Cached::default() }
    }
}

impl Sparsifier for TopK {
    fn label(&self) -> String {
        format!("top-{} ({})", self.k, self.indices)
    }

    fn wire(&self) -> WireFloat {
        self.wire
    }

    fn check(&self, dimension: usize) -> Result<(), CodecError> {
        sparse::check_kept(self.k, dimension)?;
        if self.indices == Indices::SharedSeed {
            let expected = "indices that are sent: they depend on the vector".to_owned();
            return Err(parameter("indices", self.indices, expected));
        }
        Ok(())
    }

    fn code(&self) -> IndexCode<'_> {
        IndexCode::Subset(self.indices, self.k, &self.code)
    }

    fn choose(&self, x: &[f64], _: Draw<'_>, out: &mut Encoded) -> Result<(), CodecError> {
        check_finite(x)?;
        sparse::choose_largest(x, self.k, &mut out.indices);
        out.indices.sort_unstable();
        Ok(())
    }

    fn most(&self, _: usize) -> usize {
        self.k as usize
    }

    fn largest(&self) -> Option<u32> {
        Some(self.k)
    }

    fn variance(&self, x: &[f64]) -> Option<f64> {
        error_of(self, x)
    }

    fn mean_bits(&self, dimension: usize) -> Option<ExpectedBits> {
        self.code().always(dimension, self.k, self.wire)
    }
}

impl CompressorSetting for TopK {
    build_over_wire!();

    fn examples() -> Vec<Self> {
        let all = [Indices::Enumerative, Indices::List, Indices::Mask].into_iter();
        all.flat_map(|indices| [1, 3].map(|k| Self::new(k, indices, WireFloat::F64))).collect()
    }
}

/// The largest entries depend on the vector: no seed determines which they are.
fn sends_indices(operator: &TopK, at: &Path<'_>, _: &Facts, findings: &mut Findings) {
    if operator.indices == Indices::SharedSeed {
        let why = "the largest coordinates depend on the vector: the receiver cannot draw them";
        findings.error(at.field("indices"), why, "expected `Enumerative`, `List` or `Mask`");
    }
}
