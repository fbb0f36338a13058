//! A bit before each message that says whether there is one: for senders who at times have nothing to say.
//!
//! Q(0) = 0 in one bit, 0; any other vector has the bit 1 and then the message of another operator, whose bias, ω and δ
//! are those of this one.

use fedbits_random::CounterKey;

use crate::compressor::forward;
use crate::norm::check_finite;
use crate::{BitReader, BitWriter, CodecError, Compressor, Draw, Encoded, ExpectedBits};

/// Another operator's messages, announced by a bit. The zero vector has none.
#[derive(Debug)]
pub struct Announced(pub Box<dyn Compressor>);

impl Compressor for Announced {
    fn name(&self) -> String {
        format!("{}, or nothing", self.0.name())
    }

    fn encode(&self, x: &[f64], draw: Draw<'_>, out: &mut Encoded) -> Result<(), CodecError> {
        self.validate(x.len())?;
        check_finite(x)?;
        let mut message = out.parts.pop().unwrap_or_default();
        out.restart(x.len());
        out.bits = 1;
        if x.iter().any(|&value| value != 0.0) {
            self.0.encode(x, draw, &mut message)?;
            out.bits += message.bits;
            out.parts.push(message);
        }
        Ok(())
    }

    fn add_decoded(&self, message: &Encoded, scale: f64, accumulator: &mut [f64]) {
        match message.parts.first() {
            Some(message) => self.0.add_decoded(message, scale, accumulator),
            None => message.add_values(scale, accumulator, std::iter::repeat(0.0)),
        }
    }

    fn write_bits(&self, message: &Encoded, writer: &mut BitWriter) {
        writer.write(u64::from(!message.parts.is_empty()), 1);
        message.parts.iter().for_each(|message| self.0.write_bits(message, writer));
    }

    fn read(&self, reader: &mut BitReader<'_>, key: Option<CounterKey>, out: &mut Encoded) -> Result<(), CodecError> {
        if reader.read(1)? == 1 {
            let mut message = Encoded::new();
            self.0.read_bits(reader, out.dimension, key, &mut message)?;
            out.parts.push(message);
        }
        Ok(())
    }

    forward! { self => self.0;
        fn is_unbiased() -> bool;
        fn omega(dimension: usize) -> Option<f64>;
        fn contraction(dimension: usize) -> Option<f64>;
        fn variance_at(x: &[f64]) -> Option<f64>;
        fn uniforms(dimension: usize) -> usize;
        fn string_work(dimension: usize) -> u64;
        fn validate(dimension: usize) -> Result<(), CodecError>;
    }

    fn inner(&self) -> Vec<&dyn Compressor> {
        vec![&*self.0]
    }

    fn expected_bits(&self, dimension: usize) -> Option<ExpectedBits> {
        // A message of zeros, which senders choose, is one bit.
        Some(ExpectedBits::ForNormal(1.0 + self.0.expected_bits(dimension)?.bits()))
    }

    fn indices_free_bits(&self, message: &Encoded) -> u64 {
        1 + message.parts.iter().map(|message| self.0.indices_free_bits(message)).sum::<u64>()
    }

    fn entropy_bits(&self, message: &Encoded) -> f64 {
        1.0 + message.parts.iter().map(|message| self.0.entropy_bits(message)).sum::<f64>()
    }
}
