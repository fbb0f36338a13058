//! Logits of a block of observations by whitening: offset_g − ½ |W_g y + shift_g|², observations in lanes.
//!
//! Rows of W are taken four at a time so that a loaded observation is used four times. Every lane sees one fixed
//! sequence of fused operations, whatever the vector width.

use super::lanes::BLOCK;
use super::pack::{Packed, ROWS, Whitener};
use pulp::Simd;

/// Vectors per row of a block.
const fn row_vectors<S: Simd>() -> usize {
    BLOCK / S::F64_LANES
}

/// Widest tile, in vectors, that the registers hold.
const fn widest<S: Simd>() -> usize {
    if S::REGISTER_COUNT >= 32 { 4 } else { 2 }
}

/// Fills `logits` (G rows of [`BLOCK`] lanes) from `y` (d rows of lanes); only the first `vectors` vectors of a row are
/// computed. `common` holds d rows of lanes and is used when all components share W.
#[inline(always)]
pub(super) fn logits<S: Simd>(
    simd: S,
    packed: &Packed,
    y: &[f64],
    common: &mut [f64],
    logits: &mut [f64],
    vectors: usize,
) {
    let y = S::as_simd_f64s(y).0;
    let common = S::as_mut_simd_f64s(common).0;
    let logits = S::as_mut_simd_f64s(logits).0;
    let mut first = 0;
    while first < vectors {
        let width = (vectors - first).min(widest::<S>());
        match width {
            1 => stripe::<S, 1>(simd, packed, first, y, common, logits),
            2 => stripe::<S, 2>(simd, packed, first, y, common, logits),
            3 => stripe::<S, 3>(simd, packed, first, y, common, logits),
            _ => stripe::<S, 4>(simd, packed, first, y, common, logits),
        }
        first += width;
    }
}

/// The same for `V` neighbouring vectors.
#[inline(always)]
fn stripe<S: Simd, const V: usize>(
    simd: S,
    packed: &Packed,
    first: usize,
    y: &[S::f64s],
    common: &mut [S::f64s],
    logits: &mut [S::f64s],
) {
    if let Whitener::Common(weights) = &packed.whitener {
        project::<S, V>(simd, weights, packed.layout.dimension, first, y, common);
    }
    for g in 0..packed.layout.components {
        let shift = packed.shift(g);
        let square = match &packed.whitener {
            Whitener::Common(_) => shifted_square::<S, V>(simd, shift, first, common),
            Whitener::Diagonal(all) => diagonal_square::<S, V>(simd, packed.block(all, g), shift, first, y),
            Whitener::Full(all) => full_square::<S, V>(simd, packed.block(all, g), shift, first, y),
        };
        let offset = simd.splat_f64s(packed.offsets[g]);
        let lowest = simd.splat_f64s(-f64::MAX);
        for (v, &square) in square.iter().enumerate() {
            let logit = simd.mul_add_f64s(simd.splat_f64s(-0.5), square, offset);
            // An overflow (infinite or undefined) becomes the lowest finite logit: softmax then has no NaN.
            let finite = simd.less_than_f64s(lowest, logit);
            logits[g * row_vectors::<S>() + first + v] = simd.select_f64s(finite, logit, lowest);
        }
    }
}

/// Σ_a (u_a + shift_a)² with u = W y already there.
#[inline(always)]
fn shifted_square<S: Simd, const V: usize>(simd: S, shift: &[f64], first: usize, u: &[S::f64s]) -> [S::f64s; V] {
    let mut square = [simd.splat_f64s(0.0); V];
    for (row, &shift) in u.chunks_exact(row_vectors::<S>()).zip(shift) {
        let row = &row[first..first + V];
        for v in 0..V {
            let z = simd.add_f64s(row[v], simd.splat_f64s(shift));
            square[v] = simd.mul_add_f64s(z, z, square[v]);
        }
    }
    square
}

/// Σ_a (w_a y_a + shift_a)².
#[inline(always)]
fn diagonal_square<S: Simd, const V: usize>(
    simd: S,
    weights: &[f64],
    shift: &[f64],
    first: usize,
    y: &[S::f64s],
) -> [S::f64s; V] {
    let mut square = [simd.splat_f64s(0.0); V];
    for ((row, &shift), &weight) in y.chunks_exact(row_vectors::<S>()).zip(shift).zip(weights) {
        let row = &row[first..first + V];
        for v in 0..V {
            let z = simd.mul_add_f64s(simd.splat_f64s(weight), row[v], simd.splat_f64s(shift));
            square[v] = simd.mul_add_f64s(z, z, square[v]);
        }
    }
    square
}

/// |W y + shift|² with the rows of W in tiles as [`super::pack::tiled`] lays them out.
#[inline(always)]
fn full_square<S: Simd, const V: usize>(
    simd: S,
    mut weights: &[f64],
    shift: &[f64],
    first: usize,
    y: &[S::f64s],
) -> [S::f64s; V] {
    let mut square = [simd.splat_f64s(0.0); V];
    for (tile, shift) in shift.chunks(ROWS).enumerate() {
        let above = tile * ROWS;
        let (now, rest) = weights.split_at(above * shift.len() + triangle(shift.len()));
        match shift.len() {
            1 => add_squares::<S, V, 1>(simd, now, shift, above, first, y, &mut square),
            2 => add_squares::<S, V, 2>(simd, now, shift, above, first, y, &mut square),
            3 => add_squares::<S, V, 3>(simd, now, shift, above, first, y, &mut square),
            _ => add_squares::<S, V, 4>(simd, now, shift, above, first, y, &mut square),
        }
        weights = rest;
    }
    square
}

#[inline(always)]
fn add_squares<S: Simd, const V: usize, const R: usize>(
    simd: S,
    weights: &[f64],
    shift: &[f64],
    above: usize,
    first: usize,
    y: &[S::f64s],
    square: &mut [S::f64s; V],
) {
    let start: [S::f64s; R] = std::array::from_fn(|r| simd.splat_f64s(shift[r]));
    let z = tile::<S, V, R>(simd, weights, start, above, first, y);
    for row in z {
        for v in 0..V {
            square[v] = simd.mul_add_f64s(row[v], row[v], square[v]);
        }
    }
}

/// u = W y for V vectors of lanes.
#[inline(always)]
fn project<S: Simd, const V: usize>(
    simd: S,
    mut weights: &[f64],
    d: usize,
    first: usize,
    y: &[S::f64s],
    u: &mut [S::f64s],
) {
    for above in (0..d).step_by(ROWS) {
        let rows = (d - above).min(ROWS);
        let (now, rest) = weights.split_at(above * rows + triangle(rows));
        match rows {
            1 => store_rows::<S, V, 1>(simd, now, above, first, y, u),
            2 => store_rows::<S, V, 2>(simd, now, above, first, y, u),
            3 => store_rows::<S, V, 3>(simd, now, above, first, y, u),
            _ => store_rows::<S, V, 4>(simd, now, above, first, y, u),
        }
        weights = rest;
    }
}

#[inline(always)]
fn store_rows<S: Simd, const V: usize, const R: usize>(
    simd: S,
    weights: &[f64],
    above: usize,
    first: usize,
    y: &[S::f64s],
    u: &mut [S::f64s],
) {
    let z = tile::<S, V, R>(simd, weights, [simd.splat_f64s(0.0); R], above, first, y);
    for (r, row) in z.iter().enumerate() {
        u[(above + r) * row_vectors::<S>() + first..][..V].copy_from_slice(row);
    }
}

/// start_r + Σ_{b ≤ above + r} W_{above+r,b} y_b for R rows of W and V vectors of lanes, b ascending.
#[inline(always)]
fn tile<S: Simd, const V: usize, const R: usize>(
    simd: S,
    weights: &[f64],
    start: [S::f64s; R],
    above: usize,
    first: usize,
    y: &[S::f64s],
) -> [[S::f64s; V]; R] {
    let mut z = start.map(|value| [value; V]);
    let (rectangle, triangle) = weights.split_at(above * R);
    let rows = y.chunks_exact(row_vectors::<S>());
    for (weight, row) in rectangle.chunks_exact(R).zip(rows) {
        let row = &row[first..first + V];
        for r in 0..R {
            let w = simd.splat_f64s(weight[r]);
            for v in 0..V {
                z[r][v] = simd.mul_add_f64s(w, row[v], z[r][v]);
            }
        }
    }
    let y = &y[above * row_vectors::<S>()..];
    let mut weights = triangle.iter();
    for b in 0..R {
        let row = &y[b * row_vectors::<S>() + first..][..V];
        for (z, &weight) in z[b..].iter_mut().zip(&mut weights) {
            let w = simd.splat_f64s(weight);
            for v in 0..V {
                z[v] = simd.mul_add_f64s(w, row[v], z[v]);
            }
        }
    }
    z
}

const fn triangle(rows: usize) -> usize {
    rows * (rows + 1) / 2
}
