//! Matrices by rows, weights and covariances that settings give, and their checks.

use fedbits_spec::range::{FINITE, POSITIVE, Range};
use fedbits_spec::{Described, Facts, Findings, Path, so_many};
use serde::{Deserialize, Serialize};

/// A matrix by rows; its checks see to it that rows have equal lengths.
pub type Matrix = Vec<Vec<f64>>;

/// Covariances of a mixture.
#[derive(Clone, Debug, Described, Deserialize, PartialEq, Serialize)]
pub enum Covariances {
    /// One d × d matrix for all components.
    Common(#[described(by_rules)] Matrix),
    /// G matrices, d × d.
    PerComponent(#[described(by_rules)] Vec<Matrix>),
}

impl Covariances {
    /// All matrices: the common one once.
    #[must_use]
    pub fn matrices(&self) -> &[Matrix] {
        match self {
            Covariances::Common(matrix) => std::slice::from_ref(matrix),
            Covariances::PerComponent(matrices) => matrices,
        }
    }

    /// Symmetric and positive definite, one or `components` of them, d × d where d is known.
    pub fn check(&self, components: usize, features: Option<usize>, at: &Path<'_>, findings: &mut Findings) {
        match self {
            Covariances::Common(matrix) => covariance(matrix, features, &at.index(0), findings),
            Covariances::PerComponent(matrices) => {
                if matrices.len() != components {
                    let found = so_many(matrices.len(), "matrix is given|matrices are given");
                    findings.error(at, found, format!("expected {components}, one per component"));
                }
                let list = at.index(0);
                for (index, matrix) in matrices.iter().enumerate() {
                    covariance(matrix, features, &list.index(index), findings);
                }
            }
        }
    }
}

/// How far weights may sum from 1, and how far a matrix may be from symmetric (relative to its diagonal).
pub(crate) const TOLERANCE: f64 = 1e-9;

/// Is the number fine? Else it is noted.
fn number(range: &impl Range<f64>, value: f64, at: &Path<'_>, findings: &mut Findings) -> bool {
    let before = findings.iter().len();
    range.check(&value, at, &Facts::default(), findings);
    findings.iter().len() == before
}

/// G weights, each above 0, that sum to 1.
pub fn weights(weights: &[f64], at: &Path<'_>, findings: &mut Findings) {
    if weights.is_empty() {
        findings.error(at, "there are no weights", "expected one weight per component");
        return;
    }
    let mut fine = true;
    for (index, weight) in weights.iter().enumerate() {
        fine &= number(&POSITIVE, *weight, &at.index(index), findings);
    }
    let sum: f64 = weights.iter().sum();
    if fine && (sum - 1.0).abs() > TOLERANCE {
        findings.error(at, format!("the weights sum to {sum}"), "expected weights that sum to 1 (± 1e-9)");
    }
}

/// `rows` means of `columns` finite numbers (when known; else as many as the first has).
pub fn means(matrix: &Matrix, rows: usize, columns: Option<usize>, at: &Path<'_>, findings: &mut Findings) {
    if matrix.len() != rows {
        let found = so_many(matrix.len(), "mean is given|means are given");
        findings.error(at, found, format!("expected {rows}, one row per component"));
    }
    let columns = columns.or(matrix.first().map(Vec::len)).unwrap_or(0);
    for (index, row) in matrix.iter().enumerate() {
        let at = at.index(index);
        if row.len() != columns || row.is_empty() {
            let expected = format!("expected {}, one per feature", columns.max(1));
            findings.error(at, format!("the row has {}", so_many(row.len(), "number")), expected);
        }
        for (index, value) in row.iter().enumerate() {
            number(&FINITE, *value, &at.index(index), findings);
        }
    }
}

/// A symmetric positive definite matrix, d × d when d is known.
pub fn covariance(matrix: &Matrix, features: Option<usize>, at: &Path<'_>, findings: &mut Findings) {
    let size = features.unwrap_or(matrix.len());
    if matrix.len() != size || size == 0 {
        let expected = format!("expected {}, one per feature", so_many(size.max(1), "row"));
        findings.error(at, format!("the covariance has {}", so_many(matrix.len(), "row")), expected);
        return;
    }
    let mut fine = true;
    for (index, row) in matrix.iter().enumerate() {
        let at = at.index(index);
        if row.len() != size {
            let found = format!("row {index} of the covariance has {}", so_many(row.len(), "number"));
            findings.error(at, found, format!("expected {size}, a square matrix"));
            fine = false;
        }
        for (column, value) in row.iter().enumerate() {
            fine &= number(&FINITE, *value, &at.index(column), findings);
        }
    }
    if !fine {
        return;
    }
    if let Some((row, column)) = asymmetry(size, |row, column| matrix[row][column]) {
        let (above, below) = (matrix[column][row], matrix[row][column]);
        let found = format!("the covariance is not symmetric: {below} here, {above} at row {column}, column {row}");
        findings.error(at.index(row).index(column), found, "expected a symmetric matrix");
    } else if !is_positive_definite(matrix) {
        findings.error(at, "the covariance is not positive definite", "expected a positive definite matrix");
    }
}

/// The first entry below the diagonal that differs from its mirror image by more than rounding; of a matrix without one
/// the entries below the diagonal count.
pub(crate) fn asymmetry(size: usize, entry: impl Fn(usize, usize) -> f64) -> Option<(usize, usize)> {
    let mut entries = (0..size).flat_map(|row| (0..row).map(move |column| (row, column)));
    let scale = |i: usize| entry(i, i).abs();
    entries.find(|&(i, j)| (entry(i, j) - entry(j, i)).abs() > TOLERANCE * scale(i).max(scale(j)))
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
