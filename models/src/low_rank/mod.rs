//! Low-rank imputation of counts by observers × sites × times: the model of FedMissEM (FedEM paper, section 4; its Algorithm 7
//! is not published, so this is our reading of the text).
//!
//! Observer i has a J×L matrix X^i of independent entries with natural parameters θ_jl, of which a few are observed:
//!
//! ```text
//! s̄_i(θ)_jl = X^i_jl where observed, ψ'(θ_jl) where missing;      Ŝ = mean over M complete matrices,   q = J L
//! T(S)      = argmin over rank(θ) ≤ r of Σ_jl [ψ(θ_jl) − S_jl θ_jl] + λ ‖θ‖_*
//! ```
//!
//! Gaussian entries: T is the SVD of S with r singular values soft-thresholded by λ (Eckart–Young). Other families have no
//! closed form: majorize-minimize steps θ ← SVD_{r,λ}(θ + (S − ψ'(θ))/c), c ≥ max ψ'', each of which lowers the objective of T
//! (generalized EM). T is not unique when σ_r = σ_{r+1}, and matrices of rank ≤ r are not convex: limits are stationary points.
//!
//! | symbol | here | |
//! |---|---|---|
//! | J, L | `sites`, `times` | rows and columns of the matrices |
//! | r, λ | `rank`, `lambda` | largest rank, weight of the nuclear norm |
//! | M | `matrices` | how many complete matrices the observations are part of: one per observer in the paper; any M that holds every cell at most once per matrix is valid, and EM is the faster the smaller M is (M = 1: soft- and hard-impute) |
//! | θ | flat | A (J×r by rows, singular values in it), then B (L×r by rows): θ_jl = A_j · B_l |
//! | example | (j, l, x) | an observation: zero-based site, zero-based time, value |
//!
//! With N observations the mean over examples of ψ'(θ) + (N/M)(x − ψ'(θ_jl)) e_jl is the pooled statistic: so the model fits every
//! algorithm in expectation form. It must not know who holds the observations.

mod estep;
mod family;
mod initial;
mod maximize;

pub use family::Family;
pub use initial::margins;
pub use maximize::{Effort, Workspace};

use crate::{DomainError, DomainPolicy, EStep, Model, Repairs};
use fedbits_numerics::dot;
use thiserror::Error;

/// Why a model cannot be built.
#[derive(Clone, Debug, Error, PartialEq)]
pub enum LowRankError {
    /// No cell.
    #[error("a matrix of {sites} × {times} has no cell")]
    Empty {
        /// J.
        sites: usize,
        /// L.
        times: usize,
    },
    /// r does not fit.
    #[error("rank {rank} does not fit a matrix of {sites} × {times}: expected 1 to {}", .sites.min(.times))]
    Rank {
        /// r.
        rank: usize,
        /// J.
        sites: usize,
        /// L.
        times: usize,
    },
    /// λ or M is out of range.
    #[error("{what} is {value}: expected {expected}")]
    Value {
        /// "lambda" or "the number of matrices".
        what: &'static str,
        /// Its value.
        value: f64,
        /// Its range.
        expected: &'static str,
    },
}

/// Sizes and choices of the model.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct LowRank {
    sites: usize,
    times: usize,
    rank: usize,
    lambda: f64,
    family: Family,
    per_matrix: f64,
}

impl LowRank {
    /// The model of `sites` × `times` matrices of at most rank `rank`; `examples` observations are part of `matrices` complete
    /// matrices.
    ///
    /// # Errors
    /// [`LowRankError`]: sizes of zero, a rank above the smaller side, λ < 0, no matrix.
    pub fn new(
        (sites, times): (usize, usize),
        rank: usize,
        lambda: f64,
        family: Family,
        examples: usize,
        matrices: usize,
    ) -> Result<Self, LowRankError> {
        if sites == 0 || times == 0 {
            return Err(LowRankError::Empty { sites, times });
        }
        if !(1..=sites.min(times)).contains(&rank) {
            return Err(LowRankError::Rank { rank, sites, times });
        }
        if !(lambda >= 0.0 && lambda.is_finite()) {
            return Err(LowRankError::Value { what: "lambda", value: lambda, expected: "a number ≥ 0" });
        }
        if matrices == 0 {
            let what = "the number of matrices";
            return Err(LowRankError::Value { what, value: 0.0, expected: "at least 1" });
        }
        Ok(Self { sites, times, rank, lambda, family, per_matrix: examples as f64 / matrices as f64 })
    }

    /// J.
    pub fn sites(&self) -> usize {
        self.sites
    }

    /// L.
    pub fn times(&self) -> usize {
        self.times
    }

    /// r.
    pub fn rank(&self) -> usize {
        self.rank
    }

    /// The distribution of an entry.
    pub fn family(&self) -> Family {
        self.family
    }

    /// N/M, observations per complete matrix.
    pub fn per_matrix(&self) -> f64 {
        self.per_matrix
    }

    /// θ_jl = A_j · B_l at the cell j L + l.
    pub fn parameter_at(&self, theta: &[f64], cell: usize) -> f64 {
        let (site, time) = (cell / self.times, cell % self.times);
        let (a, b) = self.factors(theta);
        dot(&a[site * self.rank..][..self.rank], &b[time * self.rank..][..self.rank])
    }

    /// ψ'(θ_jl) at the cell j L + l: the expected observation.
    pub fn expected_at(&self, theta: &[f64], cell: usize) -> f64 {
        self.family.mean(self.parameter_at(theta, cell))
    }

    /// The cell j L + l of an example (j, l, x).
    pub fn cell(&self, example: &[f64]) -> usize {
        example[0] as usize * self.times + example[1] as usize
    }

    /// Σ_j ψ'(θ_jl) for every time l: the estimated totals.
    pub fn totals(&self, theta: &[f64]) -> Vec<f64> {
        let mut totals = vec![0.0; self.times];
        self.for_each_row(theta, |_, row| {
            totals.iter_mut().zip(row).for_each(|(total, &theta)| *total += self.family.mean(theta));
        });
        totals
    }

    /// A and B of θ.
    fn factors<'a>(&self, theta: &'a [f64]) -> (&'a [f64], &'a [f64]) {
        theta.split_at(self.sites * self.rank)
    }

    /// Calls `visit` with every row of the dense matrix θ and its number.
    fn for_each_row(&self, theta: &[f64], mut visit: impl FnMut(usize, &[f64])) {
        let (a, b) = self.factors(theta);
        let r = self.rank;
        // Columns of B one after the other: the inner loop runs along the row.
        let b: Vec<f64> = (0..r).flat_map(|k| (0..self.times).map(move |l| b[l * r + k])).collect();
        let mut row = vec![0.0; self.times];
        for (j, a) in a.chunks_exact(r).enumerate() {
            row.fill(0.0);
            for (&a, b) in a.iter().zip(b.chunks_exact(self.times)) {
                row.iter_mut().zip(b).for_each(|(theta, b)| *theta += a * b);
            }
            visit(j, &row);
        }
    }

    /// Ŝ ← Ŝ + γ H with H = ψ'(θ) − Ŝ + R, and ‖H‖² returned. R is sparse: `private` holds increasing cells and their values.
    pub fn advance(&self, s_hat: &mut [f64], theta: &[f64], gamma: f64, private: (&[u32], &[f64])) -> f64 {
        let (mut rest, mut field) = (private, vec![0.0; self.times]);
        let mut field_sq = 0.0;
        self.for_each_row(theta, |j, row| {
            let s = &mut s_hat[j * self.times..][..self.times];
            rest = self.field_of_row(j, row, s, rest, &mut field);
            field_sq += dot(&field, &field);
            s.iter_mut().zip(&field).for_each(|(s, h)| *s += gamma * h);
        });
        field_sq
    }

    /// ‖ψ'(θ) − Ŝ + R‖², with R as in [`LowRank::advance`].
    pub fn field_sq(&self, s_hat: &[f64], theta: &[f64], private: (&[u32], &[f64])) -> f64 {
        let (mut rest, mut field) = (private, vec![0.0; self.times]);
        let mut field_sq = 0.0;
        self.for_each_row(theta, |j, row| {
            rest = self.field_of_row(j, row, &s_hat[j * self.times..][..self.times], rest, &mut field);
            field_sq += dot(&field, &field);
        });
        field_sq
    }

    /// Row j of ψ'(θ) − Ŝ + R; returns what is left of R.
    fn field_of_row<'a>(
        &self,
        j: usize,
        theta: &[f64],
        s: &[f64],
        private: (&'a [u32], &'a [f64]),
        field: &mut [f64],
    ) -> (&'a [u32], &'a [f64]) {
        for ((h, &theta), s) in field.iter_mut().zip(theta).zip(s) {
            *h = self.family.mean(theta) - s;
        }
        let first = j * self.times;
        let here = private.0.partition_point(|&cell| (cell as usize) < first + self.times);
        for (&cell, value) in private.0[..here].iter().zip(private.1) {
            field[cell as usize - first] += value;
        }
        (&private.0[here..], &private.1[here..])
    }

    /// ‖θ − θ'‖²/(J L), the mean squared error over cells; the ranks may differ.
    fn mean_squared_difference(&self, one: &[f64], other: &[f64]) -> f64 {
        let (a, b) = self.factors(one);
        let other_rank = other.len() / (self.sites + self.times);
        let (c, d) = other.split_at(self.sites * other_rank);
        // ‖ABᵀ − CDᵀ‖² = Σ over pairs of columns of the inner products of [A, −C] times those of [B, D].
        let left = inner_products(a, self.rank, c, other_rank, -1.0);
        let right = inner_products(b, self.rank, d, other_rank, 1.0);
        dot(&left, &right).max(0.0) / (self.sites * self.times) as f64
    }
}

/// [A, s C]ᵀ [A, s C] for matrices of `p` and `k` columns by rows.
fn inner_products(a: &[f64], p: usize, c: &[f64], k: usize, sign: f64) -> Vec<f64> {
    let mut sums = vec![0.0; (p + k) * (p + k)];
    for (a, c) in a.chunks_exact(p).zip(c.chunks_exact(k)) {
        let row: Vec<f64> = a.iter().copied().chain(c.iter().map(|c| sign * c)).collect();
        for (x, sums) in row.iter().zip(sums.chunks_exact_mut(p + k)) {
            sums.iter_mut().zip(&row).for_each(|(sum, y)| *sum += x * y);
        }
    }
    sums
}

impl Model for LowRank {
    fn statistic_dimension(&self) -> usize {
        self.sites * self.times
    }

    fn parameter_dimension(&self) -> usize {
        (self.sites + self.times) * self.rank
    }

    fn example_dimension(&self) -> usize {
        3
    }

    fn parameter_names(&self) -> Vec<String> {
        let names = |letter: char, count: usize| {
            let rank = self.rank;
            (0..count).flat_map(move |i| (0..rank).map(move |k| format!("{letter}[{i},{k}]")))
        };
        names('A', self.sites).chain(names('B', self.times)).collect()
    }

    fn statistic_names(&self) -> Vec<String> {
        (0..self.sites).flat_map(|j| (0..self.times).map(move |l| format!("s[{j},{l}]"))).collect()
    }

    fn constants_dimension(&self) -> usize {
        0
    }

    /// Families without a closed form start at the truncated link of S and step until the objective of T rests: a function of
    /// S alone. The policy has nothing to clip: every finite S has a T.
    fn maximize(&self, s: &[f64], _: DomainPolicy, theta: &mut Vec<f64>) -> Result<Repairs, DomainError> {
        self.maximize_cold(s, theta)?;
        Ok(Repairs::default())
    }

    fn conditional(&self, theta: &[f64]) -> Result<Box<dyn EStep>, DomainError> {
        DomainError::check_finite(theta)?;
        Ok(Box::new(estep::Conditional::new(*self, theta)))
    }

    fn parameter_error(&self, theta: &[f64], truth: &[f64]) -> f64 {
        self.mean_squared_difference(theta, truth)
    }
}
