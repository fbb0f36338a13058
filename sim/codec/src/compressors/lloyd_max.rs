//! Lloyd–Max: every entry at the nearest of the 2^b levels that fit normal entries best (Max 1960; Lloyd 1982).
//!
//! C(x)_j = s c(z_j), z = √d x / ‖x‖, c the nearest level, s = ⟨x, c⟩ / ‖c‖², the scale of least error.
//! NOT unbiased. A contraction: ‖C(x) − x‖² = ‖x‖² − ⟨x, c⟩²/‖c‖², with levels of the signs of x from c₁ to c_m in
//! magnitude: δ(x) ≥ (c₁/c_m)²/d, and near 0.637, 0.883, 0.965, 0.991 for normal entries and 1 to 4 bits, which a
//! rotation makes ([`super::Rotated`]). One bit is the scaled sign. With F32 the scale is rounded to nearest.
//!
//! Message: the scale and b bits an entry.

use std::sync::LazyLock;

use fedbits_random::CounterKey;
use fedbits_spec::Described;
use fedbits_spec::range::whole;
use serde::{Deserialize, Serialize};

use crate::error::{check_dimension, parameter};
use crate::norm::check_finite;
use crate::setting::build_over_wire;
use crate::{
    BitReader, BitWriter, CodecError, Compressor, CompressorSetting, Draw, Encoded, ExpectedBits, WireFloat, entropy,
    lanes,
};

/// Bits an entry, at most.
const MOST_BITS: u32 = 4;

/// A scale, and per coordinate the nearest of 2^`bits` levels fitted to a normal distribution (Max 1960). Biased: for
/// normal entries δ ≈ 0.64, 0.88, 0.97, 0.99 with 1 to 4 bits.
#[derive(Clone, Copy, Debug, Described, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub struct LloydMax {
    /// Bits per coordinate.
    #[range(whole(1, MOST_BITS as u64))]
    pub bits: u32,
    /// How the scale is sent.
    #[serde(skip)]
    pub wire: WireFloat,
}

/// The positive levels for 1 to [`MOST_BITS`] bits, increasing.
static LEVELS: LazyLock<Vec<Vec<f64>>> =
    LazyLock::new(|| (1..=MOST_BITS).map(|bits| levels(1 << (bits - 1))).collect());

/// φ(x), the normal density, and P(Z > x).
fn normal(x: f64) -> (f64, f64) {
    let density = libm::exp(-0.5 * x * x) / (2.0 * std::f64::consts::PI).sqrt();
    (density, 0.5 * libm::erfc(x * std::f64::consts::FRAC_1_SQRT_2))
}

/// The fixed point of Lloyd's iteration with `count` positive levels: each is the mean of what is nearest to it.
fn levels(count: usize) -> Vec<f64> {
    // The iteration converges linearly; this many steps suffice for 8 levels.
    const STEPS: usize = 5_000;
    let mut levels: Vec<f64> = (0..count).map(|i| (i as f64 + 0.5) * 2.5 / count as f64).collect();
    for _ in 0..STEPS {
        let middle = |i: usize| 0.5 * (levels[i - 1] + levels[i]);
        let at: Vec<(f64, f64)> = (0..=count)
            .map(|i| {
                if i == 0 {
                    normal(0.0)
                } else if i == count {
                    (0.0, 0.0)
                } else {
                    normal(middle(i))
                }
            })
            .collect();
        levels = at.windows(2).map(|ends| (ends[0].0 - ends[1].0) / (ends[0].1 - ends[1].1)).collect();
    }
    levels
}

impl LloydMax {
    fn levels(&self) -> &'static [f64] {
        &LEVELS[self.bits as usize - 1]
    }

    fn length(&self, dimension: usize) -> u64 {
        self.wire.bits() + u64::from(self.bits) * dimension as u64
    }
}

impl Compressor for LloydMax {
    fn name(&self) -> String {
        format!("Lloyd-Max {} bits F{}", self.bits, self.wire.bits())
    }

    fn encode(&self, x: &[f64], _: Draw<'_>, out: &mut Encoded) -> Result<(), CodecError> {
        self.validate(x.len())?;
        check_finite(x)?;
        out.restart(x.len());
        // Squares of shares of the largest entry neither overflow nor vanish.
        let largest = lanes::largest(x);
        let unit = if largest > 0.0 { largest } else { 1.0 };
        let deviation = (lanes::sum(x, |v| (v / unit) * (v / unit)) / x.len() as f64).sqrt();
        let (levels, mut along, mut square) = (self.levels(), 0.0, 0.0);
        for &entry in x {
            let z = if largest > 0.0 { (entry / unit).abs() / deviation } else { 0.0 };
            let nearest = levels.windows(2).take_while(|pair| z > 0.5 * (pair[0] + pair[1])).count();
            along += (entry / unit).abs() * levels[nearest];
            square += levels[nearest] * levels[nearest];
            let level = nearest as i8 + 1;
            out.small_levels.push(if entry < 0.0 { -level } else { level });
        }
        out.norm = self.wire.nearest(unit * (along / square));
        if !(out.norm * levels[levels.len() - 1]).is_finite() {
            return Err(CodecError::NormOverflow { bits: self.wire.bits() });
        }
        out.bits = self.length(x.len());
        Ok(())
    }

    fn add_decoded(&self, message: &Encoded, scale: f64, accumulator: &mut [f64]) {
        let (levels, norm) = (self.levels(), message.norm);
        let values = message.small_levels.iter().map(|&level| {
            let magnitude = levels[level.unsigned_abs() as usize - 1] * norm;
            if level > 0 { magnitude } else { -magnitude }
        });
        message.add_values(scale, accumulator, values);
    }

    fn write_bits(&self, message: &Encoded, writer: &mut BitWriter) {
        self.wire.write(message.norm, writer);
        for &level in &message.small_levels {
            writer.write(u64::from(level < 0), 1);
            writer.write(u64::from(level.unsigned_abs() - 1), self.bits - 1);
        }
    }

    fn read(&self, reader: &mut BitReader<'_>, _: Option<CounterKey>, out: &mut Encoded) -> Result<(), CodecError> {
        out.norm = self.wire.read(reader)?;
        let levels = self.levels();
        let is_wrong = out.norm.is_sign_negative() || !(out.norm * levels[levels.len() - 1]).is_finite();
        reader.refuse(is_wrong, "a negative scale, or one that is too large")?;
        for _ in 0..out.dimension {
            let is_negative = reader.read(1)? == 1;
            let level = reader.read(self.bits - 1)? as i8 + 1;
            out.small_levels.push(if is_negative { -level } else { level });
        }
        Ok(())
    }

    fn contraction(&self, dimension: usize) -> Option<f64> {
        self.validate(dimension).ok()?;
        let (levels, u) = (self.levels(), self.wire.unit_roundoff());
        let ratio = levels[0] / levels[levels.len() - 1];
        Some((1.0 - u * u) * ratio * ratio / dimension as f64)
    }

    fn expected_bits(&self, dimension: usize) -> Option<ExpectedBits> {
        self.validate(dimension).ok()?;
        Some(ExpectedBits::Always(self.length(dimension)))
    }

    fn entropy_bits(&self, message: &Encoded) -> f64 {
        self.wire.bits() as f64 + entropy::of_levels(&message.small_levels)
    }

    fn validate(&self, dimension: usize) -> Result<(), CodecError> {
        check_dimension(dimension)?;
        match (1..=MOST_BITS).contains(&self.bits) {
            true => Ok(()),
            false => Err(parameter("bits", self.bits, format!("1 to {MOST_BITS} bits"))),
        }
    }
}

impl CompressorSetting for LloydMax {
    build_over_wire!();

    fn message_bytes(&self, length: u64) -> u64 {
        length.saturating_mul(2)
    }

    fn examples() -> Vec<Self> {
        (1..=MOST_BITS).map(|bits| Self { bits, wire: WireFloat::F64 }).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// J. Max, *Quantizing for minimum distortion*, IRE Trans. Inf. Theory 6 (1960), table I.
    #[test]
    fn levels_are_those_of_max() {
        let table: [&[f64]; 4] = [
            &[0.7980],
            &[0.4528, 1.510],
            &[0.2451, 0.7560, 1.344, 2.152],
            &[0.1284, 0.3881, 0.6568, 0.9424, 1.256, 1.618, 2.069, 2.733],
        ];
        for (levels, expected) in LEVELS.iter().zip(table) {
            assert_eq!(levels.len(), expected.len());
            for (level, expected) in levels.iter().zip(expected) {
                assert!((level - expected).abs() < 6e-4 * expected.max(1.0), "{level} is not {expected}");
            }
        }
    }
}
