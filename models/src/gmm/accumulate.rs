//! Statistics as one small product: sums[g] += Σ_j r_gj φ_j, j in order.
//!
//! Lanes run over the entries of φ, so each entry is one chain over the observations and no sum depends on the vector
//! width or on the size of a block.

use super::features::Features;
use super::lanes::{BLOCK, LANES};
use pulp::Simd;

/// Adds r φᵀ of `count` observations: `r` has G rows of [`BLOCK`] lanes, `extended` the observations as [`Features`]
/// extends them, `sums` G rows of products.
#[inline(always)]
pub(super) fn accumulate<S: Simd>(
    simd: S,
    features: &Features,
    r: &[[f64; BLOCK]],
    extended: &[f64],
    sums: &mut [f64],
    count: usize,
) {
    let extended = &extended[..count * features.length];
    let most = if S::REGISTER_COUNT >= 32 { 10 } else { 5 };
    for (r, sums) in r.chunks(most).zip(sums.chunks_mut(most * features.stride())) {
        match r.len() {
            1 => band::<S, 1>(simd, features, r, extended, sums),
            2 => band::<S, 2>(simd, features, r, extended, sums),
            3 => band::<S, 3>(simd, features, r, extended, sums),
            4 => band::<S, 4>(simd, features, r, extended, sums),
            5 => band::<S, 5>(simd, features, r, extended, sums),
            6 => band::<S, 6>(simd, features, r, extended, sums),
            7 => band::<S, 7>(simd, features, r, extended, sums),
            8 => band::<S, 8>(simd, features, r, extended, sums),
            9 => band::<S, 9>(simd, features, r, extended, sums),
            _ => band::<S, 10>(simd, features, r, extended, sums),
        }
    }
}

/// The same for `C` components, in tiles as wide as the registers allow: a product is formed once for all of them.
#[inline(always)]
fn band<S: Simd, const C: usize>(simd: S, features: &Features, r: &[[f64; BLOCK]], extended: &[f64], sums: &mut [f64]) {
    let vectors = features.stride() / S::F64_LANES;
    let widest = if 4 * C + 5 <= S::REGISTER_COUNT { 4 } else { 2 };
    let r = r.first_chunk::<C>().expect("a band has C components");
    let mut first = 0;
    while first < vectors {
        let width = (vectors - first).min(widest);
        match width {
            1 => tile::<S, C, 1>(simd, features, r, extended, first, sums),
            2 => tile::<S, C, 2>(simd, features, r, extended, first, sums),
            3 => tile::<S, C, 3>(simd, features, r, extended, first, sums),
            _ => tile::<S, C, 4>(simd, features, r, extended, first, sums),
        }
        first += width;
    }
}

#[inline(always)]
fn tile<S: Simd, const C: usize, const V: usize>(
    simd: S,
    features: &Features,
    r: &[[f64; BLOCK]; C],
    extended: &[f64],
    first: usize,
    sums: &mut [f64],
) {
    let stride = features.stride();
    let row = |g: usize| g * stride + first * S::F64_LANES..g * stride + (first + V) * S::F64_LANES;
    let mut factors = [[0; 2]; V];
    for (v, factors) in factors.iter_mut().enumerate() {
        let at = (first + v) * S::F64_LANES;
        *factors = features.factors[at / LANES].map(|start| start + at % LANES);
    }
    let mut sum = [[simd.splat_f64s(0.0); V]; C];
    for (g, sum) in sum.iter_mut().enumerate() {
        sum.copy_from_slice(S::as_simd_f64s(&sums[row(g)]).0);
    }
    for (j, z) in extended.chunks_exact(features.length).take(BLOCK).enumerate() {
        let mut phi = [simd.splat_f64s(0.0); V];
        for (phi, [left, right]) in phi.iter_mut().zip(factors) {
            *phi = simd.mul_f64s(load::<S>(z, left), load::<S>(z, right));
        }
        for g in 0..C {
            let weight = simd.splat_f64s(r[g][j]);
            for v in 0..V {
                sum[g][v] = simd.mul_add_f64s(weight, phi[v], sum[g][v]);
            }
        }
    }
    for (g, sum) in sum.iter().enumerate() {
        S::as_mut_simd_f64s(&mut sums[row(g)]).0.copy_from_slice(sum);
    }
}

#[inline(always)]
fn load<S: Simd>(numbers: &[f64], at: usize) -> S::f64s {
    S::as_simd_f64s(&numbers[at..at + S::F64_LANES]).0[0]
}
