//! Logits of a block of observations by whitening: offset_g − ½ |W_g y + shift_g|², observations in lanes.
//!
//! Rows of W are taken four at a time so that a loaded observation is used four times. Every lane sees one fixed
//! sequence of fused operations, whatever the vector width.

use super::pack::{Packed, ROWS, Whitener};
use super::softmax::BLOCK;
use fedbits_numerics::lanes::mul_add;
use pulp::Simd;

/// Vectors per row of a block.
const fn row_vectors<S: Simd>() -> usize {
    BLOCK / S::F64_LANES
}

/// Widest tile, in vectors, that the registers hold. Scalar code is for old processors alone: it is kept small.
const fn widest<S: Simd>() -> usize {
    match S::REGISTER_COUNT {
        _ if S::IS_SCALAR => 1,
        32.. => 4,
        _ => 2,
    }
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
            3 if const { widest::<S>() > 2 } => stripe::<S, 3>(simd, packed, first, y, common, logits),
            4 if const { widest::<S>() > 2 } => stripe::<S, 4>(simd, packed, first, y, common, logits),
            2 if const { widest::<S>() > 1 } => stripe::<S, 2>(simd, packed, first, y, common, logits),
            _ => stripe::<S, 1>(simd, packed, first, y, common, logits),
        }
        first += width;
    }
}

/// Logits of `V` neighbouring vectors.
#[inline(always)]
fn stripe<S: Simd, const V: usize>(
    simd: S,
    packed: &Packed,
    first: usize,
    y: &[S::f64s],
    common: &mut [S::f64s],
    logits: &mut [S::f64s],
) {
    for g in 0..packed.layout.components {
        let shift = packed.shift(g);
        // One call for both kinds of W: its code is large.
        let product = match &packed.whitener {
            Whitener::Common(weights) if g == 0 => Some((&weights[..], Some(&mut *common))),
            Whitener::Full(all) => Some((packed.block(all, g), None)),
            _ => None,
        };
        let whole = product.map(|(weights, u)| whiten::<S, V>(simd, weights, shift, first, y, u));
        let square = match &packed.whitener {
            Whitener::Common(_) => shifted_square::<S, V>(simd, shift, first, common),
            Whitener::Diagonal(all) => diagonal_square::<S, V>(simd, packed.block(all, g), shift, first, y),
            Whitener::Full(_) => whole.unwrap_or([simd.splat_f64s(0.0); V]),
        };
        let offset = simd.splat_f64s(packed.offsets[g]);
        let lowest = simd.splat_f64s(-f64::MAX);
        for (v, &square) in square.iter().enumerate() {
            let logit = mul_add(simd, simd.splat_f64s(-0.5), square, offset);
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
            square[v] = mul_add(simd, z, z, square[v]);
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
            let z = mul_add(simd, simd.splat_f64s(weight), row[v], simd.splat_f64s(shift));
            square[v] = mul_add(simd, z, z, square[v]);
        }
    }
    square
}

/// |W y + shift|² with the rows of W in tiles as [`super::pack::tile`] lays them out; W y goes to `u` instead, if there is
/// one.
#[inline(always)]
fn whiten<S: Simd, const V: usize>(
    simd: S,
    mut weights: &[f64],
    shift: &[f64],
    first: usize,
    y: &[S::f64s],
    mut u: Option<&mut [S::f64s]>,
) -> [S::f64s; V] {
    let mut square = [simd.splat_f64s(0.0); V];
    let mut above = 0;
    while above < shift.len() {
        let rows = if shift.len() - above < ROWS { 1 } else { ROWS };
        let (now, rest) = weights.split_at(above * rows + rows * (rows + 1) / 2);
        let tile = Tile { weights: now, shift: &shift[above..], above, first };
        if rows == ROWS {
            tile.add::<S, V, ROWS>(simd, y, u.as_deref_mut(), &mut square);
        } else {
            tile.add::<S, V, 1>(simd, y, u.as_deref_mut(), &mut square);
        }
        (weights, above) = (rest, above + rows);
    }
    square
}

/// Some rows of W.
struct Tile<'a> {
    weights: &'a [f64],
    shift: &'a [f64],
    /// Rows above it.
    above: usize,
    /// The first vector of lanes.
    first: usize,
}

impl Tile<'_> {
    /// Adds the squares of `R` entries of W y + shift for `V` vectors of lanes, or leaves those of W y in `u`.
    #[inline(always)]
    fn add<S: Simd, const V: usize, const R: usize>(
        &self,
        simd: S,
        y: &[S::f64s],
        u: Option<&mut [S::f64s]>,
        square: &mut [S::f64s; V],
    ) {
        let shift = self.shift.first_chunk::<R>().expect("a tile has R rows");
        let z = self.product::<S, V, R>(simd, if u.is_some() { &[0.0; R] } else { shift }, y);
        if let Some(u) = u {
            for (row, z) in u[self.above * row_vectors::<S>()..].chunks_exact_mut(row_vectors::<S>()).zip(&z) {
                row[self.first..self.first + V].copy_from_slice(z);
            }
        } else {
            for row in z {
                for v in 0..V {
                    square[v] = mul_add(simd, row[v], row[v], square[v]);
                }
            }
        }
    }

    /// start_r + Σ_{b ≤ above + r} W_{above+r,b} y_b, b ascending.
    #[inline(always)]
    fn product<S: Simd, const V: usize, const R: usize>(
        &self,
        simd: S,
        start: &[f64; R],
        y: &[S::f64s],
    ) -> [[S::f64s; V]; R] {
        let lanes = self.first..self.first + V;
        let mut z = start.map(|value| [simd.splat_f64s(value); V]);
        let (rectangle, triangle) = self.weights.split_at(self.above * R);
        let rows = y.chunks_exact(row_vectors::<S>());
        for (weight, row) in rectangle.as_chunks::<R>().0.iter().zip(rows) {
            let row = &row[lanes.clone()];
            for r in 0..R {
                let w = simd.splat_f64s(weight[r]);
                for v in 0..V {
                    z[r][v] = mul_add(simd, w, row[v], z[r][v]);
                }
            }
        }
        let mut weights = triangle.iter();
        let y = &y[self.above * row_vectors::<S>()..][..R * row_vectors::<S>()];
        for b in 0..R {
            let row = &y[b * row_vectors::<S>()..][lanes.clone()];
            for (z, &weight) in z[b..].iter_mut().zip(&mut weights) {
                let w = simd.splat_f64s(weight);
                for v in 0..V {
                    z[v] = mul_add(simd, w, row[v], z[v]);
                }
            }
        }
        z
    }
}
