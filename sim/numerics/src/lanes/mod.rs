//! `exp`, `expm1`, `log`, normal and gamma draws in lanes, with the very bits of `libm`.
//!
//! They are FreeBSD's algorithms as `libm` has them, branch by branch turned into selections: every operation is an IEEE
//! operation that is rounded by itself (no fused ones), so each lane has the bits of a call of `libm`, whatever the
//! vector width. Lanes that the usual path does not cover (overflow, subnormal numbers, NaN) are computed by `libm`.

mod exp;
mod gamma;
mod log;
mod normal;

pub use exp::{exp, expm1_not_positive};
pub use gamma::gammas;
pub use log::log;
pub use normal::normals;

use pulp::{Arch, Simd, WithSimd, bytemuck};

/// Numbers in the longest vector of any instruction set.
pub const LANES: usize = 8;

/// 1.5 · 2^52: adding it and taking it away rounds to an integer, which the lowest bits of the sum hold meanwhile.
const ROUND: f64 = 6_755_399_441_055_744.0;

/// Every lane by itself, for lanes off the usual path.
#[inline(never)]
fn each<S: Simd>(mut x: S::f64s, f: impl Fn(f64) -> f64) -> S::f64s {
    for lane in lanes_mut::<S>(&mut x) {
        *lane = f(*lane);
    }
    x
}

/// c₀ + z (c₁ + z (c₂ + …)). Loops and no closures: those are compiled without the instruction set.
#[inline(always)]
fn polynomial<S: Simd, const N: usize>(simd: S, z: S::f64s, coefficients: &[f64; N]) -> S::f64s {
    let mut sum = simd.splat_f64s(coefficients[N - 1]);
    for &coefficient in coefficients[..N - 1].iter().rev() {
        sum = simd.add_f64s(simd.splat_f64s(coefficient), simd.mul_f64s(z, sum));
    }
    sum
}

/// The lanes of a vector.
#[inline(always)]
fn lanes_mut<S: Simd>(x: &mut S::f64s) -> &mut [f64] {
    bytemuck::cast_slice_mut(std::slice::from_mut(x))
}

/// `libm::exp` of every number.
pub fn exp_all(x: &mut [f64]) {
    Arch::new().dispatch(Map(x, ExpOp));
}

/// `libm::log` of every number.
pub fn log_all(x: &mut [f64]) {
    Arch::new().dispatch(Map(x, LogOp));
}

/// A function of vectors.
trait Op: Copy {
    fn apply<S: Simd>(self, simd: S, x: S::f64s) -> S::f64s;
}

#[derive(Clone, Copy)]
struct ExpOp;

impl Op for ExpOp {
    #[inline(always)]
    fn apply<S: Simd>(self, simd: S, x: S::f64s) -> S::f64s {
        exp(simd, x)
    }
}

#[derive(Clone, Copy)]
struct LogOp;

impl Op for LogOp {
    #[inline(always)]
    fn apply<S: Simd>(self, simd: S, x: S::f64s) -> S::f64s {
        log(simd, x)
    }
}

struct Map<'a, O>(&'a mut [f64], O);

impl<O: Op> WithSimd for Map<'_, O> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: Simd>(self, simd: S) {
        let Self(x, op) = self;
        let (whole, rest) = S::as_mut_simd_f64s(x);
        for x in whole {
            *x = op.apply(simd, *x);
        }
        if !rest.is_empty() {
            // Ones where there is nothing: a zero would leave the usual path of the logarithm.
            let mut last = simd.splat_f64s(1.0);
            lanes_mut::<S>(&mut last)[..rest.len()].copy_from_slice(rest);
            last = op.apply(simd, last);
            rest.copy_from_slice(&lanes_mut::<S>(&mut last)[..rest.len()]);
        }
    }
}

#[cfg(test)]
mod tests;
