//! The bit mask: one bit per entry shows whether its level is zero; those that are not have a sign bit and ⌈log₂ s⌉
//! bits.

use super::{at_least, sign, signed};
use crate::level::Level;
use crate::{BitReader, BitWriter, CodecError};

/// ⌈log₂ s⌉: levels 1…s as 0…s − 1.
pub(super) fn width(s: u32) -> u32 {
    u32::BITS - (s - 1).leading_zeros()
}

pub(super) fn count<L: Level>(s: u32, levels: &[L]) -> u64 {
    levels.len() as u64 + at_least(levels, 1) * u64::from(1 + width(s))
}

pub(super) fn write<L: Level>(s: u32, levels: &[L], writer: &mut BitWriter) {
    for level in levels.iter().map(|level| level.get()) {
        writer.write(u64::from(level != 0), 1);
        if level != 0 {
            writer.write(sign(level), 1);
            writer.write(u64::from(level.unsigned_abs() - 1), width(s));
        }
    }
}

pub(super) fn read<L: Level>(s: u32, reader: &mut BitReader<'_>, levels: &mut [L]) -> Result<(), CodecError> {
    for level in levels {
        if reader.read(1)? == 1 {
            let negative = reader.read(1)? == 1;
            let magnitude = reader.read(width(s))? + 1;
            *level = signed(reader, magnitude, negative, s)?;
        }
    }
    Ok(())
}
