//! Codes for signed levels: their exact lengths, strings, and readers.

mod adaptive;
mod gaps;
mod packed;

use fedbits_spec::Described;
use pulp::NullaryFnOnce;
use serde::{Deserialize, Serialize};

use crate::bits::elias::{omega_length, read_omega, write_omega};
use crate::error::{check_dimension, parameter};
use crate::level::Level;
use crate::{BitReader, BitWriter, CodecError, Norm, lanes};

/// Code of signed levels −s…s.
#[derive(Clone, Copy, Debug, Default, Described, Deserialize, Eq, PartialEq, Serialize)]
pub enum LevelCode {
    /// Per entry a sign bit (0 for level 0) and ⌈log₂(s + 1)⌉ bits.
    Fixed,
    /// QSGD's code for few nonzero levels: per nonzero entry Elias ω(gap), a sign bit, ω(level). No end mark.
    #[default]
    EliasSparse,
    /// QSGD's code for many nonzero levels: per entry Elias ω(level + 1), and a sign bit if nonzero.
    EliasDense,
    /// One bit per entry (zero or not); a sign and ⌈log₂ s⌉ bits per nonzero entry.
    Mask,
    /// Numbers to base 2s + 1: log₂(2s + 1) bits per entry, plus at most 1 % and less than one bit.
    Packed,
    /// Adaptive binary arithmetic coding, the practical lower limit. No end mark.
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

/// Are there 1 to `most` levels in a norm, and is there a vector?
pub(crate) fn check(s: u32, most: u32, norm: Norm, dimension: usize) -> Result<(), CodecError> {
    check_dimension(dimension)?;
    if !(1..=most).contains(&s) {
        return Err(parameter("s", s, format!("1 to {most} levels")));
    }
    norm.validate()
}

/// ⌈log₂(s + 1)⌉: digits of 0…s.
#[inline(always)]
fn width(s: u32) -> u32 {
    u32::BITS - s.leading_zeros()
}

/// Number of bits of the levels, all at most `s`.
pub(crate) fn count<L: Level>(code: LevelCode, s: u32, levels: &[L]) -> u64 {
    let d = levels.len() as u64;
    match code {
        LevelCode::Fixed => d * u64::from(1 + width(s)),
        LevelCode::EliasDense => d + at_least(levels, 1) + omega_growth(levels, 1, s + 1),
        LevelCode::EliasSparse => gaps::sparse_length(levels, s),
        LevelCode::Mask => levels.len() as u64 + count_without_indices(s, levels),
        LevelCode::Packed => packed::count(s, levels.len()),
        LevelCode::Arithmetic => adaptive::count(s, levels),
    }
}

/// A sign and ⌈log₂ s⌉ bits for every level that is not zero: what is counted where indices are thought free.
pub(crate) fn count_without_indices<L: Level>(s: u32, levels: &[L]) -> u64 {
    at_least(levels, 1) * u64::from(1 + width(s - 1))
}

/// How many levels have at least this magnitude, which is not zero.
fn at_least<L: Level>(levels: &[L], magnitude: u32) -> u64 {
    lanes::dispatch(levels.len(), AtLeast(levels, magnitude))
}

/// [`at_least`] for one instruction set. A choice for each loop makes better ones of them than one for all together.
struct AtLeast<'a, L>(&'a [L], u32);

impl<L: Level> NullaryFnOnce for AtLeast<'_, L> {
    type Output = u64;

    #[inline(always)]
    fn call(self) -> u64 {
        L::at_least(self.0, self.1)
    }
}

/// Σ |ω(n)| − 1 over n = |level| + `more`, none of which is above `most`. The length of ω grows only at powers of two:
/// so much for all that reach them.
fn omega_growth<L: Level>(levels: &[L], more: u32, most: u32) -> u64 {
    let (mut bits, mut power) = (0, 2);
    while power <= most {
        let reaching = at_least(levels, power - more);
        if reaching == 0 {
            break;
        }
        bits += growth(u64::from(power)) * reaching;
        power *= 2;
    }
    bits
}

/// |ω(n)| − |ω(n − 1)| at a power of two.
#[inline(always)]
fn growth(power: u64) -> u64 {
    omega_length(power) - omega_length(power - 1)
}

/// Appends all levels.
pub(crate) fn write<L: Level>(code: LevelCode, s: u32, levels: &[L], writer: &mut BitWriter) {
    match code {
        LevelCode::Fixed => {
            let width = width(s);
            for level in levels.iter().map(|level| level.get()) {
                writer.write(sign(level) << width | u64::from(level.unsigned_abs()), 1 + width);
            }
        }
        LevelCode::EliasDense => {
            for level in levels.iter().map(|level| level.get()) {
                write_omega(writer, u64::from(level.unsigned_abs()) + 1);
                writer.write(sign(level), u32::from(level != 0));
            }
        }
        LevelCode::EliasSparse => {
            let mut gap = 1;
            for level in levels.iter().map(|level| level.get()) {
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
        LevelCode::Mask => {
            for level in levels.iter().map(|level| level.get()) {
                writer.write(u64::from(level != 0), 1);
                if level != 0 {
                    writer.write(sign(level), 1);
                    writer.write(u64::from(level.unsigned_abs() - 1), width(s - 1));
                }
            }
        }
        LevelCode::Packed => packed::write(s, levels, writer),
        LevelCode::Arithmetic => adaptive::write(s, levels, writer),
    }
}

fn sign(level: i32) -> u64 {
    u64::from(level < 0)
}

/// Reads into `levels`, which is all zeros.
pub(crate) fn read<L: Level>(
    code: LevelCode,
    s: u32,
    reader: &mut BitReader<'_>,
    levels: &mut [L],
) -> Result<(), CodecError> {
    match code {
        LevelCode::Fixed => {
            for level in levels {
                let negative = reader.read(1)? == 1;
                let magnitude = reader.read(width(s))?;
                reader.refuse(negative && magnitude == 0, "level zero with a sign")?;
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
        LevelCode::Mask => read_mask(s, reader, levels),
        LevelCode::Packed => packed::read(s, reader, levels),
        LevelCode::Arithmetic => adaptive::read(s, reader, levels),
    }
}

fn read_sparse<L: Level>(s: u32, reader: &mut BitReader<'_>, levels: &mut [L]) -> Result<(), CodecError> {
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

fn read_mask<L: Level>(s: u32, reader: &mut BitReader<'_>, levels: &mut [L]) -> Result<(), CodecError> {
    for level in levels {
        if reader.read(1)? == 1 {
            let negative = reader.read(1)? == 1;
            let magnitude = reader.read(width(s - 1))? + 1;
            *level = signed(reader, magnitude, negative, s)?;
        }
    }
    Ok(())
}

fn signed<L: Level>(reader: &BitReader<'_>, magnitude: u64, negative: bool, s: u32) -> Result<L, CodecError> {
    reader.refuse(magnitude > u64::from(s), "a level above the highest")?;
    let level = magnitude as i32;
    Ok(L::new(if negative { -level } else { level }))
}
