//! Block-p-quantization (DIANA, Mishchenko et al. 2019): dithering with one level in every block of the vector.
//!
//! Blocks x_1 … x_B of at most `block` entries: Q(x)_l = ‖x_l‖_p sign(x_l) ∘ ξ_l with ξ_{l,j} ~
//! Bernoulli(|x_{l,j}|/‖x_l‖_p). Unbiased with E‖Q(x)‖² = Σ ‖x_l‖₁ ‖x_l‖_p; ω = sup ‖x‖₁‖x‖_p/‖x‖² − 1 over one block:
//! d − 1 for p = 1, √d − 1 for p = 2, (√d − 1)/2 for p = ∞, with d the largest block; attained. Each block is
//! [`Dithering`] with s = 1, r = p, and shares its rounding.
//!
//! Message: the norms of all blocks; nothing else if all are 0, otherwise the levels of the whole vector in any
//! [`LevelCode`].

use fedbits_random::CounterKey;
use fedbits_spec::Described;
use fedbits_spec::range::whole;
use serde::{Deserialize, Serialize};

use super::Dithering;
use crate::error::{check_dimension, parameter};
use crate::level_codes as codes;
use crate::setting::build_over_wire;
use crate::{
    BitReader, BitWriter, CodecError, Compressor, CompressorSetting, Draw, Encoded, LevelCode, Norm, WireFloat, entropy,
};

/// One norm per block, a sign or zero per entry (Mishchenko et al. 2019, DIANA). ω = d^max(1/2, 1/p) − 1, for
/// `Infinity` (√d − 1)/2, d entries in the largest block.
#[derive(Clone, Copy, Debug, Described, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub struct BlockQuantization {
    /// Entries per block.
    #[range(whole(1, u32::MAX as u64).at_most(|facts| facts.vector, "q, the length of the vector"))]
    pub block: usize,
    /// Norm p.
    #[serde(rename = "norm", default)]
    pub p: Norm,
    /// Code of levels.
    #[serde(default = "mask")]
    pub code: LevelCode,
    /// How norms are sent.
    #[serde(skip)]
    pub wire: WireFloat,
}

impl BlockQuantization {
    /// The operator on one block. Its own code is never written.
    fn operator(&self) -> Dithering {
        Dithering { s: 1, r: self.p, code: LevelCode::Fixed, wire: self.wire }
    }

    /// Block l, its norm and its levels.
    fn blocks<'a>(&self, message: &'a Encoded) -> impl Iterator<Item = (f64, &'a [i8])> {
        message.values.iter().copied().zip(message.small_levels.chunks(self.block))
    }
}

impl Compressor for BlockQuantization {
    fn name(&self) -> String {
        let Self { block, p, code, wire } = self;
        format!("block-{p} of {block} ({code}) F{}", wire.bits())
    }

    fn encode(&self, x: &[f64], draw: Draw<'_>, out: &mut Encoded) -> Result<(), CodecError> {
        self.validate(x.len())?;
        out.restart(x.len());
        let given = draw.given(x.len())?;
        let (operator, mut part) = (self.operator(), Encoded::new());
        for (l, block) in x.chunks(self.block).enumerate() {
            let first = l * self.block;
            let draw = match given {
                Some(xi) => Draw::Given(&xi[first..first + block.len()]),
                None => draw.part(l as u64),
            };
            operator.encode(block, draw, &mut part).map_err(|error| error.at(|index| first + index))?;
            out.values.push(part.norm);
            out.small_levels.extend_from_slice(&part.small_levels);
        }
        out.bits = out.values.len() as u64 * self.wire.bits();
        if out.values.iter().any(|&norm| norm > 0.0) {
            out.bits += codes::count(self.code, 1, &out.small_levels);
        }
        Ok(())
    }

    fn add_decoded(&self, message: &Encoded, scale: f64, accumulator: &mut [f64]) {
        assert_eq!(accumulator.len(), message.dimension, "dimension of the accumulator");
        for ((norm, levels), sums) in self.blocks(message).zip(accumulator.chunks_mut(self.block)) {
            sums.iter_mut().zip(levels).for_each(|(sum, &level)| *sum += scale * (f64::from(level) * norm));
        }
    }

    fn write_bits(&self, message: &Encoded, writer: &mut BitWriter) {
        message.write_values(self.wire, writer);
        if message.values.iter().any(|&norm| norm > 0.0) {
            codes::write(self.code, 1, &message.small_levels, writer);
        }
    }

    fn read(&self, reader: &mut BitReader<'_>, _: Option<CounterKey>, out: &mut Encoded) -> Result<(), CodecError> {
        out.small_levels.resize(out.dimension, 0);
        out.read_values(out.dimension.div_ceil(self.block), self.wire, reader)?;
        let is_wrong = out.values.iter().any(|norm| norm.to_bits() != 0 && *norm < f64::MIN_POSITIVE);
        reader.refuse(is_wrong, "a norm that is negative or too small")?;
        if out.values.iter().any(|&norm| norm > 0.0) {
            codes::read(self.code, 1, reader, &mut out.small_levels)?;
        }
        let is_wrong = self.blocks(out).any(|(norm, levels)| norm == 0.0 && levels.iter().any(|&level| level != 0));
        reader.refuse(is_wrong, "a level in a block of norm zero")?;
        Ok(())
    }

    fn is_unbiased(&self) -> bool {
        true
    }

    fn omega(&self, dimension: usize) -> Option<f64> {
        self.operator().omega(dimension.min(self.block))
    }

    fn variance_at(&self, x: &[f64]) -> Option<f64> {
        x.chunks(self.block).map(|block| self.operator().variance_at(block)).sum()
    }

    fn uniforms(&self, dimension: usize) -> usize {
        dimension
    }

    fn indices_free_bits(&self, message: &Encoded) -> u64 {
        message.values.len() as u64 * self.wire.bits() + codes::count_without_indices(1, &message.small_levels)
    }

    fn entropy_bits(&self, message: &Encoded) -> f64 {
        (message.values.len() as u64 * self.wire.bits()) as f64 + entropy::of_levels(&message.small_levels)
    }

    fn ends_itself(&self) -> bool {
        self.code.ends_itself()
    }

    fn validate(&self, dimension: usize) -> Result<(), CodecError> {
        check_dimension(dimension)?;
        if self.block == 0 {
            return Err(parameter("block", self.block, "at least 1 entry".to_owned()));
        }
        self.p.validate()
    }
}

fn mask() -> LevelCode {
    LevelCode::Mask
}

impl CompressorSetting for BlockQuantization {
    build_over_wire!();

    fn message_bytes(&self, length: u64) -> u64 {
        length.saturating_mul(5)
    }

    fn examples() -> Vec<Self> {
        let of = |block, p, code| Self { block, p, code, wire: WireFloat::F64 };
        let all = LevelCode::ALL.map(|code| of(4, Norm::L(2.0), code));
        let more = [(1, Norm::Infinity), (64, Norm::L(1.0)), (7, Norm::Infinity)];
        all.into_iter().chain(more.map(|(block, p)| of(block, p, LevelCode::Mask))).collect()
    }
}
