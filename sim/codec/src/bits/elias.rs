//! Elias' universal codes of the integers n ≥ 1 (Elias 1975): gamma and omega.
//!
//! With b(n) the binary digits of n and |b| their number: γ(n) = 0^(|b|−1) b(n); δ(n) = γ(|b|) and b(n) without its
//! first digit; ω(n): begin with `0`, prepend b(n) and go on with n ← |b| − 1 until n = 1. Lengths of ω: 1, 3, 3, 6, 6,
//! 6, 6, 7 (8…15), 11 (16…31). Compressors use ω; its short strings come from a table.

use super::{BitReader, BitWriter};
use crate::CodecError;

/// Numbers below this have their ω string in the table.
const TABLE: usize = 256;

/// (string, length) of ω(n) at index n; index 0 is not a code.
static OMEGA: [(u32, u8); TABLE] = omega_table();

const fn digits(n: u64) -> u32 {
    64 - n.leading_zeros()
}

const fn omega_table() -> [(u32, u8); TABLE] {
    let mut table = [(0, 0); TABLE];
    let mut n = 1;
    while n < TABLE {
        let (mut string, mut length, mut rest) = (0, 1, n as u64);
        while rest > 1 {
            string |= (rest as u32) << length;
            length += digits(rest);
            rest = digits(rest) as u64 - 1;
        }
        table[n] = (string, length as u8);
        n += 1;
    }
    table
}

/// Length of γ(n) in bits: 2⌊log₂ n⌋ + 1.
///
/// # Panics
/// If `n` is 0, as do all functions here.
pub fn gamma_length(n: u64) -> u64 {
    2 * u64::from(n.ilog2()) + 1
}

/// Length of ω(n) in bits; in debug builds only is 0 found out.
#[inline(always)]
pub fn omega_length(n: u64) -> u64 {
    debug_assert!(n > 0, "ω begins at 1");
    match OMEGA.get(n as usize) {
        Some(&(_, length)) => u64::from(length),
        None => long_omega_length(n),
    }
}

#[cold]
#[inline(never)]
fn long_omega_length(n: u64) -> u64 {
    let log = u64::from(n.ilog2());
    log + 1 + omega_length(log)
}

/// Appends γ(n).
pub fn write_gamma(writer: &mut BitWriter, n: u64) {
    writer.write(0, n.ilog2());
    writer.write(n, n.ilog2() + 1);
}

/// Appends ω(n).
#[inline]
pub fn write_omega(writer: &mut BitWriter, n: u64) {
    match OMEGA.get(n as usize) {
        Some(&(string, length)) if n > 0 => writer.write(u64::from(string), u32::from(length)),
        _ => {
            write_omega_groups(writer, n);
            writer.write(0, 1);
        }
    }
}

fn write_omega_groups(writer: &mut BitWriter, n: u64) {
    let log = n.ilog2();
    if log > 0 {
        write_omega_groups(writer, u64::from(log));
        writer.write(n, log + 1);
    }
}

/// Reads γ(n).
///
/// # Errors
/// Truncated strings; numbers beyond 64 bits.
pub fn read_gamma(reader: &mut BitReader<'_>) -> Result<u64, CodecError> {
    let log = reader.read_unary()?;
    with_leading_one(reader, log)
}

/// Reads ω(n).
///
/// # Errors
/// As [`read_gamma`].
#[inline]
pub fn read_omega(reader: &mut BitReader<'_>) -> Result<u64, CodecError> {
    let mut n = 1;
    while reader.read(1)? == 1 {
        n = with_leading_one(reader, n)?;
    }
    Ok(n)
}

/// The number whose first digit, a one, is already read and has `log` digits behind it.
#[inline]
fn with_leading_one(reader: &mut BitReader<'_>, log: u64) -> Result<u64, CodecError> {
    reader.refuse(log >= 64, "an Elias code of more than 64 digits")?;
    Ok(1 << log | reader.read(log as u32)?)
}
