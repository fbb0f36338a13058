//! What sparsifiers share: messages with some entries of a vector, increasing `indices` and their `values`. Does not
//! choose them.

use fedbits_random::CounterKey;
use fedbits_spec::Described;
use serde::{Deserialize, Serialize};

use crate::norm::check_finite;
use crate::{BitReader, BitWriter, CodecError, Draw, Encoded, WireFloat, lanes};

/// A compressor that keeps some entries and scales them: what [`crate::Composition`] needs to let another operator send
/// the values.
pub trait Sparsifier {
    /// Puts the indices to keep into `out`, which is empty and has the dimension of `x`.
    ///
    /// # Errors
    /// As [`crate::Compressor::encode`].
    fn choose(&self, x: &[f64], draw: Draw<'_>, out: &mut Encoded) -> Result<(), CodecError>;

    /// What the receiver multiplies the values with.
    fn factor(&self, dimension: usize) -> f64;

    /// The largest number of indices kept.
    fn most(&self, dimension: usize) -> usize;

    /// Bits of the indices of a message.
    ///
    /// # Errors
    /// When the parameters do not fit the dimension.
    fn indices_bits(&self, message: &Encoded) -> Result<u64, CodecError>;

    /// Bits below which no code of single indices gets on average: what the choice of the indices says.
    fn indices_entropy(&self, message: &Encoded) -> f64;

    /// Appends the indices of a message.
    fn write_indices(&self, message: &Encoded, writer: &mut BitWriter);

    /// Reads the indices of a message into `out`, which is empty and has its dimension.
    ///
    /// # Errors
    /// Strings that `write_indices` does not write; a missing key.
    fn read_indices(
        &self,
        reader: &mut BitReader<'_>,
        key: Option<CounterKey>,
        out: &mut Encoded,
    ) -> Result<(), CodecError>;
}

/// Coding of the positions of k sent entries.
#[derive(Clone, Copy, Debug, Default, Described, Deserialize, Eq, PartialEq, Serialize)]
pub enum Indices {
    /// Rank of the subset among all of size k: ⌈log₂ C(q, k)⌉ bits.
    #[default]
    Enumerative,
    /// ⌈log₂ q⌉ bits per index.
    List,
    /// One bit per coordinate.
    Mask,
    /// Free: both ends draw them from a shared seed.
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

/// Takes the entries at `out.indices` as the wire carries them; `factor` is what the receiver multiplies them with.
pub(crate) fn take(x: &[f64], wire: WireFloat, factor: f64, out: &mut Encoded) -> Result<(), CodecError> {
    check_finite(x)?;
    out.values.extend(out.indices.iter().map(|&j| wire.nearest(x[j as usize])));
    match out.values.iter().position(|value| !(factor * value).is_finite()) {
        None => Ok(()),
        Some(position) => Err(CodecError::ValueOverflow { index: out.indices[position] as usize, bits: wire.bits() }),
    }
}

/// `out` = 0 except `factor` · value at the indices.
pub(crate) fn scatter(message: &Encoded, factor: f64, out: &mut [f64]) {
    assert_eq!(out.len(), message.dimension, "dimension of the decoded vector");
    out.fill(0.0);
    for (&j, &value) in message.indices.iter().zip(&message.values) {
        out[j as usize] = factor * value;
    }
}

/// `accumulator += scale · decoded`. Entries not sent are zeros, whose addition changes a negative zero.
pub(crate) fn add_scattered(message: &Encoded, factor: f64, scale: f64, accumulator: &mut [f64]) {
    assert_eq!(accumulator.len(), message.dimension, "dimension of the accumulator");
    let (zero, mut next) = (scale * 0.0, 0);
    for (&j, &value) in message.indices.iter().zip(&message.values) {
        let j = j as usize;
        accumulator[next..j].iter_mut().for_each(|sum| *sum += zero);
        accumulator[j] += scale * (factor * value);
        next = j + 1;
    }
    accumulator[next..].iter_mut().for_each(|sum| *sum += zero);
}

/// Appends a message of `sparsifier`: its indices, then one value for each.
pub(crate) fn write(sparsifier: &impl Sparsifier, wire: WireFloat, message: &Encoded, writer: &mut BitWriter) {
    sparsifier.write_indices(message, writer);
    message.write_values(wire, writer);
}

/// Reads such a message.
pub(crate) fn read(
    sparsifier: &impl Sparsifier,
    wire: WireFloat,
    reader: &mut BitReader<'_>,
    key: Option<CounterKey>,
    out: &mut Encoded,
) -> Result<(), CodecError> {
    sparsifier.read_indices(reader, key, out)?;
    read_values(reader, sparsifier.factor(out.dimension), wire, out)
}

/// Reads one value for each index of `out`; each must stay finite when multiplied with `factor`.
pub(crate) fn read_values(
    reader: &mut BitReader<'_>,
    factor: f64,
    wire: WireFloat,
    out: &mut Encoded,
) -> Result<(), CodecError> {
    out.read_values(out.indices.len(), wire, reader)?;
    match out.values.iter().all(|value| (factor * value).is_finite()) {
        true => Ok(()),
        false => Err(reader.corrupt("a value whose scaled value is not finite")),
    }
}

/// E‖Q(x) − x‖² = `omega` ‖y‖² + ‖y − x‖², where y is x rounded to the wire and Q scales what it keeps of y without
/// bias.
pub(crate) fn variance(x: &[f64], wire: WireFloat, omega: f64) -> Option<f64> {
    let variance = lanes::sum(x, |v| {
        let y = wire.nearest(v);
        omega * (y * y) + (y - v) * (y - v)
    });
    variance.is_finite().then_some(variance)
}
