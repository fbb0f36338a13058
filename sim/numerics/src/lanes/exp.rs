//! e^x and e^x − 1.
//!
//! x = k ln 2 + r with |r| ≤ ½ ln 2; a rational function of r; 2^k put into the exponent bits.

use super::vector::{ROUND, each, lanes_mut, polynomial};
use pulp::Simd;

/// The first 32 bits of ln 2, and the rest.
const LN2_HIGH: f64 = 6.931_471_803_691_238e-1;
const LN2_LOW: f64 = 1.908_214_929_270_587_7e-10;
/// Polynomial of x (e^x + 1)/(e^x − 1).
const P: [f64; 5] = [
    1.666_666_666_666_660_2e-1,
    -2.777_777_777_701_559_3e-3,
    6.613_756_321_437_934e-5,
    -1.653_390_220_546_525_2e-6,
    4.138_136_797_057_238_5e-8,
];
/// Polynomial of e^x − 1 (FreeBSD's Q).
const Q: [f64; 5] = [
    -3.333_333_333_333_313e-2,
    1.587_301_587_254_814_6e-3,
    -7.936_507_578_674_88e-5,
    4.008_217_827_329_362e-6,
    -2.010_992_181_836_243_7e-7,
];
/// Numbers as the high words of `libm` cut them: |x| below the first is its own remainder.
const HALF_LN2: f64 = f64::from_bits(0x3fd6_2e43 << 32);
/// e^x is 1 + x below this.
const TINY: f64 = f64::from_bits(0x3e30_0001 << 32);
/// Beyond this e^x may be subnormal or infinite.
const USUAL: f64 = 708.0;
/// e^x − 1 is x below this, and −1 for −x from 56 ln 2 on.
const TINY_M1: f64 = f64::from_bits(0x3c90_0000 << 32);
const HUGE_M1: f64 = f64::from_bits(0x4043_687a << 32);

/// k, r as hi − lo, and hi and lo.
struct Reduced<S: Simd> {
    k: S::f64s,
    hi: S::f64s,
    lo: S::f64s,
}

/// k is x/ln 2 rounded to the nearest integer as `libm` does it: ½ away from zero, then the fraction cut; 0 for small
/// x.
#[inline(always)]
fn reduce<S: Simd>(simd: S, x: S::f64s) -> Reduced<S> {
    let (zero, round) = (simd.splat_f64s(0.0), simd.splat_f64s(ROUND));
    let scaled = simd.mul_f64s(simd.splat_f64s(std::f64::consts::LOG2_E), x);
    let is_negative = simd.less_than_f64s(x, zero);
    let half = simd.select_f64s(is_negative, simd.splat_f64s(-0.5), simd.splat_f64s(0.5));
    let one = simd.select_f64s(is_negative, simd.splat_f64s(-1.0), simd.splat_f64s(1.0));
    let moved = simd.add_f64s(scaled, half);
    let nearest = simd.sub_f64s(simd.add_f64s(moved, round), round);
    let beyond = simd.less_than_f64s(simd.abs_f64s(moved), simd.abs_f64s(nearest));
    let cut = simd.select_f64s(beyond, simd.sub_f64s(nearest, one), nearest);
    let is_small = simd.less_than_f64s(simd.abs_f64s(x), simd.splat_f64s(HALF_LN2));
    let k = simd.select_f64s(is_small, zero, cut);
    let hi = simd.sub_f64s(x, simd.mul_f64s(k, simd.splat_f64s(LN2_HIGH)));
    Reduced { k, hi, lo: simd.mul_f64s(k, simd.splat_f64s(LN2_LOW)) }
}

/// 2^k for integers −1022 ≤ k ≤ 1023.
#[inline(always)]
fn power_of_two<S: Simd>(simd: S, k: S::f64s) -> S::f64s {
    let mut power = simd.add_f64s(k, simd.splat_f64s(ROUND + 1023.0));
    for lane in lanes_mut::<S>(&mut power) {
        *lane = f64::from_bits(lane.to_bits() << 52);
    }
    power
}

/// `libm::exp` in every lane.
#[inline(always)]
pub fn exp<S: Simd>(simd: S, x: S::f64s) -> S::f64s {
    let size = simd.abs_f64s(x);
    let usual = simd.less_than_or_equal_f64s(size, simd.splat_f64s(USUAL));
    if simd.first_true_m64s(simd.not_m64s(usual)) < S::F64_LANES {
        return each::<S>(x, libm::exp);
    }
    let (one, two) = (simd.splat_f64s(1.0), simd.splat_f64s(2.0));
    let Reduced { k, hi, lo } = reduce(simd, x);
    let r = simd.sub_f64s(hi, lo);
    let square = simd.mul_f64s(r, r);
    let c = simd.sub_f64s(r, simd.mul_f64s(square, polynomial(simd, square, &P)));
    let quotient = simd.div_f64s(simd.mul_f64s(r, c), simd.sub_f64s(two, c));
    let y = simd.add_f64s(one, simd.add_f64s(simd.sub_f64s(quotient, lo), hi));
    let value = simd.mul_f64s(y, power_of_two(simd, k));
    simd.select_f64s(simd.less_than_f64s(size, simd.splat_f64s(TINY)), simd.add_f64s(one, x), value)
}

/// `libm::expm1` in every lane, none of them positive (NaN stays NaN).
#[inline(always)]
pub fn expm1_not_positive<S: Simd>(simd: S, x: S::f64s) -> S::f64s {
    let (zero, one, half) = (simd.splat_f64s(0.0), simd.splat_f64s(1.0), simd.splat_f64s(0.5));
    let Reduced { k, hi, lo } = reduce(simd, x);
    let r = simd.sub_f64s(hi, lo);
    let c = simd.sub_f64s(simd.sub_f64s(hi, r), lo);
    let half_r = simd.mul_f64s(half, r);
    let z = simd.mul_f64s(r, half_r);
    let r1 = simd.add_f64s(one, simd.mul_f64s(z, polynomial(simd, z, &Q)));
    let t = simd.sub_f64s(simd.splat_f64s(3.0), simd.mul_f64s(r1, half_r));
    let quotient = simd.div_f64s(simd.sub_f64s(r1, t), simd.sub_f64s(simd.splat_f64s(6.0), simd.mul_f64s(r, t)));
    let e = simd.mul_f64s(z, quotient);
    let small = simd.sub_f64s(r, simd.sub_f64s(simd.mul_f64s(r, e), z));
    let e = simd.sub_f64s(simd.sub_f64s(simd.mul_f64s(r, simd.sub_f64s(e, c)), c), z);
    let rest = simd.sub_f64s(r, e);
    let halved = simd.sub_f64s(simd.mul_f64s(half, rest), half);
    let scaled = simd.sub_f64s(simd.mul_f64s(simd.add_f64s(rest, one), power_of_two(simd, k)), one);
    let value = simd.select_f64s(simd.less_than_f64s(k, simd.splat_f64s(-1.5)), scaled, halved);
    let value = simd.select_f64s(simd.less_than_f64s(simd.splat_f64s(-0.5), k), small, value);
    let size = simd.abs_f64s(x);
    let value = simd.select_f64s(simd.less_than_f64s(size, simd.splat_f64s(TINY_M1)), x, value);
    let value = simd.select_f64s(simd.less_than_f64s(size, simd.splat_f64s(HUGE_M1)), value, simd.splat_f64s(-1.0));
    simd.select_f64s(simd.less_than_or_equal_f64s(x, zero), value, x)
}
