//! Enumerative coding of subsets (Cover 1973; the combinatorial number system): a k-subset of 0…d−1 as one number below
//! C(d, k), in exactly ⌈log₂ C(d, k)⌉ bits.
//!
//! The rank of c_1 < … < c_k is Σ C(c_i, i). Both directions walk from d − 1 down and keep C(n, k) for the n indices
//! and k elements that are left, in 128 bits where they suffice and in big integers elsewhere.

use std::ops::{AddAssign, SubAssign};

use num_bigint::BigUint;

use super::{BitReader, BitWriter};
use crate::CodecError;

/// What ranks are made of.
trait Unsigned: PartialOrd + for<'a> AddAssign<&'a Self> + for<'a> SubAssign<&'a Self> {
    fn from_words(words: &[u64]) -> Self;
    /// Word i in units of 2^(64 i).
    fn word(&self, i: usize) -> u64;
    fn bits(&self) -> u64;
    /// self · m / n, where it is whole.
    fn scaled(&self, m: u64, n: u64) -> Self;
}

impl Unsigned for u128 {
    fn from_words(words: &[u64]) -> Self {
        words.iter().rev().fold(0, |number, &word| number << 64 | Self::from(word))
    }
    fn word(&self, i: usize) -> u64 {
        if i < 2 { (self >> (64 * i)) as u64 } else { 0 }
    }
    fn bits(&self) -> u64 {
        u64::from(Self::BITS - self.leading_zeros())
    }
    fn scaled(&self, m: u64, n: u64) -> Self {
        self * Self::from(m) / Self::from(n)
    }
}

impl Unsigned for BigUint {
    fn from_words(words: &[u64]) -> Self {
        let halves = words.iter().flat_map(|&word| [word as u32, (word >> 32) as u32]);
        Self::new(halves.collect())
    }
    fn word(&self, i: usize) -> u64 {
        self.iter_u64_digits().nth(i).unwrap_or(0)
    }
    fn bits(&self) -> u64 {
        BigUint::bits(self)
    }
    fn scaled(&self, m: u64, n: u64) -> Self {
        self * m / n
    }
}

/// Subsets of a given size out of a given number, and the length of their code.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SubsetCode {
    d: u32,
    k: u32,
    bits: u64,
    /// Do all C(n, j) · n in between fit into 128 bits?
    small: bool,
}

impl SubsetCode {
    /// The code of `k`-subsets of 0…`d`−1; there are none if `k` > `d`.
    pub fn new(d: u32, k: u32) -> Option<Self> {
        if k > d {
            return None;
        }
        let product = match binomial_u128(d, k) {
            Some(binomial) => Ok(binomial),
            None => Err(binomial::<BigUint>(d, k)),
        };
        // Ranks go from 0 to C − 1, whose number of digits is ⌈log₂ C⌉.
        let bits = match &product {
            Ok(binomial) => Unsigned::bits(&(binomial - 1)),
            Err(binomial) => Unsigned::bits(&(binomial - 1u32)),
        };
        Some(Self { d, k, bits, small: product.is_ok() })
    }

    /// ⌈log₂ C(d, k)⌉.
    pub fn bits(&self) -> u64 {
        self.bits
    }

    /// Steps of [`SubsetCode::write`] and [`SubsetCode::read`]: for each index a product and a quotient of a number of
    /// this code, word by word.
    pub fn work(&self) -> u64 {
        u64::from(self.d) * self.bits.div_ceil(64)
    }

    /// Appends the code of `subset`: k increasing numbers below d.
    ///
    /// # Panics
    /// In debug builds, if the subset is not one of this code.
    pub fn write(&self, subset: &[u32], writer: &mut BitWriter) {
        debug_assert!(subset.len() == self.k as usize && subset.is_sorted() && subset.iter().all(|&c| c < self.d));
        if self.small {
            self.write_rank(&rank::<u128>(self.d, subset), writer);
        } else {
            self.write_rank(&rank::<BigUint>(self.d, subset), writer);
        }
    }

    /// Reads a subset into `out`.
    ///
    /// # Errors
    /// Truncated strings; ranks that no subset has.
    pub fn read(&self, reader: &mut BitReader<'_>, out: &mut Vec<u32>) -> Result<(), CodecError> {
        let mut words = vec![0; self.bits.div_ceil(64) as usize];
        for (i, word) in words.iter_mut().enumerate().rev() {
            *word = reader.read(self.width_of_word(i))?;
        }
        let known = if self.small {
            unrank(self.d, self.k, u128::from_words(&words), out)
        } else {
            unrank(self.d, self.k, <BigUint as Unsigned>::from_words(&words), out)
        };
        reader.refuse(!known, "the rank of a subset that does not exist")
    }

    fn write_rank<N: Unsigned>(&self, rank: &N, writer: &mut BitWriter) {
        for i in (0..self.bits.div_ceil(64) as usize).rev() {
            writer.write(rank.word(i), self.width_of_word(i));
        }
    }

    fn width_of_word(&self, i: usize) -> u32 {
        (self.bits - 64 * i as u64).min(64) as u32
    }
}

/// C(d, k), if it and all products in between fit.
fn binomial_u128(d: u32, k: u32) -> Option<u128> {
    (1..=u128::from(k.min(d - k))).try_fold(1u128, |product, i| {
        let next = product.checked_mul(u128::from(d) + 1 - i)? / i;
        next.checked_mul(u128::from(d)).map(|_| next)
    })
}

/// C(d, k).
fn binomial<N: Unsigned>(d: u32, k: u32) -> N {
    let d = u64::from(d);
    let start = N::from_words(&[1]);
    (1..=u64::from(k).min(d - u64::from(k))).fold(start, |product, i| product.scaled(d + 1 - i, i))
}

/// Σ C(c_i, i).
fn rank<N: Unsigned>(d: u32, subset: &[u32]) -> N {
    let (mut rest, mut total) = (subset, N::from_words(&[0]));
    let mut count: N = binomial(d, subset.len() as u32);
    for n in (0..d).rev() {
        let Some((&top, below)) = rest.split_last() else { break };
        // Among the subsets of n + 1 indices, those without index n come first.
        let without = count.scaled(u64::from(n + 1) - rest.len() as u64, u64::from(n + 1));
        if top == n {
            total += &without;
            count -= &without;
            rest = below;
        } else {
            count = without;
        }
    }
    total
}

/// The subset with this rank, increasing, in `out`; false if there is none.
fn unrank<N: Unsigned>(d: u32, k: u32, mut rank: N, out: &mut Vec<u32>) -> bool {
    out.clear();
    let mut count: N = binomial(d, k);
    if rank >= count {
        return false;
    }
    let mut left = u64::from(k);
    for n in (0..d).rev() {
        if left == 0 {
            break;
        }
        let without = count.scaled(u64::from(n + 1) - left, u64::from(n + 1));
        if rank >= without {
            rank -= &without;
            count -= &without;
            out.push(n);
            left -= 1;
        } else {
            count = without;
        }
    }
    out.reverse();
    true
}
