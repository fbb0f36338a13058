//! `exp`, `expm1`, `log`, normal and gamma draws in lanes, with the very bits of `libm`.
//!
//! They are FreeBSD's algorithms as `libm` has them, branch by branch turned into selections. Every operation is an
//! IEEE operation that is rounded by itself (no fused ones), so each lane has the bits of a call of `libm`, whatever
//! the vector width. Lanes that the usual path does not cover (overflow, subnormal numbers, NaN) are computed by
//! `libm`.

mod exp;
mod fused;
mod gamma;
mod log;
mod map;
mod normal;
mod vector;

pub use exp::{exp, expm1_not_positive};
pub use fused::{fused, mul_add};
pub use gamma::gammas;
pub use log::log;
pub use map::{exp_all, log_all};
pub use normal::normals;
pub use vector::{LANES, gather, sum_by_halves};
