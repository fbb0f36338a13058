//! Singular value decomposition of small matrices at any scale.

use fedbits_numerics::norm;
use fedbits_numerics::svd::{Matrix, RotatedColumns};

/// σ u and v of one singular triple.
pub(crate) struct Triple {
    /// σ u, one number per row.
    pub(crate) scaled_left: Vec<f64>,
    /// v, one number per column; a unit vector.
    pub(crate) right: Vec<f64>,
}

/// Cosines up to this are zero.
const ORTHOGONAL: f64 = 1e-15;

/// All min(a, b) triples of the matrix with `rows` = a rows, stored row by row; largest σ first.
pub(crate) fn svd(x: &[f64], rows: usize) -> Vec<Triple> {
    let scale = power_near(x.iter().fold(0.0, |max: f64, v| max.max(v.abs())));
    let entries: Vec<f64> = x.iter().map(|v| v / scale).collect();
    let rotated = RotatedColumns::new(Matrix { entries: &entries, columns: x.len() / rows }, ORTHOGONAL);
    let mut triples: Vec<(f64, Triple)> =
        rotated.pairs().map(|(left, right)| triple(left, right, rotated.wide, scale)).collect();
    triples.sort_by(|(a, _), (b, _)| b.total_cmp(a));
    triples.into_iter().map(|(_, triple)| triple).collect()
}

/// σ and the triple of a column σ u of A V (of Aᵀ V, if `wide`) and its v.
fn triple(left: &[f64], right: &[f64], wide: bool, scale: f64) -> (f64, Triple) {
    let sigma = norm(left);
    if !wide {
        return (sigma, Triple { scaled_left: left.iter().map(|v| v * scale).collect(), right: right.to_vec() });
    }
    // Aᵀ = Σ (σ u) vᵀ: the roles are exchanged, and the unit vector is σ u / σ.
    let unit = left.iter().map(|v| if sigma > 0.0 { v / sigma } else { 0.0 }).collect();
    (sigma, Triple { scaled_left: right.iter().map(|v| v * sigma * scale).collect(), right: unit })
}

/// A power of two near `max`, and 1 for 0: dividing by it is exact for all but denormal numbers.
fn power_near(max: f64) -> f64 {
    const EXPONENT: u64 = 0x7FF0_0000_0000_0000;
    if max == 0.0 { 1.0 } else { f64::from_bits(max.to_bits() & EXPONENT).max(f64::MIN_POSITIVE) }
}
