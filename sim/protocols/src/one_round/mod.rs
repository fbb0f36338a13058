//! One round: clients fit mixtures to their own examples, and the server makes one of the fits.
//!
//! ```text
//! client i:  θ_i ← θ₀;  θ_i ← T_i(s̄_i(θ_i)) until the objective rests;  sends Quant(θ_i − θ₀)
//! server:    f = Σ w_i f_i / Σ w_i over the fits f_i that arrived;  θ ← a mixture of G components near f
//! ```
//!
//! | how the server makes one mixture | source |
//! |---|---|
//! | [`Merging::Reduction`] | Q. Zhang and J. Chen, "Distributed learning of finite Gaussian mixtures", JMLR 2022 |
//! | [`Merging::Resampling`] | S. Zhang Pettersson, K.-Y. Liang and J. C. Andresen (FedGenGMM, arXiv 2506.01780) |
//! | [`Merging::Filtered`] | Q. Zhang, Y. S. Tan and J. Chen (DFMR, JRSSB 2026, arXiv 2407.13980) |
//! | [`Merging::Mean`] | FedAvg-EM with one round |
//!
//! Of these papers the abstracts were read, and the public code of the first and the third (`SarahQiong/SCGMM`,
//! `SarahQiong/RobustSCGMM`). What differs from them: clients begin at a common θ₀ instead of a start of their own, and
//! maximize the likelihood, where the code of the first and third has a penalty on covariances. FedGenGMM lets clients
//! choose their numbers of components.
//!
//! θ has no more numbers than its statistic, but for a tied covariance, of which a statistic says nothing: θ travels.
//! How many examples clients have is public, as in the other protocols.

mod build;
mod local_em;
mod settings;
mod star;

pub use local_em::{LocalEm, Rest};
pub use settings::{Merging, OneRoundSetting, Within};
pub use star::{LocalFits, OneRound, OneRoundServer};
