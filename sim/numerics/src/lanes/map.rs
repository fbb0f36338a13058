//! A function of every number of a slice.

use super::exp::exp;
use super::log::log;
use super::vector::lanes_mut;
use pulp::{Arch, Simd, WithSimd};

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
#[path = "map_tests.rs"]
mod tests;
