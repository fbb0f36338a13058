//! How a message names the entries of a vector that it has. Does not choose them.

use std::sync::OnceLock;

use fedbits_spec::Described;
use serde::{Deserialize, Serialize};

use crate::bits::SubsetCode;
use crate::bits::elias::{gamma_length, read_gamma, write_gamma};
use crate::error::parameter;
use crate::{BitReader, BitWriter, CodecError, Encoded, ExpectedBits, WireFloat, entropy};

/// Coding of k positions.
#[derive(Clone, Copy, Debug, Default, Described, Deserialize, Eq, PartialEq, Serialize)]
pub enum Indices {
    /// Rank among all subsets of size k: ⌈log₂ C(q, k)⌉ bits.
    #[default]
    Enumerative,
    /// ⌈log₂ q⌉ bits per index.
    List,
    /// One bit per coordinate.
    Mask,
    /// Free: drawn from a shared seed.
    SharedSeed,
}

impl std::fmt::Display for Indices {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Self::Enumerative => "indices sent",
            Self::List => "indices listed",
            Self::Mask => "indices masked",
            Self::SharedSeed => "seed shared",
        })
    }
}

/// The subset code of the first (dimension, k) met, and the entropy of such subsets: C(d, k) may have thousands of
/// digits.
#[derive(Clone, Debug, Default)]
pub struct Cached {
    code: OnceLock<(usize, u32, SubsetCode)>,
    entropy: OnceLock<(usize, u32, f64)>,
}

impl Cached {
    fn code(&self, dimension: usize, k: u32) -> Result<SubsetCode, CodecError> {
        let make = || {
            let code = u32::try_from(dimension).ok().and_then(|d| SubsetCode::new(d, k));
            code.ok_or_else(|| parameter("k", k, format!("1 to {dimension} entries")))
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
    fn entropy(&self, dimension: usize, k: u32) -> f64 {
        let &(known, same, entropy) = self.entropy.get_or_init(|| (dimension, k, entropy::of_subset(dimension, k)));
        if (known, same) == (dimension, k) { entropy } else { entropy::of_subset(dimension, k) }
    }
}

/// How a message names the entries that it has.
#[derive(Clone, Copy, Debug)]
pub enum IndexCode<'a> {
    /// Not at all: the receiver draws them from the shared key.
    Shared,
    /// k of them, in one of several ways.
    Subset(Indices, u32, &'a Cached),
    /// One bit per entry of the vector.
    Mask,
    /// The first of k that follow each other, past the last on from the first: nothing, where there are all.
    First(u32),
    /// Their number, at most this (Elias gamma of one more); their gaps in Rice's code with ⌊log₂(d/k)⌋ low bits, which
    /// costs at most log₂(d/k) + 3 bits an entry.
    Gaps(u32),
}

impl IndexCode<'_> {
    /// Bits of the indices of a message.
    pub(crate) fn bits(self, message: &Encoded) -> Result<u64, CodecError> {
        let d = message.dimension;
        Ok(match self {
            Self::Shared | Self::Subset(Indices::SharedSeed, ..) => 0,
            Self::Subset(Indices::Enumerative, k, cached) => cached.code(d, k)?.bits(),
            Self::Subset(Indices::List, k, _) => u64::from(k) * u64::from(width(d)),
            Self::Subset(Indices::Mask, ..) | Self::Mask => d as u64,
            Self::First(k) => u64::from(first_width(d, k)),
            Self::Gaps(_) => {
                let low = low_bits(d, message.indices.len());
                let gaps: u64 = gaps(&message.indices).map(|gap| (gap >> low) + 1 + u64::from(low)).sum();
                gamma_length(message.indices.len() as u64 + 1) + gaps
            }
        })
    }

    /// The length of messages that all have `k` values.
    pub(crate) fn always(self, dimension: usize, k: u32, wire: WireFloat) -> Option<ExpectedBits> {
        let bits = self.bits(&Encoded { dimension, ..Encoded::default() }).ok()?;
        Some(ExpectedBits::Always(u64::from(k) * wire.bits() + bits))
    }

    /// Bits below which no code of single indices gets on average: what the choice of the indices says.
    pub(crate) fn entropy(self, message: &Encoded) -> f64 {
        let d = message.dimension;
        match self {
            Self::Shared | Self::Subset(Indices::SharedSeed, ..) => 0.0,
            // A list or a mask of a subset of known size says no more than its number.
            Self::Subset(_, k, cached) => cached.entropy(d, k),
            Self::First(k) if first_width(d, k) == 0 => 0.0,
            Self::First(_) => libm::log2(d as f64),
            Self::Mask | Self::Gaps(_) => entropy::of_mask(d, message.indices.len()),
        }
    }

    /// [`crate::Compressor::string_work`] of the indices.
    pub(crate) fn work(self, dimension: usize) -> u64 {
        match self {
            Self::Subset(Indices::Enumerative, k, cached) => cached.code(dimension, k).map_or(0, |code| code.work()),
            _ => 0,
        }
    }

    /// Appends the indices of a message.
    pub(crate) fn write(self, message: &Encoded, writer: &mut BitWriter) {
        let (d, indices) = (message.dimension, &message.indices);
        match self {
            Self::Shared | Self::Subset(Indices::SharedSeed, ..) => {}
            Self::Subset(Indices::Enumerative, _, cached) => cached
                .code(d, indices.len() as u32)
                .expect("the message was encoded or read with this k")
                .write(indices, writer),
            Self::Subset(Indices::List, ..) => {
                indices.iter().for_each(|&j| writer.write(u64::from(j), width(d)));
            }
            Self::Subset(Indices::Mask, ..) | Self::Mask => write_mask(message, writer),
            Self::First(k) => writer.write(first_of(message), first_width(d, k)),
            Self::Gaps(_) => {
                let low = low_bits(d, indices.len());
                write_gamma(writer, indices.len() as u64 + 1);
                for gap in gaps(indices) {
                    writer.write_unary(gap >> low);
                    writer.write(gap & ((1 << low) - 1), low);
                }
            }
        }
    }

    /// Reads the indices of a message into `out`, which is empty and has its dimension.
    pub(crate) fn read(self, reader: &mut BitReader<'_>, out: &mut Encoded) -> Result<(), CodecError> {
        match self {
            Self::Shared | Self::Subset(Indices::SharedSeed, ..) => Err(CodecError::KeyNeeded),
            Self::Subset(Indices::Enumerative, k, cached) => {
                cached.code(out.dimension, k)?.read(reader, &mut out.indices)
            }
            Self::Subset(Indices::List, k, _) => read_list(k, reader, out),
            Self::Subset(Indices::Mask, k, _) => {
                read_mask(reader, out)?;
                reader.refuse(out.indices.len() != k as usize, "a mask of another size")
            }
            Self::Mask => read_mask(reader, out),
            Self::First(k) => {
                let first = reader.read(first_width(out.dimension, k))?;
                reader.refuse(first >= out.dimension as u64, "an index outside the vector")?;
                keep_from(first as u32, k, out);
                Ok(())
            }
            Self::Gaps(most) => read_gaps(most, reader, out),
        }
    }
}

/// ⌈log₂ d⌉.
fn width(dimension: usize) -> u32 {
    usize::BITS - (dimension - 1).leading_zeros()
}

/// Bits of the first of `k` indices.
fn first_width(dimension: usize, k: u32) -> u32 {
    if k as usize == dimension { 0 } else { width(dimension) }
}

/// Puts the `k` indices from `first` on into the message, increasing.
pub(crate) fn keep_from(first: u32, k: u32, out: &mut Encoded) {
    let d = out.dimension as u32;
    let beyond = (u64::from(first) + u64::from(k)).saturating_sub(u64::from(d)) as u32;
    out.indices.extend(0..beyond);
    out.indices.extend(first..(first + (k - beyond)));
}

/// The first index of such a message; 0 where it has all.
fn first_of(message: &Encoded) -> u64 {
    let gap = message.indices.windows(2).find(|pair| pair[1] > pair[0] + 1);
    u64::from(gap.map_or(message.indices[0], |pair| pair[1]))
}

/// Low bits of a gap when k of d entries are sent.
fn low_bits(d: usize, k: usize) -> u32 {
    d.checked_div(k).map_or(0, |spacing| spacing.max(1).ilog2())
}

/// The gaps before the indices: 0 for neighbours.
fn gaps(indices: &[u32]) -> impl Iterator<Item = u64> {
    let before = std::iter::once(0).chain(indices.iter().map(|&index| u64::from(index) + 1));
    indices.iter().zip(before).map(|(&index, before)| u64::from(index) - before)
}

fn read_gaps(most: u32, reader: &mut BitReader<'_>, out: &mut Encoded) -> Result<(), CodecError> {
    let k = read_gamma(reader)? - 1;
    reader.refuse(k > u64::from(most).min(out.dimension as u64), "more entries than there can be")?;
    let (low, mut next) = (low_bits(out.dimension, k as usize), 0);
    for _ in 0..k {
        let high = reader.read_unary()?.saturating_mul(1 << low);
        let index = high.saturating_add(reader.read(low)?).saturating_add(next);
        reader.refuse(index >= out.dimension as u64, "an index outside the vector")?;
        out.indices.push(index as u32);
        next = index + 1;
    }
    Ok(())
}

fn read_list(k: u32, reader: &mut BitReader<'_>, out: &mut Encoded) -> Result<(), CodecError> {
    for _ in 0..k {
        let index = reader.read(width(out.dimension))?;
        let is_wrong =
            index >= out.dimension as u64 || out.indices.last().is_some_and(|&last| index <= u64::from(last));
        reader.refuse(is_wrong, "indices that do not increase or lead out of the vector")?;
        out.indices.push(index as u32);
    }
    Ok(())
}

/// One bit per entry.
fn write_mask(message: &Encoded, writer: &mut BitWriter) {
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
fn read_mask(reader: &mut BitReader<'_>, out: &mut Encoded) -> Result<(), CodecError> {
    for j in 0..out.dimension {
        if reader.read(1)? == 1 {
            out.indices.push(j as u32);
        }
    }
    Ok(())
}
