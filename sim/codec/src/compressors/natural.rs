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

/// 0 and powers of two: number c ≥ 1 is 2^(c + base), up to c = most.
#[derive(Clone, Copy, Debug)]
pub(super) struct PowersOfTwo {
    pub(super) base: i32,
    pub(super) most: i32,
}

impl PowersOfTwo {
    /// The power of a number.
    pub(super) fn power(self, number: i32) -> f64 {
        if number == 0 { 0.0 } else { f64::from_bits(((number + self.base + 1023) as u64) << 52) }
    }

    /// That of its magnitude, with its sign.
    pub(super) fn value(self, level: i32) -> f64 {
        let power = self.power(level.abs());
        if level < 0 { -power } else { power }
    }

    /// The lower neighbour of |x|, how far the upper one is from it, and the probability of the upper; `None` beyond
    /// the largest.
    pub(super) fn neighbours(self, x: f64) -> Option<(i32, f64, f64)> {
        let exponent = (x.abs().to_bits() >> 52) as i32 - 1023;
        let number = (exponent - self.base).clamp(0, self.most);
        let low = self.power(number);
        if number == self.most {
            return (x.abs() == low).then_some((number, 0.0, 0.0));
        }
        let gap = self.power(number + 1) - low;
        Some((number, gap, (x.abs() - low) / gap))
    }

    /// Every number at one of its neighbours, without bias. The error is the index of one beyond the largest power.
    pub(super) fn round(
        self,
        x: impl Iterator<Item = f64>,
        uniforms: impl Iterator<Item = f64>,
        levels: &mut Vec<i32>,
    ) -> Result<(), usize> {
        for ((index, x), u) in x.enumerate().zip(uniforms) {
            let (number, _, up) = self.neighbours(x).ok_or(index)?;
            let number = number + i32::from(u < up);
            levels.push(if x < 0.0 { -number } else { number });
        }
        Ok(())
    }
}

impl Natural {
    /// Bits of an exponent.
    fn width(self) -> u32 {
        match self.wire {
            WireFloat::F64 => 11,
            WireFloat::F32 => 8,
        }
    }

    fn powers(self) -> PowersOfTwo {
        match self.wire {
            WireFloat::F64 => PowersOfTwo { base: -1023, most: 2046 },
            WireFloat::F32 => PowersOfTwo { base: -127, most: 255 },
        }
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
        let (powers, all, levels) = (self.powers(), x.iter().copied(), &mut out.levels);
        let rounded = match draw.given(x.len())? {
            Some(xi) => powers.round(all, xi.iter().copied(), levels),
            None => powers.round(all, draw.uniforms(), levels),
        };
        rounded.map_err(|index| CodecError::ValueOverflow { index, bits: self.wire.bits() })?;
        out.bits = x.len() as u64 * u64::from(1 + self.width());
        Ok(())
    }

    fn add_decoded(&self, message: &Encoded, scale: f64, accumulator: &mut [f64]) {
        let powers = self.powers();
        message.add_values(scale, accumulator, message.levels.iter().map(|&level| powers.value(level)));
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
            reader.refuse(number > self.powers().most || negative && number == 0, "a power of two that is not sent")?;
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
        let of_entry = |&x: &f64| self.powers().neighbours(x).map(|(_, gap, up)| up * (1.0 - up) * gap * gap);
        x.iter().map(of_entry).sum::<Option<f64>>().filter(|variance| variance.is_finite())
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
