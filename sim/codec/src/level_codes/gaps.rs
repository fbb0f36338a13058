//! The length of the sparse Elias code.
//!
//! |ω(n)| grows only at powers of two. The gap before a level reaches 2^k when none of the 2^k − 1 levels before it is
//! sent. Whether one is comes from shifting flags over each other, for all levels at once: no list of those that are
//! sent, and no branch for each. Gaps of 128 and more are few, and are measured one by one.
//!
//! Levels are looked at in eight stripes of them side by side, one bit of a byte for each stripe. `STRIPE` is their
//! length, `WIDE` is that and [`REACH`].

use pulp::NullaryFnOnce;

use super::{at_least, growth, omega_growth};
use crate::bits::elias::omega_length;
use crate::lanes;
use crate::level::Level;

/// So few levels are not worth a block.
const FEW: usize = 64;
/// Gaps from here on are measured one by one: so many levels before a stripe are looked at.
const REACH: usize = 128;
/// Length of stripes of which the eight hold a short vector, and of others.
const SHORT: usize = 128;
const LONG: usize = 320;

/// Σ |ω(gap)| + 1 + |ω(|level|)| over the levels that are not zero, which are at most `s`.
pub(super) fn sparse_length<L: Level>(levels: &[L], s: u32) -> u64 {
    2 * at_least(levels, 1) + omega_growth(levels, 0, s) + lanes::dispatch(levels.len(), Gaps(levels))
}

/// Σ |ω(gap)| over the levels that are not zero.
struct Gaps<'a, L>(&'a [L]);

impl<L: Level> NullaryFnOnce for Gaps<'_, L> {
    type Output = u64;

    #[inline(always)]
    fn call(self) -> u64 {
        match self.0.len() {
            0..=FEW => few_gaps(self.0),
            length if length <= 8 * SHORT => gaps::<L, SHORT, { SHORT + REACH }>(self.0),
            _ => gaps::<L, LONG, { LONG + REACH }>(self.0),
        }
    }
}

/// Σ |ω(gap)|, block by block.
#[inline(always)]
fn gaps<L: Level, const STRIPE: usize, const WIDE: usize>(levels: &[L]) -> u64 {
    // The first gap begins before the first level.
    let mut before = [0; REACH];
    before[REACH - 1] = 1 << 7;
    let (mut bits, mut start) = (0, 0);
    for block in levels.chunks(8 * STRIPE) {
        let mut sent = [0; WIDE];
        sent[REACH..].copy_from_slice(&stripes::<L, STRIPE>(block));
        let end = sent_at_end(&sent);
        for (byte, (end, before)) in sent.iter_mut().zip(end.iter().zip(before)) {
            *byte = end << 1 | before >> 7;
        }
        before = end;
        let (lengths, far) = up_to_reach::<STRIPE, WIDE>(&sent);
        bits += lengths + beyond_reach(levels, start, &far);
        start += 8 * STRIPE;
    }
    bits
}

/// The same, one by one.
#[inline(always)]
fn few_gaps<L: Level>(levels: &[L]) -> u64 {
    let (mut bits, mut gap) = (0, 1);
    for &level in levels {
        if level.get() != 0 {
            bits += omega_length(gap);
            gap = 0;
        }
        gap += 1;
    }
    bits
}

/// Bit t of byte i: is level i of stripe t not zero?
#[inline(always)]
fn stripes<L: Level, const STRIPE: usize>(levels: &[L]) -> [u8; STRIPE] {
    let mut stripes = [0; STRIPE];
    for (stripe, levels) in levels.chunks(STRIPE).enumerate() {
        for (byte, level) in stripes.iter_mut().zip(levels) {
            *byte |= u8::from(level.get() != 0) << stripe;
        }
    }
    stripes
}

/// What the stripes hold at their ends.
#[inline(always)]
fn sent_at_end<const WIDE: usize>(sent: &[u8; WIDE]) -> [u8; REACH] {
    let mut end = [0; REACH];
    end.copy_from_slice(&sent[WIDE - REACH..]);
    end
}

/// Σ |ω(min(gap, 127))|, and where gaps are longer.
#[inline(always)]
fn up_to_reach<const STRIPE: usize, const WIDE: usize>(sent: &[u8; WIDE]) -> (u64, [u8; STRIPE]) {
    // Is one of the 2^k − 1 levels before it sent?
    let mut near = [0; WIDE];
    let mut bits = ones::<STRIPE>(&far(sent, &near));
    bits += growth(2) * farther::<1, STRIPE, WIDE>(sent, &mut near);
    bits += growth(4) * farther::<2, STRIPE, WIDE>(sent, &mut near);
    bits += growth(8) * farther::<4, STRIPE, WIDE>(sent, &mut near);
    bits += growth(16) * farther::<8, STRIPE, WIDE>(sent, &mut near);
    bits += growth(32) * farther::<16, STRIPE, WIDE>(sent, &mut near);
    bits += growth(64) * farther::<32, STRIPE, WIDE>(sent, &mut near);
    farther::<64, STRIPE, WIDE>(sent, &mut near);
    (bits, far(sent, &near))
}

/// Makes `near` for 2^{k + 1} of that for 2^k = `POWER`; returns how many gaps reach that.
#[inline(always)]
fn farther<const POWER: usize, const STRIPE: usize, const WIDE: usize>(
    sent: &[u8; WIDE],
    near: &mut [u8; WIDE],
) -> u64 {
    let mut seen = *sent;
    for (seen, &near) in seen.iter_mut().zip(&*near) {
        *seen |= near;
    }
    for (near, seen) in near[POWER..].iter_mut().zip(&seen) {
        *near |= seen;
    }
    ones::<STRIPE>(&far(sent, near))
}

/// Levels that are sent and have none near before them.
#[inline(always)]
fn far<const STRIPE: usize, const WIDE: usize>(sent: &[u8; WIDE], near: &[u8; WIDE]) -> [u8; STRIPE] {
    let mut far = [0; STRIPE];
    for ((far, sent), near) in far.iter_mut().zip(&sent[REACH..]).zip(&near[REACH..]) {
        *far = sent & !near;
    }
    far
}

#[inline(always)]
fn ones<const STRIPE: usize>(bytes: &[u8; STRIPE]) -> u64 {
    let mut count = 0;
    for eight in bytes.as_chunks::<8>().0 {
        count += u64::from(u64::from_le_bytes(*eight).count_ones());
    }
    count
}

/// What the gaps of [`REACH`] and more in the block that begins with level `start` take beyond the length of 127.
#[inline(always)]
fn beyond_reach<L: Level, const STRIPE: usize>(levels: &[L], start: usize, far: &[u8; STRIPE]) -> u64 {
    let mut bits = 0;
    for (word, eight) in far.as_chunks::<8>().0.iter().enumerate() {
        let mut flags = u64::from_le_bytes(*eight);
        while flags != 0 {
            let bit = flags.trailing_zeros() as usize;
            let index = start + (bit % 8) * STRIPE + 8 * word + bit / 8;
            bits += omega_length(gap_before(levels, index)) - omega_length(REACH as u64 - 1);
            flags &= flags - 1;
        }
    }
    bits
}

/// The gap before level `index`, which is at least [`REACH`].
fn gap_before<L: Level>(levels: &[L], index: usize) -> u64 {
    let mut end = index + 1 - REACH;
    for chunk in levels[..end].rchunks(REACH) {
        if chunk.iter().fold(0, |any, level| any | level.get()) != 0 {
            let zeros = chunk.iter().rev().take_while(|level| level.get() == 0).count();
            return (index - (end - 1 - zeros)) as u64;
        }
        end -= chunk.len();
    }
    index as u64 + 1
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        /// Slow reference: the gaps and levels one by one. Few levels, so that gaps reach over many words; and so many
        /// that they are looked at in several turns.
        #[test]
        fn gaps_and_levels_are_counted_one_by_one(
            pairs in prop_oneof![
                prop::collection::vec((prop_oneof![1usize..5, 1usize..200, 1usize..5_000], 1i32..9), 0..40),
                prop::collection::vec((1usize..4, prop_oneof![1i32..3, 1i32..1_000_000]), 400..2_000),
            ],
            rest in 0usize..300,
        ) {
            let mut levels = Vec::new();
            for &(gap, level) in &pairs {
                levels.resize(levels.len() + gap - 1, 0);
                levels.push(if level % 3 == 0 { -level } else { level });
            }
            levels.resize(levels.len() + rest, 0);
            let length = |&(gap, level): &(usize, i32)| omega_length(gap as u64) + 1 + omega_length(level as u64);
            prop_assert_eq!(sparse_length(&levels, 1_000_000), pairs.iter().map(length).sum::<u64>());
            let small: Vec<i8> = levels.iter().map(|level| (level % 128) as i8).collect();
            let wide: Vec<i32> = small.iter().copied().map(i32::from).collect();
            prop_assert_eq!(sparse_length(&small, 127), sparse_length(&wide, 127));
        }
    }
}
