//! Random dithering with s levels in the r-norm (QSGD for r = 2, TernGrad for s = 1 and r = ∞).
//!
//! Q(x)_j = (N/s) sign(x_j) ⌊s|x_j|/N + ξ_j⌋ with N ≥ ‖x‖_r the norm that the wire carries and ξ_j uniform on [0, 1).
//!
//! Unbiased, with E‖Q(x) − x‖² = (N/s)² Σ p_j (1 − p_j), p_j = frac(s|x_j|/N). Written u_j = s|x_j|/N, two bounds
//! follow from p(1 − p) ≤ u and p(1 − p) ≤ 1/4: ω = min(A/s, B/(4s²)) with A = sup ‖x‖_r‖x‖₁/‖x‖² = d^max(1/2, 1/r),
//! for r = ∞ (1 + √d)/2, and B = d sup ‖x‖_r²/‖x‖² = d^(1 + 2(1/r − 1/2)₊). For s = 1, p = u and the first becomes A −
//! 1, which is attained for r ≤ 2 (equal entries) and r = ∞; the others are not attained in general.
//!
//! The receiver uses the norm of the wire, so the sender quantizes with it. It is rounded *up*: u_j ≤ s holds and
//! nothing is clipped, the operator stays exactly unbiased, and with F32 its variance grows by a factor below (1 +
//! 2⁻²³)², included in ω. Norms whose steps N/s would be denormal are raised to s · 2.2e-308 (F32: to 1.4e-45): still
//! unbiased, but ω is not promised there, nor for F32 norms below 1.2e-38. The sums s|x_j|/N + ξ_j are rounded: a bias
//! of at most 2⁻⁵² N in an entry.
//!
//! Message: N (F bits); nothing else if N = 0 (the zero vector), otherwise the levels in one of three codes
//! ([`LevelCode`]).

use std::marker::PhantomData;

use fedbits_random::CounterKey;
use fedbits_spec::Described;
use fedbits_spec::range::whole;
use pulp::NullaryFnOnce;
use serde::{Deserialize, Serialize};

use crate::compressor::simulated;
use crate::encoded::KeptLevel;
use crate::level::Level;
use crate::level_codes as codes;
use crate::setting::build_over_wire;
use crate::{
    BitReader, BitWriter, CodecError, Compressor, CompressorSetting, Draw, Encoded, ExpectedBits, LevelCode, Norm,
    WireFloat, entropy, lanes,
};

/// Largest number of levels: signed levels are 32-bit numbers.
const MAX_LEVELS: u32 = 1 << 30;

/// Random dithering of |x_j| / ‖x‖_r on s levels (Alistarh et al. 2017 for r = 2, Horváth et al. 2022). ω = min(A/s,
/// B/(4 s²)), for s = 1 A − 1. A = q^max(1/2, 1/r), for `Infinity` (1 + √q)/2; B = q^max(1, 2/r).
#[derive(Clone, Copy, Debug, Described, Deserialize, PartialEq, Serialize)]
#[serde(deny_unknown_fields)]
pub struct Dithering {
    /// s, levels above zero.
    #[serde(rename = "levels")]
    #[range(whole(1, 65_535))]
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

impl Dithering {
    /// The norm as the wire carries it; 0 only for the zero vector.
    #[inline(always)]
    fn wire_norm(&self, x: &[f64]) -> Result<f64, CodecError> {
        let exact = self.r.of(x)?;
        if exact == 0.0 {
            return Ok(0.0);
        }
        let norm = self.wire.at_least(exact.max(self.smallest_norm()));
        if (self.step(norm) * f64::from(self.s)).is_finite() {
            return Ok(norm);
        }
        Err(CodecError::NormOverflow { bits: self.wire.bits() })
    }

    /// Below this the step would be denormal.
    #[inline(always)]
    fn smallest_norm(&self) -> f64 {
        f64::from(self.s) * f64::MIN_POSITIVE
    }

    /// Distance of neighbouring levels.
    #[inline(always)]
    fn step(&self, norm: f64) -> f64 {
        norm / f64::from(self.s)
    }

    /// Do all levels fit in a byte?
    #[inline(always)]
    fn is_small(&self) -> bool {
        self.s <= i8::MOST
    }

    fn quantize<L: KeptLevel>(&self, x: &[f64], draw: Draw<'_>, out: &mut Encoded) -> Result<(), CodecError> {
        let (operator, levels) = (self, PhantomData::<L>);
        match draw {
            Draw::Keyed(key) => {
                lanes::dispatch(x.len(), Quantize { operator, x, uniforms: key.uniforms(), out: &mut *out, levels })?;
            }
            Draw::Given(_) => {
                let uniforms = draw.given(x.len())?.unwrap_or_default().iter().copied();
                lanes::dispatch(x.len(), Quantize { operator, x, uniforms, out: &mut *out, levels })?;
            }
        }
        out.bits = self.wire.bits();
        if out.norm > 0.0 {
            out.bits += codes::count(self.code, self.s, L::of(out));
        }
        Ok(())
    }

    fn add_levels<L: KeptLevel>(&self, message: &Encoded, scale: f64, accumulator: &mut [f64]) {
        let step = self.step(message.norm);
        lanes::dispatch(message.dimension, AddLevels { levels: L::of(message), step, scale, accumulator });
    }

    fn read_levels<L: KeptLevel>(&self, reader: &mut BitReader<'_>, out: &mut Encoded) -> Result<(), CodecError> {
        let dimension = out.dimension;
        L::of_mut(out).resize(dimension, L::new(0));
        out.norm = self.wire.read(reader)?;
        if out.norm.to_bits() != 0 {
            let steps_are_finite = (self.step(out.norm) * f64::from(self.s)).is_finite();
            let is_wrong = out.norm < self.smallest_norm() || !steps_are_finite;
            reader.refuse(is_wrong, "a norm that is negative, too small or too large")?;
            codes::read(self.code, self.s, reader, L::of_mut(out))?;
        }
        Ok(())
    }
}

/// Norm and levels (as `L`) of one message, for a given source of uniforms.
struct Quantize<'a, L, U> {
    operator: &'a Dithering,
    x: &'a [f64],
    uniforms: U,
    out: &'a mut Encoded,
    levels: PhantomData<L>,
}

impl<L: KeptLevel, U: Iterator<Item = f64>> NullaryFnOnce for Quantize<'_, L, U> {
    type Output = Result<(), CodecError>;

    #[inline(always)]
    fn call(self) -> Self::Output {
        let Self { operator, x, uniforms, out, levels: _ } = self;
        let s = f64::from(operator.s);
        out.restart_levels::<L>(x.len());
        out.norm = operator.wire_norm(x)?;
        let (norm, levels) = (out.norm, L::of_mut(out));
        if norm > 0.0 {
            let (per_unit, highest) = (s / norm, s + 0.5);
            for ((level, &value), xi) in levels.iter_mut().zip(x).zip(uniforms) {
                *level = L::new(quantize(value, per_unit, xi, highest));
            }
        } else {
            levels.fill(L::new(0));
        }
        Ok(())
    }
}

/// ⌊u + ξ⌋ with the sign of x for u = s|x|/N, at most s whatever is rounded in between; without branches.
#[inline(always)]
fn quantize(x: f64, per_unit: f64, xi: f64, highest: f64) -> i32 {
    let sum = x.abs() * per_unit + xi;
    let sum = if sum < highest { sum } else { highest };
    // Above 2⁵² the last binary digit of a float is its unit.
    let nearest = sum + INTEGERS;
    let floor = if nearest - INTEGERS > sum { nearest - 1.0 } else { nearest };
    let level = floor.to_bits() as i64;
    (if x < 0.0 { -level } else { level }) as i32
}

/// 2⁵²: from here to 2⁵³ all floats are whole numbers.
const INTEGERS: f64 = 4_503_599_627_370_496.0;

/// `accumulator += scale · step · level`.
struct AddLevels<'a, L> {
    levels: &'a [L],
    step: f64,
    scale: f64,
    accumulator: &'a mut [f64],
}

impl<L: KeptLevel> NullaryFnOnce for AddLevels<'_, L> {
    type Output = ();

    #[inline(always)]
    fn call(self) {
        for (sum, &level) in self.accumulator.iter_mut().zip(self.levels) {
            *sum += self.scale * (f64::from(level.get()) * self.step);
        }
    }
}

impl Compressor for Dithering {
    fn name(&self) -> String {
        let Self { s, r, code, wire } = self;
        format!("dithering s={s} r={r} ({code}) F{}", wire.bits())
    }

    fn encode(&self, x: &[f64], draw: Draw<'_>, out: &mut Encoded) -> Result<(), CodecError> {
        self.validate(x.len())?;
        if self.is_small() { self.quantize::<i8>(x, draw, out) } else { self.quantize::<i32>(x, draw, out) }
    }

    fn add_decoded(&self, message: &Encoded, scale: f64, accumulator: &mut [f64]) {
        assert_eq!(accumulator.len(), message.dimension, "dimension of the accumulator");
        if self.is_small() {
            self.add_levels::<i8>(message, scale, accumulator);
        } else {
            self.add_levels::<i32>(message, scale, accumulator);
        }
    }

    fn write_bits(&self, message: &Encoded, writer: &mut BitWriter) {
        self.wire.write(message.norm, writer);
        if message.norm > 0.0 && self.is_small() {
            codes::write(self.code, self.s, &message.small_levels, writer);
        } else if message.norm > 0.0 {
            codes::write(self.code, self.s, &message.levels, writer);
        }
    }

    fn read(&self, reader: &mut BitReader<'_>, _: Option<CounterKey>, out: &mut Encoded) -> Result<(), CodecError> {
        if self.is_small() { self.read_levels::<i8>(reader, out) } else { self.read_levels::<i32>(reader, out) }
    }

    fn is_unbiased(&self) -> bool {
        true
    }

    fn omega(&self, dimension: usize) -> Option<f64> {
        let (d, s, e) = (dimension as f64, f64::from(self.s), self.r.reciprocal());
        let raised = match self.wire {
            WireFloat::F64 => 1.0,
            WireFloat::F32 => 1.0 + f64::from(f32::EPSILON),
        };
        let a = raised * if self.r == Norm::Infinity { 0.5 * (1.0 + d.sqrt()) } else { libm::pow(d, e.max(0.5)) };
        let b = raised * raised * libm::pow(d, 1.0 + (2.0 * e - 1.0).max(0.0));
        let few_levels = if self.s == 1 { a - 1.0 } else { a / s };
        Some(few_levels.min(b / (4.0 * s * s)))
    }

    fn variance_at(&self, x: &[f64]) -> Option<f64> {
        let (norm, s) = (self.wire_norm(x).ok()?, f64::from(self.s));
        if norm == 0.0 {
            return Some(0.0);
        }
        let (per_unit, step) = (s / norm, self.step(norm));
        let variance = lanes::sum(x, |value| {
            let u = value.abs() * per_unit;
            let p = u - libm::floor(u);
            p * (1.0 - p)
        }) * step
            * step;
        variance.is_finite().then_some(variance)
    }

    fn uniforms(&self, dimension: usize) -> usize {
        dimension
    }

    fn expected_bits(&self, dimension: usize) -> Option<ExpectedBits> {
        self.validate(dimension).ok()?;
        if !matches!(self.code, LevelCode::Fixed | LevelCode::Packed) {
            return Some(simulated(self, dimension));
        }
        let levels = codes::count(self.code, self.s, &vec![0i32; dimension]);
        Some(ExpectedBits::Always(self.wire.bits() + levels))
    }

    fn indices_free_bits(&self, message: &Encoded) -> u64 {
        let levels = match self.is_small() {
            true => codes::count_without_indices(self.s, &message.small_levels),
            false => codes::count_without_indices(self.s, &message.levels),
        };
        self.wire.bits() + levels
    }

    fn entropy_bits(&self, message: &Encoded) -> f64 {
        let levels = match self.is_small() {
            true => entropy::of_levels(&message.small_levels),
            false => entropy::of_levels(&message.levels),
        };
        self.wire.bits() as f64 + levels
    }

    fn ends_itself(&self) -> bool {
        self.code.ends_itself()
    }

    fn validate(&self, dimension: usize) -> Result<(), CodecError> {
        codes::check(self.s, MAX_LEVELS, self.r, dimension)
    }
}

impl CompressorSetting for Dithering {
    build_over_wire!();

    fn message_bytes(&self, length: u64) -> u64 {
        length.saturating_mul(5)
    }

    fn examples() -> Vec<Self> {
        let of = |(s, r), code| Self { s, r, code, wire: WireFloat::F64 };
        let (two, codes) = (Norm::L(2.0), [LevelCode::Fixed, LevelCode::EliasSparse, LevelCode::EliasDense]);
        let norms = [
            (4, two),
            (255, two),
            (1, Norm::L(1.0)),
            (2, Norm::L(3.5)),
            (1, Norm::Infinity),
            (1 << 20, Norm::Infinity),
        ];
        let all = codes.iter().flat_map(|&code| norms.map(|norm| of(norm, code)));
        all.chain(LevelCode::ALL.map(|code| of((3, two), code))).collect()
    }
}

impl Dithering {
    /// QSGD (Alistarh et al. 2017): the 2-norm with s levels. ω = min(d/(4s²), √d/s), for s = 1 √d − 1.
    pub fn qsgd(s: u32, code: LevelCode, wire: WireFloat) -> Self {
        Self { s, r: Norm::L(2.0), code, wire }
    }

    /// TernGrad (Wen et al. 2017) without clipping: entries −1, 0, 1 times the largest magnitude, log₂ 3 bits each.
    /// ω = (√d − 1)/2.
    pub fn tern_grad(wire: WireFloat) -> Self {
        Self { s: 1, r: Norm::Infinity, code: LevelCode::Packed, wire }
    }
}

/// QSGD, dithering in the 2-norm (Alistarh et al. 2017): ω = min(√q/s, q/(4 s²)), for s = 1 √q − 1. `code: Fixed` takes
/// 4 bits per entry with `levels: 7`, 8 with `levels: 127`.
#[derive(Clone, Copy, Debug, Described, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub struct Qsgd {
    /// s, levels above zero.
    #[range(whole(1, 65_535))]
    pub levels: u32,
    /// Code of levels.
    #[serde(default)]
    pub code: LevelCode,
}

impl CompressorSetting for Qsgd {
    fn build(&self, wire: WireFloat, _clients: u32) -> Box<dyn Compressor> {
        Box::new(Dithering::qsgd(self.levels, self.code, wire))
    }

    fn message_bytes(&self, length: u64) -> u64 {
        length.saturating_mul(5)
    }

    fn examples() -> Vec<Self> {
        LevelCode::ALL.map(|code| Self { levels: 3, code }).to_vec()
    }
}

/// Without clipping (Wen et al. 2017): signs of some entries times the largest magnitude, log₂ 3 bits per entry; ω =
/// (√q − 1)/2.
#[derive(Clone, Copy, Debug, Described, Deserialize, Serialize)]
pub struct TernGrad;

impl CompressorSetting for TernGrad {
    fn build(&self, wire: WireFloat, _clients: u32) -> Box<dyn Compressor> {
        Box::new(Dithering::tern_grad(wire))
    }

    fn message_bytes(&self, length: u64) -> u64 {
        length.saturating_mul(5)
    }

    fn examples() -> Vec<Self> {
        vec![Self]
    }
}

#[cfg(test)]
mod tests;
