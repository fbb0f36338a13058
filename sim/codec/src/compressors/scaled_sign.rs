//! Scaled sign: C(x) = (‖x‖₁/d) sign x, with sign 0 = 1.
//!
//! NOT unbiased. A contraction: ‖C(x) − x‖² = ‖x‖² − ‖x‖₁²/d, so δ(x) = ‖x‖₁²/(d‖x‖²) ≥ 1/d, attained by one spike;
//! with F32 the scale is rounded to nearest and δ = (1 − 2⁻⁴⁸)/d.
//!
//! Message: the scale and d signs.

use fedbits_random::CounterKey;
use fedbits_spec::Described;
use serde::{Deserialize, Serialize};

use crate::{
    BitReader, BitWriter, CodecError, Compressor, CompressorSetting, Draw, Encoded, ExpectedBits, Norm, WireFloat,
    entropy,
};

/// Signs times the mean magnitude. Biased: δ ≥ 1/q (Karimireddy et al. 2019).
#[derive(Clone, Copy, Debug, Default, Described, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub struct ScaledSign {
    /// How the scale is sent.
    #[serde(skip)]
    pub wire: WireFloat,
}

impl Compressor for ScaledSign {
    fn name(&self) -> String {
        format!("scaled sign F{}", self.wire.bits())
    }

    fn encode(&self, x: &[f64], _: Draw<'_>, out: &mut Encoded) -> Result<(), CodecError> {
        self.validate(x.len())?;
        out.restart(x.len());
        out.norm = self.wire.nearest(Norm::L(1.0).of(x)? / x.len() as f64);
        if !out.norm.is_finite() {
            return Err(CodecError::NormOverflow { bits: self.wire.bits() });
        }
        out.levels.extend(x.iter().map(|&value| if value < 0.0 { -1 } else { 1 }));
        out.bits = self.wire.bits() + x.len() as u64;
        Ok(())
    }

    fn add_decoded(&self, message: &Encoded, scale: f64, accumulator: &mut [f64]) {
        let values = message.levels.iter().map(|&sign| f64::from(sign) * message.norm);
        message.add_values(scale, accumulator, values);
    }

    fn write_bits(&self, message: &Encoded, writer: &mut BitWriter) {
        self.wire.write(message.norm, writer);
        message.levels.iter().for_each(|&sign| writer.write(u64::from(sign < 0), 1));
    }

    fn read(&self, reader: &mut BitReader<'_>, _: Option<CounterKey>, out: &mut Encoded) -> Result<(), CodecError> {
        out.norm = self.wire.read(reader)?;
        reader.refuse(out.norm.is_sign_negative(), "a negative scale")?;
        for _ in 0..out.dimension {
            out.levels.push(if reader.read(1)? == 1 { -1 } else { 1 });
        }
        Ok(())
    }

    fn contraction(&self, dimension: usize) -> Option<f64> {
        let u = self.wire.unit_roundoff();
        Some((1.0 - u * u) / dimension as f64)
    }

    fn expected_bits(&self, dimension: usize) -> Option<ExpectedBits> {
        Some(ExpectedBits::Always(self.wire.bits() + dimension as u64))
    }

    fn entropy_bits(&self, message: &Encoded) -> f64 {
        self.wire.bits() as f64 + entropy::of_levels(&message.levels)
    }
}

impl CompressorSetting for ScaledSign {
    fn build(&self, wire: WireFloat, _clients: u32) -> Box<dyn Compressor> {
        Box::new(Self { wire })
    }

    fn message_bytes(&self, length: u64) -> u64 {
        length.saturating_mul(5)
    }

    fn examples() -> Vec<Self> {
        vec![Self::default()]
    }
}
