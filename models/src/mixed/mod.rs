//! Mixed-effects models: a curve per subject whose parameters vary between subjects (FL-SAEM draft 5.1).
//!
//! ```text
//! z_i ~ N(µ, Ω)                               p numbers per subject, on the scale where they are normal
//! y_ij = f(z_i; t_ij) + g_ij ε_ij             ε_ij ~ N(0, σ²), g = 1 (constant error) or g = f (proportional error)
//!
//! S1 = N⁻¹ Σ z_i,   S2 = N⁻¹ Σ vech(z_i z_iᵀ),   S3 = n⁻¹ Σ_ij ((y_ij − f_ij)/g_ij)²
//! µ = S1,           Ω = S2 − S1 S1ᵀ,             σ² = S3
//! ```
//!
//! | vector | entries |
//! |---|---|
//! | s | S1 (p), S2: vech with a full Ω, squares with a diagonal one, S3 |
//! | θ | µ (p), Ω: vech or variances, σ² |
//!
//! n is the number of all observations; a subject's share of S3 is its sum of squares divided by n/N, which makes every
//! part of s a mean over subjects and n/N a constant that all parties must know. Ω diagonal replaces S2 by its
//! diagonal. With a linear curve and constant error everything is Gaussian and the E-step exact (`linear.rs`).

mod absorption;
mod curve;
mod linear;
mod model;
mod posterior;
mod predictive;
mod sampler;
mod setting;

pub use curve::Curve;
pub use model::{Effects, MixedModel, ResidualError};
pub use setting::MixedSetting;
