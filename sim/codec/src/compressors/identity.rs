//! Identity: every entry as a float of the wire, d F bits.
//!
//! With [`WireFloat::F64`] the receiver gets x bit for bit (ω = 0); with [`WireFloat::F32`] each entry is rounded to
//! nearest, a deterministic relative error of at most 2⁻²⁴ (ω = 2⁻⁴⁸, attained only nearly; entries below 1.2e-38 lose
//! more).

use fedbits_random::CounterKey;
use fedbits_spec::Described;
use serde::{Deserialize, Serialize};

use crate::error::check_overflow;
use crate::norm::check_finite;
use crate::{
    BitReader, BitWriter, CodecError, Compressor, CompressorSetting, Draw, Encoded, ExpectedBits, WireFloat, lanes,
};

/// All coordinates as floats: ω = 0.
#[derive(Clone, Copy, Debug, Default, Described, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub struct Identity {
    /// How floats are sent.
    #[serde(skip)]
    pub wire: WireFloat,
}

impl Compressor for Identity {
    fn name(&self) -> String {
        format!("identity F{}", self.wire.bits())
    }

    fn encode(&self, x: &[f64], _: Draw<'_>, out: &mut Encoded) -> Result<(), CodecError> {
        out.restart(x.len());
        match self.wire {
            WireFloat::F64 => out.values.extend_from_slice(x),
            WireFloat::F32 => out.values.extend(x.iter().map(|&v| self.wire.nearest(v))),
        }
        out.bits = x.len() as u64 * self.wire.bits();
        if lanes::all_finite(&out.values) {
            return Ok(());
        }
        check_finite(x)?;
        check_overflow(out.values.iter().position(|v| !v.is_finite()), self.wire.bits())
    }

    fn decode(&self, message: &Encoded, out: &mut [f64]) {
        out.copy_from_slice(&message.values);
    }

    fn add_decoded(&self, message: &Encoded, scale: f64, accumulator: &mut [f64]) {
        message.add_values(scale, accumulator, message.values.iter().copied());
    }

    fn write_bits(&self, message: &Encoded, writer: &mut BitWriter) {
        message.write_values(self.wire, writer);
    }

    fn read(&self, reader: &mut BitReader<'_>, _: Option<CounterKey>, out: &mut Encoded) -> Result<(), CodecError> {
        out.read_values(out.dimension, self.wire, reader)
    }

    fn is_unbiased(&self) -> bool {
        true
    }

    fn omega(&self, _: usize) -> Option<f64> {
        Some(self.wire.widen(0.0))
    }

    fn common_entries(&self, dimension: usize) -> Option<usize> {
        Some(dimension)
    }

    fn expected_bits(&self, dimension: usize) -> Option<ExpectedBits> {
        Some(ExpectedBits::Always(dimension as u64 * self.wire.bits()))
    }
}

impl CompressorSetting for Identity {
    fn build(&self, wire: WireFloat, _clients: u32) -> Box<dyn Compressor> {
        Box::new(Self { wire })
    }

    fn message_bytes(&self, length: u64) -> u64 {
        8 * length
    }

    fn examples() -> Vec<Self> {
        vec![Self::default()]
    }
}
