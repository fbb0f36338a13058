//! The map T: truncated, soft-thresholded SVD; for families without a closed form sweeps of Newton steps, and a
//! majorize-minimize step of the whole matrix after them.

use super::family::Family;
use super::model::LowRank;
use crate::DomainError;
use fedbits_numerics::svd::{Matrix, leading};

/// ‖MᵀM v − σ² v‖ ≤ this · σ₁²: vectors to 1e-10 where singular values are apart.
const TOLERANCE: f64 = 1e-10;
/// The majorizer's curvature is doubled at most so often: enough for the largest counts that are taken, 10⁷⁰.
const MAX_DOUBLINGS: u32 = 300;
/// T rests when a pass lowers its objective by less than this share …
const RESTS: f64 = 1e-11;
/// … or after this many sweeps.
const MAX_SWEEPS: u32 = 100;
/// Sweeps between two majorize-minimize steps.
const IN_A_ROW: u32 = 10;

/// What T took.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Effort {
    /// Products of the matrix and its transpose with blocks of four vectors.
    pub products: u32,
    /// Sweeps of Newton steps; 0 where T has a closed form.
    pub sweeps: u32,
}

/// Working memory of T for families without closed form: J L numbers, grown once.
#[derive(Clone, Debug, Default)]
pub struct Workspace {
    target: Vec<f64>,
    next: Vec<f64>,
}

impl LowRank {
    /// T(S) near `start` (a θ of this model): for Gaussian entries `start` only saves work, else it chooses among
    /// stationary points, and no θ is returned whose objective is above that of `start`.
    ///
    /// # Errors
    /// S or the result is not finite; singular vectors that were not found.
    pub fn maximize_from(
        &self,
        s: &[f64],
        start: &[f64],
        workspace: &mut Workspace,
        theta: &mut Vec<f64>,
    ) -> Result<Effort, DomainError> {
        DomainError::check_finite(s)?;
        if self.family == Family::Gaussian {
            return self.truncate(s, start, theta);
        }
        theta.clear();
        theta.extend_from_slice(start);
        self.rest(&self.family.inside(s), workspace, theta, Effort::default())
    }

    /// T(S) as a function of S alone.
    pub(super) fn maximize_cold(&self, s: &[f64], theta: &mut Vec<f64>) -> Result<Effort, DomainError> {
        DomainError::check_finite(s)?;
        if self.family == Family::Gaussian {
            return self.truncate(s, &[], theta);
        }
        let linked: Vec<f64> = s.iter().map(|&mean| self.family.link(mean)).collect();
        let effort = self.truncate(&linked, &[], theta)?;
        drop(linked);
        self.rest(&self.family.inside(s), &mut Workspace::default(), theta, effort)
    }

    /// Sweeps, every two of them carried on where that is lower, every few followed by a majorize-minimize step, until
    /// the objective of T rests. Sweeps are the fast ones; the step brings back columns that the penalty or a start at
    /// 0 took away, and orders the factors.
    fn rest(
        &self,
        s: &[f64],
        workspace: &mut Workspace,
        theta: &mut Vec<f64>,
        mut effort: Effort,
    ) -> Result<Effort, DomainError> {
        let mut value = self.loss(s, theta);
        while effort.sweeps < MAX_SWEEPS {
            let (before, least) = (value, RESTS * value.abs().max(1.0));
            let mut trail = Vec::new();
            for _ in 0..IN_A_ROW.min(MAX_SWEEPS - effort.sweeps) {
                trail.push(theta.clone());
                effort.sweeps += 1;
                if self.sweep(s, theta) <= least {
                    break;
                }
                if let [from, via] = &trail[..] {
                    self.leap(s, from, via, theta);
                    trail.clear();
                }
            }
            self.step(s, workspace, theta, &mut effort)?;
            value = self.loss(s, theta);
            if before - value <= least {
                break;
            }
        }
        Ok(effort)
    }

    /// By how much a further sweep would lower the objective of T at S = `s`, where that is more than a θ = T(S) that
    /// rests leaves.
    pub(super) fn further_fall(&self, s: &[f64], theta: &[f64]) -> Option<f64> {
        if self.family == Family::Gaussian {
            return None;
        }
        let s = self.family.inside(s);
        let (value, fall) = (self.loss(&s, theta), self.sweep(&s, &mut theta.to_vec()));
        (fall > 10.0 * RESTS * value.abs().max(1.0)).then_some(fall)
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
            let text = format!(
                "the leading singular vectors were not found in {} products with blocks of vectors",
                svd.products
            );
            return Err(DomainError::Other(text));
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
        Ok(Effort { products: svd.products, sweeps: 0 })
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
        let (mut c, searches) = self.curvature(theta);
        let scaled = |c: f64| Self { lambda: self.lambda / c, ..*self };
        for _ in 0..=MAX_DOUBLINGS {
            self.target(s, theta, c, &mut workspace.target);
            effort.products += scaled(c).truncate(&workspace.target, theta, &mut workspace.next)?.products;
            if !searches || self.majorizes(s, theta, &workspace.next, c) {
                std::mem::swap(theta, &mut workspace.next);
                break;
            }
            c *= 2.0;
        }
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
        loss + self.lambda * self.lengths(self.factors(theta).0).iter().sum::<f64>()
    }
}
