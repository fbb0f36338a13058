//! A dense product A X in a fixed order of operations: out_rc = Σ_j a_rj x_jc, j ascending, one fused chain per entry.
//!
//! The order does not depend on tiles, vector width or instruction set, so every machine gives the same bits.

use crate::gmm::softmax::BLOCK;
use fedbits_numerics::lanes::mul_add;
use pulp::{Arch, Simd, WithSimd};

/// Rows of A per tile: with four vectors they fill the 32 registers of AVX-512, with two the 16 of AVX2.
const ROWS: usize = 6;

/// A matrix A (rows × inner) in the order in which the product reads it.
#[derive(Clone, Debug)]
pub struct Mixing {
    /// Per tile of [`ROWS`] rows (the last one filled up with zeros) `inner` columns.
    tiles: Vec<[f64; ROWS]>,
    rows: usize,
    inner: usize,
}

impl Mixing {
    /// A from its rows, all of length `inner`.
    ///
    /// # Panics
    /// If a row has another length.
    pub fn new<'a>(rows: impl IntoIterator<Item = &'a [f64]>, inner: usize) -> Self {
        let mut mixing = Self { tiles: Vec::new(), rows: 0, inner };
        for row in rows {
            assert_eq!(row.len(), inner, "every row of a mixing matrix has one entry per state");
            let lane = mixing.rows % ROWS;
            if lane == 0 {
                mixing.tiles.extend(std::iter::repeat_n([0.0; ROWS], inner));
            }
            let tile = mixing.tiles.len() - inner;
            mixing.tiles[tile..].iter_mut().zip(row).for_each(|(column, &entry)| column[lane] = entry);
            mixing.rows += 1;
        }
        mixing
    }

    /// A of ones: every row is the sum.
    pub fn sums(rows: usize, inner: usize) -> Self {
        let row = vec![1.0; inner];
        Self::new(std::iter::repeat_n(&row[..], rows), inner)
    }

    /// `seen` = A `terms`, both row-major, for widths that are multiples of 32: a [`Mix`](super::Mix).
    pub fn mix(&self, terms: &[f64], seen: &mut [f64]) {
        self.apply(Arch::new(), terms, terms.len() / self.inner, seen);
    }

    /// Rows of A.
    pub fn rows(&self) -> usize {
        self.rows
    }

    /// `out` (rows × width) = A `x` (inner × width), both row-major; `width` is a multiple of 32.
    pub(super) fn apply(&self, level: Arch, x: &[f64], width: usize, out: &mut [f64]) {
        level.dispatch(Apply { mixing: self, x, width, out });
    }

    /// A `x`: `x` has inner × columns numbers in row-major order, the result rows × columns. Slabs of 32 columns go
    /// through the caches one after the other.
    ///
    /// # Panics
    /// If `x` has another length.
    pub fn product(&self, x: &[f64], columns: usize) -> Vec<f64> {
        assert_eq!(x.len(), self.inner * columns, "a mixing matrix meets one row per state");
        self.product_at(Arch::new(), x, columns)
    }

    fn product_at(&self, level: Arch, x: &[f64], columns: usize) -> Vec<f64> {
        let mut out = vec![0.0; self.rows * columns];
        let (mut slab, mut mixed) = (vec![0.0; self.inner * BLOCK], vec![0.0; self.rows * BLOCK]);
        for first in (0..columns).step_by(BLOCK) {
            let used = BLOCK.min(columns - first);
            for (slab, x) in slab.chunks_exact_mut(BLOCK).zip(x.chunks_exact(columns)) {
                slab[..used].copy_from_slice(&x[first..first + used]);
            }
            self.apply(level, &slab, BLOCK, &mut mixed);
            for (out, mixed) in out.chunks_exact_mut(columns).zip(mixed.chunks_exact(BLOCK)) {
                out[first..first + used].copy_from_slice(&mixed[..used]);
            }
        }
        out
    }
}

struct Apply<'a> {
    mixing: &'a Mixing,
    x: &'a [f64],
    width: usize,
    out: &'a mut [f64],
}

impl WithSimd for Apply<'_> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: Simd>(self, simd: S) {
        let Self { mixing, x, width, out } = self;
        let step = if const { S::REGISTER_COUNT >= 32 } { 4 } else { 2 };
        for first in (0..width / S::F64_LANES).step_by(step) {
            let tiles = mixing.tiles.chunks_exact(mixing.inner);
            for (tile, out) in tiles.zip(out.chunks_mut(ROWS * width)) {
                if const { S::REGISTER_COUNT >= 32 } {
                    product::<S, 4>(simd, tile, x, width, first, out);
                } else {
                    product::<S, 2>(simd, tile, x, width, first, out);
                }
            }
        }
    }
}

/// Rows of one tile times V vectors of columns; `out` has the rows of the tile that exist.
#[inline(always)]
fn product<S: Simd, const V: usize>(
    simd: S,
    tile: &[[f64; ROWS]],
    x: &[f64],
    width: usize,
    first: usize,
    out: &mut [f64],
) {
    let mut sums = [[simd.splat_f64s(0.0); V]; ROWS];
    for (weights, x) in tile.iter().zip(x.chunks_exact(width)) {
        let x = &S::as_simd_f64s(x).0[first..first + V];
        for (sums, &weight) in sums.iter_mut().zip(weights) {
            let weight = simd.splat_f64s(weight);
            for v in 0..V {
                sums[v] = mul_add(simd, weight, x[v], sums[v]);
            }
        }
    }
    for (out, sums) in out.chunks_exact_mut(width).zip(&sums) {
        S::as_mut_simd_f64s(out).0[first..first + V].copy_from_slice(sums);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::gmm::kernel::tests::levels;

    /// Slow reference: every entry as one chain of fused operations. The product gives its bits at every instruction
    /// set, for numbers of rows and columns that fill no tile.
    #[test]
    fn the_product_is_the_chain_at_every_level() {
        let number = |i: usize| ((i * 2_654_435_761) % 1_000) as f64 / 7.0 - 60.0;
        for (rows, inner, columns) in [(1, 1, 1), (5, 3, 31), (6, 7, 32), (13, 11, 70)] {
            let a: Vec<f64> = (0..rows * inner).map(number).collect();
            let x: Vec<f64> = (0..inner * columns).map(|i| number(i + 77)).collect();
            let mixing = Mixing::new(a.chunks_exact(inner), inner);
            let mut expected = Vec::new();
            for row in a.chunks_exact(inner) {
                for c in 0..columns {
                    expected.push((0..inner).fold(0.0, |sum, j| f64::mul_add(row[j], x[j * columns + c], sum)));
                }
            }
            for level in levels() {
                let out = mixing.product_at(level, &x, columns);
                assert_eq!(out, expected, "{rows} × {inner} × {columns} at {level:?}");
            }
        }
    }
}
