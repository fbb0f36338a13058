//! Standard normal draws: the values of `Stream::normal`, many at a time.

use super::log::log;
use super::vector::{LANES, each, lanes_mut, polynomial};
use fedbits_random::Stream;
use pulp::{Arch, Simd, WithSimd};
use std::f64::consts::TAU;

/// The first 33 bits of π/2, and the rest.
const HALF_PI: f64 = 1.570_796_326_734_125_6;
const HALF_PI_REST: f64 = 6.077_100_506_506_192e-11;
/// Up to which high word an angle has 0, 1, 2, 3 quarter turns taken off.
const QUARTERS: [u64; 4] = [0x3fe9_21fb, 0x4002_d97c, 0x400f_6a7a, 0x4015_fdbc];
/// High words of multiples of π/2, where `libm` reduces in several rounds.
const CANCELLING: [u64; 4] = [0x3ff9_21fb, 0x4009_21fb, 0x4012_d97c, 0x4019_21fb];
/// Coefficients of z², z³, z⁴ and of z⁵, z⁶, z⁷ of the cosine, z = x².
const COS_LOW: [f64; 3] = [4.166_666_666_666_66e-2, -1.388_888_888_887_411e-3, 2.480_158_728_947_673e-5];
const COS_HIGH: [f64; 3] = [-2.755_731_435_139_066_3e-7, 2.087_572_321_298_175e-9, -1.135_964_755_778_819_5e-11];
/// Those of x³, of x⁵, x⁷, x⁹ and of x¹¹, x¹³ of the sine.
const SIN_FIRST: f64 = -1.666_666_666_666_663_2e-1;
const SIN_LOW: [f64; 3] = [8.333_333_333_322_49e-3, -1.984_126_982_985_795e-4, 2.755_731_370_707_006_8e-6];
const SIN_HIGH: [f64; 2] = [-2.505_076_025_340_686_3e-8, 1.589_690_995_211_55e-10];

/// Fills `out` with what as many calls of `stream.normal()` give.
pub fn normals(stream: &mut Stream, out: &mut [f64]) {
    let level = Arch::new();
    for out in out.chunks_mut(LANES) {
        // Unused lanes get a number of the usual path.
        let (mut radii, mut turns) = ([0.5; LANES], [0.0; LANES]);
        for (radius, turn) in radii.iter_mut().zip(&mut turns).take(out.len()) {
            (*radius, *turn) = (stream.uniform_open(), stream.uniform());
        }
        level.dispatch(BoxMuller { radii: &mut radii, turns: &turns });
        out.copy_from_slice(&radii[..out.len()]);
    }
}

/// √(−2 log u) cos 2πv, in place of u.
struct BoxMuller<'a> {
    radii: &'a mut [f64; LANES],
    turns: &'a [f64; LANES],
}

impl WithSimd for BoxMuller<'_> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: Simd>(self, simd: S) {
        for (radius, &turn) in S::as_mut_simd_f64s(self.radii).0.iter_mut().zip(S::as_simd_f64s(self.turns).0) {
            let size = simd.sqrt_f64s(simd.mul_f64s(simd.splat_f64s(-2.0), log(simd, *radius)));
            *radius = simd.mul_f64s(size, cos(simd, simd.mul_f64s(simd.splat_f64s(TAU), turn)));
        }
    }
}

/// `libm::cos` of angles from 0 to 2π.
#[inline(always)]
pub(super) fn cos<S: Simd>(simd: S, mut x: S::f64s) -> S::f64s {
    let mut is_cancelling = false;
    for x in lanes_mut::<S>(&mut x) {
        for high in CANCELLING {
            is_cancelling |= x.to_bits() >> 32 == high;
        }
    }
    if is_cancelling {
        return each::<S>(x, libm::cos);
    }
    let mut quarters = simd.splat_f64s(0.0);
    for (count, high) in [1.0, 2.0, 3.0, 4.0].into_iter().zip(QUARTERS) {
        let is_less = simd.less_than_f64s(x, simd.splat_f64s(f64::from_bits((high + 1) << 32)));
        quarters = simd.select_f64s(is_less, quarters, simd.splat_f64s(count));
    }
    let z = simd.sub_f64s(x, simd.mul_f64s(quarters, simd.splat_f64s(HALF_PI)));
    let rest = simd.mul_f64s(quarters, simd.splat_f64s(HALF_PI_REST));
    let y = simd.sub_f64s(z, rest);
    let tail = simd.sub_f64s(simd.sub_f64s(z, y), rest);
    let (even, odd) = (cos_near_0(simd, y, tail), sin_near_0(simd, y, tail));
    // cos, −sin, −cos, sin, cos of what is left.
    let values = [even, simd.neg_f64s(odd), simd.neg_f64s(even), odd, even];
    let mut value = values[4];
    for (below, choice) in [3.5, 2.5, 1.5, 0.5].into_iter().zip([values[3], values[2], values[1], values[0]]) {
        value = simd.select_f64s(simd.less_than_f64s(quarters, simd.splat_f64s(below)), choice, value);
    }
    value
}

/// cos(x + y), |x| ≤ π/4, y the end of x.
#[inline(always)]
fn cos_near_0<S: Simd>(simd: S, x: S::f64s, y: S::f64s) -> S::f64s {
    let z = simd.mul_f64s(x, x);
    let w = simd.mul_f64s(z, z);
    let low = simd.mul_f64s(z, polynomial(simd, z, &COS_LOW));
    let high = simd.mul_f64s(simd.mul_f64s(w, w), polynomial(simd, z, &COS_HIGH));
    let r = simd.add_f64s(low, high);
    let half = simd.mul_f64s(simd.splat_f64s(0.5), z);
    let one = simd.splat_f64s(1.0);
    let first = simd.sub_f64s(one, half);
    let correction = simd.sub_f64s(simd.mul_f64s(z, r), simd.mul_f64s(x, y));
    simd.add_f64s(first, simd.add_f64s(simd.sub_f64s(simd.sub_f64s(one, first), half), correction))
}

/// sin(x + y), likewise.
#[inline(always)]
fn sin_near_0<S: Simd>(simd: S, x: S::f64s, y: S::f64s) -> S::f64s {
    let z = simd.mul_f64s(x, x);
    let w = simd.mul_f64s(z, z);
    let high = simd.mul_f64s(simd.mul_f64s(z, w), polynomial(simd, z, &SIN_HIGH));
    let r = simd.add_f64s(polynomial(simd, z, &SIN_LOW), high);
    let v = simd.mul_f64s(z, x);
    let half = simd.mul_f64s(simd.splat_f64s(0.5), y);
    let inner = simd.sub_f64s(simd.mul_f64s(z, simd.sub_f64s(half, simd.mul_f64s(v, r))), y);
    simd.sub_f64s(x, simd.sub_f64s(inner, simd.mul_f64s(v, simd.splat_f64s(SIN_FIRST))))
}
