//! A keyed counter hash: uniform number `j` of a vector without a sequential generator, so that loops over it
//! vectorize.

use crate::Stream;
use crate::mix::mix;

const GOLDEN: u64 = 0x9E37_79B9_7F4A_7C15;

/// Key of a counter hash; uniform `j` is SplitMix64's output `j` from this key.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CounterKey(u64);

impl CounterKey {
    /// The hash with key `key`.
    pub fn new(key: u64) -> Self {
        Self(key)
    }

    /// 64 uniform bits for counter `j`.
    #[inline]
    pub fn bits(self, j: u64) -> u64 {
        mix(self.0.wrapping_add((j + 1).wrapping_mul(GOLDEN)))
    }

    /// Uniform number on [0, 1) with 53 bits for counter `j`.
    #[inline]
    pub fn uniform(self, j: u64) -> f64 {
        unit(self.bits(j))
    }

    /// Uniforms number 0, 1, 2, …: the values of [`CounterKey::uniform`] for whole vectors, without the multiplication
    /// by j.
    #[inline(always)]
    pub fn uniforms(self) -> impl Iterator<Item = f64> {
        let mut counter = self.0;
        std::iter::repeat_with(move || {
            counter = counter.wrapping_add(GOLDEN);
            unit(mix(counter))
        })
    }

    /// A sequential generator with the same address (for choices of subsets).
    pub fn stream(self) -> Stream {
        Stream::from_words([self.0, mix(self.0 ^ GOLDEN), mix(self.0.wrapping_add(GOLDEN)), mix(!self.0)])
    }
}

/// The 53 high bits as a number on [0, 1).
#[inline(always)]
fn unit(bits: u64) -> f64 {
    (bits >> 11) as f64 * (1.0 / 9_007_199_254_740_992.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Both methods for uniform j agree.
    #[test]
    fn uniforms_are_uniform_j() {
        for key in [0, 1, u64::MAX, 0x1234_5678_9ABC_DEF0].map(CounterKey::new) {
            assert!((0..1000).map(|j| key.uniform(j)).eq(key.uniforms().take(1000)));
        }
    }
}
