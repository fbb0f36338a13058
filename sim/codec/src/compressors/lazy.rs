//! Lazy transmission: the whole vector with probability p, scaled by 1/p, otherwise nothing.
//!
//! Q(x) = x/p with probability p, else 0. Unbiased; E‖Q(x) − x‖² = (1/p − 1)‖x‖² for *every* x: ω = 1/p − 1. With F32,
//! x is first rounded to nearest.
//!
//! Message: d floats, or nothing at all: the framing shows which.

use fedbits_random::CounterKey;
use fedbits_spec::Described;
use fedbits_spec::range::PROBABILITY;
use serde::{Deserialize, Serialize};

use crate::compressor::variance;
use crate::error::{check_dimension, check_overflow, check_probability};
use crate::norm::check_finite;
use crate::setting::build_over_wire;
use crate::{BitReader, BitWriter, CodecError, Compressor, CompressorSetting, Draw, Encoded, ExpectedBits, WireFloat};

/// The whole vector with a probability, divided by it, else nothing: ω = 1/probability − 1 (Burlachenko et al. 2021).
#[derive(Clone, Copy, Debug, Described, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub struct Lazy {
    /// Probability of sending.
    #[serde(rename = "probability")]
    #[range(PROBABILITY)]
    pub p: f64,
    /// How values are sent.
    #[serde(skip)]
    pub wire: WireFloat,
}

impl Lazy {
    /// Entry j of the decoded vector.
    fn value(&self, message: &Encoded, j: usize) -> f64 {
        message.values.get(j).map_or(0.0, |value| value * (1.0 / self.p))
    }
}

impl Compressor for Lazy {
    fn name(&self) -> String {
        format!("lazy p={} F{}", self.p, self.wire.bits())
    }

    fn encode(&self, x: &[f64], draw: Draw<'_>, out: &mut Encoded) -> Result<(), CodecError> {
        self.validate(x.len())?;
        out.restart(x.len());
        check_finite(x)?;
        if draw.one()? < self.p {
            out.values.extend(x.iter().map(|&value| self.wire.nearest(value)));
        }
        out.bits = out.values.len() as u64 * self.wire.bits();
        let large = (0..out.values.len()).find(|&j| !self.value(out, j).is_finite());
        check_overflow(large, self.wire.bits())
    }

    fn add_decoded(&self, message: &Encoded, scale: f64, accumulator: &mut [f64]) {
        message.add_values(scale, accumulator, (0..message.dimension).map(|j| self.value(message, j)));
    }

    fn write_bits(&self, message: &Encoded, writer: &mut BitWriter) {
        message.write_values(self.wire, writer);
    }

    fn read(&self, reader: &mut BitReader<'_>, _: Option<CounterKey>, out: &mut Encoded) -> Result<(), CodecError> {
        while reader.remaining() > 0 && out.values.len() < out.dimension {
            out.values.push(self.wire.read(reader)?);
            let is_wrong = !self.value(out, out.values.len() - 1).is_finite();
            reader.refuse(is_wrong, "a value whose scaled value is not finite")?;
        }
        reader.refuse(!out.values.is_empty() && out.values.len() < out.dimension, "a vector that is not whole")?;
        Ok(())
    }

    fn is_unbiased(&self) -> bool {
        true
    }

    fn omega(&self, dimension: usize) -> Option<f64> {
        self.validate(dimension).ok()?;
        Some(self.wire.widen(1.0 / self.p - 1.0))
    }

    fn variance_at(&self, x: &[f64]) -> Option<f64> {
        self.validate(x.len()).ok()?;
        variance(x, self.wire, 1.0 / self.p - 1.0)
    }

    fn uniforms(&self, _: usize) -> usize {
        1
    }

    fn expected_bits(&self, dimension: usize) -> Option<ExpectedBits> {
        self.validate(dimension).ok()?;
        Some(ExpectedBits::OnAverage(self.p * dimension as f64 * self.wire.bits() as f64))
    }

    fn ends_itself(&self) -> bool {
        false
    }

    fn validate(&self, dimension: usize) -> Result<(), CodecError> {
        check_dimension(dimension)?;
        check_probability(self.p)
    }
}

impl CompressorSetting for Lazy {
    build_over_wire!();

    fn message_bytes(&self, length: u64) -> u64 {
        8 * length
    }

    fn examples() -> Vec<Self> {
        [0.25, 1.0].map(|p| Self { p, wire: WireFloat::F64 }).to_vec()
    }
}
