//! Posterior weights from logits, observations in lanes: r_g = exp(l_g − m) / Σ_h exp(l_h − m), m = max_h l_h.
//!
//! Sums run over components in order.

use super::exp::exp;
use super::lanes::BLOCK;
use pulp::Simd;

/// Replaces logits (G rows of [`BLOCK`] lanes) by posterior weights in the first `vectors` vectors of a row, and leaves
/// m and Σ exp(l − m) in `maximum` and `total` (one row each): log p(y) = m + log total.
#[inline(always)]
pub(super) fn softmax<S: Simd>(
    simd: S,
    logits: &mut [f64],
    maximum: &mut [f64; BLOCK],
    total: &mut [f64; BLOCK],
    vectors: usize,
) {
    let logits = S::as_mut_simd_f64s(logits).0;
    let maximum = &mut S::as_mut_simd_f64s(maximum).0[..vectors];
    let total = &mut S::as_mut_simd_f64s(total).0[..vectors];
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
