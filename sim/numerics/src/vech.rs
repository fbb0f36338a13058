//! Positions in the lower triangle of a matrix, stored row by row.

/// Numbers in the lower triangle of a d × d matrix, d(d+1)/2.
pub const fn vech_length(d: usize) -> usize {
    d * (d + 1) / 2
}

/// Position of entry (row, column), column ≤ row, in vech.
pub const fn vech_index(row: usize, column: usize) -> usize {
    row * (row + 1) / 2 + column
}

/// Row and column of every entry of vech.
pub fn vech_pairs(d: usize) -> impl Iterator<Item = (usize, usize)> {
    (0..d).flat_map(|i| (0..=i).map(move |j| (i, j)))
}

/// The lower triangle, row by row, of a symmetric d × d matrix in row-major order.
///
/// # Panics
/// If the matrix does not have d² entries.
pub fn vech(matrix: &[f64], d: usize) -> Vec<f64> {
    assert_eq!(matrix.len(), d * d, "the matrix is d×d");
    (0..d).flat_map(|row| &matrix[row * d..=row * d + row]).copied().collect()
}
