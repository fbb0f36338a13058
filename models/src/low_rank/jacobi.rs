//! Jacobi rotations: eigenvalues of small symmetric matrices and singular values of small matrices, in one fixed order.
//!
//! Our own code, because results enter the state of a run: plain additions and multiplications in a fixed order give the same
//! bits on every CPU. It must not know what is decomposed.

/// Sweeps after which even badly scaled matrices are diagonal (they converge quadratically; ten are usual).
const SWEEPS: usize = 60;

/// cos and sin of the rotation that annihilates the off-diagonal entry `b` of [[a, b], [b, c]].
fn rotation(a: f64, b: f64, c: f64) -> (f64, f64) {
    let tau = (c - a) / (2.0 * b);
    let t = if tau >= 0.0 { 1.0 / (tau + (1.0 + tau * tau).sqrt()) } else { -1.0 / (-tau + (1.0 + tau * tau).sqrt()) };
    let cos = 1.0 / (1.0 + t * t).sqrt();
    (cos, t * cos)
}

/// Eigenvalues of the symmetric k×k `matrix` (row-major), decreasing, and their vectors: row i of the second is vector i.
pub(super) fn symmetric(mut matrix: Vec<f64>, k: usize) -> (Vec<f64>, Vec<f64>) {
    let mut vectors = vec![0.0; k * k];
    (0..k).for_each(|i| vectors[i * k + i] = 1.0);
    for _ in 0..SWEEPS {
        let mut rotated = false;
        for p in 0..k {
            for q in p + 1..k {
                rotated |= annihilate(&mut matrix, &mut vectors, k, p, q);
            }
        }
        if !rotated {
            break;
        }
    }
    let mut order: Vec<usize> = (0..k).collect();
    order.sort_by(|&a, &b| matrix[b * k + b].total_cmp(&matrix[a * k + a]));
    let values = order.iter().map(|&i| matrix[i * k + i]).collect();
    let rows = order.iter().flat_map(|&i| vectors[i * k..(i + 1) * k].iter().copied()).collect();
    (values, rows)
}

/// Rotates rows and columns p, q; false when the entry is negligible already.
fn annihilate(matrix: &mut [f64], vectors: &mut [f64], k: usize, p: usize, q: usize) -> bool {
    let (a, b, c) = (matrix[p * k + p], matrix[p * k + q], matrix[q * k + q]);
    if b.abs() <= f64::EPSILON * 1e-2 * (a.abs() * c.abs()).sqrt() || b.abs() < f64::MIN_POSITIVE {
        return false;
    }
    let (cos, sin) = rotation(a, b, c);
    for i in 0..k {
        let (x, y) = (matrix[i * k + p], matrix[i * k + q]);
        matrix[i * k + p] = cos * x - sin * y;
        matrix[i * k + q] = sin * x + cos * y;
    }
    for i in 0..k {
        let (x, y) = (matrix[p * k + i], matrix[q * k + i]);
        matrix[p * k + i] = cos * x - sin * y;
        matrix[q * k + i] = sin * x + cos * y;
        let (x, y) = (vectors[p * k + i], vectors[q * k + i]);
        vectors[p * k + i] = cos * x - sin * y;
        vectors[q * k + i] = sin * x + cos * y;
    }
    // Exactly zero, so that rounding cannot keep the sweeps alive.
    matrix[p * k + q] = 0.0;
    matrix[q * k + p] = 0.0;
    true
}

/// Right singular vectors (rows, by decreasing singular value) of the matrix whose `count` columns of length `length` are the
/// rows of `columns`: one-sided Jacobi. Afterwards row i of `columns` is σ_i u_i.
pub(super) fn one_sided(columns: &mut [f64], count: usize, length: usize) -> Vec<f64> {
    let mut vectors = vec![0.0; count * count];
    (0..count).for_each(|i| vectors[i * count + i] = 1.0);
    for _ in 0..SWEEPS {
        let mut rotated = false;
        for p in 0..count {
            for q in p + 1..count {
                rotated |= orthogonalize(columns, &mut vectors, count, length, p, q);
            }
        }
        if !rotated {
            break;
        }
    }
    let norms: Vec<f64> = columns.chunks_exact(length).map(|column| dot(column, column)).collect();
    let mut order: Vec<usize> = (0..count).collect();
    order.sort_by(|&a, &b| norms[b].total_cmp(&norms[a]));
    let pick = |of: &[f64], width: usize| -> Vec<f64> {
        order.iter().flat_map(|&i| of[i * width..(i + 1) * width].iter().copied()).collect()
    };
    let sorted = pick(columns, length);
    columns.copy_from_slice(&sorted);
    pick(&vectors, count)
}

fn orthogonalize(columns: &mut [f64], vectors: &mut [f64], count: usize, length: usize, p: usize, q: usize) -> bool {
    let (left, right) = columns.split_at_mut(q * length);
    let (x, y) = (&mut left[p * length..(p + 1) * length], &mut right[..length]);
    let (a, b, c) = (dot(x, x), dot(x, y), dot(y, y));
    if b.abs() <= f64::EPSILON * (a * c).sqrt() || b.abs() < f64::MIN_POSITIVE {
        return false;
    }
    let (cos, sin) = rotation(a, b, c);
    let (left, right) = vectors.split_at_mut(q * count);
    rotate(x, y, cos, sin);
    rotate(&mut left[p * count..(p + 1) * count], &mut right[..count], cos, sin);
    true
}

fn rotate(x: &mut [f64], y: &mut [f64], cos: f64, sin: f64) {
    for (x, y) in x.iter_mut().zip(y) {
        (*x, *y) = (cos * *x - sin * *y, sin * *x + cos * *y);
    }
}

/// x·y, summed in order.
pub(super) fn dot(x: &[f64], y: &[f64]) -> f64 {
    x.iter().zip(y).map(|(x, y)| x * y).sum()
}

#[cfg(test)]
mod tests {
    use super::symmetric;
    use fedbits_random::{Purpose, Streams};

    /// A = Σ λ_i v_i v_iᵀ with orthonormal v_i, eigenvalues decreasing, for random symmetric matrices and for a singular one.
    #[test]
    fn eigenvectors_give_the_matrix_back() {
        for k in [1, 2, 5, 20] {
            let mut stream = Streams::new(3, k as u64).at(Purpose::Data, 0, 0);
            let mut a = vec![0.0; k * k];
            for i in 0..k {
                for j in 0..=i {
                    let x = if k == 5 && i == 4 { 0.0 } else { stream.normal() };
                    (a[i * k + j], a[j * k + i]) = (x, x);
                }
            }
            let (values, vectors) = symmetric(a.clone(), k);
            assert!(values.windows(2).all(|pair| pair[0] >= pair[1]));
            for i in 0..k {
                for j in 0..k {
                    let entry: f64 = (0..k).map(|e| values[e] * vectors[e * k + i] * vectors[e * k + j]).sum();
                    let product: f64 = (0..k).map(|e| vectors[i * k + e] * vectors[j * k + e]).sum();
                    assert!((entry - a[i * k + j]).abs() < 1e-12);
                    assert!((product - f64::from(u8::from(i == j))).abs() < 1e-12);
                }
            }
        }
    }
}
