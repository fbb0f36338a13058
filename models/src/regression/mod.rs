//! Regression by gradient steps: empirical risk in the form of majorization and minimization, of which EM is the other
//! case.
//!
//! ```text
//! F(x) = N⁻¹ Σ_j f_j(x) + r(x),   f_j(x) = ℓ(a_jᵀ x, b_j) + g(x)
//! s̄_j(x) = x − ρ ∇f_j(x)          the E-step: the minimizer of a quadratic above f_j, if ρ ≤ 1/L
//! T(s) = argmin ρ r(x) + ½‖x − s‖² the M-step: the identity without r, the soft threshold by ρλ for r = λ‖x‖₁
//! ```
//!
//! a_j are the columns of example j (and a 1 with an intercept), b_j is its class as ±1, or a number. Smooth penalties
//! g (ridge, x²/(1 + x²)) are a part of every f_j, as in the papers on compressed gradients (DIANA, MARINA, EF21). So
//! EM with Ŝ = s̄(T(Ŝ)) is the proximal gradient method with step ρ, and h(Ŝ) = −ρ ∇f. `Auto` takes ρ = 1/L with
//!
//! ```text
//! L = c λ_max(N⁻¹ Σ_j a_j a_jᵀ) + the constant of ∇g
//! c = ¼ logistic, 1 squares and Huber, ½ softmax;   λ ridge, 2λ for λ Σ x²/(1 + x²)
//! ```
//!
//! With softmax x holds a vector of coefficients per class, class after class. An intercept is the last coefficient of
//! its vector and is not penalized.

mod kernel;
mod loss;
mod model;
mod penalty;
mod setting;

pub use loss::RegressionLoss;
pub use model::LinearModel;
pub use penalty::Penalty;
pub use setting::{RegressionSetting, StepSize};
