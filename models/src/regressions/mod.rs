//! Mixtures of linear regressions with one latent label per client: "EM for the federated mixture of linear
//! regressions", arXiv 2408.05819.
//!
//! ```text
//! y_j = ⟨β_z, x_j⟩ + σ ε_j for all points j of a client, with P(z = k) = π_k
//! E:  w_k ∝ π_k σ^{−m} exp(−‖y − X β_k‖² / 2σ²)                       of a client, from all its m points
//! M:  π_k = E w_k,   β_k = (E w_k XᵀX)⁻¹ E w_k Xᵀy,   σ² = E Σ_k w_k ‖y − X β_k‖² / E m,  E over clients
//! ```
//!
//! An example is all that a client has, reduced to a row ([`RegressionSums`](crate::data::regressions)): so the model
//! is one of examples like any other, and its statistic is q numbers per client, however many points that has. β_k is
//! pooled least squares.

mod model;
mod setting;

pub use model::RegressionMixture;
pub use setting::{Noise, RegressionMixtureSetting};
