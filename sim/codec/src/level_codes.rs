//! Codes for signed levels: their exact lengths, strings, and readers.

mod adaptive;
mod mask;
mod packed;

use fedbits_spec::Described;
use pulp::NullaryFnOnce;
use serde::{Deserialize, Serialize};

use crate::bits::elias::{omega_length, read_omega, write_omega};
use crate::{BitReader, BitWriter, CodecError, lanes};

/// How a vector of signed levels −s…s is written.
#[derive(Clone, Copy, Debug, Default, Described, Deserialize, Eq, PartialEq, Serialize)]
pub enum LevelCode {
    /// Every entry: a sign bit (0 for level 0) and ⌈log₂(s + 1)⌉ bits.
    Fixed,
    /// QSGD's sparse code: for every entry that is not zero ω(gap to the one before), a sign bit, ω(level). The list
    /// ends with the message, whose length is known from its framing. Short when few levels are not zero.
    #[default]
    EliasSparse,
    /// QSGD's dense code: for every entry ω(level + 1), and a sign bit if it is not zero. Short when most are not.
    EliasDense,
    /// One bit per entry, zero or not; a sign and ⌈log₂ s⌉ bits for those that are not.
    Mask,
    /// Numbers to base 2s + 1: log₂(2s + 1) bits per entry and at most 1 % more.
    Packed,
    /// An adaptive binary arithmetic coder: the practical floor. Its string ends with the message.
    Arithmetic,
}

impl LevelCode {
    /// All codes.
    pub const ALL: [LevelCode; 6] =
        [Self::Fixed, Self::EliasSparse, Self::EliasDense, Self::Mask, Self::Packed, Self::Arithmetic];

    /// Does the reader find the end of the levels without being given?
    pub(crate) fn ends_itself(self) -> bool {
        !matches!(self, Self::EliasSparse | Self::Arithmetic)
    }
}

impl std::fmt::Display for LevelCode {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Self::Fixed => "fixed",
            Self::EliasSparse => "Elias sparse",
            Self::EliasDense => "Elias dense",
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
        LevelCode::EliasDense => d + at_least(levels, 1) + beyond_first(levels, s),
        LevelCode::EliasSparse => sparse_length(levels),
        LevelCode::Mask => mask::count(s, levels),
        LevelCode::Packed => packed::count(s, levels.len()),
        LevelCode::Arithmetic => adaptive::count(s, levels),
    }
}

/// A sign and ⌈log₂ s⌉ bits for every level that is not zero: what is counted where indices are thought free.
pub(crate) fn count_without_indices(s: u32, levels: &[i32]) -> u64 {
    lanes::dispatch(levels.len(), AtLeast(levels, 1)) * u64::from(1 + mask::width(s))
}

/// [`at_least`] for those who have not chosen an instruction set yet.
struct AtLeast<'a>(&'a [i32], u32);

impl NullaryFnOnce for AtLeast<'_> {
    type Output = u64;

    #[inline(always)]
    fn call(self) -> u64 {
        at_least(self.0, self.1)
    }
}

/// Σ |ω(gap)| + 1 + |ω(|level|)| over the levels that are not zero.
#[inline(always)]
fn sparse_length(levels: &[i32]) -> u64 {
    let mut bits = 0;
    // Numbers from 1 of the levels that are not zero, with the last one before them in front.
    let mut found = [0u32; ROOM + 64 + AT_ONCE];
    let mut end = 1;
    let mut first = 1;
    for block in levels.chunks(64) {
        end = append(&mut found, end, first, indices(block));
        first += 64;
        if end > ROOM {
            bits += length_of(&found[..end], levels);
            (found[0], end) = (found[end - 1], 1);
        }
    }
    bits + length_of(&found[..end], levels)
}

/// Numbers of levels that are looked at together.
const ROOM: usize = 128;
/// This many numbers are written without counting them first.
const AT_ONCE: usize = 8;

/// Appends the numbers of the levels that are not zero, the lowest bit of `indices` being number `first`; returns the
/// new end. How many there are differs from word to word: a loop for each would be left by a mispredicted branch.
#[inline(always)]
fn append(found: &mut [u32; ROOM + 64 + AT_ONCE], end: usize, first: u32, mut indices: u64) -> usize {
    let new_end = end + indices.count_ones() as usize;
    let mut at = end;
    while at < new_end {
        for number in &mut found[at..at + AT_ONCE] {
            *number = first + indices.trailing_zeros();
            indices &= indices.wrapping_sub(1);
        }
        at += AT_ONCE;
    }
    new_end
}

/// The length of the levels number `found[1..]`, `found[0]` being the one before them.
#[inline(always)]
fn length_of(found: &[u32], levels: &[i32]) -> u64 {
    let mut numbers = [0u32; ROOM + 64];
    let numbers = &mut numbers[..found.len() - 1];
    for (gap, pair) in numbers.iter_mut().zip(found.windows(2)) {
        *gap = pair[1] - pair[0];
    }
    let gaps = omega_lengths(numbers);
    for (magnitude, &number) in numbers.iter_mut().zip(&found[1..]) {
        *magnitude = levels[number as usize - 1].unsigned_abs();
    }
    gaps + numbers.len() as u64 + omega_lengths(numbers)
}

/// Σ |ω(n)| over the numbers, which are not zero: the length grows only at powers of two, so much for all that reach
/// them.
#[inline(always)]
fn omega_lengths(numbers: &[u32]) -> u64 {
    let mut bits = numbers.len() as u64;
    for log in 1..u32::BITS {
        let mut reach = 0;
        for &number in numbers {
            reach += u32::from(number >= 1 << log);
        }
        if reach == 0 {
            break;
        }
        let growth = omega_length(1 << log) - omega_length((1 << log) - 1);
        bits += growth * u64::from(reach);
    }
    bits
}

/// Bit j shows whether level j of at most 64 is not zero.
#[inline(always)]
fn indices(levels: &[i32]) -> u64 {
    let mut flags = [0u8; 64];
    for (flag, &level) in flags.iter_mut().zip(levels) {
        *flag = u8::from(level != 0);
    }
    let eights = flags.as_chunks::<8>().0.iter().map(|flags| gathered(u64::from_le_bytes(*flags)));
    eights.rev().fold(0, |word, eight| word << 8 | eight)
}

/// The lowest bits of eight bytes that are 0 or 1: the product has bit 8i of them at 8i + 7m for m from 1 to 8, all
/// different indices, of which m = 8 − i is digit i of the highest byte.
#[inline(always)]
fn gathered(flags: u64) -> u64 {
    flags.wrapping_mul(0x0102_0408_1020_4080) >> 56
}

/// Σ |ω(n)| − 1 over n = |level| + 1. The length of ω grows only at powers of two: so much for all that reach them.
#[inline(always)]
fn beyond_first(levels: &[i32], s: u32) -> u64 {
    let (mut bits, mut power) = (0, 2);
    while power - 1 <= s {
        let growth = omega_length(u64::from(power)) - omega_length(u64::from(power) - 1);
        bits += growth * at_least(levels, power - 1);
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
            prop_assert_eq!(sparse_length(&levels), pairs.iter().map(length).sum::<u64>());
        }
    }
}
