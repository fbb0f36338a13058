//! Products of tall matrices in a fixed order: the same bits with AVX-512, AVX2 and scalar code.
//!
//! Every entry of a product is one chain of fused multiply-adds over the common index in increasing order. Lanes hold
//! different entries, never parts of one sum, so the width of the lanes does not matter.

use crate::Examples;
use fedbits_numerics::lanes::{fused, mul_add};
use fedbits_numerics::vech_length;
use pulp::{Arch, Simd, WithSimd};

/// Columns per panel: every lane count of pulp divides half of it.
pub(crate) const PANEL: usize = 16;
/// Rows of the left panel whose sums stay in registers at a time.
const STRIP: usize = 8;
/// Examples packed at a time: a chunk of 717 columns stays in the second-level cache.
const CHUNK: usize = 128;

/// Mean of every column, summed in the order of the examples.
pub fn column_means(examples: Examples<'_>) -> Vec<f64> {
    let mut means = vec![0.0; examples.dimension()];
    for row in examples.rows().chunks_exact(examples.dimension()) {
        for (mean, &value) in means.iter_mut().zip(row) {
            *mean += value;
        }
    }
    let n = examples.len() as f64;
    means.iter_mut().for_each(|mean| *mean /= n);
    means
}

/// tile(i, j) += Σ_t left(t, i) · right(t, j) for 16 × 16 tiles and panels of 16 numbers per t.
pub(crate) struct PanelProduct<'a> {
    /// Panel of T × 16 numbers.
    pub left: &'a [f64],
    /// Panel of T × 16 numbers.
    pub right: &'a [f64],
    /// The 16 × 16 sums, row-major.
    pub tile: &'a mut [f64],
}

impl WithSimd for PanelProduct<'_> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: Simd>(self, simd: S) {
        for strip in (0..PANEL).step_by(STRIP) {
            for lanes in (0..PANEL).step_by(2 * S::F64_LANES) {
                strip_product(simd, self.left, self.right, self.tile, strip, lanes);
            }
        }
    }
}

/// Eight rows by two vectors of a tile, with the sums in registers.
#[inline(always)]
fn strip_product<S: Simd>(simd: S, left: &[f64], right: &[f64], tile: &mut [f64], strip: usize, lanes: usize) {
    let width = S::F64_LANES;
    let mut sums = [[simd.splat_f64s(0.0); 2]; STRIP];
    for (i, sum) in sums.iter_mut().enumerate() {
        let row = &tile[(strip + i) * PANEL + lanes..][..2 * width];
        *sum = [simd.partial_load_f64s(&row[..width]), simd.partial_load_f64s(&row[width..])];
    }
    for (a, b) in left.as_chunks::<PANEL>().0.iter().zip(right.as_chunks::<PANEL>().0) {
        let (vectors, _) = S::as_simd_f64s(&b[lanes..lanes + 2 * width]);
        let (low, high) = (vectors[0], vectors[1]);
        for (i, sum) in sums.iter_mut().enumerate() {
            let factor = simd.splat_f64s(a[strip + i]);
            *sum = [mul_add(simd, factor, low, sum[0]), mul_add(simd, factor, high, sum[1])];
        }
    }
    for (i, sum) in sums.iter().enumerate() {
        let row = &mut tile[(strip + i) * PANEL + lanes..][..2 * width];
        simd.partial_store_f64s(&mut row[..width], sum[0]);
        simd.partial_store_f64s(&mut row[width..], sum[1]);
    }
}

/// Σ over the examples of (y − `centre`)(y − `centre`)ᵀ, full symmetric d × d.
pub(crate) fn centred_gram(examples: Examples<'_>, centre: &[f64]) -> Vec<f64> {
    let (d, tiles) = (examples.dimension(), gram_tiles(examples, centre));
    let mut matrix = vec![0.0; d * d];
    for row in 0..d {
        for column in 0..=row {
            let value = tile_entry(&tiles, row, column);
            matrix[row * d + column] = value;
            matrix[column * d + row] = value;
        }
    }
    matrix
}

/// The lower triangle of [`centred_gram`] row by row (vech), d(d + 1)/2 numbers.
pub(crate) fn centred_gram_vech(examples: Examples<'_>, centre: &[f64]) -> Vec<f64> {
    let tiles = gram_tiles(examples, centre);
    let mut vech = Vec::with_capacity(vech_length(examples.dimension()));
    for row in 0..examples.dimension() {
        vech.extend((0..=row).map(|column| tile_entry(&tiles, row, column)));
    }
    vech
}

/// The diagonal of [`centred_gram`], the same bits in O(d) memory.
pub(crate) fn centred_squares(examples: Examples<'_>, centre: &[f64]) -> Vec<f64> {
    let mut sums = vec![0.0; examples.dimension()];
    Arch::new().dispatch(Squares { rows: examples.rows(), centre, sums: &mut sums });
    sums
}

/// sum_j += (y_j − centre_j)² over the rows, one chain per column.
struct Squares<'a> {
    rows: &'a [f64],
    centre: &'a [f64],
    sums: &'a mut [f64],
}

impl WithSimd for Squares<'_> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: Simd>(self, simd: S) {
        let (centre, centre_rest) = S::as_simd_f64s(self.centre);
        let (sums, sums_rest) = S::as_mut_simd_f64s(self.sums);
        for row in self.rows.chunks_exact(self.centre.len()) {
            let (row, rest) = S::as_simd_f64s(row);
            for ((sum, &value), &mean) in sums.iter_mut().zip(row).zip(centre) {
                let centred = simd.sub_f64s(value, mean);
                *sum = mul_add(simd, centred, centred, *sum);
            }
            for ((sum, &value), &mean) in sums_rest.iter_mut().zip(rest).zip(centre_rest) {
                *sum = fused(value - mean, value - mean, *sum);
            }
        }
    }
}

/// The lower triangle of the products, in 16 × 16 tiles.
fn gram_tiles(examples: Examples<'_>, centre: &[f64]) -> Vec<f64> {
    let d = examples.dimension();
    let panels = d.div_ceil(PANEL);
    let mut tiles = vec![0.0; panels * (panels + 1) / 2 * PANEL * PANEL];
    let mut packed = vec![0.0; panels * CHUNK * PANEL];
    let arch = Arch::new();
    for chunk in examples.rows().chunks(CHUNK * d) {
        let length = chunk.len() / d;
        pack(chunk, centre, length, &mut packed);
        let panel = |p: usize| &packed[p * length * PANEL..][..length * PANEL];
        let pairs = (0..panels).flat_map(|i| (0..=i).map(move |j| (i, j)));
        for ((i, j), tile) in pairs.zip(tiles.chunks_exact_mut(PANEL * PANEL)) {
            arch.dispatch(PanelProduct { left: panel(i), right: panel(j), tile });
        }
    }
    tiles
}

/// An entry of the lower triangle.
fn tile_entry(tiles: &[f64], row: usize, column: usize) -> f64 {
    let (i, j) = (row / PANEL, column / PANEL);
    tiles[(i * (i + 1) / 2 + j) * PANEL * PANEL + row % PANEL * PANEL + column % PANEL]
}

/// Panels of 16 centred columns, one after the other; columns beyond d stay 0.
fn pack(chunk: &[f64], centre: &[f64], length: usize, packed: &mut [f64]) {
    let d = centre.len();
    for (t, row) in chunk.chunks_exact(d).enumerate() {
        for (p, (values, means)) in row.chunks(PANEL).zip(centre.chunks(PANEL)).enumerate() {
            let target = &mut packed[(p * length + t) * PANEL..][..PANEL];
            for ((slot, &value), &mean) in target.iter_mut().zip(values).zip(means) {
                *slot = value - mean;
            }
            target[values.len()..].fill(0.0);
        }
    }
}

/// (y − `centre`) · W for every example, N × `columns`; `weights` is row-major d × `columns`.
pub(crate) fn centred_product(examples: Examples<'_>, centre: &[f64], weights: &[f64], columns: usize) -> Vec<f64> {
    let d = examples.dimension();
    let mut out = vec![0.0; examples.len() * columns];
    let right = weight_panels(weights, columns);
    let mut left = vec![0.0; d * PANEL];
    let arch = Arch::new();
    for (rows, scores) in examples.rows().chunks(PANEL * d).zip(out.chunks_mut(PANEL * columns)) {
        for (t, row) in rows.chunks_exact(d).enumerate() {
            for (j, (&value, &mean)) in row.iter().zip(centre).enumerate() {
                left[j * PANEL + t] = value - mean;
            }
        }
        for (p, panel) in right.chunks_exact(d * PANEL).enumerate() {
            let mut tile = [0.0; PANEL * PANEL];
            arch.dispatch(PanelProduct { left: &left, right: panel, tile: &mut tile });
            for (score, sums) in scores.chunks_exact_mut(columns).zip(tile.chunks_exact(PANEL)) {
                let target = &mut score[p * PANEL..];
                let width = target.len().min(PANEL);
                target[..width].copy_from_slice(&sums[..width]);
            }
        }
    }
    out
}

/// Row-major weights as panels of 16 columns, padded with zeros.
fn weight_panels(weights: &[f64], columns: usize) -> Vec<f64> {
    let d = weights.len() / columns;
    let mut panels = vec![0.0; columns.div_ceil(PANEL) * d * PANEL];
    for (j, row) in weights.chunks_exact(columns).enumerate() {
        for (c, &weight) in row.iter().enumerate() {
            panels[(c / PANEL * d + j) * PANEL + c % PANEL] = weight;
        }
    }
    panels
}

#[cfg(test)]
mod tests {
    use super::*;

    fn numbers(count: usize) -> Vec<f64> {
        (0..count).map(|k| ((k * 7919) % 1009) as f64 / 97.0 - 5.0).collect()
    }

    /// The definition, entry by entry, with the same fused chain: every bit must agree whatever the lanes.
    #[test]
    fn gram_has_the_bits_of_its_definition() {
        for (n, d) in [(1, 1), (5, 3), (300, 17), (257, 33)] {
            let rows = numbers(n * d);
            let centre = numbers(d);
            let examples = Examples::new(&rows, d);
            let (gram, vech) = (centred_gram(examples, &centre), centred_gram_vech(examples, &centre));
            let squares = centred_squares(examples, &centre);
            for i in 0..d {
                for j in 0..=i {
                    let expected =
                        rows.chunks(d).fold(0.0, |sum: f64, row| (row[i] - centre[i]).mul_add(row[j] - centre[j], sum));
                    assert_eq!(gram[i * d + j].to_bits(), expected.to_bits(), "({i}, {j}) of {n} x {d}");
                    assert_eq!(gram[j * d + i].to_bits(), expected.to_bits());
                    assert_eq!(vech[i * (i + 1) / 2 + j].to_bits(), expected.to_bits());
                    if i == j {
                        assert_eq!(squares[i].to_bits(), expected.to_bits());
                    }
                }
            }
        }
    }

    #[test]
    fn product_has_the_bits_of_its_definition() {
        for (n, d, k) in [(1, 1, 1), (19, 5, 3), (40, 12, 20)] {
            let (rows, centre, weights) = (numbers(n * d), numbers(d), numbers(d * k));
            let out = centred_product(Examples::new(&rows, d), &centre, &weights, k);
            for t in 0..n {
                for c in 0..k {
                    let expected =
                        (0..d).fold(0.0, |sum: f64, j| (rows[t * d + j] - centre[j]).mul_add(weights[j * k + c], sum));
                    assert_eq!(out[t * k + c].to_bits(), expected.to_bits());
                }
            }
        }
    }

    /// Scalar code is what a CPU without AVX runs.
    #[test]
    fn scalar_and_vector_code_agree_to_the_bit() {
        let (left, right) = (numbers(50 * PANEL), numbers(51 * PANEL)[PANEL..].to_vec());
        let (mut fast, mut slow) = ([0.5; PANEL * PANEL], [0.5; PANEL * PANEL]);
        Arch::new().dispatch(PanelProduct { left: &left, right: &right, tile: &mut fast });
        PanelProduct { left: &left, right: &right, tile: &mut slow }.with_simd(pulp::Scalar);
        assert_eq!(fast.map(f64::to_bits), slow.map(f64::to_bits));
    }
}
