//! A matrix whose eigenvectors are known.

use fedbits_eigen::symmetric_eigen;

/// [[2, 1], [1, 2]] has the eigenvalues 1 and 3, with vectors along (1, −1) and (1, 1).
#[test]
fn two_by_two() {
    let (values, vectors) = symmetric_eigen(&[2.0, 1.0, 1.0, 2.0], 2).unwrap();
    assert!((values[0] - 1.0).abs() < 1e-14 && (values[1] - 3.0).abs() < 1e-14, "{values:?}");
    assert!((vectors[0] + vectors[1]).abs() < 1e-14 && (vectors[2] - vectors[3]).abs() < 1e-14, "{vectors:?}");
    assert!((vectors[0] * vectors[0] - 0.5).abs() < 1e-14 && (vectors[2] * vectors[2] - 0.5).abs() < 1e-14);
}
