//! Models whose E-step is done by sampling, and the samplers (FL-SAEM draft).
//!
//! A model knows its subjects i = 0, …, N − 1 with their observations y_i and one vector z_i of latent variables each.
//! At a parameter θ it gives the complete-data density p(y_i, z; θ), its gradient in z, which is ∇ log p(z | y_i; θ),
//! and the complete-data statistics S(y_i, z). A sampler moves z; it never sees y. Statistics are means over subjects:
//!
//! ```text
//! S̃ = N⁻¹ Σ_i S(y_i, z_i),   θ = T(S̃)
//! ```
//!
//! Adding a model is a new file with these two traits; adding a kernel a new file in `kernels/`.

mod chain;
mod diagnostics;
mod estimate;
pub mod importance;
mod kernels;
mod likelihood;
mod mode;
mod model;
mod sampler;
mod state;

pub use chain::{Chain, GradientMap, SamplerError, Tally};
pub use estimate::{AUTOMATIC_DRAWS, log_likelihood};
pub use kernels::langevin::langevin_drift;
pub use likelihood::LogLikelihood;
pub use mode::{Mode, mode};
pub use model::{Abilities, Difference, FinalTable, LatentSampler, Posterior};
pub use sampler::{ChainStart, Kernel, Place, Sampler};
