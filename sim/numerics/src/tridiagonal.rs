//! Eigenvalues of symmetric matrices: Householder reflections to three diagonals, then bisection (Golub and Van
//! Loan, 8.3.1 and 8.4.1). Without vectors this takes 2 n³ operations; sweeps of Jacobi rotations take some 50 n³.

use crate::bisection::bisected;
use crate::vector::dot;

/// All eigenvalues of a symmetric n × n matrix (row-major), ascending, in O(n³); NaN where an entry is not finite.
///
/// # Panics
/// If the matrix is not n × n.
pub fn symmetric_eigenvalues(matrix: &[f64], n: usize) -> Vec<f64> {
    assert_eq!(matrix.len(), n * n, "a matrix of {n} rows");
    // By its largest entry, so that no square overflows or vanishes.
    let scale =
        matrix.iter().fold(0.0, |most: f64, entry| if entry.is_nan() { f64::NAN } else { most.max(entry.abs()) });
    if !scale.is_finite() {
        return vec![f64::NAN; n];
    }
    let scale = if scale > 0.0 { scale } else { 1.0 };
    let (diagonal, beside) = reduce(matrix.iter().map(|entry| entry / scale).collect(), n);
    let squares: Vec<f64> = beside.iter().map(|e| e * e).collect();
    // Gershgorin: no eigenvalue lies outside.
    let radius =
        |i: usize| i.checked_sub(1).map_or(0.0, |left| beside[left].abs()) + beside.get(i).map_or(0.0, |e| e.abs());
    let low = (0..n).map(|i| diagonal[i] - radius(i)).fold(f64::INFINITY, f64::min);
    let high = (0..n).map(|i| diagonal[i] + radius(i)).fold(f64::NEG_INFINITY, f64::max);
    let eigenvalue = |k| bisected((low, high), f64::midpoint, |x| below(&diagonal, &squares, x) <= k);
    (0..n).map(|k| scale * eigenvalue(k)).collect()
}

/// The diagonal and the entries beside it of a tridiagonal matrix with the same eigenvalues.
fn reduce(mut a: Vec<f64>, n: usize) -> (Vec<f64>, Vec<f64>) {
    let mut beside = Vec::with_capacity(n.saturating_sub(1));
    for k in 0..n.saturating_sub(1) {
        // What lies below the diagonal, which is reflected to a multiple of the first unit vector.
        let mut v: Vec<f64> = (k + 1..n).map(|i| a[i * n + k]).collect();
        let length = dot(&v, &v).sqrt();
        let image = if v[0] > 0.0 { -length } else { length };
        v[0] -= image;
        beside.push(image);
        let square = dot(&v, &v);
        if square > 0.0 {
            reflect(&mut a, n, k + 1, &v, 2.0 / square);
        }
    }
    ((0..n).map(|i| a[i * n + i]).collect(), beside)
}

/// H A H for H = I − `scale` v vᵀ, in the rows and columns from `first` on.
fn reflect(a: &mut [f64], n: usize, first: usize, v: &[f64], scale: f64) {
    let row = |i: usize| (first + i) * n + first..(first + i + 1) * n;
    let mut w: Vec<f64> = (0..v.len()).map(|i| scale * dot(&a[row(i)], v)).collect();
    let share = 0.5 * scale * dot(&w, v);
    w.iter_mut().zip(v).for_each(|(w, v)| *w -= share * v);
    for i in 0..v.len() {
        let (own_v, own_w) = (v[i], w[i]);
        for (a, (v, w)) in a[row(i)].iter_mut().zip(v.iter().zip(&w)) {
            *a -= own_v * w + own_w * v;
        }
    }
}

/// How many eigenvalues lie below x: the negative pivots of the matrix minus x (Sylvester's law of inertia).
pub(crate) fn below(diagonal: &[f64], squares: &[f64], x: f64) -> usize {
    let mut pivot = diagonal[0] - x;
    let mut count = usize::from(pivot < 0.0);
    for (d, square) in diagonal[1..].iter().zip(squares) {
        // A zero pivot counts as a tiny one above zero.
        let before = if pivot == 0.0 { f64::MIN_POSITIVE } else { pivot };
        pivot = d - x - square / before;
        count += usize::from(pivot < 0.0);
    }
    count
}

#[cfg(test)]
mod tests {
    use super::symmetric_eigenvalues;
    use crate::jacobi::by_rotations;
    use fedbits_random::{DrawPurpose, Streams};

    fn check(found: &[f64], expected: &[f64]) {
        assert_eq!(found.len(), expected.len());
        let scale = expected.iter().fold(1.0, |most: f64, value| most.max(value.abs()));
        for (found, expected) in found.iter().zip(expected) {
            assert!((found - expected).abs() < 1e-12 * scale, "{found} is not {expected}");
        }
    }

    /// Random matrices, of full rank and not, have the eigenvalues that Jacobi rotations find.
    #[test]
    fn they_are_those_of_rotations() {
        for (seed, n, rank) in [(1, 1, 1), (2, 2, 2), (3, 3, 1), (4, 20, 20), (5, 40, 7), (6, 65, 65)] {
            let mut stream = Streams::new(seed, 0).at(DrawPurpose::Data, 0, 0);
            let factor: Vec<f64> = (0..n * rank).map(|_| stream.normal()).collect();
            let sign = |e: usize| if e.is_multiple_of(2) { 1.0 } else { -1.0 };
            let entry =
                |i: usize, j: usize| (0..rank).map(|e| sign(e) * factor[i * rank + e] * factor[j * rank + e]).sum();
            let matrix: Vec<f64> = (0..n * n).map(|at| entry(at / n, at % n)).collect();
            check(&symmetric_eigenvalues(&matrix, n), &by_rotations(&matrix, n));
        }
    }

    /// 2 − 2 cos(2 π k / n), each but the first twice: the Laplacian of a ring.
    #[test]
    fn those_of_a_ring_are_known() {
        let n = 301;
        let mut matrix = vec![0.0; n * n];
        for i in 0..n {
            matrix[i * n + i] = 2.0;
            matrix[i * n + (i + 1) % n] = -1.0;
            matrix[i * n + (i + n - 1) % n] = -1.0;
        }
        let angle = |k: usize| core::f64::consts::TAU * k as f64 / n as f64;
        let mut expected: Vec<f64> = (0..n).map(|k| 2.0 - 2.0 * libm::cos(angle(k))).collect();
        expected.sort_by(f64::total_cmp);
        check(&symmetric_eigenvalues(&matrix, n), &expected);
        check(&symmetric_eigenvalues(&[0.0; 16], 4), &[0.0; 4]);
    }

    #[test]
    fn huge_and_tiny_entries_neither_overflow_nor_hang() {
        for scale in [1e-300, 1e160, 1e300] {
            let found = symmetric_eigenvalues(
                &[2.0, 1.0, 0.0, 1.0, 2.0, 1.0, 0.0, 1.0, 2.0].map(|entry: f64| entry * scale),
                3,
            );
            let root = core::f64::consts::SQRT_2;
            check(&found.iter().map(|value| value / scale).collect::<Vec<_>>(), &[2.0 - root, 2.0, 2.0 + root]);
        }
        assert!(symmetric_eigenvalues(&[f64::NAN; 4], 2).iter().all(|value| value.is_nan()));
        assert!(symmetric_eigenvalues(&[f64::INFINITY; 4], 2).iter().all(|value| value.is_nan()));
    }
}
