//! Bi-factor item response models (FL-SAEM draft 5.3): item j depends on a general factor z₀ and on the factor of
//! its group g(j) (Holzinger and Swineford 1937; Gibbons and Hedeker 1992).
//!
//! ```text
//! z_i ~ N(0, I),  1 + G numbers per person        η_ij = µ_j + a_j z_i0 + c_j z_ig(j) = x_jᵀ u_ij,   u = (1, z₀, z_g)
//! Gaussian:  y_ij = η_ij + ψ_j^½ ε_ij
//! probit:    y_ij = 1{w_ij > 0},  w_ij = η_ij + ε_ij                      (Albert and Chib 1993)
//! logit:     P(y_ij = 1) = σ(η_ij),  through ω_ij ~ PG(1, η_ij)           (Polson, Scott and Windle 2013)
//!
//! Gaussian, probit:  M_g = mean of u uᵀ (the same for all items of a group),   r_j = mean of t u,  t = y or E[w | z, y]
//! logit:             M_j = mean of E[ω | z] u uᵀ,  E[ω | z] = tanh(η/2)/(2η),   r_j = mean of (y − ½) u
//! T:                 x_j = M⁻¹ r_j,   ψ_j = mean of y² − x_jᵀ r_j
//! ```
//!
//! | vector | entries |
//! |---|---|
//! | θ | item by item: µ_j, a_j, c_j (intercept, general, specific), Gaussian: ψ_j (variance) |
//! | s, Gaussian and probit | z₀, z₀²; group by group z_g, z₀ z_g, z_g²; item by item r_j (3), Gaussian: y² |
//! | s, logit | item by item the lower triangle of M_j (6), r_j (3) |
//!
//! The augmenting w and ω are integrated out of the statistics given z (Rao and Blackwell), so that z alone is sampled;
//! the probit model's Gibbs kernel draws w. With Gaussian responses the posterior is Gaussian and the E-step exact
//! (`exact.rs`). The sign of every factor is free: all parties share θ, so no two of them can disagree about it, and T
//! must not turn signs (the average S would keep the old ones); tables are shown with the first loading of every factor
//! positive.

mod law;
mod model;
mod posterior;
mod setting;

pub use law::Law;
pub use model::BiFactor;
pub use setting::BiFactorSetting;
