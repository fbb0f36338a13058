//! Weights, rows of means, and covariance matrices. This file must not know whose they are.

use super::Findings;
use super::numbers::{FINITE, POSITIVE, number};
use crate::schema::{Covariances, Matrix};

/// How far weights may sum from 1, and how far a matrix may be from symmetric (relative to its diagonal).
const TOLERANCE: f64 = 1e-9;

/// G weights, each above 0, that sum to 1.
pub(super) fn weights(findings: &mut Findings, path: &str, weights: &[f64]) {
    if weights.is_empty() {
        findings.error(path, "there are no weights", "expected one weight per component");
        return;
    }
    let mut fine = true;
    for (index, weight) in weights.iter().enumerate() {
        fine &= number(findings, &format!("{path}[{index}]"), *weight, POSITIVE);
    }
    let sum: f64 = weights.iter().sum();
    if fine && (sum - 1.0).abs() > TOLERANCE {
        findings.error(path, format!("the weights sum to {sum}"), "expected weights that sum to 1 (± 1e-9)");
    }
}

/// `rows` rows (when known) of `columns` finite numbers (when known; else as many as the first row has).
pub(super) fn rows(findings: &mut Findings, path: &str, matrix: &Matrix, rows: usize, columns: Option<usize>) {
    if matrix.len() != rows {
        let found = format!("there are {} means", matrix.len());
        findings.error(path, found, format!("expected {rows}, one row per component"));
    }
    let columns = columns.or(matrix.first().map(Vec::len)).unwrap_or(0);
    for (index, row) in matrix.iter().enumerate() {
        let path = format!("{path}[{index}]");
        if row.len() != columns || row.is_empty() {
            let expected = format!("expected {}, one per feature", columns.max(1));
            findings.error(&path, format!("the row has {} numbers", row.len()), expected);
        }
        for (index, value) in row.iter().enumerate() {
            number(findings, &format!("{path}[{index}]"), *value, FINITE);
        }
    }
}

/// A common matrix, or one per component.
pub(super) fn covariances(
    findings: &mut Findings,
    path: &str,
    covariances: &Covariances,
    components: usize,
    features: Option<usize>,
) {
    match covariances {
        Covariances::Common(matrix) => covariance(findings, &format!("{path}[0]"), matrix, features),
        Covariances::PerComponent(matrices) => {
            if matrices.len() != components {
                let found = format!("there are {} matrices", matrices.len());
                findings.error(path, found, format!("expected {components}, one per component"));
            }
            for (index, matrix) in matrices.iter().enumerate() {
                covariance(findings, &format!("{path}[0][{index}]"), matrix, features);
            }
        }
    }
}

/// A symmetric positive definite matrix, d × d when d is known.
pub(super) fn covariance(findings: &mut Findings, path: &str, matrix: &Matrix, features: Option<usize>) {
    let size = features.unwrap_or(matrix.len());
    if matrix.len() != size || size == 0 {
        let expected = format!("expected {} rows, one per feature", size.max(1));
        findings.error(path, format!("the covariance has {} rows", matrix.len()), expected);
        return;
    }
    let mut fine = true;
    for (index, row) in matrix.iter().enumerate() {
        if row.len() != size {
            let found = format!("row {index} of the covariance has {} numbers", row.len());
            findings.error(format!("{path}[{index}]"), found, format!("expected {size}, a square matrix"));
            fine = false;
        }
        for (column, value) in row.iter().enumerate() {
            fine &= number(findings, &format!("{path}[{index}][{column}]"), *value, FINITE);
        }
    }
    if fine {
        definite(findings, path, matrix);
    }
}

fn definite(findings: &mut Findings, path: &str, matrix: &Matrix) {
    if let Some((row, column)) = asymmetry(matrix) {
        let (above, below) = (matrix[column][row], matrix[row][column]);
        let found = format!("the covariance is not symmetric: {below} here, {above} at row {column}, column {row}");
        findings.error(format!("{path}[{row}][{column}]"), found, "expected a symmetric matrix");
    } else if !is_positive_definite(matrix) {
        findings.error(path, "the covariance is not positive definite", "expected a positive definite matrix");
    }
}

/// The first place below the diagonal that differs from its mirror image.
fn asymmetry(matrix: &Matrix) -> Option<(usize, usize)> {
    let places = (0..matrix.len()).flat_map(|row| (0..row).map(move |column| (row, column)));
    let scale = |i: usize| matrix[i][i].abs();
    places.into_iter().find(|&(i, j)| (matrix[i][j] - matrix[j][i]).abs() > TOLERANCE * scale(i).max(scale(j)))
}

/// Cholesky's factorization exists.
fn is_positive_definite(matrix: &Matrix) -> bool {
    let size = matrix.len();
    let mut factor = vec![vec![0.0; size]; size];
    for i in 0..size {
        for j in 0..=i {
            let products: f64 = (0..j).map(|k| factor[i][k] * factor[j][k]).sum();
            let rest = matrix[i][j] - products;
            if i == j && rest.is_nan() | (rest <= 0.0) {
                return false;
            }
            factor[i][j] = if i == j { rest.sqrt() } else { rest / factor[j][j] };
        }
    }
    true
}
