//! What sparsifiers share: messages with some entries of a vector, increasing `indices` and their `values`. Does not
//! choose them.

use std::cmp::Ordering;

use fedbits_random::CounterKey;
use fedbits_spec::Described;
use serde::{Deserialize, Serialize};

use crate::error::{check_dimension, parameter};
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

/// The methods of a [`crate::Compressor`] that is a [`Sparsifier`] with a field `wire`.
macro_rules! messages {
    () => {
        fn decode(&self, message: &Encoded, out: &mut [f64]) {
            sparse::scatter(message, self.factor(message.dimension), out);
        }

        fn add_decoded(&self, message: &Encoded, scale: f64, accumulator: &mut [f64]) {
            sparse::add_scattered(message, self.factor(message.dimension), scale, accumulator);
        }

        fn write_bits(&self, message: &Encoded, writer: &mut BitWriter) {
            self.write_indices(message, writer);
            message.write_values(self.wire, writer);
        }

        fn read(
            &self,
            reader: &mut BitReader<'_>,
            key: Option<CounterKey>,
            out: &mut Encoded,
        ) -> Result<(), CodecError> {
            self.read_indices(reader, key, out)?;
            sparse::read_values(reader, self.factor(out.dimension), self.wire, out)
        }

        fn indices_free_bits(&self, message: &Encoded) -> u64 {
            message.values.len() as u64 * self.wire.bits()
        }

        fn entropy_bits(&self, message: &Encoded) -> f64 {
            self.indices_entropy(message) + self.indices_free_bits(message) as f64
        }

        fn sparsifier(&self) -> Option<&dyn Sparsifier> {
            Some(self)
        }
    };
}

/// Those of a [`Sparsifier`] whose factor makes it unbiased.
macro_rules! unbiased {
    () => {
        fn is_unbiased(&self) -> bool {
            true
        }

        fn omega(&self, dimension: usize) -> Option<f64> {
            self.validate(dimension).ok()?;
            Some(self.wire.widen(self.factor(dimension) - 1.0))
        }

        fn variance_at(&self, x: &[f64]) -> Option<f64> {
            self.validate(x.len()).ok()?;
            sparse::variance(x, self.wire, self.factor(x.len()) - 1.0)
        }
    };
}

/// Those of operators that keep the `k` largest entries, or leave out no more than these would.
macro_rules! largest {
    () => {
        fn contraction(&self, dimension: usize) -> Option<f64> {
            self.validate(dimension).ok()?;
            let u = self.wire.unit_roundoff();
            Some((1.0 - u * u) * f64::from(self.k) / dimension as f64)
        }
    };
}

pub(crate) use {largest, messages, unbiased};

/// Can `k` entries of so many be kept?
pub(crate) fn check_kept(k: u32, dimension: usize) -> Result<(), CodecError> {
    check_dimension(dimension)?;
    match (1..=dimension).contains(&(k as usize)) {
        true => Ok(()),
        false => Err(parameter("k", k, format!("1 to {dimension} entries"))),
    }
}

/// Larger magnitudes first, of equal ones the first. Magnitudes are finite: total_cmp is their usual order.
pub(crate) fn by_magnitude(x: &[f64], a: &u32, b: &u32) -> Ordering {
    x[*b as usize].abs().total_cmp(&x[*a as usize].abs()).then(a.cmp(b))
}

/// The `k` indices of `x` that are first [`by_magnitude`], in no order.
pub(crate) fn choose_largest(x: &[f64], k: u32, indices: &mut Vec<u32>) {
    indices.clear();
    indices.extend(0..x.len() as u32);
    if (k as usize) < x.len() {
        indices.select_nth_unstable_by(k as usize, |a, b| by_magnitude(x, a, b));
    }
    indices.truncate(k as usize);
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
