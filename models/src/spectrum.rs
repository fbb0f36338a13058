//! Eigenvalues of symmetric matrices in a fixed order of operations: the same bits on every machine, which a tuned library does
//! not promise. It must not know what a matrix means.

use crate::gmm::vech;
use crate::symmetric::eigen;

/// All eigenvalues of a symmetric n × n matrix (row-major), ascending, by cyclic Jacobi rotations: O(n³) with a large constant,
/// for n up to a few hundred.
///
/// # Panics
/// If the matrix is not n × n.
pub fn symmetric_eigenvalues(matrix: &[f64], n: usize) -> Vec<f64> {
    let (mut values, _) = eigen(&vech(matrix, n), n);
    values.sort_by(f64::total_cmp);
    values
}
