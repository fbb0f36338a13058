//! Sparse and dense level codes over Elias' gamma and delta. Knows nothing of what levels mean.
//!
//! Sparse: code(gap), a sign bit, code(level) for every level that is not zero; the list ends with the message. Dense: for every
//! entry code(level + 1), and a sign bit if it is not zero.

use super::{sign, signed};
use crate::bits::elias;
use crate::{BitReader, BitWriter, CodecError};

/// One of Elias' codes of the integers n ≥ 1.
#[derive(Clone, Copy)]
pub(super) enum Elias {
    Gamma,
    Delta,
}

impl Elias {
    fn length(self, n: u64) -> u64 {
        match self {
            Self::Gamma => elias::gamma_length(n),
            Self::Delta => elias::delta_length(n),
        }
    }

    fn write(self, writer: &mut BitWriter, n: u64) {
        match self {
            Self::Gamma => elias::write_gamma(writer, n),
            Self::Delta => elias::write_delta(writer, n),
        }
    }

    fn read(self, reader: &mut BitReader<'_>) -> Result<u64, CodecError> {
        match self {
            Self::Gamma => elias::read_gamma(reader),
            Self::Delta => elias::read_delta(reader),
        }
    }
}

fn magnitude(level: i32) -> u64 {
    u64::from(level.unsigned_abs())
}

/// (gap, level) of every level that is not zero.
fn gaps(levels: &[i32]) -> impl Iterator<Item = (u64, i32)> {
    let mut gap = 0;
    levels.iter().filter_map(move |&level| {
        gap += 1;
        (level != 0).then(|| (std::mem::take(&mut gap), level))
    })
}

pub(super) fn count_sparse(code: Elias, levels: &[i32]) -> u64 {
    gaps(levels).map(|(gap, level)| code.length(gap) + 1 + code.length(magnitude(level))).sum()
}

pub(super) fn write_sparse(code: Elias, levels: &[i32], writer: &mut BitWriter) {
    for (gap, level) in gaps(levels) {
        code.write(writer, gap);
        writer.write(sign(level), 1);
        code.write(writer, magnitude(level));
    }
}

pub(super) fn read_sparse(
    code: Elias,
    s: u32,
    reader: &mut BitReader<'_>,
    levels: &mut [i32],
) -> Result<(), CodecError> {
    let mut rest = levels.iter_mut();
    while reader.remaining() > 0 {
        let gap = usize::try_from(code.read(reader)? - 1).unwrap_or(usize::MAX);
        let Some(level) = rest.nth(gap) else {
            return Err(reader.corrupt("a gap that leads out of the vector"));
        };
        let negative = reader.read(1)? == 1;
        let magnitude = code.read(reader)?;
        *level = signed(reader, magnitude, negative, s)?;
    }
    Ok(())
}

pub(super) fn count_dense(code: Elias, levels: &[i32]) -> u64 {
    levels.iter().map(|&level| code.length(magnitude(level) + 1) + u64::from(level != 0)).sum()
}

pub(super) fn write_dense(code: Elias, levels: &[i32], writer: &mut BitWriter) {
    for &level in levels {
        code.write(writer, magnitude(level) + 1);
        writer.write(sign(level), u32::from(level != 0));
    }
}

pub(super) fn read_dense(
    code: Elias,
    s: u32,
    reader: &mut BitReader<'_>,
    levels: &mut [i32],
) -> Result<(), CodecError> {
    for level in levels {
        let magnitude = code.read(reader)? - 1;
        let negative = magnitude > 0 && reader.read(1)? == 1;
        *level = signed(reader, magnitude, negative, s)?;
    }
    Ok(())
}
