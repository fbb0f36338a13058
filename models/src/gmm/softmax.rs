//! Posterior weights from logits, observations in lanes: r_g = exp(l_g − m) / Σ_h exp(l_h − m), m = max_h l_h.
//!
//! Sums run over components in order.

use super::exp::exp;
use super::lanes::BLOCK;
use pulp::{Arch, Simd, WithSimd};

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
