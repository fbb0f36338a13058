//! Statistics as one small product: sums[g] += Σ_j r_gj φ_j with φ = (1, y, second moments), j in order.
//!
//! Lanes run over the entries of φ, so each entry is one chain over the observations and no sum depends on the vector
//! width or on the size of a block. It must not know how r was found.

use super::layout::Form;
use super::{BLOCK, LANES};
use pulp::Simd;
use std::ops::Range;

/// Numbers from one φ to the next: its entries, rounded up to whole vectors.
pub(super) const fn stride(entries: usize) -> usize {
    entries.div_ceil(LANES) * LANES
}

/// Completes φ = (1, y, …) with its second moments.
///
/// Whole vectors are stored: what a row of vech writes too much, the next row overwrites, or the next φ, which is
/// therefore filled later, or it is padding. `phi` ends with [`LANES`] spare numbers.
#[inline(always)]
pub(super) fn second_moments<S: Simd>(simd: S, form: Form, d: usize, phi: &mut [f64]) {
    match form {
        Form::Known | Form::Tied => {}
        Form::Diagonal => squares(simd, phi, d),
        Form::Full => {
            let mut at = 1 + d;
            for group in 0..d.div_ceil(S::F64_LANES) {
                let rows = group * S::F64_LANES..d.min((group + 1) * S::F64_LANES);
                at = match group {
                    0 => products::<S, 1>(simd, phi, rows, at),
                    1 => products::<S, 2>(simd, phi, rows, at),
                    2 => products::<S, 3>(simd, phi, rows, at),
                    _ => long_products(simd, phi, rows, at),
                };
            }
        }
    }
}

#[inline(always)]
fn squares<S: Simd>(simd: S, phi: &mut [f64], d: usize) {
    for v in 0..d.div_ceil(S::F64_LANES) {
        let y = load::<S>(phi, 1 + v * S::F64_LANES);
        store::<S>(phi, 1 + d + v * S::F64_LANES, simd.mul_f64s(y, y));
    }
}

/// Stores the rows y_a (y_0 … y_a) of vech that fit `K` vectors, from φ[at] on; returns where the next row begins.
#[inline(always)]
fn products<S: Simd, const K: usize>(simd: S, phi: &mut [f64], rows: Range<usize>, mut at: usize) -> usize {
    let y: [S::f64s; K] = std::array::from_fn(|v| load::<S>(phi, 1 + v * S::F64_LANES));
    for a in rows {
        let factor = simd.splat_f64s(phi[1 + a]);
        for (v, &y) in y.iter().enumerate() {
            store::<S>(phi, at + v * S::F64_LANES, simd.mul_f64s(factor, y));
        }
        at += a + 1;
    }
    at
}

/// The same for rows of any length.
#[inline(always)]
fn long_products<S: Simd>(simd: S, phi: &mut [f64], rows: Range<usize>, mut at: usize) -> usize {
    for a in rows {
        let factor = simd.splat_f64s(phi[1 + a]);
        for v in 0..=a / S::F64_LANES {
            let y = load::<S>(phi, 1 + v * S::F64_LANES);
            store::<S>(phi, at + v * S::F64_LANES, simd.mul_f64s(factor, y));
        }
        at += a + 1;
    }
    at
}

#[inline(always)]
fn load<S: Simd>(numbers: &[f64], at: usize) -> S::f64s {
    S::as_simd_f64s(&numbers[at..at + S::F64_LANES]).0[0]
}

#[inline(always)]
fn store<S: Simd>(numbers: &mut [f64], at: usize, value: S::f64s) {
    S::as_mut_simd_f64s(&mut numbers[at..at + S::F64_LANES]).0[0] = value;
}

/// Adds r φᵀ of `count` observations, the `first` of the block and the following: `r` has G rows of [`BLOCK`] lanes, `sums` G rows of `stride` numbers.
#[inline(always)]
pub(super) fn accumulate<S: Simd>(
    simd: S,
    mut r: &[[f64; BLOCK]],
    first: usize,
    phi: &[f64],
    stride: usize,
    mut sums: &mut [f64],
    count: usize,
) {
    let phi = &phi[..count * stride];
    while !r.is_empty() {
        let components = r.len().min(5);
        let (now, rest) = r.split_at(components);
        let (target, others) = sums.split_at_mut(components * stride);
        match components {
            1 => band::<S, 1>(simd, now, first, phi, stride, target),
            2 => band::<S, 2>(simd, now, first, phi, stride, target),
            3 => band::<S, 3>(simd, now, first, phi, stride, target),
            4 => band::<S, 4>(simd, now, first, phi, stride, target),
            _ => band::<S, 5>(simd, now, first, phi, stride, target),
        }
        (r, sums) = (rest, others);
    }
}

/// The same for `C` components, in tiles as wide as the registers allow.
#[inline(always)]
fn band<S: Simd, const C: usize>(
    simd: S,
    r: &[[f64; BLOCK]],
    start: usize,
    phi: &[f64],
    stride: usize,
    sums: &mut [f64],
) {
    let vectors = stride / S::F64_LANES;
    let widest = if S::REGISTER_COUNT >= 32 { 4 } else { 2 };
    let r: [&[f64]; C] = std::array::from_fn(|g| &r[g][start..]);
    let mut first = 0;
    while first < vectors {
        let width = (vectors - first).min(widest);
        match width {
            1 => tile::<S, C, 1>(simd, r, phi, stride, first, sums),
            2 => tile::<S, C, 2>(simd, r, phi, stride, first, sums),
            3 => tile::<S, C, 3>(simd, r, phi, stride, first, sums),
            _ => tile::<S, C, 4>(simd, r, phi, stride, first, sums),
        }
        first += width;
    }
}

#[inline(always)]
fn tile<S: Simd, const C: usize, const V: usize>(
    simd: S,
    r: [&[f64]; C],
    phi: &[f64],
    stride: usize,
    first: usize,
    sums: &mut [f64],
) {
    let row = |g: usize| g * stride + first * S::F64_LANES..g * stride + (first + V) * S::F64_LANES;
    let mut sum = [[simd.splat_f64s(0.0); V]; C];
    for (g, sum) in sum.iter_mut().enumerate() {
        let stored = S::as_simd_f64s(&sums[row(g)]).0;
        for v in 0..V {
            sum[v] = stored[v];
        }
    }
    for (j, phi) in phi.chunks_exact(stride).enumerate() {
        let phi = S::as_simd_f64s(&phi[row(0)]).0;
        for g in 0..C {
            let weight = simd.splat_f64s(r[g][j]);
            for v in 0..V {
                sum[g][v] = simd.mul_add_f64s(weight, phi[v], sum[g][v]);
            }
        }
    }
    for (g, sum) in sum.iter().enumerate() {
        let stored = S::as_mut_simd_f64s(&mut sums[row(g)]).0;
        for v in 0..V {
            stored[v] = sum[v];
        }
    }
}
