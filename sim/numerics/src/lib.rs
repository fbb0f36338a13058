//! Small dense linear algebra and order statistics in one fixed order of operations: results have the same bits on
//! every machine, which optimized libraries do not guarantee.
//!
//! A symmetric or lower triangular d × d matrix is stored as vech: its lower triangle row by row, (0,0), (1,0), (1,1),
//! (2,0), …, d(d+1)/2 numbers. Other matrices are row-major.

#![cfg_attr(not(test), deny(clippy::unwrap_used))]

mod bisection;
mod digamma;
mod digits;
mod hermite;
mod jacobi;
mod lanczos;
pub mod lanes;
#[cfg(test)]
mod levels;
mod quantile;
mod student;
pub mod svd;
mod triangular;
mod tridiagonal;
mod vech;
mod vector;

pub use bisection::bisected;
pub use digamma::digamma;
pub use digits::{rounded_power, significant};
pub use hermite::gauss_hermite;
pub use jacobi::raise_eigenvalues;
pub use lanczos::largest_eigenvalue;
pub use quantile::{quantile, running_medians, sorted};
pub use student::{standard_error, t_quantile, t_tail};
pub use triangular::{
    BadPivot, cholesky, column_dot, gram_entry, inverse_root, invert_lower, log_determinant, row_dot, solve,
};
pub use tridiagonal::symmetric_eigenvalues;
pub use vech::{vech, vech_index, vech_length, vech_pairs};
pub use vector::{dot, norm};
