//! Statistics as one small product: sums[g] += Σ_j r_gj φ_j with φ = (1, y, second moments), j in order.
//!
//! Lanes run over the entries of φ, so each entry is one chain over the observations and no sum depends on the vector
//! width or on the size of a block. It must not know how r was found.

use super::layout::Form;
use super::{BLOCK, LANES};
use pulp::Simd;

/// Numbers from one φ to the next: its entries, rounded up to whole vectors.
pub(super) const fn stride(entries: usize) -> usize {
    entries.div_ceil(LANES) * LANES
}

/// Completes φ_j = (1, y_j, …) of the first `count` observations with their second moments.
///
/// Whole vectors are stored: what a row of vech writes too much, the next row or the next φ overwrites, or it is
/// padding. `phi` therefore ends with [`LANES`] spare numbers.
#[inline(always)]
pub(super) fn second_moments<S: Simd>(simd: S, form: Form, d: usize, stride: usize, phi: &mut [f64], count: usize) {
    for j in 0..count {
        let phi = &mut phi[j * stride..];
        match form {
            Form::Known | Form::Tied => {}
            Form::Diagonal => products::<S>(simd, phi, d, 1 + d, None),
            Form::Full => {
                let mut at = 1 + d;
                for a in 0..d {
                    products::<S>(simd, phi, a + 1, at, Some(a));
                    at += a + 1;
                }
            }
        }
    }
}

/// Stores y_b · y_a (or y_b² without `a`) for b < `length` from φ[at] on.
#[inline(always)]
fn products<S: Simd>(simd: S, phi: &mut [f64], length: usize, at: usize, a: Option<usize>) {
    for b in (0..length).step_by(S::F64_LANES) {
        let y = S::as_simd_f64s(&phi[1 + b..][..S::F64_LANES]).0[0];
        let factor = a.map_or(y, |a| simd.splat_f64s(phi[1 + a]));
        S::as_mut_simd_f64s(&mut phi[at + b..][..S::F64_LANES]).0[0] = simd.mul_f64s(factor, y);
    }
}

/// Adds r φᵀ of the first `count` observations: `r` has G rows of [`BLOCK`] lanes, `sums` G rows of `stride` numbers.
#[inline(always)]
pub(super) fn accumulate<S: Simd>(
    simd: S,
    mut r: &[[f64; BLOCK]],
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
            1 => band::<S, 1>(simd, now, phi, stride, target),
            2 => band::<S, 2>(simd, now, phi, stride, target),
            3 => band::<S, 3>(simd, now, phi, stride, target),
            4 => band::<S, 4>(simd, now, phi, stride, target),
            _ => band::<S, 5>(simd, now, phi, stride, target),
        }
        (r, sums) = (rest, others);
    }
}

/// The same for `C` components, in tiles as wide as the registers allow.
#[inline(always)]
fn band<S: Simd, const C: usize>(simd: S, r: &[[f64; BLOCK]], phi: &[f64], stride: usize, sums: &mut [f64]) {
    let vectors = stride / S::F64_LANES;
    let widest = if S::REGISTER_COUNT >= 32 { 4 } else { 2 };
    let r: [&[f64; BLOCK]; C] = std::array::from_fn(|g| &r[g]);
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
    r: [&[f64; BLOCK]; C],
    phi: &[f64],
    stride: usize,
    first: usize,
    sums: &mut [f64],
) {
    let row = |g: usize| g * stride + first * S::F64_LANES..g * stride + (first + V) * S::F64_LANES;
    let mut sum = [[simd.splat_f64s(0.0); V]; C];
    for (g, sum) in sum.iter_mut().enumerate() {
        sum.copy_from_slice(S::as_simd_f64s(&sums[row(g)]).0);
    }
    for (j, phi) in phi.chunks_exact(stride).enumerate() {
        let phi = S::as_simd_f64s(&phi[row(0)]).0;
        for g in 0..C {
            let weight = simd.splat_f64s(r[g][j % BLOCK]);
            for v in 0..V {
                sum[g][v] = simd.mul_add_f64s(weight, phi[v], sum[g][v]);
            }
        }
    }
    for (g, sum) in sum.iter().enumerate() {
        S::as_mut_simd_f64s(&mut sums[row(g)]).0.copy_from_slice(sum);
    }
}
