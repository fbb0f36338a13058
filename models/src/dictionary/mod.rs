//! Dictionary learning as majorize–minimize in the space of statistics (Mairal, Bach, Ponce and Sapiro, "Online
//! learning for matrix factorization and sparse coding", JMLR 2010; the experiment of FedMM, Dieuleveut et al. 2025).
//!
//! ```text
//! f(θ, z) = min_h ½‖z − θ h‖² + λ ‖h‖₁                               z of p numbers, θ = (atom 1, …, atom K), p × K
//! s̄(z, θ) = (h* h*ᵀ, z h*ᵀ) at the minimizer h*;      T(s₁, s₂) = argmin_θ ½⟨s₁, θᵀθ⟩ − ⟨s₂, θ⟩ + η/2 ‖θ‖²
//!                                                                  = s₂ (s₁ + η I)⁻¹
//! F(θ) = mean over examples of f(θ, z) + η/2 ‖θ‖²
//! ```
//!
//! At any other θ' the code h* of θ gives an upper bound of f(θ', z), which is linear in s̄(z, θ): T never raises F.
//!
//! | vector | holds |
//! |---|---|
//! | θ | K atoms of p numbers each, one after the other |
//! | s | the lower triangle of s₁ row by row, K(K + 1)/2 numbers; then the K columns of s₂ as rows of p numbers |

mod lasso;
mod model;
mod setting;

pub use model::Dictionary;
pub use setting::DictionarySetting;
