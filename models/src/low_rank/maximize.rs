//! The map T: truncated, soft-thresholded SVD, inside majorize-minimize steps where the family needs them.

use super::family::Family;
use super::model::LowRank;
use crate::DomainError;
use fedbits_numerics::svd::{Matrix, leading};

/// ‖MᵀM v − σ² v‖ ≤ this · σ₁²: vectors to 1e-10 where singular values are apart.
const TOLERANCE: f64 = 1e-10;
/// The majorizer's curvature is doubled at most so often (each is 2 times more careful).
const MAX_DOUBLINGS: u32 = 40;
/// A cold start ends when a step lowers the objective of T by less than this share …
const RESTS: f64 = 1e-10;
/// … or after this many steps.
const MAX_STEPS: u32 = 500;

/// What T took.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Effort {
    /// Products of the matrix and its transpose with blocks of four vectors.
    pub products: u32,
    /// Majorize-minimize steps; 0 where T has a closed form.
    pub steps: u32,
}

/// Working memory of T for families without closed form: J L numbers, grown once.
#[derive(Clone, Debug, Default)]
pub struct Workspace {
    target: Vec<f64>,
    next: Vec<f64>,
}

impl LowRank {
    /// T(S) near `start` (a θ of this model): for Gaussian entries `start` only saves work, else T is `steps`
    /// majorize-minimize steps from it (generalized EM).
    ///
    /// # Errors
    /// S or the result is not finite; singular vectors that were not found.
    pub fn maximize_from(
        &self,
        s: &[f64],
        start: &[f64],
        steps: u32,
        workspace: &mut Workspace,
        theta: &mut Vec<f64>,
    ) -> Result<Effort, DomainError> {
        DomainError::check_finite(s)?;
        if self.family == Family::Gaussian {
            return self.truncate(s, start, theta);
        }
        theta.clear();
        theta.extend_from_slice(start);
        let mut effort = Effort::default();
        for _ in 0..steps {
            self.step(s, workspace, theta, &mut effort)?;
        }
        Ok(effort)
    }

    /// T(S) as a function of S alone.
    pub(super) fn maximize_cold(&self, s: &[f64], theta: &mut Vec<f64>) -> Result<Effort, DomainError> {
        DomainError::check_finite(s)?;
        if self.family == Family::Gaussian {
            return self.truncate(s, &[], theta);
        }
        let linked: Vec<f64> = s.iter().map(|&mean| self.family.link(mean)).collect();
        let mut effort = self.truncate(&linked, &[], theta)?;
        drop(linked);
        let (mut workspace, mut value) = (Workspace::default(), self.loss(s, theta));
        while effort.steps < MAX_STEPS {
            self.step(s, &mut workspace, theta, &mut effort)?;
            let before = std::mem::replace(&mut value, self.loss(s, theta));
            if before - value <= RESTS * before.abs().max(1.0) {
                break;
            }
        }
        Ok(effort)
    }

    /// The best approximation of `matrix` with r singular values, each lowered by λ.
    fn truncate(&self, matrix: &[f64], start: &[f64], theta: &mut Vec<f64>) -> Result<Effort, DomainError> {
        let (r, sites, times) = (self.rank, self.sites, self.times);
        let vectors: Vec<f64> = if start.is_empty() {
            Vec::new()
        } else {
            let b = self.factors(start).1;
            (0..r).flat_map(|k| (0..times).map(move |l| b[l * r + k])).collect()
        };
        let svd = leading(Matrix { entries: matrix, columns: times }, r, &vectors, TOLERANCE);
        if !svd.converged {
            return Err(DomainError::SingularVectors { products: svd.products });
        }
        theta.clear();
        theta.resize(self.sites * r + times * r, 0.0);
        let (a, b) = theta.split_at_mut(sites * r);
        for k in 0..r {
            let sigma = (svd.sigma[k] - self.lambda).max(0.0);
            (0..sites).for_each(|j| a[j * r + k] = sigma * svd.left[k * sites + j]);
            (0..times).for_each(|l| b[l * r + k] = svd.right[k * times + l]);
        }
        DomainError::check_finite(theta)?;
        Ok(Effort { products: svd.products, steps: 0 })
    }

    /// One majorize-minimize step. Binomial entries have ψ'' ≤ m/4 everywhere; for Poisson entries c starts at the
    /// present max ψ'' and is doubled until the majorizer holds at the new point.
    fn step(
        &self,
        s: &[f64],
        workspace: &mut Workspace,
        theta: &mut Vec<f64>,
        effort: &mut Effort,
    ) -> Result<(), DomainError> {
        effort.steps += 1;
        let (mut c, searches) = self.curvature(theta);
        let scaled = |c: f64| Self { lambda: self.lambda / c, ..*self };
        for _ in 0..=MAX_DOUBLINGS {
            self.target(s, theta, c, &mut workspace.target);
            effort.products += scaled(c).truncate(&workspace.target, theta, &mut workspace.next)?.products;
            if !searches || self.majorizes(s, theta, &workspace.next, c) {
                break;
            }
            c *= 2.0;
        }
        std::mem::swap(theta, &mut workspace.next);
        Ok(())
    }

    /// c, and whether it must be tried out.
    fn curvature(&self, theta: &[f64]) -> (f64, bool) {
        match self.family {
            Family::Gaussian => (1.0, false),
            Family::Binomial { trials } => (0.25 * f64::from(trials), false),
            Family::Poisson => {
                let mut largest = f64::MIN_POSITIVE;
                self.for_each_row(theta, |_, row| {
                    largest = row.iter().fold(largest, |largest, &theta| largest.max(self.family.variance(theta)));
                });
                (largest, true)
            }
        }
    }

    /// θ + (S − ψ'(θ))/c.
    fn target(&self, s: &[f64], theta: &[f64], c: f64, out: &mut Vec<f64>) {
        out.clear();
        self.for_each_row(theta, |j, row| {
            let s = &s[j * self.times..][..self.times];
            out.extend(row.iter().zip(s).map(|(&theta, s)| theta + (s - self.family.mean(theta)) / c));
        });
    }

    /// Is Σ ψ(θ') ≤ Σ [ψ(θ) + ψ'(θ)(θ' − θ) + (c/2)(θ' − θ)²]?
    fn majorizes(&self, s: &[f64], theta: &[f64], next: &[f64], c: f64) -> bool {
        let mut rows = Vec::with_capacity(s.len());
        self.for_each_row(next, |_, row| rows.extend_from_slice(row));
        let mut excess = 0.0;
        self.for_each_row(theta, |j, row| {
            for (&old, &new) in row.iter().zip(&rows[j * self.times..][..self.times]) {
                let (family, move_by) = (self.family, new - old);
                excess += family.psi(new) - family.psi(old) - family.mean(old) * move_by - 0.5 * c * move_by * move_by;
            }
        });
        // An infinite ψ(θ') makes the sum infinite or not a number: both are a no.
        excess <= 0.0
    }

    /// Σ_jl ψ(θ_jl) − S_jl θ_jl + λ ‖θ‖_*, the objective of T. The columns of B are orthonormal and those of A
    /// orthogonal, so the nuclear norm is the sum of the lengths of A's columns.
    pub fn loss(&self, s: &[f64], theta: &[f64]) -> f64 {
        let mut loss = 0.0;
        self.for_each_row(theta, |j, row| {
            let s = &s[j * self.times..][..self.times];
            loss += row.iter().zip(s).map(|(&theta, s)| self.family.psi(theta) - s * theta).sum::<f64>();
        });
        let a = self.factors(theta).0;
        let length = |k: usize| a.chunks_exact(self.rank).map(|a| a[k] * a[k]).sum::<f64>().sqrt();
        loss + self.lambda * (0..self.rank).map(length).sum::<f64>()
    }
}
