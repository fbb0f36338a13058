//! Ways to write signed levels: their exact lengths, strings, and readers. Knows nothing of what levels mean.

mod adaptive;
mod mask;
mod packed;
mod universal;

use universal::Elias;

use crate::bits::elias::{omega_length, read_omega, write_omega};
use crate::{BitReader, BitWriter, CodecError};

/// How a vector of signed levels −s…s is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LevelCode {
    /// Every entry: a sign bit (0 for level 0) and ⌈log₂(s + 1)⌉ bits.
    Fixed,
    /// QSGD's sparse code: for every entry that is not zero ω(gap to the one before), a sign bit, ω(level). The list ends with
    /// the message, whose length is known from its framing.
    EliasSparse,
    /// QSGD's dense code: for every entry ω(level + 1), and a sign bit if it is not zero.
    EliasDense,
    /// The sparse code with γ in place of ω.
    GammaSparse,
    /// The dense code with γ in place of ω.
    GammaDense,
    /// The sparse code with δ in place of ω.
    DeltaSparse,
    /// The dense code with δ in place of ω.
    DeltaDense,
    /// One bit per entry, zero or not; a sign and ⌈log₂ s⌉ bits for those that are not.
    Mask,
    /// Numbers to base 2s + 1: log₂(2s + 1) bits per entry and at most 1 % more.
    Packed,
    /// An adaptive binary arithmetic coder: the practical floor. Its string ends with the message.
    Arithmetic,
}

impl LevelCode {
    /// Does the reader find the end of the levels without being told?
    pub(crate) fn ends_itself(self) -> bool {
        !matches!(self, Self::EliasSparse | Self::GammaSparse | Self::DeltaSparse | Self::Arithmetic)
    }
}

impl std::fmt::Display for LevelCode {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Self::Fixed => "fixed",
            Self::EliasSparse => "Elias sparse",
            Self::EliasDense => "Elias dense",
            Self::GammaSparse => "gamma sparse",
            Self::GammaDense => "gamma dense",
            Self::DeltaSparse => "delta sparse",
            Self::DeltaDense => "delta dense",
            Self::Mask => "mask",
            Self::Packed => "packed",
            Self::Arithmetic => "arithmetic",
        })
    }
}

/// ⌈log₂(s + 1)⌉.
#[inline(always)]
fn width(s: u32) -> u32 {
    u32::BITS - s.leading_zeros()
}

/// Number of bits of the levels, all at most `s`.
#[inline(always)]
pub(crate) fn count(code: LevelCode, s: u32, levels: &[i32]) -> u64 {
    let d = levels.len() as u64;
    match code {
        LevelCode::Fixed => d * u64::from(1 + width(s)),
        LevelCode::EliasDense => d + at_least(levels, 1) + beyond_first(levels, s, 1),
        LevelCode::EliasSparse => gaps_and_signs(levels) + beyond_first(levels, s, 0),
        LevelCode::GammaSparse => universal::count_sparse(Elias::Gamma, levels),
        LevelCode::GammaDense => universal::count_dense(Elias::Gamma, levels),
        LevelCode::DeltaSparse => universal::count_sparse(Elias::Delta, levels),
        LevelCode::DeltaDense => universal::count_dense(Elias::Delta, levels),
        LevelCode::Mask => mask::count(s, levels),
        LevelCode::Packed => packed::count(s, levels.len()),
        LevelCode::Arithmetic => adaptive::count(s, levels),
    }
}

/// A sign and ⌈log₂ s⌉ bits for every level that is not zero: what is counted where places are thought free.
pub(crate) fn count_without_places(s: u32, levels: &[i32]) -> u64 {
    at_least(levels, 1) * u64::from(1 + mask::width(s))
}

/// Σ |ω(gap)| + 2 over the levels that are not zero: the gap, the sign, the least that a level takes.
///
/// The length of ω grows only at powers of two, and a gap is at least 2^k where the 2^k − 1 places before a level are all zero:
/// a few operations on words count these for 64 levels at once, without a branch or a look-up for each level.
#[inline(always)]
fn gaps_and_signs(levels: &[i32]) -> u64 {
    // The first gap is counted from the place before the vector, as if there were a level.
    let (mut bits, mut before, mut next, mut first) = (0, 1 << 63, 0, 0);
    let mut add = |word: u64| {
        bits += 3 * u64::from(word.count_ones());
        let places = u128::from(word) << 64 | u128::from(before);
        // Bit j of `near` tells whether one of the places j, j − 1, …, j − m + 1 is taken.
        let (mut near, mut m) = (places, 1);
        for growth in GROWTH {
            let taken = (near | near << (m - 1)) << 1;
            bits += growth * u64::from((word & !((taken >> 64) as u64)).count_ones());
            near |= near << m;
            m *= 2;
        }
        // Only the first level of a word can be further away.
        let after = first + u64::from(word.trailing_zeros()) + 1;
        if word != 0 && after - next > FAR {
            bits += omega_length(after - next) - omega_length(FAR);
        }
        if word != 0 {
            next = first + 64 - u64::from(word.leading_zeros());
        }
        (before, first) = (word, first + 64);
    };
    let (blocks, rest) = levels.as_chunks::<64>();
    for block in blocks {
        add(places(block));
    }
    add(places(rest));
    bits
}

/// The longest gap that two neighbouring words always show.
const FAR: u64 = 63;

/// By how much ω grows at 2, 4, 8, 16, 32.
const GROWTH: [u64; 5] = [2, 3, 1, 4, 1];

/// Bit j tells whether level j of at most 64 is not zero.
#[inline(always)]
fn places(levels: &[i32]) -> u64 {
    let mut word = 0;
    for (&level, j) in levels.iter().zip(0..64) {
        word |= u64::from(level != 0) << j;
    }
    word
}

/// Σ |ω(n)| − 1 over n = |level| + `shift`. The length of ω grows only at powers of two: so much for all that reach them.
#[inline(always)]
fn beyond_first(levels: &[i32], s: u32, shift: u32) -> u64 {
    let (mut bits, mut power) = (0, 2);
    while power - shift <= s {
        let growth = omega_length(u64::from(power)) - omega_length(u64::from(power) - 1);
        bits += growth * at_least(levels, power - shift);
        power *= 2;
    }
    bits
}

/// How many levels have at least this magnitude.
#[inline(always)]
fn at_least(levels: &[i32], magnitude: u32) -> u64 {
    let mut count = 0;
    for level in levels {
        count += u32::from(level.unsigned_abs() >= magnitude);
    }
    u64::from(count)
}

/// Appends all levels.
pub(crate) fn write(code: LevelCode, s: u32, levels: &[i32], writer: &mut BitWriter) {
    match code {
        LevelCode::Fixed => {
            let width = width(s);
            for &level in levels {
                writer.write(sign(level) << width | u64::from(level.unsigned_abs()), 1 + width);
            }
        }
        LevelCode::EliasDense => {
            for &level in levels {
                write_omega(writer, u64::from(level.unsigned_abs()) + 1);
                writer.write(sign(level), u32::from(level != 0));
            }
        }
        LevelCode::EliasSparse => {
            let mut gap = 1;
            for &level in levels {
                if level == 0 {
                    gap += 1;
                    continue;
                }
                write_omega(writer, gap);
                writer.write(sign(level), 1);
                write_omega(writer, u64::from(level.unsigned_abs()));
                gap = 1;
            }
        }
        LevelCode::GammaSparse => universal::write_sparse(Elias::Gamma, levels, writer),
        LevelCode::GammaDense => universal::write_dense(Elias::Gamma, levels, writer),
        LevelCode::DeltaSparse => universal::write_sparse(Elias::Delta, levels, writer),
        LevelCode::DeltaDense => universal::write_dense(Elias::Delta, levels, writer),
        LevelCode::Mask => mask::write(s, levels, writer),
        LevelCode::Packed => packed::write(s, levels, writer),
        LevelCode::Arithmetic => adaptive::write(s, levels, writer),
    }
}

fn sign(level: i32) -> u64 {
    u64::from(level < 0)
}

/// Reads into `levels`, which is all zeros.
pub(crate) fn read(code: LevelCode, s: u32, reader: &mut BitReader<'_>, levels: &mut [i32]) -> Result<(), CodecError> {
    match code {
        LevelCode::Fixed => {
            for level in levels {
                let negative = reader.read(1)? == 1;
                let magnitude = reader.read(width(s))?;
                if negative && magnitude == 0 {
                    return Err(reader.corrupt("level zero with a sign"));
                }
                *level = signed(reader, magnitude, negative, s)?;
            }
            Ok(())
        }
        LevelCode::EliasDense => {
            for level in levels {
                let magnitude = read_omega(reader)? - 1;
                let negative = magnitude > 0 && reader.read(1)? == 1;
                *level = signed(reader, magnitude, negative, s)?;
            }
            Ok(())
        }
        LevelCode::EliasSparse => read_sparse(s, reader, levels),
        LevelCode::GammaSparse => universal::read_sparse(Elias::Gamma, s, reader, levels),
        LevelCode::GammaDense => universal::read_dense(Elias::Gamma, s, reader, levels),
        LevelCode::DeltaSparse => universal::read_sparse(Elias::Delta, s, reader, levels),
        LevelCode::DeltaDense => universal::read_dense(Elias::Delta, s, reader, levels),
        LevelCode::Mask => mask::read(s, reader, levels),
        LevelCode::Packed => packed::read(s, reader, levels),
        LevelCode::Arithmetic => adaptive::read(s, reader, levels),
    }
}

fn read_sparse(s: u32, reader: &mut BitReader<'_>, levels: &mut [i32]) -> Result<(), CodecError> {
    let mut rest = levels.iter_mut();
    while reader.remaining() > 0 {
        let gap = usize::try_from(read_omega(reader)? - 1).unwrap_or(usize::MAX);
        let Some(level) = rest.nth(gap) else {
            return Err(reader.corrupt("a gap that leads out of the vector"));
        };
        let negative = reader.read(1)? == 1;
        let magnitude = read_omega(reader)?;
        *level = signed(reader, magnitude, negative, s)?;
    }
    Ok(())
}

fn signed(reader: &BitReader<'_>, magnitude: u64, negative: bool, s: u32) -> Result<i32, CodecError> {
    if magnitude > u64::from(s) {
        return Err(reader.corrupt("a level above the highest"));
    }
    let level = magnitude as i32;
    Ok(if negative { -level } else { level })
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn growth_is_that_of_omega() {
        for (k, growth) in (1..).zip(GROWTH) {
            assert_eq!(omega_length(1 << k) - omega_length((1 << k) - 1), growth);
        }
        assert_eq!(omega_length(FAR), omega_length(32));
    }

    proptest! {
        /// Slow twin: the gaps one by one. Few levels, so that gaps reach over many words.
        #[test]
        fn gaps_are_counted_one_by_one(gaps in prop::collection::vec(prop_oneof![1usize..5, 1usize..200, 1usize..5_000], 0..40), rest in 0usize..300) {
            let mut levels = Vec::new();
            for &gap in &gaps {
                levels.resize(levels.len() + gap - 1, 0);
                levels.push(-1);
            }
            levels.resize(levels.len() + rest, 0);
            let expected: u64 = gaps.iter().map(|&gap| omega_length(gap as u64) + 2).sum();
            prop_assert_eq!(gaps_and_signs(&levels), expected);
        }
    }
}
