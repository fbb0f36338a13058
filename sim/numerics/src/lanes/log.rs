//! log x: x = 2^k (1 + f) with √½ ≤ 1 + f < √2, and a polynomial of s = f/(2 + f).

use super::vector::{each, lanes_mut, polynomial};
use pulp::Simd;

const LN2_HIGH: f64 = 6.931_471_803_691_238e-1;
const LN2_LOW: f64 = 1.908_214_929_270_587_7e-10;
/// Coefficients of w⁰, w¹, … of the even and of the odd part, w = s⁴.
const ODD: [f64; 3] = [3.999_999_999_940_942e-1, 2.222_219_843_214_978_4e-1, 1.531_383_769_920_937_3e-1];
const EVEN: [f64; 4] =
    [6.666_666_666_666_735e-1, 2.857_142_874_366_239e-1, 1.818_357_216_161_805e-1, 1.479_819_860_511_658_6e-1];
/// The high word of √½, rounded as `libm` has it.
const ROOT_HALF: u64 = 0x3fe6_a09e << 32;
const ONE: u64 = 0x3ff0_0000 << 32;
const FRACTION: u64 = 0x000f_ffff_ffff_ffff;
/// 2^52, whose lowest bits hold an integer that is put there.
const INTEGER: f64 = 4_503_599_627_370_496.0;

/// `libm::log` in every lane.
#[inline(always)]
pub fn log<S: Simd>(simd: S, x: S::f64s) -> S::f64s {
    let at_least = simd.less_than_or_equal_f64s(simd.splat_f64s(f64::MIN_POSITIVE), x);
    let usual = simd.and_m64s(at_least, simd.less_than_or_equal_f64s(x, simd.splat_f64s(f64::MAX)));
    if simd.first_true_m64s(simd.not_m64s(usual)) < S::F64_LANES {
        return each::<S>(x, libm::log);
    }
    let (mut fraction, mut exponent) = (x, x);
    for (fraction, exponent) in lanes_mut::<S>(&mut fraction).iter_mut().zip(lanes_mut::<S>(&mut exponent)) {
        let bits = fraction.to_bits() + (ONE - ROOT_HALF);
        *exponent = f64::from_bits(INTEGER.to_bits() | bits >> 52);
        *fraction = f64::from_bits((bits & FRACTION) + ROOT_HALF);
    }
    let k = simd.sub_f64s(exponent, simd.splat_f64s(INTEGER + 1023.0));
    let f = simd.sub_f64s(fraction, simd.splat_f64s(1.0));
    let half_square = simd.mul_f64s(simd.mul_f64s(simd.splat_f64s(0.5), f), f);
    let s = simd.div_f64s(f, simd.add_f64s(simd.splat_f64s(2.0), f));
    let z = simd.mul_f64s(s, s);
    let w = simd.mul_f64s(z, z);
    let odd = simd.mul_f64s(w, polynomial(simd, w, &ODD));
    let even = simd.mul_f64s(z, polynomial(simd, w, &EVEN));
    let r = simd.add_f64s(even, odd);
    let product = simd.mul_f64s(s, simd.add_f64s(half_square, r));
    let sum = simd.sub_f64s(simd.add_f64s(product, simd.mul_f64s(k, simd.splat_f64s(LN2_LOW))), half_square);
    simd.add_f64s(simd.add_f64s(sum, f), simd.mul_f64s(k, simd.splat_f64s(LN2_HIGH)))
}
