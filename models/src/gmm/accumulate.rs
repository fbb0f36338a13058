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

/// Fills φ = (1, y, second moments) of the observation `y`.
///
/// Whole vectors are stored: what one writes too much, the next overwrites, or the next φ, which is therefore filled
/// later, or it is padding. `phi` ends with [`LANES`] spare numbers.
#[inline(always)]
pub(super) fn features<S: Simd>(simd: S, form: Form, y: &[f64], phi: &mut [f64]) {
    phi[0] = 1.0;
    let (d, vectors) = (y.len(), y.len().div_ceil(S::F64_LANES));
    for v in 0..vectors {
        store::<S>(phi, 1 + v * S::F64_LANES, load(simd, y, v));
    }
    match form {
        Form::Known | Form::Tied => {}
        Form::Diagonal => {
            for v in 0..vectors {
                let y = load(simd, y, v);
                store::<S>(phi, 1 + d + v * S::F64_LANES, simd.mul_f64s(y, y));
            }
        }
        Form::Full => {
            let mut at = 1 + d;
            for group in 0..vectors {
                let rows = group * S::F64_LANES..d.min((group + 1) * S::F64_LANES);
                at = match group {
                    0 => products::<S, 1>(simd, y, phi, rows, at),
                    1 => products::<S, 2>(simd, y, phi, rows, at),
                    2 => products::<S, 3>(simd, y, phi, rows, at),
                    _ => long_products(simd, y, phi, rows, at),
                };
            }
        }
    }
}

/// Stores the rows y_a (y_0 … y_a) of vech that fit `K` vectors, from φ[at] on; returns where the next row begins.
#[inline(always)]
fn products<S: Simd, const K: usize>(simd: S, y: &[f64], phi: &mut [f64], rows: Range<usize>, mut at: usize) -> usize {
    let vectors: [S::f64s; K] = std::array::from_fn(|v| load(simd, y, v));
    for a in rows {
        let factor = simd.splat_f64s(y[a]);
        for (v, &vector) in vectors.iter().enumerate() {
            store::<S>(phi, at + v * S::F64_LANES, simd.mul_f64s(factor, vector));
        }
        at += a + 1;
    }
    at
}

/// The same for rows of any length.
#[inline(always)]
fn long_products<S: Simd>(simd: S, y: &[f64], phi: &mut [f64], rows: Range<usize>, mut at: usize) -> usize {
    for a in rows {
        let factor = simd.splat_f64s(y[a]);
        for v in 0..=a / S::F64_LANES {
            store::<S>(phi, at + v * S::F64_LANES, simd.mul_f64s(factor, load(simd, y, v)));
        }
        at += a + 1;
    }
    at
}

/// Vector `v` of an observation; the last one may be short.
#[inline(always)]
fn load<S: Simd>(simd: S, y: &[f64], v: usize) -> S::f64s {
    let rest = &y[v * S::F64_LANES..];
    match S::as_simd_f64s(rest).0.first() {
        Some(&vector) => vector,
        None => simd.partial_load_f64s(rest),
    }
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
        for (sum, stored) in sum.iter_mut().zip(stored) {
            *sum = *stored;
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
        for (stored, sum) in stored.iter_mut().zip(sum) {
            *stored = *sum;
        }
    }
}
