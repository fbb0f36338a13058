//! Levels as digits of numbers to base A = 2s + 1: the fixed-width code without its rounding up per entry.
//!
//! As many levels as fit into 126 bits make one number, sent in ⌈log₂ Aᵐ⌉ bits: for s = 1, 79 levels in 126 bits, 1.595
//! bits each where log₂ 3 = 1.585.

use crate::level::Level;
use crate::{BitReader, BitWriter, CodecError};

/// Bits that one number may have.
const MOST: u32 = 126;

fn base(s: u32) -> u128 {
    2 * u128::from(s) + 1
}

/// Digits of a full number.
fn digits(s: u32) -> usize {
    let (mut power, mut digits) = (base(s), 1);
    while power <= (1 << MOST) / base(s) {
        power *= base(s);
        digits += 1;
    }
    digits
}

/// Aᵐ.
fn capacity(s: u32, m: usize) -> u128 {
    (0..m).fold(1, |power, _| power * base(s))
}

/// ⌈log₂ Aᵐ⌉.
fn width(s: u32, m: usize) -> u32 {
    u128::BITS - (capacity(s, m) - 1).leading_zeros()
}

pub(super) fn count(s: u32, d: usize) -> u64 {
    let m = digits(s);
    let rest = if d.is_multiple_of(m) { 0 } else { u64::from(width(s, d % m)) };
    (d / m) as u64 * u64::from(width(s, m)) + rest
}

pub(super) fn write<L: Level>(s: u32, levels: &[L], writer: &mut BitWriter) {
    for chunk in levels.chunks(digits(s)) {
        let digit = |level: L| (i64::from(level.get()) + i64::from(s)) as u128;
        let number = chunk.iter().fold(0, |number, &level| number * base(s) + digit(level));
        let width = width(s, chunk.len());
        writer.write((number >> 64) as u64, width.saturating_sub(64));
        writer.write(number as u64, width.min(64));
    }
}

pub(super) fn read<L: Level>(s: u32, reader: &mut BitReader<'_>, levels: &mut [L]) -> Result<(), CodecError> {
    for chunk in levels.chunks_mut(digits(s)) {
        let width = width(s, chunk.len());
        let high = reader.read(width.saturating_sub(64))?;
        let mut number = u128::from(high) << 64 | u128::from(reader.read(width.min(64))?);
        reader.refuse(number >= capacity(s, chunk.len()), "a number of levels that do not exist")?;
        for level in chunk.iter_mut().rev() {
            *level = L::new(((number % base(s)) as i64 - i64::from(s)) as i32);
            number /= base(s);
        }
    }
    Ok(())
}
