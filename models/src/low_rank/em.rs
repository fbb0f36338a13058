//! The model in expectation form.

use super::model::LowRank;
use crate::{Batch, DomainError, DomainPolicy, EStep, ExactModel, Examples, Imputation, Model, Repairs, Scratch};

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
