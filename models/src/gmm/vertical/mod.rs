//! Gaussian mixtures whose covariances are block-diagonal because the features lie apart (VP-EM paper, sections 4 to
//! 6).
//!
//! Block b holds the features x^b of all M examples and its own θ_b = (π, µ^b, Σ^b), in the layout of a mixture with
//! full covariances. Terms: Q_mk^b = log|Σ_k^b| + ‖x_m^b − µ_k^b‖²_{(Σ_k^b)⁻¹} (equations 10 and 12). A *target* sees
//! the sum Z_mk = Σ_b a_b Q_mk^b (all a_b = 1: the exact sum; otherwise what a consensus left of it) and has its own π:
//!
//! γ_mk ∝ π_k exp(−Z_mk / 2),   LL = −(M d / 2) log 2π + Σ_m log Σ_k π_k exp(−Z_mk / 2).
//!
//! | symbol | name | |
//! |---|---|---|
//! | M, d, K | `examples`, `dimension`, `components` | |
//! | a | a row of [`Mixing`] | one per block |
//! | γ | memory of [`Incremental`] | M × K per target, kept only by the incremental EM of Neal and Hinton |
//!
//! Inside, features are centred by their means, so that second moments lose no digits far from the origin.

mod blocks;
mod missing;
mod mix;
mod mixture;
mod pass;

pub use blocks::{BlockError, FeatureBlocks};
pub use mix::Mixing;
pub use mixture::{Incremental, Singular, VerticalMixture};
pub use pass::{Estimate, Mix, Target};
