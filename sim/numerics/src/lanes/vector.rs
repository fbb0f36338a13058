//! What the functions share.

use pulp::{Simd, bytemuck};

/// Numbers in the longest vector of any instruction set.
pub const LANES: usize = 8;

/// 1.5 · 2^52: adding it and taking it away rounds to an integer, which the lowest bits of the sum hold meanwhile.
pub(super) const ROUND: f64 = 6_755_399_441_055_744.0;

/// Every lane by itself, for lanes off the usual path.
#[inline(never)]
pub(super) fn each<S: Simd>(mut x: S::f64s, f: impl Fn(f64) -> f64) -> S::f64s {
    for lane in lanes_mut::<S>(&mut x) {
        *lane = f(*lane);
    }
    x
}

/// c₀ + z (c₁ + z (c₂ + …)). Loops and no closures: those are compiled without the instruction set.
#[inline(always)]
pub(super) fn polynomial<S: Simd, const N: usize>(simd: S, z: S::f64s, coefficients: &[f64; N]) -> S::f64s {
    let mut sum = simd.splat_f64s(coefficients[N - 1]);
    for &coefficient in coefficients[..N - 1].iter().rev() {
        sum = simd.add_f64s(simd.splat_f64s(coefficient), simd.mul_f64s(z, sum));
    }
    sum
}

/// Entry `k` of as many rows as a vector has lanes. The lanes are set in registers: a load right after short stores
/// would have to wait for them.
#[inline(always)]
pub fn gather<S: Simd>(simd: S, rows: &[impl AsRef<[f64]>], k: usize) -> S::f64s {
    let mut vector = simd.splat_f64s(0.0);
    for (lane, row) in lanes_mut::<S>(&mut vector).iter_mut().zip(rows) {
        *lane = row.as_ref()[k];
    }
    vector
}

/// The sum of the lanes, by halves.
#[inline(always)]
pub fn sum_by_halves([a, b, c, d, e, f, g, h]: [f64; LANES]) -> f64 {
    ((a + e) + (c + g)) + ((b + f) + (d + h))
}

/// The lanes of a vector.
#[inline(always)]
pub(super) fn lanes_mut<S: Simd>(x: &mut S::f64s) -> &mut [f64] {
    bytemuck::cast_slice_mut(std::slice::from_mut(x))
}
