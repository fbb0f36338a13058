//! Eigenvectors of a symmetric matrix, by faer.
//!
//! Its last bits depend on the processor, so the only user, principal components, rounds what comes from here. The
//! crate stands alone because faer takes long to compile: nothing else waits for it.

#![deny(clippy::unwrap_used)]

use faer::diag::Diag;
use faer::dyn_stack::{MemBuffer, MemStack};
use faer::linalg::evd::{ComputeEigenvectors, self_adjoint_evd, self_adjoint_evd_scratch};
use faer::{Mat, MatRef, Par};

/// The d increasing eigenvalues of a symmetric d × d matrix and their vectors of length 1, one after the other; nothing
/// when the iteration does not converge.
///
/// # Panics
/// If the matrix has no d × d entries.
pub fn symmetric_eigen(matrix: &[f64], d: usize) -> Option<(Vec<f64>, Vec<f64>)> {
    let matrix = MatRef::from_row_major_slice(matrix, d, d);
    let (mut values, mut vectors) = (Diag::<f64>::zeros(d), Mat::<f64>::zeros(d, d));
    let yes = ComputeEigenvectors::Yes;
    let mut memory = MemBuffer::new(self_adjoint_evd_scratch::<f64>(d, yes, Par::Seq, Default::default()));
    let stack = MemStack::new(&mut memory);
    self_adjoint_evd(matrix, values.as_mut(), Some(vectors.as_mut()), Par::Seq, stack, Default::default()).ok()?;
    let vectors = (0..d).flat_map(|c| vectors.col(c).iter().copied()).collect();
    Some((values.column_vector().iter().copied().collect(), vectors))
}
