//! Three ways to write signed levels: their exact lengths, strings, and readers. Knows nothing of what levels mean.

use crate::bits::elias::{omega_length, read_omega, write_omega};
use crate::{BitReader, BitWriter, CodecError, Encoded};

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
}

impl std::fmt::Display for LevelCode {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Self::Fixed => "fixed",
            Self::EliasSparse => "Elias sparse",
            Self::EliasDense => "Elias dense",
        })
    }
}

/// ⌈log₂(s + 1)⌉.
#[inline(always)]
fn width(s: u32) -> u32 {
    u32::BITS - s.leading_zeros()
}

/// Number of bits of `out.levels`, all at most `s`; the sparse code leaves the places of its entries in `out.indices`.
#[inline(always)]
pub(crate) fn count(code: LevelCode, s: u32, out: &mut Encoded) -> u64 {
    let d = out.levels.len() as u64;
    match code {
        LevelCode::Fixed => d * u64::from(1 + width(s)),
        LevelCode::EliasDense => {
            let signs = at_least(&out.levels, 1);
            d + signs + beyond_first(&out.levels, s, 1)
        }
        LevelCode::EliasSparse => {
            locate(&out.levels, &mut out.indices);
            let (mut bits, mut next) = (2 * out.indices.len() as u64, 0);
            for &j in &out.indices {
                bits += omega_length(u64::from(j + 1 - next));
                next = j + 1;
            }
            bits + beyond_first(&out.levels, s, 0)
        }
    }
}

/// Σ |ω(n)| − 1 over n = |level| + `shift`. The length of ω grows only at powers of two: so much for all that reach them.
#[inline(always)]
fn beyond_first(levels: &[i32], s: u32, shift: u32) -> u64 {
    let powers = (1..u32::BITS)
        .map(|k| 1u32 << k)
        .take_while(|&power| power - shift <= s);
    let growth = |power: u32| omega_length(u64::from(power)) - omega_length(u64::from(power) - 1);
    powers
        .map(|power| growth(power) * at_least(levels, power - shift))
        .sum()
}

/// How many levels have at least this magnitude.
#[inline(always)]
fn at_least(levels: &[i32], magnitude: u32) -> u64 {
    u64::from(
        levels
            .iter()
            .map(|level| u32::from(level.unsigned_abs() >= magnitude))
            .sum::<u32>(),
    )
}

/// The places of all levels that are not zero. Written without a branch, which would be mispredicted for most of them.
#[inline(always)]
fn locate(levels: &[i32], indices: &mut Vec<u32>) {
    indices.resize(levels.len(), 0);
    let mut found = 0;
    for (j, &level) in levels.iter().enumerate() {
        indices[found] = j as u32;
        found += usize::from(level != 0);
    }
    indices.truncate(found);
}

/// Appends all levels.
pub(crate) fn write(code: LevelCode, s: u32, message: &Encoded, writer: &mut BitWriter) {
    match code {
        LevelCode::Fixed => {
            let width = width(s);
            for &level in &message.levels {
                writer.write(sign(level) << width | u64::from(level.unsigned_abs()), 1 + width);
            }
        }
        LevelCode::EliasDense => {
            for &level in &message.levels {
                write_omega(writer, u64::from(level.unsigned_abs()) + 1);
                writer.write(sign(level), u32::from(level != 0));
            }
        }
        LevelCode::EliasSparse => {
            let mut next = 0;
            for &j in &message.indices {
                let level = message.levels[j as usize];
                write_omega(writer, u64::from(j + 1 - next));
                writer.write(sign(level), 1);
                write_omega(writer, u64::from(level.unsigned_abs()));
                next = j + 1;
            }
        }
    }
}

fn sign(level: i32) -> u64 {
    u64::from(level < 0)
}

/// Reads into `out.levels`, which is all zeros, and `out.indices`, which is empty.
pub(crate) fn read(code: LevelCode, s: u32, reader: &mut BitReader<'_>, out: &mut Encoded) -> Result<(), CodecError> {
    match code {
        LevelCode::Fixed => {
            for level in &mut out.levels {
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
            for level in &mut out.levels {
                let magnitude = read_omega(reader)? - 1;
                let negative = magnitude > 0 && reader.read(1)? == 1;
                *level = signed(reader, magnitude, negative, s)?;
            }
            Ok(())
        }
        LevelCode::EliasSparse => read_sparse(s, reader, out),
    }
}

fn read_sparse(s: u32, reader: &mut BitReader<'_>, out: &mut Encoded) -> Result<(), CodecError> {
    let mut rest = out.levels.iter_mut().enumerate();
    while reader.remaining() > 0 {
        let gap = usize::try_from(read_omega(reader)? - 1).unwrap_or(usize::MAX);
        let Some((j, level)) = rest.nth(gap) else {
            return Err(reader.corrupt("a gap that leads out of the vector"));
        };
        let negative = reader.read(1)? == 1;
        let magnitude = read_omega(reader)?;
        *level = signed(reader, magnitude, negative, s)?;
        out.indices.push(j as u32);
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
