//! Alternating Newton steps: with one factor held, the objective of T is a sum of convex functions of the rows of the
//! other, r numbers each. Unlike a majorization of the whole matrix this knows the curvature of every cell.
//!
//! The nuclear norm is the least ½ Σ_k (‖a_k‖²/w_k + w_k ‖b_k‖²) over weights and factors of θ = Σ_k a_k b_kᵀ: with the
//! columns b_k orthonormal and w_k the present length of a_k, the first term majorizes it.

use fedbits_numerics::svd::{Matrix, RotatedColumns};
use fedbits_numerics::{cholesky, column_dot, dot, invert_lower, row_dot, vech_index, vech_length};

use super::family::Family;
use super::model::LowRank;

/// A Newton step moves no θ_jl farther than this before it is halved: e^θ stays a number.
const REACH: f64 = 16.0;
/// A step is halved at most so often.
const MAX_HALVINGS: u32 = 60;
/// The share of the decrease that the slope promises which a step must keep.
const ARMIJO: f64 = 1e-4;
/// Raises the diagonal of second derivatives, relative to their trace: where cells have none left.
const RIDGE: f64 = 1e-14;

/// A factor that is held: m rows of r numbers, columns orthonormal (or zero).
struct Held<'a> {
    family: Family,
    rank: usize,
    rows: &'a [f64],
    /// λ/w_k.
    penalty: Vec<f64>,
}

/// Working memory of a row.
#[derive(Default)]
struct Row {
    theta: Vec<f64>,
    /// Rows of the held factor times the step.
    along: Vec<f64>,
    slope: Vec<f64>,
    bend: Vec<f64>,
    step: Vec<f64>,
}

impl LowRank {
    /// A Newton step of every row of A, then of every row of B; returns by how much the objective of T fell at least.
    /// The columns of B are orthonormal (those that A does not use may be 0) before and after it.
    pub(super) fn sweep(&self, s: &[f64], theta: &mut [f64]) -> f64 {
        let (r, sites, times) = (self.rank, self.sites, self.times);
        let (a, b) = theta.split_at_mut(sites * r);
        let Some(held) = self.held(b, a) else { return 0.0 };
        let mut work = Row::default();
        let rows = a.chunks_exact_mut(r).zip(s.chunks_exact(times));
        let mut fall: f64 = rows.map(|(factor, s)| held.improve(s, factor, &mut work)).sum();
        rotate(a, b, r);
        let Some(held) = self.held(a, b) else { return fall };
        let mut column = vec![0.0; sites];
        for (l, factor) in b.chunks_exact_mut(r).enumerate() {
            column.iter_mut().zip(s.iter().skip(l).step_by(times)).for_each(|(to, s)| *to = *s);
            fall += held.improve(&column, factor, &mut work);
        }
        rotate(b, a, r);
        fall
    }

    /// Goes on from θ as if the two sweeps, of `from` to `via` to θ, began a geometric series (SQUAREM: Varadhan and
    /// Roland 2008), where the objective of T is lower there.
    pub(super) fn leap(&self, s: &[f64], from: &[f64], via: &[f64], theta: &mut Vec<f64>) {
        let less = |x: &[f64], y: &[f64]| -> Vec<f64> { x.iter().zip(y).map(|(x, y)| x - y).collect() };
        let first = less(via, from);
        let bend = less(&less(theta, via), &first);
        let far = (dot(&first, &first) / dot(&bend, &bend)).sqrt();
        // Else the series ends before θ, or never.
        if !(far > 1.0 && far.is_finite()) {
            return;
        }
        let steps = first.iter().zip(&bend).map(|(step, bend)| far * (2.0 * step + far * bend));
        let mut next: Vec<f64> = from.iter().zip(steps).map(|(x, step)| x + step).collect();
        let (a, b) = next.split_at_mut(self.sites * self.rank);
        rotate(a, b, self.rank);
        rotate(b, a, self.rank);
        if self.loss(s, &next) < self.loss(s, theta) {
            *theta = next;
        }
    }

    /// `rows` held while `factor` moves; none while all of θ is 0, where no row could begin to move.
    fn held<'a>(&self, rows: &'a [f64], factor: &[f64]) -> Option<Held<'a>> {
        let lengths = self.lengths(factor);
        let longest = lengths.iter().copied().fold(0.0, f64::max);
        let penalty = |length: f64| self.lambda / length.max(1e-12 * longest);
        let penalty = || lengths.into_iter().map(penalty).collect();
        (longest > 0.0).then(|| Held { family: self.family, rank: self.rank, rows, penalty: penalty() })
    }

    /// Lengths of the columns of a factor.
    pub(super) fn lengths(&self, factor: &[f64]) -> Vec<f64> {
        let square = |k: usize| factor.chunks_exact(self.rank).map(|row| row[k] * row[k]).sum::<f64>();
        (0..self.rank).map(|k| square(k).sqrt()).collect()
    }
}

/// A Bᵀ = U (B W Σ)ᵀ with A = U Σ Wᵀ: the columns of A become orthonormal, those of B orthogonal.
fn rotate(a: &mut [f64], b: &mut [f64], r: usize) {
    let rotated = RotatedColumns::new(Matrix { entries: a, columns: r }, f64::EPSILON);
    let old = b.to_vec();
    for (k, (scaled, w)) in rotated.pairs().enumerate() {
        let length = dot(scaled, scaled).sqrt();
        for (j, x) in scaled.iter().enumerate() {
            a[j * r + k] = if length > 0.0 { x / length } else { 0.0 };
        }
        b.chunks_exact_mut(r).zip(old.chunks_exact(r)).for_each(|(b, old)| b[k] = length * dot(old, w));
    }
}

impl Held<'_> {
    /// The objective after a share t of the step:
    /// Σ_l [ψ(θ_l + t along_l) − s_l (θ_l + t along_l)] + ½ Σ_k penalty_k (x_k + t step_k)².
    fn value(&self, s: &[f64], factor: &[f64], work: &Row, t: f64) -> f64 {
        let cells = work.theta.iter().zip(&work.along).zip(s);
        let cells = cells.map(|((theta, along), s)| {
            let theta = theta + t * along;
            self.family.psi(theta) - s * theta
        });
        let squares = factor.iter().zip(&work.step).zip(&self.penalty).map(|((x, step), penalty)| {
            let x = x + t * step;
            0.5 * penalty * x * x
        });
        cells.sum::<f64>() + squares.sum::<f64>()
    }

    /// A damped Newton step of one row; returns by how much the objective fell.
    fn improve(&self, s: &[f64], factor: &mut [f64], work: &mut Row) -> f64 {
        let Some(before) = self.newton(s, factor, work) else { return 0.0 };
        let promised = -dot(&work.slope, &work.step);
        let farthest = work.along.iter().fold(0.0, |far: f64, along| far.max(along.abs()));
        let mut t = (REACH / farthest).min(1.0);
        for _ in 0..MAX_HALVINGS {
            let fall = before - self.value(s, factor, work, t);
            if fall >= ARMIJO * t * promised && fall > 0.0 {
                factor.iter_mut().zip(&work.step).for_each(|(x, step)| *x += t * step);
                return fall;
            }
            if t * promised <= f64::EPSILON * before.abs() {
                break;
            }
            t *= 0.5;
        }
        0.0
    }

    /// θ, first derivatives, the Newton step and where it leads; the objective before the step, where there is one.
    fn newton(&self, s: &[f64], factor: &[f64], work: &mut Row) -> Option<f64> {
        let (r, Row { theta, along, slope, bend, step }) = (self.rank, work);
        let mut value = 0.0;
        theta.clear();
        theta.extend(self.rows.chunks_exact(r).map(|row| dot(row, factor)));
        slope.clear();
        slope.extend(factor.iter().zip(&self.penalty).map(|(x, penalty)| penalty * x));
        bend.clear();
        bend.resize(vech_length(r), 0.0);
        for ((row, &theta), s) in self.rows.chunks_exact(r).zip(theta.iter()).zip(s) {
            let [psi, mean, variance] = self.family.derivatives(theta);
            let residual = mean - s;
            value += psi - s * theta;
            for (i, x) in row.iter().enumerate() {
                slope[i] += residual * x;
                let weight = variance * x;
                bend[vech_index(i, 0)..][..=i].iter_mut().zip(row).for_each(|(bend, y)| *bend += weight * y);
            }
        }
        let trace: f64 = (0..r).map(|k| bend[vech_index(k, k)]).sum();
        (0..r).for_each(|k| bend[vech_index(k, k)] += self.penalty[k] + RIDGE * trace);
        cholesky(bend, r).ok()?;
        invert_lower(bend, r);
        let half: Vec<f64> = (0..r).map(|i| row_dot(bend, i, slope)).collect();
        step.clear();
        step.extend((0..r).map(|i| -column_dot(bend, i, &half)));
        along.clear();
        along.extend(self.rows.chunks_exact(r).map(|row| dot(row, step)));
        let squares: f64 = factor.iter().zip(&self.penalty).map(|(x, penalty)| 0.5 * penalty * x * x).sum();
        along.iter().all(|along| along.is_finite()).then_some(value + squares)
    }
}
