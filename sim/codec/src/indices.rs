//! How a message names k of d entries: the shortest code, a list, a mask, or not at all. Does not choose them.

use std::sync::OnceLock;

use crate::bits::SubsetCode;
use crate::{BitReader, BitWriter, CodecError, Encoded, Indices, entropy};

/// The subset code of the first (dimension, k) met, and the entropy of such subsets: C(d, k) may have thousands of
/// digits.
#[derive(Clone, Debug, Default)]
pub(crate) struct Cached {
    code: OnceLock<(usize, u32, SubsetCode)>,
    entropy: OnceLock<(usize, u32, f64)>,
}

/// ⌈log₂ d⌉.
pub(crate) fn width(dimension: usize) -> u32 {
    usize::BITS - (dimension - 1).leading_zeros()
}

impl Cached {
    fn code(&self, dimension: usize, k: u32) -> Result<SubsetCode, CodecError> {
        let make = || {
            let code = u32::try_from(dimension).ok().and_then(|d| SubsetCode::new(d, k));
            code.ok_or_else(|| CodecError::Parameter {
                parameter: "k",
                found: k.to_string(),
                expected: format!("1 to {dimension} entries"),
            })
        };
        match self.code.get() {
            Some(&(known, same, code)) if known == dimension && same == k => Ok(code),
            Some(_) => make(),
            None => make().inspect(|&code| {
                self.code.get_or_init(|| (dimension, k, code));
            }),
        }
    }

    /// log₂ C(`dimension`, `k`), below which no code of uniform subsets can be on average.
    pub(crate) fn entropy(&self, dimension: usize, k: u32) -> f64 {
        let &(known, same, entropy) = self.entropy.get_or_init(|| (dimension, k, entropy::of_subset(dimension, k)));
        if (known, same) == (dimension, k) { entropy } else { entropy::of_subset(dimension, k) }
    }

    /// Bits that `k` indices of `dimension` take.
    pub(crate) fn bits(&self, indices: Indices, dimension: usize, k: u32) -> Result<u64, CodecError> {
        match indices {
            Indices::Enumerative => Ok(self.code(dimension, k)?.bits()),
            Indices::List => Ok(u64::from(k) * u64::from(width(dimension))),
            Indices::Mask => Ok(dimension as u64),
            Indices::SharedSeed => Ok(0),
        }
    }

    /// [`crate::Compressor::string_work`] of `k` indices of `dimension`.
    pub(crate) fn work(&self, indices: Indices, dimension: usize, k: u32) -> u64 {
        match indices {
            Indices::Enumerative => self.code(dimension, k).map_or(0, |code| code.work()),
            Indices::List | Indices::Mask | Indices::SharedSeed => 0,
        }
    }

    pub(crate) fn write(&self, indices: Indices, message: &Encoded, writer: &mut BitWriter) {
        match indices {
            Indices::Enumerative => self
                .code(message.dimension, message.indices.len() as u32)
                .expect("the message was encoded or read with this k")
                .write(&message.indices, writer),
            Indices::List => {
                let width = width(message.dimension);
                message.indices.iter().for_each(|&j| writer.write(u64::from(j), width));
            }
            Indices::Mask => write_mask(message, writer),
            Indices::SharedSeed => {}
        }
    }

    /// Reads `k` indices that were sent.
    pub(crate) fn read(
        &self,
        indices: Indices,
        k: u32,
        reader: &mut BitReader<'_>,
        out: &mut Encoded,
    ) -> Result<(), CodecError> {
        match indices {
            Indices::Enumerative => self.code(out.dimension, k)?.read(reader, &mut out.indices),
            Indices::List => read_list(k, reader, out),
            Indices::Mask => {
                read_mask(reader, out)?;
                if out.indices.len() == k as usize { Ok(()) } else { Err(reader.corrupt("a mask of another size")) }
            }
            Indices::SharedSeed => Err(CodecError::KeyNeeded),
        }
    }
}

fn read_list(k: u32, reader: &mut BitReader<'_>, out: &mut Encoded) -> Result<(), CodecError> {
    for _ in 0..k {
        let index = reader.read(width(out.dimension))?;
        if index >= out.dimension as u64 || out.indices.last().is_some_and(|&last| index <= u64::from(last)) {
            return Err(reader.corrupt("indices that do not increase or lead out of the vector"));
        }
        out.indices.push(index as u32);
    }
    Ok(())
}

/// One bit per entry.
pub(crate) fn write_mask(message: &Encoded, writer: &mut BitWriter) {
    let mut next = 0;
    for &j in &message.indices {
        writer.write_unary(u64::from(j - next));
        next = j + 1;
    }
    for _ in next as usize..message.dimension {
        writer.write(0, 1);
    }
}

/// One bit per entry.
pub(crate) fn read_mask(reader: &mut BitReader<'_>, out: &mut Encoded) -> Result<(), CodecError> {
    for j in 0..out.dimension {
        if reader.read(1)? == 1 {
            out.indices.push(j as u32);
        }
    }
    Ok(())
}
