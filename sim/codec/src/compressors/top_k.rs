//! Top-k: the k entries of largest magnitude, as they are; of equal ones, those that come first.
//!
//! NOT unbiased. A contraction: ‖C(x) − x‖² ≤ (1 − k/d)‖x‖², attained at equal entries; with F32 values are rounded to
//! nearest and δ = (1 − 2⁻⁴⁸) k/d.
//!
//! Message: the subset, then k floats.

use fedbits_random::CounterKey;
use fedbits_spec::Described;
use fedbits_spec::range::whole;
use fedbits_spec::{Facts, Findings, Path};
use serde::{Deserialize, Serialize};

use crate::compressor::error_of;
use crate::error::parameter;
use crate::indices;
use crate::norm::check_finite;
use crate::sparse::{self, Sparsifier};
use crate::{
    BitReader, BitWriter, CodecError, Compressor, CompressorSetting, Draw, Encoded, ExpectedBits, Indices, WireFloat,
};

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
    fn choose(&self, x: &[f64], _: Draw<'_>, out: &mut Encoded) -> Result<(), CodecError> {
        self.validate(x.len())?;
        check_finite(x)?;
        sparse::choose_largest(x, self.k, &mut out.indices);
        out.indices.sort_unstable();
        Ok(())
    }

    fn factor(&self, _: usize) -> f64 {
        1.0
    }

    fn most(&self, _: usize) -> usize {
        self.k as usize
    }

    fn indices_bits(&self, message: &Encoded) -> Result<u64, CodecError> {
        self.code.bits(self.indices, message.dimension, self.k)
    }

    fn indices_entropy(&self, message: &Encoded) -> f64 {
        self.code.entropy(message.dimension, self.k)
    }

    fn write_indices(&self, message: &Encoded, writer: &mut BitWriter) {
        self.code.write(self.indices, message, writer);
    }

    fn read_indices(
        &self,
        reader: &mut BitReader<'_>,
        _: Option<CounterKey>,
        out: &mut Encoded,
    ) -> Result<(), CodecError> {
        self.code.read(self.indices, self.k, reader, out)
    }
}

impl Compressor for TopK {
    fn name(&self) -> String {
        format!("top-{} ({}) F{}", self.k, self.indices, self.wire.bits())
    }

    fn encode(&self, x: &[f64], draw: Draw<'_>, out: &mut Encoded) -> Result<(), CodecError> {
        out.restart(x.len());
        self.choose(x, draw, out)?;
        sparse::take(x, self.wire, 1.0, out)?;
        out.bits = u64::from(self.k) * self.wire.bits() + self.indices_bits(out)?;
        Ok(())
    }

    sparse::messages!();

    sparse::largest!();

    fn variance_at(&self, x: &[f64]) -> Option<f64> {
        error_of(self, x)
    }

    fn uniforms(&self, _: usize) -> usize {
        0
    }

    fn expected_bits(&self, dimension: usize) -> Option<ExpectedBits> {
        self.validate(dimension).ok()?;
        let indices = self.code.bits(self.indices, dimension, self.k).ok()?;
        Some(ExpectedBits::Always(u64::from(self.k) * self.wire.bits() + indices))
    }

    fn string_work(&self, dimension: usize) -> u64 {
        self.code.work(self.indices, dimension, self.k)
    }

    fn validate(&self, dimension: usize) -> Result<(), CodecError> {
        sparse::check_kept(self.k, dimension)?;
        if self.indices == Indices::SharedSeed {
            return Err(parameter(
                "indices",
                self.indices,
                "indices that are sent: they depend on the vector".to_owned(),
            ));
        }
        Ok(())
    }
}

impl CompressorSetting for TopK {
    fn build(&self, wire: WireFloat, _clients: u32) -> Box<dyn Compressor> {
        Box::new(Self { wire, ..self.clone() })
    }

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
