//! Rand-k: a uniformly chosen k-subset of the coordinates, scaled by d/k.
//!
//! Q(x)_j = (d/k) x_j for the chosen j, 0 elsewhere. Unbiased; E‖Q(x) − x‖² = (d/k − 1)‖x‖² for *every* x, so ω = d/k −
//! 1 is attained. The wire carries x_j, the receiver scales: with F64 nothing is lost; with F32, x is first rounded to
//! nearest (relative error 2⁻²⁴, included in ω).
//!
//! Message: the subset, then k floats. The subset costs ⌈log₂ C(d, k)⌉ bits ([`crate::bits::SubsetCode`]), or nothing
//! when both ends share the seed and the receiver draws it again; a list or a mask, on request.

use fedbits_random::{CounterKey, floyd_subset};
use fedbits_spec::Described;
use fedbits_spec::range::whole;
use serde::{Deserialize, Serialize};

use crate::compressor::Sparsifier;
use crate::indices::{self, IndexCode};
use crate::setting::build_over_wire;
use crate::sparse;
use crate::{CodecError, Compressor, CompressorSetting, Draw, Encoded, ExpectedBits, Indices, WireFloat};

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

/// A uniform k-subset of 0…d−1 in `message.indices`, with `below(n)` uniform on 0…n−1: that of
/// [`fedbits_random::Stream::subset`].
fn choose(d: u32, k: u32, mut below: impl FnMut(u32) -> u32, message: &mut Encoded) {
    let candidates = (d - k..d).map(|j| (j, below(j + 1)));
    floyd_subset(candidates, d, &mut message.marks, &mut message.indices);
}

impl RandK {
    /// The subset that both ends draw from a shared key.
    fn choose_keyed(&self, key: CounterKey, message: &mut Encoded) {
        let mut stream = key.stream();
        choose(message.dimension as u32, self.k, |n| stream.below(u64::from(n)) as u32, message);
    }
}

impl Sparsifier for RandK {
    fn label(&self) -> String {
        format!("rand-{} ({})", self.k, self.indices)
    }

    fn wire(&self) -> WireFloat {
        self.wire
    }

    fn check(&self, dimension: usize) -> Result<(), CodecError> {
        sparse::check_kept(self.k, dimension)
    }

    fn code(&self) -> IndexCode<'_> {
        IndexCode::Subset(self.indices, self.k, &self.code)
    }

    fn choose(&self, _: &[f64], draw: Draw<'_>, out: &mut Encoded) -> Result<(), CodecError> {
        match draw {
            Draw::Keyed(key) => self.choose_keyed(key, out),
            Draw::Given(_) => {
                let mut xi = draw.given(self.k as usize)?.unwrap_or_default().iter();
                let next = |n: u32| xi.next().map_or(0, |u| ((u * f64::from(n)) as u32).min(n - 1));
                choose(out.dimension as u32, self.k, next, out);
            }
        }
        Ok(())
    }

    fn draws(&self, _: usize) -> usize {
        self.k as usize
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

impl CompressorSetting for RandK {
    build_over_wire!();

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
