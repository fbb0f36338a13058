//! The kernel for one common covariance and d ≤ 3: constant d and G, everything in registers and on the stack.
//!
//! It runs the same operations in the same order as the general kernel, so the results have the same bits; it only
//! saves the bookkeeping, which for batches of twenty observations is most of the time. It must not know clients.

use super::kernel::Rows;
use super::pack::{Packed, Whitener};
use super::softmax::softmax;
use super::{BLOCK, LANES};
use pulp::Simd;

/// Σ r φ per component with φ = (1, y), the number of observations and Σ −log p.
pub(super) struct Sums<const D: usize, const G: usize> {
    pub weights: [f64; G],
    pub means: [[f64; D]; G],
    pub count: usize,
    pub objective: f64,
}

/// Sums over the rows; −log p only when it is `wanted`.
#[inline(always)]
pub(super) fn sum<'e, S: Simd, const D: usize, const G: usize>(
    simd: S,
    packed: &Packed,
    mut rows: impl Iterator<Item = &'e [f64]>,
    wanted: bool,
) -> Sums<D, G> {
    let mut sums = Sums { weights: [0.0; G], means: [[0.0; D]; G], count: 0, objective: 0.0 };
    let (mut y, mut r) = ([[0.0; BLOCK]; D], [[0.0; BLOCK]; G]);
    let (mut maximum, mut total) = ([0.0; BLOCK], [0.0; BLOCK]);
    while let Some(block) = Rows::take(&mut rows) {
        transpose(&block, &mut y);
        let vectors = block.count.div_ceil(S::F64_LANES);
        logits(simd, packed, &y, &mut r, vectors);
        softmax(simd, r.as_flattened_mut(), &mut maximum, &mut total, vectors);
        sums.add(&y, &r, block.count);
        if wanted {
            let pairs = maximum.iter().zip(&total).take(block.count);
            sums.objective = pairs.fold(sums.objective, |sum, (m, total)| sum - (m + libm::log(*total)));
        }
    }
    sums
}

#[inline(always)]
fn transpose<const D: usize>(block: &Rows<'_>, y: &mut [[f64; BLOCK]; D]) {
    for (v, rows) in block.padded().iter().enumerate() {
        let rows: [&[f64; D]; LANES] = rows.map(|row| row.first_chunk().expect("a row has d numbers"));
        for (b, lanes) in y.iter_mut().enumerate() {
            lanes[v * LANES..][..LANES].copy_from_slice(&rows.map(|row| row[b]));
        }
    }
}

/// offset_g − ½ |W y + shift_g|²; overflow becomes the lowest finite number.
#[inline(always)]
fn logits<S: Simd, const D: usize, const G: usize>(
    simd: S,
    packed: &Packed,
    y: &[[f64; BLOCK]; D],
    r: &mut [[f64; BLOCK]; G],
    vectors: usize,
) {
    let Whitener::Common(weights) = &packed.whitener else {
        return;
    };
    let shifts: [&[f64]; G] = std::array::from_fn(|g| packed.shift(g));
    let offsets = &packed.offsets[..G];
    let lowest = simd.splat_f64s(-f64::MAX);
    for v in 0..vectors {
        let u = project::<S, D>(simd, weights, y, v);
        for g in 0..G {
            let mut square = simd.splat_f64s(0.0);
            for (&u, &shift) in u.iter().zip(shifts[g]) {
                let z = simd.add_f64s(u, simd.splat_f64s(shift));
                square = simd.mul_add_f64s(z, z, square);
            }
            let logit = simd.mul_add_f64s(simd.splat_f64s(-0.5), square, simd.splat_f64s(offsets[g]));
            let finite = simd.less_than_f64s(lowest, logit);
            S::as_mut_simd_f64s(&mut r[g]).0[v] = simd.select_f64s(finite, logit, lowest);
        }
    }
}

/// W y of one vector of observations; `weights` holds the columns of W below the diagonal, one after the other.
#[inline(always)]
fn project<S: Simd, const D: usize>(simd: S, weights: &[f64], y: &[[f64; BLOCK]; D], v: usize) -> [S::f64s; D] {
    let mut u = [simd.splat_f64s(0.0); D];
    let mut weights = weights.iter();
    for (b, lanes) in y.iter().enumerate() {
        let lanes = S::as_simd_f64s(lanes).0[v];
        for (u, &weight) in u[b..].iter_mut().zip(&mut weights) {
            *u = simd.mul_add_f64s(simd.splat_f64s(weight), lanes, *u);
        }
    }
    u
}

impl<const D: usize, const G: usize> Sums<D, G> {
    #[inline(always)]
    fn add(&mut self, y: &[[f64; BLOCK]; D], r: &[[f64; BLOCK]; G], count: usize) {
        for j in 0..count.min(BLOCK) {
            for ((lanes, weight), mean) in r.iter().zip(&mut self.weights).zip(&mut self.means) {
                *weight += lanes[j];
                for (sum, y) in mean.iter_mut().zip(y) {
                    *sum = lanes[j].mul_add(y[j], *sum);
                }
            }
        }
        self.count += count;
    }

    /// Writes the means in the layout of s and returns the mean of −log p.
    #[inline(always)]
    pub fn write(&self, out: &mut [f64]) -> f64 {
        let scale = 1.0 / self.count.max(1) as f64;
        let sums = self.weights.iter().chain(self.means.as_flattened());
        out.iter_mut().zip(sums).for_each(|(out, sum)| *out = sum * scale);
        self.objective / self.count.max(1) as f64
    }
}
