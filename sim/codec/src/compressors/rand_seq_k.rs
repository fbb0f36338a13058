//! RandSeqK (Burlachenko and Richtárik 2024, FedNL implementations): k coordinates one after the other from a uniform
//! one, past the last on from the first, scaled by d/k.
//!
//! Every coordinate is kept with probability k/d: unbiased; E‖Q(x) − x‖² = (d/k − 1)‖x‖² for *every* x, as for
//! [`super::RandK`], of which it differs by the length of its message: the first coordinate in ⌈log₂ d⌉ bits, or
//! nothing when both ends share the seed, then k floats.

use fedbits_random::CounterKey;
use fedbits_spec::Described;
use fedbits_spec::range::whole;
use serde::{Deserialize, Serialize};

use super::Mask;
use crate::indices::width;
use crate::sparse::{self, Sparsifier};
use crate::{BitReader, BitWriter, CodecError, Compressor, CompressorSetting, Draw, Encoded, ExpectedBits, WireFloat};

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

impl RandSeqK {
    /// Puts the indices from `first` on into the message, increasing.
    fn keep(&self, first: u32, out: &mut Encoded) {
        let d = out.dimension as u32;
        let beyond = (u64::from(first) + u64::from(self.k)).saturating_sub(u64::from(d)) as u32;
        out.indices.extend(0..beyond);
        out.indices.extend(first..(first + (self.k - beyond)));
    }

    /// The first index of a message.
    fn first(&self, message: &Encoded) -> u32 {
        let d = message.dimension;
        let gap = message.indices.windows(2).find(|pair| pair[1] > pair[0] + 1);
        match gap {
            Some(pair) => pair[1],
            None if self.k as usize == d => 0,
            None => message.indices[0],
        }
    }

    fn draw(draw: Draw<'_>, dimension: usize) -> Result<u32, CodecError> {
        let uniform = match draw.given(1)? {
            Some(xi) => xi[0],
            None => draw.uniforms().next().unwrap_or(0.0),
        };
        Ok(((uniform * dimension as f64) as u32).min(dimension as u32 - 1))
    }

    fn first_bits(&self, dimension: usize) -> u64 {
        let is_known = self.first == Mask::SharedSeed || self.k as usize == dimension;
        if is_known { 0 } else { u64::from(width(dimension)) }
    }
}

impl Sparsifier for RandSeqK {
    fn choose(&self, x: &[f64], draw: Draw<'_>, out: &mut Encoded) -> Result<(), CodecError> {
        let first = Self::draw(draw, x.len())?;
        self.keep(if self.k as usize == x.len() { 0 } else { first }, out);
        Ok(())
    }

    fn factor(&self, dimension: usize) -> f64 {
        dimension as f64 / f64::from(self.k)
    }

    fn most(&self, _: usize) -> usize {
        self.k as usize
    }

    fn indices_bits(&self, message: &Encoded) -> Result<u64, CodecError> {
        Ok(self.first_bits(message.dimension))
    }

    fn indices_entropy(&self, message: &Encoded) -> f64 {
        if self.first_bits(message.dimension) == 0 { 0.0 } else { libm::log2(message.dimension as f64) }
    }

    fn write_indices(&self, message: &Encoded, writer: &mut BitWriter) {
        let bits = self.first_bits(message.dimension);
        if bits > 0 {
            writer.write(u64::from(self.first(message)), bits as u32);
        }
    }

    fn read_indices(
        &self,
        reader: &mut BitReader<'_>,
        key: Option<CounterKey>,
        out: &mut Encoded,
    ) -> Result<(), CodecError> {
        let dimension = out.dimension;
        let first = match self.first_bits(dimension) {
            _ if self.k as usize == dimension => 0,
            0 => Self::draw(Draw::Keyed(key.ok_or(CodecError::KeyNeeded)?), dimension)?,
            bits => match reader.read(bits as u32)? {
                first if first < dimension as u64 => first as u32,
                _ => return Err(reader.corrupt("an index outside the vector")),
            },
        };
        self.keep(first, out);
        Ok(())
    }
}

impl Compressor for RandSeqK {
    fn name(&self) -> String {
        format!("rand-seq-{} ({}) F{}", self.k, self.first, self.wire.bits())
    }

    fn encode(&self, x: &[f64], draw: Draw<'_>, out: &mut Encoded) -> Result<(), CodecError> {
        self.validate(x.len())?;
        out.restart(x.len());
        self.choose(x, draw, out)?;
        sparse::take(x, self.wire, self.factor(x.len()), out)?;
        out.bits = u64::from(self.k) * self.wire.bits() + self.first_bits(x.len());
        Ok(())
    }

    sparse::messages!();

    sparse::unbiased!();

    fn uniforms(&self, _: usize) -> usize {
        1
    }

    fn expected_bits(&self, dimension: usize) -> Option<ExpectedBits> {
        self.validate(dimension).ok()?;
        Some(ExpectedBits::Always(u64::from(self.k) * self.wire.bits() + self.first_bits(dimension)))
    }

    fn common_entries(&self, _dimension: usize) -> Option<usize> {
        (self.first == Mask::SharedSeed).then_some(self.k as usize)
    }

    fn validate(&self, dimension: usize) -> Result<(), CodecError> {
        sparse::check_kept(self.k, dimension)
    }
}

impl CompressorSetting for RandSeqK {
    fn build(&self, wire: WireFloat, _clients: u32) -> Box<dyn Compressor> {
        Box::new(Self { wire, ..*self })
    }

    fn message_bytes(&self, _length: u64) -> u64 {
        12 * u64::from(self.k)
    }

    fn examples() -> Vec<Self> {
        let of = |k, first| Self { k, first, wire: WireFloat::F64 };
        vec![of(1, Mask::Sent), of(3, Mask::Sent), of(2, Mask::SharedSeed)]
    }
}
