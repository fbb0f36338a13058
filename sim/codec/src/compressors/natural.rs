//! Natural compression: every entry goes to one of the two powers of two around it (Horváth et al. 2022).
//!
//! For 2^e ≤ |x_j| < 2^(e+1): Q(x)_j = sign(x_j) 2^(e+1) with probability |x_j| 2^(−e) − 1, otherwise sign(x_j) 2^e.
//! Unbiased; E(Q(x)_j − x_j)² = (|x_j| − 2^e)(2^(e+1) − |x_j|) ≤ x_j²/8, so ω = 1/8, attained where all |x_j| are 4/3
//! of a power of two.
//!
//! Entries below the smallest power on the wire (2⁻¹²⁶ for F32, 2⁻¹⁰²² for F64) go to it or to 0: still unbiased, but ω
//! is not promised there. Entries above the largest (2¹²⁸; 2¹⁰²³) are an error.
//!
//! Message: for every entry a sign bit (0 for zero) and the exponent, 8 bits for F32 and 11 for F64; 0 means zero.

use fedbits_random::CounterKey;
use fedbits_spec::Described;
use serde::{Deserialize, Serialize};

use crate::norm::check_finite;
use crate::{
    BitReader, BitWriter, CodecError, Compressor, CompressorSetting, Draw, Encoded, ExpectedBits, WireFloat, entropy,
};

/// Signs and exponents (Horváth et al. 2022): 9 bits per entry, 12 with `floats: F64`; ω = 1/8.
#[derive(Clone, Copy, Debug, Default, Described, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub struct Natural {
    /// Which float's range of exponents is sent.
    #[serde(skip)]
    pub wire: WireFloat,
}

impl Natural {
    /// Bits of an exponent.
    fn width(self) -> u32 {
        match self.wire {
            WireFloat::F64 => 11,
            WireFloat::F32 => 8,
        }
    }

    /// Exponent that number 0 would stand for: number c ≥ 1 means 2^(c + base).
    fn base(self) -> i32 {
        match self.wire {
            WireFloat::F64 => -1023,
            WireFloat::F32 => -127,
        }
    }

    /// Largest number in use.
    fn most(self) -> i32 {
        match self.wire {
            WireFloat::F64 => 2046,
            WireFloat::F32 => 255,
        }
    }

    /// 2^(number + base), 0 for number 0.
    fn power(self, number: i32) -> f64 {
        if number == 0 { 0.0 } else { f64::from_bits(((number + self.base() + 1023) as u64) << 52) }
    }

    /// Number of the largest power on the wire that is at most `magnitude`.
    fn below(self, magnitude: f64) -> i32 {
        let exponent = (magnitude.to_bits() >> 52) as i32 - 1023;
        (exponent - self.base()).clamp(0, self.most())
    }

    /// The two neighbours of |x| among 0 and the powers, and the probability of the upper; `None` beyond the largest.
    fn neighbours(self, x: f64) -> Option<(i32, f64)> {
        let (magnitude, number) = (x.abs(), self.below(x.abs()));
        let low = self.power(number);
        if number == self.most() {
            return (magnitude == low).then_some((number, 0.0));
        }
        Some((number, (magnitude - low) / (self.power(number + 1) - low)))
    }

    fn value(self, level: i32) -> f64 {
        let power = self.power(level.abs());
        if level < 0 { -power } else { power }
    }

    fn quantize(self, x: &[f64], uniforms: impl Iterator<Item = f64>, levels: &mut Vec<i32>) -> Result<(), CodecError> {
        for ((index, &value), u) in x.iter().enumerate().zip(uniforms) {
            let beyond = CodecError::ValueOverflow { index, bits: self.wire.bits() };
            let (number, up) = self.neighbours(value).ok_or(beyond)?;
            let number = number + i32::from(u < up);
            levels.push(if value < 0.0 { -number } else { number });
        }
        Ok(())
    }
}

impl Compressor for Natural {
    fn name(&self) -> String {
        format!("natural F{}", self.wire.bits())
    }

    fn encode(&self, x: &[f64], draw: Draw<'_>, out: &mut Encoded) -> Result<(), CodecError> {
        self.validate(x.len())?;
        check_finite(x)?;
        out.restart(x.len());
        match draw.given(x.len())? {
            Some(xi) => self.quantize(x, xi.iter().copied(), &mut out.levels)?,
            None => self.quantize(x, draw.uniforms(), &mut out.levels)?,
        }
        out.bits = x.len() as u64 * u64::from(1 + self.width());
        Ok(())
    }

    fn decode(&self, message: &Encoded, out: &mut [f64]) {
        assert_eq!(out.len(), message.dimension, "dimension of the decoded vector");
        out.iter_mut().zip(&message.levels).for_each(|(value, &level)| *value = self.value(level));
    }

    fn add_decoded(&self, message: &Encoded, scale: f64, accumulator: &mut [f64]) {
        assert_eq!(accumulator.len(), message.dimension, "dimension of the accumulator");
        accumulator.iter_mut().zip(&message.levels).for_each(|(sum, &level)| *sum += scale * self.value(level));
    }

    fn write_bits(&self, message: &Encoded, writer: &mut BitWriter) {
        for &level in &message.levels {
            writer.write(u64::from(level < 0), 1);
            writer.write(u64::from(level.unsigned_abs()), self.width());
        }
    }

    fn read(&self, reader: &mut BitReader<'_>, _: Option<CounterKey>, out: &mut Encoded) -> Result<(), CodecError> {
        for _ in 0..out.dimension {
            let negative = reader.read(1)? == 1;
            let number = reader.read(self.width())? as i32;
            if number > self.most() || negative && number == 0 {
                return Err(reader.corrupt("a power of two that is not sent"));
            }
            out.levels.push(if negative { -number } else { number });
        }
        Ok(())
    }

    fn is_unbiased(&self) -> bool {
        true
    }

    fn omega(&self, _: usize) -> Option<f64> {
        Some(0.125)
    }

    fn variance_at(&self, x: &[f64]) -> Option<f64> {
        let mut variance = 0.0;
        for &value in x {
            let (number, up) = self.neighbours(value)?;
            let gap = self.power((number + 1).min(self.most())) - self.power(number);
            variance += up * (1.0 - up) * gap * gap;
        }
        Some(variance).filter(|variance| variance.is_finite())
    }

    fn uniforms(&self, dimension: usize) -> usize {
        dimension
    }

    fn expected_bits(&self, dimension: usize) -> Option<ExpectedBits> {
        Some(ExpectedBits::Always(dimension as u64 * u64::from(1 + self.width())))
    }

    fn entropy_bits(&self, message: &Encoded) -> f64 {
        entropy::of_levels(&message.levels)
    }
}

impl CompressorSetting for Natural {
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
