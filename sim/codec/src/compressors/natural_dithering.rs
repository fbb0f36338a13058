//! Natural dithering: dithering whose levels are 0 and s powers of two (Horváth et al. 2022).
//!
//! With N ≥ ‖x‖_r the norm of the wire, |x_j|/N goes to one of its two neighbours among 0, 2^(1−s), …, 1/2, 1, without
//! bias. Entries above 2^(1−s) N lose at most x_j²/8, the others at most |x_j| 2^(1−s) N and 4^(−s) N². With r' =
//! min(r, 2): ω = 1/8 + t min(1, t), t = d^(1/r') 2^(1−s). Not attained in general.
//!
//! The norm is rounded up as in dithering; vectors whose smallest level would be denormal get a larger norm, and no ω.
//!
//! Message: N; nothing else if N = 0, otherwise levels 0…s with signs in any [`LevelCode`]; level l ≥ 1 means 2^(l−s)
//! N.

use fedbits_random::CounterKey;
use fedbits_spec::Described;
use fedbits_spec::range::whole;
use serde::{Deserialize, Serialize};

use super::natural::PowersOfTwo;
use crate::level_codes as codes;
use crate::setting::build_over_wire;
use crate::{
    BitReader, BitWriter, CodecError, Compressor, CompressorSetting, Draw, Encoded, LevelCode, Norm, WireFloat, entropy,
};

/// Largest number of levels: below 2⁻⁵⁹ N nothing matters in double precision.
const MAX_LEVELS: u32 = 60;

/// Dithering on powers of two (Horváth et al. 2022): ω = 1/8 + t min(1, t), t = 2^(1 − s) q^max(1/2, 1/r).
#[derive(Clone, Copy, Debug, Described, Deserialize, PartialEq, Serialize)]
#[serde(deny_unknown_fields)]
pub struct NaturalDithering {
    /// s, levels above zero.
    #[serde(rename = "levels")]
    #[range(whole(1, 60))]
    pub s: u32,
    /// Norm r.
    #[serde(rename = "norm", default)]
    pub r: Norm,
    /// Code of levels.
    #[serde(default)]
    pub code: LevelCode,
    /// How the norm is sent.
    #[serde(skip)]
    pub wire: WireFloat,
}

impl NaturalDithering {
    /// The norm as the wire carries it; 0 only for the zero vector.
    fn wire_norm(&self, x: &[f64]) -> Result<f64, CodecError> {
        let exact = self.r.of(x)?;
        if exact == 0.0 {
            return Ok(0.0);
        }
        let norm = self.wire.at_least(exact.max(self.smallest_norm()));
        if norm.is_finite() { Ok(norm) } else { Err(CodecError::NormOverflow { bits: self.wire.bits() }) }
    }

    fn smallest_norm(&self) -> f64 {
        f64::MIN_POSITIVE / self.shares().power(1)
    }

    /// Level l ≥ 1 is 2^(l − s) of the norm.
    fn shares(&self) -> PowersOfTwo {
        PowersOfTwo { base: -(self.s as i32), most: self.s as i32 }
    }
}

impl Compressor for NaturalDithering {
    fn name(&self) -> String {
        let Self { s, r, code, wire } = self;
        format!("natural dithering s={s} r={r} ({code}) F{}", wire.bits())
    }

    fn encode(&self, x: &[f64], draw: Draw<'_>, out: &mut Encoded) -> Result<(), CodecError> {
        self.validate(x.len())?;
        out.restart(x.len());
        out.norm = self.wire_norm(x)?;
        out.bits = self.wire.bits();
        let given = draw.given(x.len())?;
        if out.norm == 0.0 {
            out.levels.resize(x.len(), 0);
            return Ok(());
        }
        let (shares, all, levels) = (self.shares(), x.iter().map(|x| x / out.norm), &mut out.levels);
        let rounded = match given {
            Some(xi) => shares.round(all, xi.iter().copied(), levels),
            None => shares.round(all, draw.uniforms(), levels),
        };
        rounded.expect("no entry is above the norm");
        out.bits += codes::count(self.code, self.s, &out.levels);
        Ok(())
    }

    fn add_decoded(&self, message: &Encoded, scale: f64, accumulator: &mut [f64]) {
        let (shares, norm) = (self.shares(), message.norm);
        message.add_values(scale, accumulator, message.levels.iter().map(|&level| norm * shares.value(level)));
    }

    fn write_bits(&self, message: &Encoded, writer: &mut BitWriter) {
        self.wire.write(message.norm, writer);
        if message.norm > 0.0 {
            codes::write(self.code, self.s, &message.levels, writer);
        }
    }

    fn read(&self, reader: &mut BitReader<'_>, _: Option<CounterKey>, out: &mut Encoded) -> Result<(), CodecError> {
        out.levels.resize(out.dimension, 0);
        out.norm = self.wire.read(reader)?;
        if out.norm.to_bits() != 0 {
            reader.refuse(out.norm < self.smallest_norm(), "a norm that is negative or too small")?;
            codes::read(self.code, self.s, reader, &mut out.levels)?;
        }
        Ok(())
    }

    fn is_unbiased(&self) -> bool {
        true
    }

    fn omega(&self, dimension: usize) -> Option<f64> {
        let raised = match self.wire {
            WireFloat::F64 => 1.0,
            WireFloat::F32 => 1.0 + f64::from(f32::EPSILON),
        };
        let t = raised * libm::pow(dimension as f64, self.r.reciprocal().max(0.5)) * self.shares().power(1);
        Some(0.125 + t * t.min(1.0))
    }

    fn variance_at(&self, x: &[f64]) -> Option<f64> {
        let norm = self.wire_norm(x).ok()?;
        if norm == 0.0 {
            return Some(0.0);
        }
        let variance = crate::lanes::sum(x, |value| {
            let (_, gap, up) = self.shares().neighbours(value / norm).unwrap_or_default();
            let gap = gap * norm;
            up * (1.0 - up) * (gap * gap)
        });
        variance.is_finite().then_some(variance)
    }

    fn uniforms(&self, dimension: usize) -> usize {
        dimension
    }

    fn indices_free_bits(&self, message: &Encoded) -> u64 {
        self.wire.bits() + codes::count_without_indices(self.s, &message.levels)
    }

    fn entropy_bits(&self, message: &Encoded) -> f64 {
        self.wire.bits() as f64 + entropy::of_levels(&message.levels)
    }

    fn ends_itself(&self) -> bool {
        self.code.ends_itself()
    }

    fn validate(&self, dimension: usize) -> Result<(), CodecError> {
        codes::check(self.s, MAX_LEVELS, self.r, dimension)
    }
}

impl CompressorSetting for NaturalDithering {
    build_over_wire!();

    fn message_bytes(&self, length: u64) -> u64 {
        length.saturating_mul(5)
    }

    fn examples() -> Vec<Self> {
        let of = |s, r, code| Self { s, r, code, wire: WireFloat::F64 };
        let all = LevelCode::ALL.map(|code| of(3, Norm::L(2.0), code));
        let more = [of(1, Norm::L(1.0), LevelCode::Mask), of(8, Norm::Infinity, LevelCode::Fixed)];
        all.into_iter().chain(more).collect()
    }
}
