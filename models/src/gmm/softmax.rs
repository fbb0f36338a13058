//! Posterior weights from logits, observations in lanes: r_g = exp(l_g − m) / Σ_h exp(l_h − m), m = max_h l_h.
//!
//! Sums run over components in order.
//!
//! exp(x) for x ≤ 0 in one fixed sequence of fused operations per lane, hence the same bits with any vector width.
//!
//! x = n ln 2 + r with |r| ≤ ½ ln 2 (Cody and Waite), exp(r) by its Taylor polynomial of degree 13 (remainder 4e-18),
//! 2ⁿ put into the exponent bits. The relative error is below 3e-16.

use fedbits_numerics::lanes::mul_add;
use pulp::{Arch, Simd, WithSimd, bytemuck};

/// Observations per block.
pub(super) const BLOCK: usize = 32;

/// Replaces logits by posterior weights in the first `count` lanes of every row (others of their vectors may change as
/// well), and leaves m and Σ exp(l − m) in `maximum` and `total`: log p(y) = m + log total.
pub(super) fn softmax(
    level: Arch,
    logits: &mut [[f64; BLOCK]],
    maximum: &mut [f64; BLOCK],
    total: &mut [f64; BLOCK],
    count: usize,
) {
    level.dispatch(Softmax { logits: logits.as_flattened_mut(), maximum, total, count });
}

struct Softmax<'a> {
    logits: &'a mut [f64],
    maximum: &'a mut [f64; BLOCK],
    total: &'a mut [f64; BLOCK],
    count: usize,
}

impl WithSimd for Softmax<'_> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: Simd>(self, simd: S) {
        let vectors = self.count.div_ceil(S::F64_LANES);
        let logits = S::as_mut_simd_f64s(self.logits).0;
        let maximum = &mut S::as_mut_simd_f64s(self.maximum).0[..vectors];
        let total = &mut S::as_mut_simd_f64s(self.total).0[..vectors];
        let width = BLOCK / S::F64_LANES;
        for (v, (maximum, total)) in maximum.iter_mut().zip(total).enumerate() {
            let mut m = logits[v];
            for row in logits.chunks_exact(width) {
                m = simd.select_f64s(simd.less_than_f64s(m, row[v]), row[v], m);
            }
            let mut sum = simd.splat_f64s(0.0);
            for row in logits.chunks_exact_mut(width) {
                row[v] = exp(simd, simd.sub_f64s(row[v], m));
                sum = simd.add_f64s(sum, row[v]);
            }
            let inverse = simd.div_f64s(simd.splat_f64s(1.0), sum);
            for row in logits.chunks_exact_mut(width) {
                row[v] = simd.mul_f64s(row[v], inverse);
            }
            (*maximum, *total) = (m, sum);
        }
    }
}

/// Below this the result is 0 and not a subnormal number: exp(−708) = 3.3e-308.
const UNDERFLOW: f64 = -708.0;
/// 1.5 · 2^52 + 1023: adding it rounds to an integer n and leaves n + 1023, the biased exponent, in the lowest bits.
const ROUND: f64 = 6_755_399_441_056_767.0;
/// The upper 32 bits of ln 2, so that n · LN2_HIGH is exact, and the rest.
const LN2_HIGH: f64 = 6.931_471_803_691_238e-1;
const LN2_LOW: f64 = 1.908_214_929_270_587_7e-10;
/// 1/13!, 1/12!, …, 1/1!, 1/0!
const TAYLOR: [f64; 14] = [
    1.0 / 6_227_020_800.0,
    1.0 / 479_001_600.0,
    1.0 / 39_916_800.0,
    1.0 / 3_628_800.0,
    1.0 / 362_880.0,
    1.0 / 40_320.0,
    1.0 / 5_040.0,
    1.0 / 720.0,
    1.0 / 120.0,
    1.0 / 24.0,
    1.0 / 6.0,
    0.5,
    1.0,
    1.0,
];

/// exp of every lane; lanes must not be positive nor NaN.
#[inline(always)]
pub(super) fn exp<S: Simd>(simd: S, x: S::f64s) -> S::f64s {
    let underflow = simd.less_than_f64s(x, simd.splat_f64s(UNDERFLOW));
    let round = simd.splat_f64s(ROUND);
    let biased = mul_add(simd, x, simd.splat_f64s(std::f64::consts::LOG2_E), round);
    let n = simd.sub_f64s(biased, round);
    let high = mul_add(simd, n, simd.splat_f64s(-LN2_HIGH), x);
    let r = mul_add(simd, n, simd.splat_f64s(-LN2_LOW), high);
    let mut polynomial = simd.splat_f64s(TAYLOR[0]);
    for coefficient in &TAYLOR[1..] {
        polynomial = mul_add(simd, polynomial, r, simd.splat_f64s(*coefficient));
    }
    let value = simd.mul_f64s(polynomial, power_of_two(simd, biased));
    simd.select_f64s(underflow, simd.splat_f64s(0.0), value)
}

/// Moves the biased exponent from the lowest bits of every lane to where it belongs.
#[inline(always)]
fn power_of_two<S: Simd>(_simd: S, biased: S::f64s) -> S::f64s {
    let mut power = biased;
    for lane in bytemuck::cast_slice_mut::<S::f64s, f64>(std::slice::from_mut(&mut power)) {
        *lane = f64::from_bits(lane.to_bits() << 52);
    }
    power
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::gmm::kernel::tests::levels;
    use proptest::prelude::*;

    struct ExpAll<'a>(&'a mut [f64]);

    impl WithSimd for ExpAll<'_> {
        type Output = ();

        #[inline(always)]
        fn with_simd<S: Simd>(self, simd: S) {
            let (lanes, tail) = S::as_mut_simd_f64s(self.0);
            assert!(tail.is_empty());
            for lane in lanes {
                *lane = exp(simd, *lane);
            }
        }
    }

    /// |exp − e^x| ≤ 3e-16 e^x against libm, e^x < 3.4e-308 becomes 0, and every level gives the same bits.
    fn check(x: f64) {
        for level in levels() {
            let mut values = [x; 8];
            level.dispatch(ExpAll(&mut values));
            let expected = if x < UNDERFLOW { 0.0 } else { libm::exp(x) };
            for value in values {
                assert!((value - expected).abs() <= 3e-16 * expected, "{level:?}: exp({x}) = {value}, not {expected}");
            }
            let mut scalar = [x];
            pulp::Arch::Scalar.dispatch(ExpAll(&mut scalar));
            assert_eq!(values.map(f64::to_bits), [scalar[0].to_bits(); 8], "{level:?} at {x}");
        }
    }

    #[test]
    fn special_arguments() {
        for x in [0.0, -0.0, -1e-300, -1e-17, -1.0, -UNDERFLOW.abs(), -708.000_001, -745.2, -1e4, -1e18, -f64::MAX] {
            check(x);
        }
    }

    #[test]
    fn a_fine_grid() {
        for step in 0..=71_000 {
            check(-0.01 * f64::from(step));
        }
    }

    proptest! {
        #[test]
        fn agrees_with_libm(x in -709.0..0.0f64, small in -1.0..0.0f64) {
            check(x);
            check(small);
        }
    }
}
