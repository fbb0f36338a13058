//! Jacobi rotations: eigenvalues of symmetric matrices, and matrices with orthogonal columns.
//!
//! Two rules say when an entry is negligible, because results depend on them to the last bit: [`eigen`] stops when the
//! whole off-diagonal part is small, [`symmetric`] passes over single entries.

use crate::triangular::cholesky;
use crate::vech::vech_index;
use crate::vector::dot;

/// Sweeps after which even badly scaled matrices are diagonal (they converge quadratically; ten are usual).
const MAX_SWEEPS: usize = 60;

/// cos and sin of the rotation that annihilates b of [[a, b], [b, c]], for τ = (c − a)/(2b) (Golub and Van Loan, 8.5).
fn rotation(tau: f64) -> (f64, f64) {
    // Beyond 1e150 the square overflows, and the root is |τ| to all digits.
    let root = if tau.abs() < 1e150 { (1.0 + tau * tau).sqrt() } else { tau.abs() };
    let tan = tau.signum() / (tau.abs() + root);
    let cos = 1.0 / (1.0 + tan * tan).sqrt();
    (cos, tan * cos)
}

/// τ, of which + 0 removes the sign of a zero: equal diagonal entries turn by +45°, whatever the sign of b.
fn tau(a: f64, b: f64, c: f64) -> f64 {
    (c - a) / (2.0 * b) + 0.0
}

fn identity(k: usize) -> Vec<f64> {
    (0..k * k).map(|at| f64::from(u8::from(at / k == at % k))).collect()
}

/// Replaces rows p < q of length n by their rotation.
fn rotate_rows(rows: &mut [f64], n: usize, (p, q): (usize, usize), (cos, sin): (f64, f64)) {
    let (head, tail) = rows.split_at_mut(q * n);
    for (x, y) in head[p * n..][..n].iter_mut().zip(&mut tail[..n]) {
        (*x, *y) = (cos * *x - sin * *y, sin * *x + cos * *y);
    }
}

/// Rotates columns and rows p < q of a symmetric k × k matrix, and the rows of `vectors`, unless there are none.
fn rotate(matrix: &mut [f64], vectors: &mut [f64], k: usize, (p, q): (usize, usize), by: (f64, f64)) {
    let (cos, sin) = by;
    for row in matrix.chunks_exact_mut(k) {
        let (x, y) = (row[p], row[q]);
        (row[p], row[q]) = (cos * x - sin * y, sin * x + cos * y);
    }
    rotate_rows(matrix, k, (p, q), by);
    if !vectors.is_empty() {
        rotate_rows(vectors, k, (p, q), by);
    }
}

/// Pairs p < q < k in the order of a sweep.
fn pairs(k: usize) -> impl Iterator<Item = (usize, usize)> {
    (0..k).flat_map(move |p| (p + 1..k).map(move |q| (p, q)))
}

/// Indices of `keys` by decreasing key, equal ones in their order.
pub(crate) fn descending(keys: &[f64]) -> Vec<usize> {
    let mut order: Vec<usize> = (0..keys.len()).collect();
    order.sort_by(|&a, &b| keys[b].total_cmp(&keys[a]));
    order
}

/// Eigenvalues of vech A and their vectors (vector i is row i of the second), in no order.
fn eigen(vech: &[f64], d: usize) -> (Vec<f64>, Vec<f64>) {
    let mut vectors = identity(d);
    (diagonalize(whole(vech, d), d, &mut vectors), vectors)
}

/// Both triangles of vech A.
fn whole(vech: &[f64], d: usize) -> Vec<f64> {
    (0..d * d).map(|at| vech[vech_index((at / d).max(at % d), (at / d).min(at % d))]).collect()
}

/// The diagonal that rotations leave of a symmetric d × d matrix; the rows of `vectors`, of which there may be none,
/// are turned with it.
fn diagonalize(mut a: Vec<f64>, d: usize, vectors: &mut [f64]) -> Vec<f64> {
    for _ in 0..MAX_SWEEPS {
        if off_diagonal_is_negligible(&a, d) {
            break;
        }
        for (p, q) in pairs(d) {
            let b = a[p * d + q];
            if b != 0.0 {
                let by = rotation((a[q * d + q] - a[p * d + p]) / (2.0 * b));
                rotate(&mut a, vectors, d, (p, q), by);
            }
        }
    }
    (0..d).map(|i| a[i * d + i]).collect()
}

fn off_diagonal_is_negligible(a: &[f64], d: usize) -> bool {
    let (mut off, mut all) = (0.0, 0.0);
    for (at, &value) in a.iter().enumerate() {
        all += value * value;
        if at / d != at % d {
            off += value * value;
        }
    }
    off <= 1e-34 * all
}

/// All eigenvalues of a symmetric n × n matrix (row-major), ascending: the slow reference.
#[cfg(test)]
pub(crate) fn by_rotations(matrix: &[f64], n: usize) -> Vec<f64> {
    let mut values = diagonalize(matrix.to_vec(), n, &mut []);
    values.sort_by(f64::total_cmp);
    values
}

/// Raises the eigenvalues of vech A that lie below `floor` to `floor`; returns how many there were.
pub fn raise_eigenvalues(a: &mut [f64], d: usize, floor: f64) -> u32 {
    if all_eigenvalues_exceed(a, d, floor) {
        return 0;
    }
    let (values, vectors) = eigen(a, d);
    let low = values.iter().filter(|&&value| value < floor).count();
    if low > 0 {
        for i in 0..d {
            for j in 0..=i {
                let terms = (0..d).map(|k| values[k].max(floor) * vectors[k * d + i] * vectors[k * d + j]);
                a[vech_index(i, j)] = terms.fold(0.0, |sum, term| sum + term);
            }
        }
    }
    u32::try_from(low).expect("a matrix has fewer than 2^32 eigenvalues")
}

/// A − floor·I is positive definite: much cheaper to find out than eigenvalues.
fn all_eigenvalues_exceed(a: &[f64], d: usize, floor: f64) -> bool {
    let mut shifted = a.to_vec();
    (0..d).for_each(|i| shifted[vech_index(i, i)] -= floor);
    cholesky(&mut shifted, d).is_ok()
}

/// Eigenvalues of the symmetric k × k `matrix` (row-major), decreasing, and their vectors: row i of the second is
/// vector i.
pub(crate) fn symmetric(mut matrix: Vec<f64>, k: usize) -> (Vec<f64>, Vec<f64>) {
    let mut vectors = identity(k);
    for _ in 0..MAX_SWEEPS {
        let mut rotated = false;
        for (p, q) in pairs(k) {
            rotated |= annihilate(&mut matrix, &mut vectors, k, (p, q));
        }
        if !rotated {
            break;
        }
    }
    let values: Vec<f64> = (0..k).map(|i| matrix[i * k + i]).collect();
    let order = descending(&values);
    let rows = order.iter().flat_map(|&i| vectors[i * k..(i + 1) * k].iter().copied()).collect();
    (order.iter().map(|&i| values[i]).collect(), rows)
}

/// Makes entry (p, q) zero; false when it is negligible already.
fn annihilate(matrix: &mut [f64], vectors: &mut [f64], k: usize, (p, q): (usize, usize)) -> bool {
    let (a, b, c) = (matrix[p * k + p], matrix[p * k + q], matrix[q * k + q]);
    if b.abs() <= f64::EPSILON * 1e-2 * (a.abs() * c.abs()).sqrt() || b.abs() < f64::MIN_POSITIVE {
        return false;
    }
    rotate(matrix, vectors, k, (p, q), rotation(tau(a, b, c)));
    // Exactly zero, so that rounding cannot keep the sweeps alive.
    matrix[p * k + q] = 0.0;
    matrix[q * k + p] = 0.0;
    true
}

/// Makes the `count` columns, one after the other, orthogonal (one-sided Jacobi rotations, Hestenes 1958) and returns
/// the rotation: column i becomes σ_i u_i, row i of the result is v_i. Cosines up to `orthogonal` count as 0.
pub(crate) fn one_sided(columns: &mut [f64], count: usize, orthogonal: f64) -> Vec<f64> {
    let mut vectors = identity(count);
    for _ in 0..MAX_SWEEPS {
        let mut rotated = false;
        for (p, q) in pairs(count) {
            rotated |= orthogonalize(columns, &mut vectors, count, (p, q), orthogonal);
        }
        if !rotated {
            break;
        }
    }
    vectors
}

/// Makes columns p and q orthogonal; false when they are so already.
fn orthogonalize(
    columns: &mut [f64],
    vectors: &mut [f64],
    count: usize,
    (p, q): (usize, usize),
    orthogonal: f64,
) -> bool {
    let length = columns.len() / count;
    let (x, y) = (&columns[p * length..][..length], &columns[q * length..][..length]);
    let (a, b, c) = (dot(x, x), dot(x, y), dot(y, y));
    if b.abs() <= orthogonal * (a * c).sqrt() || b.abs() < f64::MIN_POSITIVE {
        return false;
    }
    let by = rotation(tau(a, b, c));
    rotate_rows(columns, length, (p, q), by);
    rotate_rows(vectors, count, (p, q), by);
    true
}

#[cfg(test)]
mod tests {
    use super::symmetric;
    use fedbits_random::{DrawPurpose, Streams};

    /// A = Σ λ_i v_i v_iᵀ with orthonormal v_i, eigenvalues decreasing, for random symmetric matrices and for a
    /// singular one.
    #[test]
    fn eigenvectors_give_the_matrix_back() {
        for k in [1, 2, 5, 20] {
            let mut stream = Streams::new(3, k as u64).at(DrawPurpose::Data, 0, 0);
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
