//! Sizes of the model, matrices that are products of factors, and the E-step.

use super::family::Family;
use crate::fit::FitError;
use crate::{Batch, DomainError, DomainPolicy, EStep, ExactModel, Examples, Imputation, Model, Repairs, Scratch};
use fedbits_numerics::dot;

/// Sizes and choices of the model.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct LowRank {
    /// J.
    pub sites: usize,
    /// L.
    pub times: usize,
    pub(super) rank: usize,
    pub(super) lambda: f64,
    /// The distribution of an entry.
    pub family: Family,
    /// N/M, observations per complete matrix.
    pub per_matrix: f64,
}

impl LowRank {
    /// The model of `sites` × `times` matrices of at most rank `rank`; `examples` observations are part of `matrices`
    /// complete matrices.
    ///
    /// # Errors
    /// Sizes of zero, a rank above the smaller side.
    ///
    /// # Panics
    /// If λ < 0, or there is no matrix.
    pub fn new(
        (sites, times): (usize, usize),
        rank: usize,
        lambda: f64,
        family: Family,
        examples: usize,
        matrices: usize,
    ) -> Result<Self, FitError> {
        assert!(lambda >= 0.0 && lambda.is_finite() && matrices > 0, "a weight that is a number, and a matrix");
        let (matrix, most) = (format!("a matrix of {sites} × {times}"), sites.min(times));
        let wrong =
            |text: String| Err(FitError::misfit("model.rank", text, "expected a rank of at most the smaller side"));
        if most == 0 {
            return wrong(format!("{matrix} has no cell"));
        }
        if !(1..=most).contains(&rank) {
            return wrong(format!("rank {rank} does not fit {matrix}: expected 1 to {most}"));
        }
        Ok(Self { sites, times, rank, lambda, family, per_matrix: examples as f64 / matrices as f64 })
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
    pub(super) fn factors<'a>(&self, theta: &'a [f64]) -> (&'a [f64], &'a [f64]) {
        theta.split_at(self.sites * self.rank)
    }

    /// Calls `visit` with every row of the dense matrix θ and its number.
    pub(super) fn for_each_row(&self, theta: &[f64], mut visit: impl FnMut(usize, &[f64])) {
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

    /// Ŝ ← Ŝ + γ H with H = ψ'(θ) − Ŝ + R, and ‖H‖² returned. R is sparse: `private` holds increasing cells and their
    /// values.
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
    pub(super) fn mean_squared_difference(&self, one: &[f64], other: &[f64]) -> f64 {
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

    /// Families without a closed form start at the truncated link of S: a function of S alone. The policy is of no
    /// account: every S has a θ.
    fn maximize(&self, s: &[f64], _: DomainPolicy, theta: &mut Vec<f64>) -> Result<Repairs, DomainError> {
        self.maximize_cold(s, theta)?;
        Ok(Repairs::default())
    }

    fn parameter_error(&self, theta: &[f64], truth: &[f64]) -> f64 {
        self.mean_squared_difference(theta, truth)
    }
}

impl ExactModel for LowRank {
    fn example_dimension(&self) -> usize {
        3
    }

    fn conditional(&self, theta: &[f64]) -> Result<Box<dyn EStep>, DomainError> {
        DomainError::check_finite(theta)?;
        Ok(Box::new(Conditional::new(*self, theta)))
    }

    fn imputation(&self) -> Option<&dyn Imputation> {
        Some(self)
    }
}

impl Imputation for LowRank {
    fn root_mean_square(&self, theta: &[f64], examples: Examples<'_>) -> f64 {
        let squares = examples.rows().chunks_exact(3).map(|example| {
            let residual = example[2] - self.expected_at(theta, self.cell(example));
            residual * residual
        });
        (squares.sum::<f64>() / examples.len() as f64).sqrt()
    }

    fn unrest(&self, s: &[f64], theta: &[f64]) -> Option<f64> {
        self.further_fall(s, theta)
    }
}

/// E-steps at a fixed θ: ψ'(θ) of every cell, computed once, and corrected where something was observed.
struct Conditional {
    model: LowRank,
    /// θ as factors, for the objective.
    theta: Vec<f64>,
    expected: Vec<f64>,
}

impl Conditional {
    fn new(model: LowRank, theta: &[f64]) -> Self {
        let mut expected = Vec::with_capacity(model.sites * model.times);
        model.for_each_row(theta, |_, row| expected.extend(row.iter().map(|&theta| model.family.mean(theta))));
        Self { model, theta: theta.to_vec(), expected }
    }
}

impl EStep for Conditional {
    /// ψ'(θ) + (N/M)/b Σ (x − ψ'(θ_jl)) e_jl of b examples.
    fn mean(&self, examples: Examples<'_>, batch: Batch<'_>, _: &mut Scratch, out: &mut [f64], wanted: bool) -> f64 {
        let (model, visited) = (&self.model, || batch.indices(examples.len()).map(|j| examples.row(j)));
        let count = visited().len();
        if count == 0 {
            out.fill(0.0);
            return 0.0;
        }
        out.copy_from_slice(&self.expected);
        let scale = model.per_matrix / count as f64;
        for example in visited() {
            let cell = model.cell(example);
            out[cell] += scale * (example[2] - self.expected[cell]);
        }
        let one =
            |example: &[f64]| model.family.objective(example[2], model.parameter_at(&self.theta, model.cell(example)));
        if wanted { visited().map(one).sum::<f64>() / count as f64 } else { 0.0 }
    }
}
