//! Low-rank imputation of counts by observers × sites × times: the model of FedMissEM (FedEM paper, section 4; its
//! Algorithm 7 is not published, so this is our reading of the text).
//!
//! Observer i has a J×L matrix X^i of independent entries with natural parameters θ_jl, of which a few are observed:
//!
//! ```text
//! s̄_i(θ)_jl = X^i_jl where observed, ψ'(θ_jl) where missing;      Ŝ = mean over M complete matrices,   q = J L
//! T(S)      = argmin over rank(θ) ≤ r of Σ_jl [ψ(θ_jl) − S_jl θ_jl] + λ ‖θ‖_*
//! ```
//!
//! Gaussian entries: T is the SVD of S with r singular values soft-thresholded by λ (Eckart–Young). Other families have
//! no closed form: Newton steps of every row of A with B held, then of B with A held, carried on, and now and then a
//! majorize-minimize step θ ← SVD_{r,λ/c}(θ + (S − ψ'(θ))/c), until the objective of T rests; each lowers it. c is m/4
//! for binomial entries, which bounds ψ'' everywhere; for Poisson entries it starts at the largest ψ''(θ_jl) and is
//! doubled until the majorizer's sum over all cells is at least that of ψ at the new θ. T is not unique when σ_r =
//! σ_{r+1}, and matrices of rank ≤ r are not convex: limits are stationary points. Where noise takes an entry of S out
//! of the range of means (below 0 of `Poisson`), ψ(θ) − Sθ has no lower bound: T takes the end of the range.
//!
//! | symbol | here | |
//! |---|---|---|
//! | J, L | `sites`, `times` | rows and columns of the matrices |
//! | r, λ | `rank`, `lambda` | largest rank, weight of the nuclear norm |
//! | M | `matrices` | how many complete matrices the observations are part of: one per observer in the paper; any M that holds every cell at most once per matrix is valid, and EM is the faster the smaller M is (M = 1: soft- and hard-impute); with a penalty the fit minimizes −log-likelihood + λM ‖θ‖_* |
//! | θ | flat | A (J×r by rows, singular values in it), then B (L×r by rows): θ_jl = A_j · B_l |
//! | example | (j, l, x) | an observation: zero-based site, zero-based time, value |
//!
//! With N observations the mean over examples of ψ'(θ) + (N/M)(x − ψ'(θ_jl)) e_jl is the pooled statistic: so the model
//! fits every algorithm in expectation form.

mod family;
mod maximize;
mod model;
mod setting;
mod sweep;

pub use family::Family;
pub use maximize::{Effort, Workspace};
pub use model::LowRank;
pub use setting::{LowRankSetting, Matrices, margins};
