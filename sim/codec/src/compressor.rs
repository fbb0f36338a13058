//! The seam between compressors and those who use them.

use std::fmt::Debug;
use std::iter::Sum;

use fedbits_random::{CounterKey, DrawPurpose, Streams};

use crate::bits::elias::omega_length;
use crate::error::check_dimension;
use crate::indices::{IndexCode, Indices};
use crate::{BitReader, BitWriter, CodecError, Draw, Encoded, ExpectedBits, WireFloat, lanes};

/// A map Q from vectors to messages, with the exact length of every message.
///
/// In all methods `x` has the dimension d ≥ 1 of the vector, and slices written to have the dimension of the message.
pub trait Compressor: Send + Sync + Debug {
    /// Name with parameters, such as `rand-3` or `dithering s=4 r=2 (Elias sparse)`.
    fn name(&self) -> String;

    /// Compresses `x` into `out`, reusing its buffers.
    ///
    /// # Errors
    /// [`CodecError::NotFinite`]; a value too large for the floats on the wire; parameters that do not fit the
    /// dimension ([`Compressor::validate`]); too few given uniforms. `out` is unspecified then.
    fn encode(&self, x: &[f64], draw: Draw<'_>, out: &mut Encoded) -> Result<(), CodecError>;

    /// Writes Q(x) to `out`: exactly what the receiver uses. Either this or [`Self::add_decoded`] is to be written:
    /// each follows from the other.
    ///
    /// # Panics
    /// If `out` has not the dimension of the message.
    fn decode(&self, message: &Encoded, out: &mut [f64]) {
        // −0 + v is v to the bit, for v = −0 as well.
        out.fill(-0.0);
        self.add_decoded(message, 1.0, out);
    }

    /// `accumulator += scale · Q(x)`, with the same bits as decoding first and adding entry by entry.
    ///
    /// # Panics
    /// If `accumulator` has not the dimension of the message.
    fn add_decoded(&self, message: &Encoded, scale: f64, accumulator: &mut [f64]) {
        let mut decoded = vec![0.0; accumulator.len()];
        self.decode(message, &mut decoded);
        accumulator.iter_mut().zip(decoded).for_each(|(sum, value)| *sum += scale * value);
    }

    /// Appends the bit string of a message of this compressor: [`Encoded::bits`] bits.
    fn write_bits(&self, message: &Encoded, writer: &mut BitWriter);

    /// Reads the symbols of a message into `out`, which is empty and has the dimension of the vector. The string ends
    /// with the message, whose length is known from its framing. `key` is the seed that sender and receiver share, if
    /// any.
    ///
    /// # Errors
    /// Strings that the encoder never writes, as far as this can be recognized; a missing key. `out` is unspecified
    /// then.
    fn read(&self, reader: &mut BitReader<'_>, key: Option<CounterKey>, out: &mut Encoded) -> Result<(), CodecError>;

    /// [`Self::read`] for a vector of this dimension, with the length of what was read.
    ///
    /// # Errors
    /// Those of [`Self::read`] and of [`Self::validate`].
    fn read_bits(
        &self,
        reader: &mut BitReader<'_>,
        dimension: usize,
        key: Option<CounterKey>,
        out: &mut Encoded,
    ) -> Result<(), CodecError> {
        self.validate(dimension)?;
        let start = reader.position();
        out.restart(dimension);
        self.read(reader, key, out)?;
        out.bits = reader.position() - start;
        Ok(())
    }

    /// Is E Q(x) = x, up to rounding to floats (ours and the wire's)? By default it is not.
    fn is_unbiased(&self) -> bool {
        false
    }

    /// ω of an unbiased operator: a proved bound on E‖Q(x) − x‖² ÷ ‖x‖² over all x of this dimension; `None` for biased
    /// ones, which have a [`contraction`](Compressor::contraction). Each compressor documents whether it is attained.
    fn omega(&self, _dimension: usize) -> Option<f64> {
        None
    }

    /// ω_av of n = `clients` clients that draw for the same round, of weights w_i with mean 1 and maximum `weight`:
    /// E‖n⁻¹ Σ w_i (Q_i(x_i) − x_i)‖² ≤ ω_av n⁻¹ Σ w_i ‖x_i‖². The default is ω `weight`/n, that of independent
    /// operators.
    fn omega_of_mean(&self, dimension: usize, clients: u32, weight: f64) -> Option<f64> {
        self.omega(dimension).map(|omega| omega * weight / f64::from(clients))
    }

    /// δ with E‖Q(x) − x‖² ≤ (1 − δ)‖x‖², for compressors that are contractions at this dimension.
    fn contraction(&self, dimension: usize) -> Option<f64> {
        self.omega(dimension).filter(|&omega| omega < 1.0).map(|omega| 1.0 - omega)
    }

    /// E‖Q(x) − x‖² at `x` in closed form, if there is one; `None` too when `x` cannot be encoded. By default the
    /// square itself, of operators without randomness.
    fn variance_at(&self, x: &[f64]) -> Option<f64> {
        if self.uniforms(x.len()) == 0 { error_of(self, x) } else { None }
    }

    /// How many uniforms [`Draw::Given`] must have for a vector of this dimension; 0 for operators without randomness.
    fn uniforms(&self, _dimension: usize) -> usize {
        0
    }

    /// Mean length of a message; `None` if the parameters do not fit the dimension.
    fn expected_bits(&self, dimension: usize) -> Option<ExpectedBits> {
        self.validate(dimension).ok()?;
        Some(simulated(self, dimension))
    }

    /// The operators of the messages inside a message ([`Encoded::parts`]), in their order.
    fn inner(&self) -> Vec<&dyn Compressor> {
        Vec::new()
    }

    /// Length of `message` by a convention of the literature in which positions of entries are free. For levels that
    /// are not zero a sign and ⌈log₂ s⌉ bits are counted.
    fn indices_free_bits(&self, message: &Encoded) -> u64 {
        let inner = self.inner();
        if inner.is_empty() { message.bits() } else { of_parts(&inner, message, |q, part| q.indices_free_bits(part)) }
    }

    /// A lower bound for codes of single symbols: their empirical entropy, and all bits of its floats.
    fn entropy_bits(&self, message: &Encoded) -> f64 {
        let inner = self.inner();
        if inner.is_empty() { message.bits() as f64 } else { of_parts(&inner, message, |q, part| q.entropy_bits(part)) }
    }

    /// Does a message have a bit string? Without one its length is what [`Compressor::encode`] says, and the audit
    /// cannot check it: such a compressor must tell its users.
    fn has_string(&self) -> bool {
        self.inner().iter().all(|q| q.has_string())
    }

    /// Does the reader find the end of a message without being given its length? If not, and if something follows, the
    /// length is sent before it: see [`framing_bits`].
    fn ends_itself(&self) -> bool {
        self.inner().last().is_none_or(|q| q.ends_itself())
    }

    /// Number of steps to write the string of a vector of this dimension, beyond a few passes over its entries; reading
    /// takes as many. If it is large, the audit checks fewer messages.
    fn string_work(&self, _dimension: usize) -> u64 {
        0
    }

    /// Number of entries of a message, if all messages with the same key have the same entries, multiplied by the same
    /// factor: such messages can be added without being read. `None` if positions or factors differ between messages.
    fn common_entries(&self, _dimension: usize) -> Option<usize> {
        None
    }

    /// This operator as a choice of entries, if it is one.
    fn sparsifier(&self) -> Option<&dyn Sparsifier> {
        None
    }

    /// The operator of member `i` of a group that draws from one common key ([`crate::PermK`]); `None` for operators
    /// that clients use independently. All members can decode what one encodes.
    fn member(&self, _i: u32) -> Option<Box<dyn Compressor>> {
        None
    }

    /// Are the parameters valid for vectors of this dimension?
    ///
    /// # Errors
    /// [`CodecError::Parameter`], saying what was expected.
    fn validate(&self, dimension: usize) -> Result<(), CodecError> {
        check_dimension(dimension)
    }
}

/// An operator that sends some entries of a vector, and scales them all alike: which ones, and how a message names
/// them. Its [`Compressor`] follows from that.
pub trait Sparsifier: Send + Sync + Debug {
    /// Name with parameters, without the floats.
    fn label(&self) -> String;

    /// How values are sent.
    fn wire(&self) -> WireFloat;

    /// Do the parameters fit this dimension?
    ///
    /// # Errors
    /// As [`Compressor::validate`].
    fn check(&self, dimension: usize) -> Result<(), CodecError>;

    /// Puts the indices to keep into `out`, which is empty and has the dimension of `x`. Where the shared key says
    /// which these are, the receiver chooses them without `x`.
    ///
    /// # Errors
    /// As [`Compressor::encode`].
    fn choose(&self, x: &[f64], draw: Draw<'_>, out: &mut Encoded) -> Result<(), CodecError>;

    /// How many uniforms it draws.
    fn draws(&self, _dimension: usize) -> usize {
        0
    }

    /// What the receiver multiplies the values with.
    fn factor(&self, _dimension: usize) -> f64 {
        1.0
    }

    /// The largest number of indices kept.
    fn most(&self, dimension: usize) -> usize {
        dimension
    }

    /// k, where it keeps the k largest entries or leaves out no more than these would: a contraction by k/d. The others
    /// have an expectation of x.
    fn largest(&self) -> Option<u32> {
        None
    }

    /// As [`Compressor::variance_at`], by default of operators without bias.
    fn variance(&self, x: &[f64]) -> Option<f64> {
        variance(x, self.wire(), self.factor(x.len()) - 1.0)
    }

    /// The mean length of a message, if it does not depend on the vector.
    fn mean_bits(&self, _dimension: usize) -> Option<ExpectedBits> {
        None
    }

    /// How a message names the entries.
    fn code(&self) -> IndexCode<'_>;

    /// Reads the indices of a message into `out`, which is empty and has its dimension.
    ///
    /// # Errors
    /// Strings that are not written; a missing key.
    fn read_indices(
        &self,
        reader: &mut BitReader<'_>,
        key: Option<CounterKey>,
        out: &mut Encoded,
    ) -> Result<(), CodecError> {
        match self.code() {
            IndexCode::Shared | IndexCode::Subset(Indices::SharedSeed, ..) => {
                self.choose(&[], Draw::Keyed(key.ok_or(CodecError::KeyNeeded)?), out)
            }
            code => code.read(reader, out),
        }
    }

    /// The operator of member `i` of a group that divides the entries; `None` for operators used independently.
    fn in_group(&self, _i: u32) -> Option<Box<dyn Compressor>> {
        None
    }

    /// Does [`crate::Composition`] let another operator send the values?
    fn is_composed(&self) -> bool {
        true
    }
}

fn of_parts<T: Sum>(inner: &[&dyn Compressor], message: &Encoded, of: impl Fn(&dyn Compressor, &Encoded) -> T) -> T {
    inner.iter().zip(&message.parts).map(|(q, part)| of(*q, part)).sum()
}

/// Bits before the string of `message` where another one stands behind it, by which a reader finds its end: none where
/// it ends itself, else its length, as Elias' ω of one more.
pub fn framing_bits(compressor: &dyn Compressor, message: &Encoded) -> u64 {
    if compressor.ends_itself() { 0 } else { omega_length(message.bits() + 1) }
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

/// Methods of a [`Compressor`] that another one answers.
macro_rules! forward {
    ($self:ident => $to:expr; $(fn $method:ident($($name:ident: $type:ty),*) $(-> $result:ty)?;)+) => {
        $(fn $method(&$self, $($name: $type),*) $(-> $result)? {
            $to.$method($($name),*)
        })+
    };
}
pub(crate) use forward;

/// ‖C(x) − x‖² of an operator without randomness; `None` if `x` cannot be encoded.
pub(crate) fn error_of<C: Compressor + ?Sized>(compressor: &C, x: &[f64]) -> Option<f64> {
    let (mut message, mut error) = (Encoded::new(), x.to_vec());
    compressor.encode(x, Draw::Given(&[]), &mut message).ok()?;
    compressor.add_decoded(&message, -1.0, &mut error);
    Some(lanes::sum(&error, |e| e * e)).filter(|error| error.is_finite())
}

/// Entries to simulate in all.
const ENTRIES: usize = 200_000;

/// The mean over standard normal vectors; those that cannot be sent count nothing.
pub(crate) fn simulated<C: Compressor + ?Sized>(operator: &C, dimension: usize) -> ExpectedBits {
    let samples = (ENTRIES / dimension.max(1)).clamp(4, 2_000) as u64;
    let (mut x, mut message, mut total) = (vec![0.0; dimension], Encoded::new(), 0);
    for sample in 0..samples {
        let streams = Streams::new(0, sample);
        let mut stream = streams.at(DrawPurpose::Data, 0, 0);
        x.fill_with(|| stream.normal());
        let draw = Draw::Keyed(streams.counter(DrawPurpose::Compression, 0, 0));
        if operator.encode(&x, draw, &mut message).is_ok() {
            total += message.bits();
        }
    }
    ExpectedBits::ForNormal(total as f64 / samples as f64)
}
