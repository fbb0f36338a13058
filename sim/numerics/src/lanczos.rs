//! The largest eigenvalue of a symmetric matrix that is known by its products: Lanczos with full reorthogonalization
//! (Golub and Van Loan, *Matrix Computations*, 10.1 and 10.3.1). A v_k = β_{k−1} v_{k−1} + α_k v_k + β_k v_{k+1}; θ is
//! the largest eigenvalue of the tridiagonal matrix of α and β, y its eigenvector. |θ − λ| ≤ r = β_k |y_k| for an
//! eigenvalue λ, and about r² divided by the gap for a simple largest one. The start is a fixed pseudo-random vector,
//! so that a result has the same bits everywhere.

use fedbits_random::CounterKey;

use crate::bisection::bisected;
use crate::svd::orthonormalize;
use crate::tridiagonal::below;
use crate::vector::{dot, norm};

/// The search ends where r is at most this share of θ.
const RESIDUAL: f64 = 1e-12;
/// Vectors that are kept at most: with so many the largest eigenvalue is known to rounding, unless a hundred others
/// are as large.
const BASIS: usize = 400;

/// The largest eigenvalue of a symmetric n × n matrix without negative ones, `multiply` its product with a vector: 0
/// without rows, NaN where a product is not finite.
pub fn largest_eigenvalue(n: usize, mut multiply: impl FnMut(&[f64]) -> Vec<f64>) -> f64 {
    let start = CounterKey::new(0);
    let mut vector: Vec<f64> = (0..n as u64).map(|j| start.uniform(j) - 0.5).collect();
    let (mut basis, mut diagonal, mut beside) = (Vec::new(), Vec::new(), Vec::new());
    let mut theta = 0.0;
    while diagonal.len() < n.min(BASIS) && orthonormalize(&mut vector, &basis) {
        let image = multiply(&vector);
        basis.extend_from_slice(&vector);
        diagonal.push(dot(&vector, &image));
        vector = image;
        // What is left of the image beside all vectors; these are orthogonal, so that the order does not matter.
        for direction in basis.chunks_exact(n).rev() {
            let along = dot(&vector, direction);
            vector.iter_mut().zip(direction).for_each(|(x, y)| *x -= along * y);
        }
        let rest = norm(&vector);
        theta = largest_of(&diagonal, &beside);
        if !theta.is_finite() {
            return f64::NAN;
        }
        if rest * last_entry(&diagonal, &beside, theta) <= RESIDUAL * theta {
            break;
        }
        beside.push(rest);
    }
    theta
}

/// The largest eigenvalue of a tridiagonal matrix.
fn largest_of(diagonal: &[f64], beside: &[f64]) -> f64 {
    let squares: Vec<f64> = beside.iter().map(|e| e * e).collect();
    let radius = |i: usize| i.checked_sub(1).map_or(0.0, |left| beside[left]) + beside.get(i).map_or(0.0, |e| *e);
    let largest = diagonal.iter().fold(f64::NEG_INFINITY, |most: f64, d| most.max(*d));
    let high = (0..diagonal.len()).map(|i| diagonal[i] + radius(i)).fold(largest, f64::max);
    if !high.is_finite() {
        return f64::NAN;
    }
    let all_but_one = diagonal.len() - 1;
    bisected((largest, high), f64::midpoint, |x| below(diagonal, &squares, x) <= all_but_one)
}

/// The last entry of the eigenvector of θ, which has length 1: from the last entry upwards, where entries grow.
fn last_entry(diagonal: &[f64], beside: &[f64], theta: f64) -> f64 {
    let (mut below, mut here, mut square) = (0.0, 1.0_f64, 1.0);
    for i in (1..diagonal.len()).rev() {
        let behind = beside.get(i).copied().unwrap_or(0.0) * below;
        (below, here) = (here, ((theta - diagonal[i]) * here - behind) / beside[i - 1]);
        square += here * here;
        // Enough, and far from an overflow.
        if square > 1e60 {
            break;
        }
    }
    1.0 / square.sqrt()
}

#[cfg(test)]
mod tests {
    use super::largest_eigenvalue;
    use crate::symmetric_eigenvalues;
    use fedbits_random::{DrawPurpose, Streams};

    fn product(matrix: &[f64], v: &[f64]) -> Vec<f64> {
        matrix.chunks_exact(v.len()).map(|row| super::dot(row, v)).collect()
    }

    /// Gram matrices of all ranks, with and without a common mean, which makes the largest eigenvalue stand out.
    #[test]
    fn it_is_that_of_the_dense_solver() {
        for (seed, n, rank, mean) in
            [(1, 1, 1, 0.0), (2, 2, 1, 0.0), (3, 5, 5, 0.0), (4, 30, 7, 1.0), (5, 90, 90, 0.0), (6, 120, 300, 0.3)]
        {
            let mut stream = Streams::new(seed, 0).at(DrawPurpose::Data, 0, 0);
            let factor: Vec<f64> = (0..n * rank).map(|_| mean + stream.normal()).collect();
            let entry = |i: usize, j: usize| (0..rank).map(|e| factor[i * rank + e] * factor[j * rank + e]).sum();
            let matrix: Vec<f64> = (0..n * n).map(|at| entry(at / n, at % n)).collect();
            let expected = symmetric_eigenvalues(&matrix, n).into_iter().fold(0.0, f64::max);
            let found = largest_eigenvalue(n, |v| product(&matrix, v));
            assert!((found / expected - 1.0).abs() < 1e-13, "{n} × {n} of rank {rank}: {found}, not {expected}");
        }
    }

    /// A largest eigenvalue that is double, the unit matrix, no matrix, and numbers near the ends of what is finite.
    #[test]
    fn special_spectra() {
        let diagonal = |entries: &[f64]| {
            largest_eigenvalue(entries.len(), |v| v.iter().zip(entries).map(|(v, entry)| v * entry).collect())
        };
        assert_eq!((diagonal(&[]), diagonal(&[0.0; 4]), diagonal(&[3.0])), (0.0, 0.0, 3.0));
        assert!((diagonal(&[1.0; 50]) - 1.0).abs() < 1e-15);
        assert!((diagonal(&[7.0, 7.0, 1.0, 6.999_999, 0.0, 2.0]) - 7.0).abs() < 1e-13);
        assert!((diagonal(&[1e-140, 3e-140, 2e-140]) / 3e-140 - 1.0).abs() < 1e-13);
        assert!((diagonal(&[1e140, 3e140, 2e140]) / 3e140 - 1.0).abs() < 1e-13);
        assert!(diagonal(&[1.0, f64::NAN]).is_nan() && diagonal(&[f64::INFINITY, 0.0]).is_nan());
    }
}
