//! The kernel for one common covariance and d ≤ 3: constant d and G, everything in registers and on the stack.
//!
//! It saves the bookkeeping, which for batches of twenty observations is most of the time, and sums in eight lanes:
//! observation j goes to lane j mod 8, and the lanes are summed by halves at the end. With any vector width there are
//! eight lanes, so the bits do not depend on it; the general kernel agrees to rounding.

use super::pack::{Packed, ROWS, Whitener};
use super::softmax::exp;
use crate::Batch;
use fedbits_numerics::lanes::{LANES, gather, mul_add, sum_by_halves};
use pulp::Simd;

/// Σ r φ per component with φ = (1, y), the number of observations and Σ −log p.
pub(super) struct Sums<const D: usize, const G: usize> {
    weights: [[f64; LANES]; G],
    means: [[[f64; LANES]; D]; G],
    count: usize,
    objective: f64,
}

/// Sums over the batch; −log p only when it is `WANTED`: without a call of the logarithm the sums stay in registers.
#[inline(always)]
pub(super) fn sum<S: Simd, const D: usize, const G: usize, const WANTED: bool>(
    simd: S,
    packed: &Packed,
    rows: &[[f64; D]],
    batch: Batch<'_>,
) -> Sums<D, G> {
    let theta = Theta::new(simd, packed);
    let mut sums = Sums { weights: [[0.0; LANES]; G], means: [[[0.0; LANES]; D]; G], count: 0, objective: 0.0 };
    match batch {
        Batch::All => {
            for rows in rows.chunks(LANES) {
                sums.add::<S, WANTED>(simd, &theta, collect(rows.len(), |j| &rows[j]), rows.len());
            }
        }
        Batch::Indices(indices) => {
            for indices in indices.chunks(LANES) {
                let row = |j: usize| &rows[indices[j] as usize];
                sums.add::<S, WANTED>(simd, &theta, collect(indices.len(), row), indices.len());
            }
        }
    }
    sums
}

/// Eight rows; unused places repeat the first one. No branch: an iterator that ends early kept the rows in memory.
#[inline(always)]
fn collect<'a, const D: usize>(count: usize, row: impl Fn(usize) -> &'a [f64; D]) -> [&'a [f64; D]; LANES] {
    std::array::from_fn(|j| row(if j < count { j } else { 0 }))
}

/// A vector per coordinate.
#[inline(always)]
fn transpose<S: Simd, const D: usize>(simd: S, rows: &[&[f64; D]]) -> [S::f64s; D] {
    let mut y = [simd.splat_f64s(0.0); D];
    for (b, y) in y.iter_mut().enumerate() {
        *y = gather(simd, rows, b);
    }
    y
}

/// The packed parameters in every lane.
struct Theta<S: Simd, const D: usize, const G: usize> {
    /// Row a, column b of W; zero above the diagonal.
    whitener: [[S::f64s; D]; D],
    shifts: [[S::f64s; D]; G],
    offsets: [S::f64s; G],
}

impl<S: Simd, const D: usize, const G: usize> Theta<S, D, G> {
    #[inline(always)]
    fn new(simd: S, packed: &Packed) -> Self {
        const { assert!(D < ROWS, "W has no tile of several rows") };
        let zero = simd.splat_f64s(0.0);
        let mut theta = Self { whitener: [[zero; D]; D], shifts: [[zero; D]; G], offsets: [zero; G] };
        let Whitener::Common(weights) = &packed.whitener else {
            return theta;
        };
        // Fewer rows than a tile has: W lies row after row.
        let mut weights = weights.iter();
        for (a, row) in theta.whitener.iter_mut().enumerate() {
            for (to, &weight) in row[..=a].iter_mut().zip(&mut weights) {
                *to = simd.splat_f64s(weight);
            }
        }
        for g in 0..G {
            theta.offsets[g] = simd.splat_f64s(packed.offsets[g]);
            for (to, &shift) in theta.shifts[g].iter_mut().zip(packed.shift(g)) {
                *to = simd.splat_f64s(shift);
            }
        }
        theta
    }

    /// offset_g − ½ |W y + shift_g|²; overflow becomes the lowest finite number.
    #[inline(always)]
    fn logits(&self, simd: S, y: [S::f64s; D]) -> [S::f64s; G] {
        let mut u = [simd.splat_f64s(0.0); D];
        for (a, (u, row)) in u.iter_mut().zip(&self.whitener).enumerate() {
            for (&weight, &y) in row.iter().zip(&y).take(a + 1) {
                *u = mul_add(simd, weight, y, *u);
            }
        }
        let lowest = simd.splat_f64s(-f64::MAX);
        let mut logits = self.offsets;
        for (logit, shifts) in logits.iter_mut().zip(&self.shifts) {
            let mut square = simd.splat_f64s(0.0);
            for (&u, &shift) in u.iter().zip(shifts) {
                let z = simd.add_f64s(u, shift);
                square = mul_add(simd, z, z, square);
            }
            let value = mul_add(simd, simd.splat_f64s(-0.5), square, *logit);
            *logit = simd.select_f64s(simd.less_than_f64s(lowest, value), value, lowest);
        }
        logits
    }
}

/// Posterior weights, the largest logit m and Σ exp(l − m). With two components one of the exponentials is exp(0) = 1.
#[inline(always)]
fn softmax<S: Simd, const G: usize>(simd: S, mut r: [S::f64s; G]) -> ([S::f64s; G], S::f64s, S::f64s) {
    let mut m = r[0];
    for &logit in &r[1..] {
        m = simd.select_f64s(simd.less_than_f64s(m, logit), logit, m);
    }
    if G == 2 {
        let second_is_larger = simd.less_than_f64s(r[0], r[1]);
        let smaller = simd.select_f64s(second_is_larger, r[0], r[1]);
        let (one, e) = (simd.splat_f64s(1.0), exp(simd, simd.sub_f64s(smaller, m)));
        r[0] = simd.select_f64s(second_is_larger, e, one);
        r[1] = simd.select_f64s(second_is_larger, one, e);
    } else {
        for r in &mut r {
            *r = exp(simd, simd.sub_f64s(*r, m));
        }
    }
    let mut total = simd.splat_f64s(0.0);
    for &r in &r {
        total = simd.add_f64s(total, r);
    }
    let inverse = simd.div_f64s(simd.splat_f64s(1.0), total);
    for r in &mut r {
        *r = simd.mul_f64s(*r, inverse);
    }
    (r, m, total)
}

impl<const D: usize, const G: usize> Sums<D, G> {
    /// Adds the first `count` rows, each in its lane.
    #[inline(always)]
    fn add<S: Simd, const WANTED: bool>(
        &mut self,
        simd: S,
        theta: &Theta<S, D, G>,
        rows: [&[f64; D]; LANES],
        count: usize,
    ) {
        let (mut maximum, mut total) = ([0.0; LANES], [0.0; LANES]);
        for (v, rows) in rows.chunks_exact(S::F64_LANES).enumerate() {
            let y = transpose(simd, rows);
            let (r, m, sum) = softmax(simd, theta.logits(simd, y));
            let used = S::as_simd_f64s(&USED[LANES - count.min(LANES)..][..LANES]).0[v];
            for g in 0..G {
                let r = simd.mul_f64s(r[g], used);
                let weight = &mut S::as_mut_simd_f64s(&mut self.weights[g]).0[v];
                *weight = simd.add_f64s(*weight, r);
                for (mean, &y) in self.means[g].iter_mut().zip(&y) {
                    let mean = &mut S::as_mut_simd_f64s(mean).0[v];
                    *mean = mul_add(simd, r, y, *mean);
                }
            }
            if WANTED {
                S::as_mut_simd_f64s(&mut maximum).0[v] = m;
                S::as_mut_simd_f64s(&mut total).0[v] = sum;
            }
        }
        self.count += count;
        if WANTED {
            let pairs = maximum.iter().zip(&total).take(count);
            self.objective = pairs.fold(self.objective, |sum, (m, total)| sum - (m + libm::log(*total)));
        }
    }

    /// Writes the means in the layout of s and returns the mean of −log p.
    #[inline(always)]
    pub fn write(&self, out: &mut [f64]) -> f64 {
        let scale = 1.0 / self.count.max(1) as f64;
        let sums = self.weights.iter().chain(self.means.as_flattened());
        out.iter_mut().zip(sums).for_each(|(out, lanes)| *out = sum_by_halves(*lanes) * scale);
        self.objective / self.count.max(1) as f64
    }
}

/// From position 8 − n on: n ones, then zeros.
const USED: [f64; 2 * LANES] = [1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0];
