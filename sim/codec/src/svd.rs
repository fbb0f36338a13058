//! Singular value decomposition of small matrices by one-sided Jacobi rotations (Hestenes 1958), in a fixed order of operations: the
//! same bits on every machine. Knows no compressor.

/// σ u and v of one singular triple.
pub(crate) struct Triple {
    /// σ u, one number per row.
    pub(crate) scaled_left: Vec<f64>,
    /// v, one number per column; a unit vector.
    pub(crate) right: Vec<f64>,
}

/// Cosines below this are zero.
const ORTHOGONAL: f64 = 1e-15;
/// Convergence is quadratic: a handful of sweeps is usual.
const MOST_SWEEPS: usize = 40;

/// All min(a, b) triples of the matrix with `rows` = a rows, stored row by row; largest σ first.
pub(crate) fn svd(x: &[f64], rows: usize) -> Vec<Triple> {
    let columns = x.len() / rows;
    let scale = power_near(x.iter().fold(0.0, |max: f64, v| max.max(v.abs())));
    let entry = |i: usize, j: usize| x[i * columns + j] / scale;
    let wide = columns > rows;
    // The columns of A, or of its transpose where that has fewer.
    let (count, length) = (rows.min(columns), rows.max(columns));
    let vector = |k: usize| (0..length).map(move |i| if wide { entry(k, i) } else { entry(i, k) });
    let mut left: Vec<Vec<f64>> = (0..count).map(|k| vector(k).collect()).collect();
    let mut right: Vec<Vec<f64>> =
        (0..count).map(|k| (0..count).map(|i| f64::from(u8::from(i == k))).collect()).collect();
    for _ in 0..MOST_SWEEPS {
        if !sweep(&mut left, &mut right) {
            break;
        }
    }
    let mut triples: Vec<(f64, Triple)> =
        left.into_iter().zip(right).map(|(left, right)| triple(left, right, wide, scale)).collect();
    triples.sort_by(|(a, _), (b, _)| b.total_cmp(a));
    triples.into_iter().map(|(_, triple)| triple).collect()
}

/// Rotates every pair of columns once; false when all were orthogonal.
fn sweep(left: &mut [Vec<f64>], right: &mut [Vec<f64>]) -> bool {
    let mut rotated = false;
    for p in 0..left.len() {
        for q in p + 1..left.len() {
            let (alpha, beta, gamma) = (dot(&left[p], &left[p]), dot(&left[q], &left[q]), dot(&left[p], &left[q]));
            if gamma == 0.0 || gamma.abs() <= ORTHOGONAL * (alpha * beta).sqrt() {
                continue;
            }
            rotated = true;
            let zeta = (beta - alpha) / (2.0 * gamma);
            // For |ζ| beyond 1e150 its square overflows, and tan is 1/(2ζ) to all digits.
            let root = if zeta.abs() < 1e150 { (1.0 + zeta * zeta).sqrt() } else { zeta.abs() };
            let tan = if zeta < 0.0 { -1.0 } else { 1.0 } / (zeta.abs() + root);
            let cos = 1.0 / (1.0 + tan * tan).sqrt();
            for vectors in [&mut *left, &mut *right] {
                rotate(vectors, p, q, cos, cos * tan);
            }
        }
    }
    rotated
}

fn rotate(vectors: &mut [Vec<f64>], p: usize, q: usize, cos: f64, sin: f64) {
    let (head, tail) = vectors.split_at_mut(q);
    for (a, b) in head[p].iter_mut().zip(tail[0].iter_mut()) {
        (*a, *b) = (cos * *a - sin * *b, sin * *a + cos * *b);
    }
}

/// σ and the triple of a column σ u of A V (of Aᵀ V, if `wide`) and its v.
fn triple(left: Vec<f64>, right: Vec<f64>, wide: bool, scale: f64) -> (f64, Triple) {
    let sigma = dot(&left, &left).sqrt();
    if !wide {
        return (sigma, Triple { scaled_left: left.iter().map(|v| v * scale).collect(), right });
    }
    // Aᵀ = Σ (σ u) vᵀ: the roles are exchanged, and the unit vector is σ u / σ.
    let unit = left.iter().map(|v| if sigma > 0.0 { v / sigma } else { 0.0 }).collect();
    (sigma, Triple { scaled_left: right.iter().map(|v| v * sigma * scale).collect(), right: unit })
}

fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}

/// A power of two near `max`, and 1 for 0: dividing by it is exact for all but denormal numbers.
fn power_near(max: f64) -> f64 {
    const EXPONENT: u64 = 0x7FF0_0000_0000_0000;
    if max == 0.0 { 1.0 } else { f64::from_bits(max.to_bits() & EXPONENT).max(f64::MIN_POSITIVE) }
}
