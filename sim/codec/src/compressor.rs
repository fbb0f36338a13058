//! The seam between compressors and those who use them. Knows no particular compressor.

use std::fmt::Debug;

use fedbits_random::CounterKey;

use crate::{BitReader, BitWriter, CodecError, Encoded};

/// Where the randomness of a compressor comes from.
#[derive(Clone, Copy, Debug)]
pub enum Draw<'a> {
    /// An addressed key: uniform j of the message is output j of its counter hash (subsets: its stream).
    Keyed(CounterKey),
    /// Uniforms on [0, 1) given by the caller, one per draw: golden vectors, enumeration of all outcomes.
    Given(&'a [f64]),
}

impl Draw<'_> {
    /// The key that both ends may share, if there is one.
    pub fn key(&self) -> Option<CounterKey> {
        match self {
            Self::Keyed(key) => Some(*key),
            Self::Given(_) => None,
        }
    }
}

/// A map Q from vectors to messages, with the exact length of every message.
///
/// In all methods `x` has the dimension d ≥ 1 of the vector, and slices written to have the dimension of the message.
pub trait Compressor: Send + Sync + Debug {
    /// Name with parameters, such as `rand-3` or `dithering s=4 r=2 (Elias sparse)`.
    fn name(&self) -> String;

    /// Compresses `x` into `out`, reusing its buffers.
    ///
    /// # Errors
    /// [`CodecError::NotFinite`]; overflow of what the wire carries; parameters that do not fit the dimension
    /// ([`Compressor::validate`]); too few given uniforms. `out` is unspecified then.
    fn encode(&self, x: &[f64], draw: Draw<'_>, out: &mut Encoded) -> Result<(), CodecError>;

    /// Writes Q(x) to `out`: exactly what the receiver uses.
    ///
    /// # Panics
    /// If `out` has not the dimension of the message.
    fn decode(&self, message: &Encoded, out: &mut [f64]);

    /// `accumulator += scale · Q(x)`, with the same bits as decoding first and adding entry by entry.
    ///
    /// # Panics
    /// If `accumulator` has not the dimension of the message.
    fn add_decoded(&self, message: &Encoded, scale: f64, accumulator: &mut [f64]);

    /// Appends the bit string of a message of this compressor: [`Encoded::bits`] bits.
    fn write_bits(&self, message: &Encoded, writer: &mut BitWriter);

    /// Reads a message for a vector of the given dimension. The string ends where the message ends: framing gives its length.
    /// `key` is what sender and receiver share, if they do.
    ///
    /// # Errors
    /// Strings that the encoder does not write, as far as they can be told; a missing key. `out` is unspecified then.
    fn read_bits(
        &self,
        reader: &mut BitReader<'_>,
        dimension: usize,
        key: Option<CounterKey>,
        out: &mut Encoded,
    ) -> Result<(), CodecError>;

    /// Is E Q(x) = x, up to rounding to floats (ours and the wire's)?
    fn is_unbiased(&self) -> bool;

    /// A proved bound on E‖Q(x) − x‖² ÷ ‖x‖² over all x of this dimension, if there is one. Each compressor says whether it is
    /// attained.
    fn omega(&self, dimension: usize) -> Option<f64>;

    /// δ with E‖Q(x) − x‖² ≤ (1 − δ)‖x‖², for compressors that are contractions at this dimension.
    fn contraction(&self, dimension: usize) -> Option<f64> {
        self.omega(dimension).filter(|&omega| omega < 1.0).map(|omega| 1.0 - omega)
    }

    /// E‖Q(x) − x‖² at `x` in closed form, if there is one; `None` too when `x` cannot be encoded.
    fn variance_at(&self, x: &[f64]) -> Option<f64>;

    /// Do the parameters fit vectors of this dimension?
    ///
    /// # Errors
    /// [`CodecError::Parameter`], saying what was expected.
    fn validate(&self, dimension: usize) -> Result<(), CodecError>;
}
