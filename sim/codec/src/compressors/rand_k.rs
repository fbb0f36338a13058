//! Rand-k: a uniformly chosen k-subset of the coordinates, scaled by d/k.
//!
//! Q(x)_j = (d/k) x_j for the chosen j, 0 elsewhere. Unbiased; E‖Q(x) − x‖² = (d/k − 1)‖x‖² for *every* x, so ω = d/k −
//! 1 is attained. The wire carries x_j, the receiver scales: with F64 nothing is lost; with F32, x is first rounded to
//! nearest (relative error 2⁻²⁴, included in ω).
//!
//! Message: the subset, then k floats. The subset costs ⌈log₂ C(d, k)⌉ bits ([`crate::bits::SubsetCode`]), or nothing
//! when both ends share the seed and the receiver draws it again; a list or a mask, on request.

use fedbits_random::CounterKey;
use fedbits_spec::Described;
use fedbits_spec::range::whole;
use serde::{Deserialize, Serialize};

use crate::indices;
use crate::sparse::{self, Sparsifier};
use crate::{
    BitReader, BitWriter, CodecError, Compressor, CompressorSetting, Draw, Encoded, ExpectedBits, Indices, WireFloat,
};

/// k of q coordinates, drawn uniformly and scaled by q/k: ω = q/k − 1 (Stich et al. 2018, unscaled).
#[derive(Clone, Debug, Described, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub struct RandK {
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

impl RandK {
    /// Keeps `k` ≥ 1 coordinates; `indices` says how the receiver knows which, `wire` how values are sent.
    pub fn new(k: u32, indices: Indices, wire: WireFloat) -> Self {
        Self { k, indices, wire, code: indices::Cached::default() }
    }
}

/// A uniform k-subset of 0…d−1 in `message.indices` by Floyd's algorithm, with `below(n)` uniform on 0…n−1: the same
/// subset as [`fedbits_random::Stream::subset`], through a bit for every index instead of insertions.
fn choose(d: u32, k: u32, mut below: impl FnMut(u32) -> u32, message: &mut Encoded) {
    let Encoded { marks, indices, .. } = message;
    marks.clear();
    marks.resize(d.div_ceil(64) as usize, 0);
    for j in d - k..d {
        let candidate = below(j + 1);
        let taken = marks[(candidate / 64) as usize] >> (candidate % 64) & 1 == 1;
        let index = if taken { j } else { candidate };
        marks[(index / 64) as usize] |= 1 << (index % 64);
    }
    for (mut word, first) in marks.drain(..).zip((0..).step_by(64)) {
        while word != 0 {
            indices.push(first + word.trailing_zeros());
            word &= word - 1;
        }
    }
}

impl RandK {
    /// The subset that both ends draw from a shared key.
    fn choose_keyed(&self, key: CounterKey, message: &mut Encoded) {
        let mut stream = key.stream();
        choose(message.dimension as u32, self.k, |n| stream.below(u64::from(n)) as u32, message);
    }

    /// The subset from given uniforms: number i among the first d − k + i + 1 indices.
    fn choose_given(&self, xi: &[f64], message: &mut Encoded) -> Result<(), CodecError> {
        let needed = self.k as usize;
        if xi.len() < needed {
            return Err(CodecError::TooFewUniforms { needed, given: xi.len() });
        }
        let mut rest = xi.iter();
        let next = |n: u32| rest.next().map_or(0, |u| ((u * f64::from(n)) as u32).min(n - 1));
        choose(message.dimension as u32, self.k, next, message);
        Ok(())
    }
}

impl Sparsifier for RandK {
    fn choose(&self, _: &[f64], draw: Draw<'_>, out: &mut Encoded) -> Result<(), CodecError> {
        match draw {
            Draw::Keyed(key) => self.choose_keyed(key, out),
            Draw::Given(xi) => self.choose_given(xi, out)?,
        }
        Ok(())
    }

    fn factor(&self, dimension: usize) -> f64 {
        dimension as f64 / f64::from(self.k)
    }

    fn most(&self, _: usize) -> usize {
        self.k as usize
    }

    fn indices_bits(&self, message: &Encoded) -> Result<u64, CodecError> {
        self.code.bits(self.indices, message.dimension, self.k)
    }

    fn indices_entropy(&self, message: &Encoded) -> f64 {
        // A list or a mask of a subset of known size says no more than its number; a shared one says nothing.
        if self.indices == Indices::SharedSeed { 0.0 } else { self.code.entropy(message.dimension, self.k) }
    }

    fn write_indices(&self, message: &Encoded, writer: &mut BitWriter) {
        self.code.write(self.indices, message, writer);
    }

    fn read_indices(
        &self,
        reader: &mut BitReader<'_>,
        key: Option<CounterKey>,
        out: &mut Encoded,
    ) -> Result<(), CodecError> {
        if self.indices != Indices::SharedSeed {
            return self.code.read(self.indices, self.k, reader, out);
        }
        self.choose_keyed(key.ok_or(CodecError::KeyNeeded)?, out);
        Ok(())
    }
}

impl Compressor for RandK {
    fn name(&self) -> String {
        format!("rand-{} ({}) F{}", self.k, self.indices, self.wire.bits())
    }

    fn encode(&self, x: &[f64], draw: Draw<'_>, out: &mut Encoded) -> Result<(), CodecError> {
        self.validate(x.len())?;
        out.restart(x.len());
        self.choose(x, draw, out)?;
        sparse::take(x, self.wire, self.factor(x.len()), out)?;
        out.bits = u64::from(self.k) * self.wire.bits() + self.indices_bits(out)?;
        Ok(())
    }

    sparse::messages!();

    sparse::unbiased!();

    fn uniforms(&self, _: usize) -> usize {
        self.k as usize
    }

    fn expected_bits(&self, dimension: usize) -> Option<ExpectedBits> {
        self.validate(dimension).ok()?;
        let indices = self.code.bits(self.indices, dimension, self.k).ok()?;
        Some(ExpectedBits::Always(u64::from(self.k) * self.wire.bits() + indices))
    }

    fn common_entries(&self, _dimension: usize) -> Option<usize> {
        (self.indices == Indices::SharedSeed).then_some(self.k as usize)
    }

    fn string_work(&self, dimension: usize) -> u64 {
        self.code.work(self.indices, dimension, self.k)
    }

    fn validate(&self, dimension: usize) -> Result<(), CodecError> {
        sparse::check_kept(self.k, dimension)
    }
}

impl CompressorSetting for RandK {
    fn build(&self, wire: WireFloat, _clients: u32) -> Box<dyn Compressor> {
        Box::new(Self { wire, ..self.clone() })
    }

    fn message_bytes(&self, length: u64) -> u64 {
        // Indices, values, and the marks by which a subset is drawn.
        (12 * u64::from(self.k)).saturating_add(length / 8)
    }

    fn examples() -> Vec<Self> {
        let of = |k, indices| Self::new(k, indices, WireFloat::F64);
        let all = [Indices::Enumerative, Indices::SharedSeed]
            .into_iter()
            .flat_map(|indices| [of(1, indices), of(3, indices)]);
        all.chain([of(2, Indices::List), of(2, Indices::Mask)]).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use fedbits_random::{DrawPurpose, Streams};

    /// Slow reference: Floyd's algorithm with a sorted list, in fedbits-random.
    #[test]
    fn subsets_are_those_of_the_stream() {
        for (d, k) in [(1, 1), (6, 3), (64, 64), (65, 7), (128, 100), (2310, 200)] {
            for number in 0..50 {
                let key = Streams::new(9, number).counter(DrawPurpose::Compression, 0, 0);
                let (mut message, mut expected) = (Encoded::new(), Vec::new());
                message.restart(d as usize);
                RandK::new(k, Indices::SharedSeed, WireFloat::F64).choose_keyed(key, &mut message);
                key.stream().subset(d, k, &mut expected);
                assert_eq!(message.indices, expected);
            }
        }
    }
}
