//! Small symmetric matrices in fixed order of operations: Cholesky, triangular inverse, Jacobi eigenvalues.
//!
//! Every result is the same on every machine, which a tuned library does not promise. Matrices are vech (lower
//! triangle, row by row). It must not know models.

use crate::DomainError;
use crate::gmm::vech_index;

/// A pivot of a Cholesky factorization that is not positive.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct BadPivot {
    pub pivot: usize,
    pub value: f64,
}

impl BadPivot {
    /// As the error of a covariance; `component` as there.
    pub(crate) fn into_error(self, component: Option<usize>) -> DomainError {
        DomainError::Covariance { component, pivot: self.pivot, value: self.value }
    }
}

/// Replaces vech A by vech L with A = L Lᵀ.
pub(crate) fn cholesky(a: &mut [f64], d: usize) -> Result<(), BadPivot> {
    for i in 0..d {
        for j in 0..=i {
            let mut sum = a[vech_index(i, j)];
            for k in 0..j {
                sum = (-a[vech_index(i, k)]).mul_add(a[vech_index(j, k)], sum);
            }
            if i > j {
                a[vech_index(i, j)] = sum / a[vech_index(j, j)];
            } else if sum > 0.0 && sum.is_finite() {
                a[vech_index(i, i)] = sum.sqrt();
            } else {
                return Err(BadPivot { pivot: i, value: sum });
            }
        }
    }
    Ok(())
}

/// Replaces vech L (lower triangular, positive diagonal) by vech L⁻¹.
pub(crate) fn invert_lower(l: &mut [f64], d: usize) {
    for j in 0..d {
        l[vech_index(j, j)] = 1.0 / l[vech_index(j, j)];
        for i in j + 1..d {
            let mut sum = 0.0;
            for k in j..i {
                sum = l[vech_index(i, k)].mul_add(l[vech_index(k, j)], sum);
            }
            l[vech_index(i, j)] = -sum / l[vech_index(i, i)];
        }
    }
}

/// Raises the eigenvalues of vech A that lie below `floor` to `floor`, and tells how many there were.
pub(crate) fn raise_eigenvalues(a: &mut [f64], d: usize, floor: f64) -> u32 {
    if all_eigenvalues_exceed(a, d, floor) {
        return 0;
    }
    let (values, vectors) = eigen(a, d);
    let low = values.iter().filter(|&&value| value < floor).count();
    if low > 0 {
        for i in 0..d {
            for j in 0..=i {
                let terms = (0..d).map(|k| values[k].max(floor) * vectors[i * d + k] * vectors[j * d + k]);
                a[vech_index(i, j)] = terms.fold(0.0, |sum, term| sum + term);
            }
        }
    }
    u32::try_from(low).expect("a matrix has fewer than 2^32 eigenvalues")
}

/// A − floor·I is positive definite: much cheaper to see than eigenvalues.
fn all_eigenvalues_exceed(a: &[f64], d: usize, floor: f64) -> bool {
    let mut shifted = a.to_vec();
    for i in 0..d {
        shifted[vech_index(i, i)] -= floor;
    }
    cholesky(&mut shifted, d).is_ok()
}

/// Eigenvalues and eigenvectors (columns of a row-major d×d matrix) by cyclic Jacobi rotations.
///
/// Sweeps run over (0,1), (0,2), …, (d−2,d−1) until the off-diagonal part is negligible. Convergence is quadratic: 6 to 10
/// sweeps; the limit of 60 is never met.
pub(crate) fn eigen(vech: &[f64], d: usize) -> (Vec<f64>, Vec<f64>) {
    let mut a: Vec<f64> = (0..d * d).map(|at| vech[vech_index((at / d).max(at % d), (at / d).min(at % d))]).collect();
    let mut vectors: Vec<f64> = (0..d * d).map(|at| if at / d == at % d { 1.0 } else { 0.0 }).collect();
    for _ in 0..60 {
        if off_diagonal_is_negligible(&a, d) {
            break;
        }
        for p in 0..d {
            for q in p + 1..d {
                rotate(&mut a, &mut vectors, d, p, q);
            }
        }
    }
    ((0..d).map(|i| a[i * d + i]).collect(), vectors)
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

/// One rotation that makes entry (p, q) zero (Golub and Van Loan, section 8.5).
fn rotate(a: &mut [f64], vectors: &mut [f64], d: usize, p: usize, q: usize) {
    let apq = a[p * d + q];
    if apq == 0.0 {
        return;
    }
    let tau = (a[q * d + q] - a[p * d + p]) / (2.0 * apq);
    let t = tau.signum() / (tau.abs() + (1.0 + tau * tau).sqrt());
    let c = 1.0 / (1.0 + t * t).sqrt();
    let s = t * c;
    for k in 0..d {
        let (x, y) = (a[k * d + p], a[k * d + q]);
        (a[k * d + p], a[k * d + q]) = (c * x - s * y, s * x + c * y);
    }
    for k in 0..d {
        let (x, y) = (a[p * d + k], a[q * d + k]);
        (a[p * d + k], a[q * d + k]) = (c * x - s * y, s * x + c * y);
    }
    for k in 0..d {
        let (x, y) = (vectors[k * d + p], vectors[k * d + q]);
        (vectors[k * d + p], vectors[k * d + q]) = (c * x - s * y, s * x + c * y);
    }
}
