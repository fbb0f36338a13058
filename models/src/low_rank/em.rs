//! The model in expectation form.

use super::estep::Conditional;
use super::model::LowRank;
use crate::imputation::Imputation;
use crate::{DomainError, DomainPolicy, EStep, Examples, Model, Repairs};

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

    /// Families without a closed form start at the truncated link of S: a function of S alone. The policy is of no
    /// account: every S has a θ.
    fn maximize(&self, s: &[f64], _: DomainPolicy, theta: &mut Vec<f64>) -> Result<Repairs, DomainError> {
        self.maximize_cold(s, theta)?;
        Ok(Repairs::default())
    }

    fn conditional(&self, theta: &[f64]) -> Result<Box<dyn EStep>, DomainError> {
        DomainError::check_finite(theta)?;
        Ok(Box::new(Conditional::new(*self, theta)))
    }

    fn parameter_error(&self, theta: &[f64], truth: &[f64]) -> f64 {
        self.mean_squared_difference(theta, truth)
    }

    fn imputation(&self) -> Option<&dyn Imputation> {
        Some(self)
    }
}

impl Imputation for LowRank {
    fn root_mean_square(&self, theta: &[f64], examples: Examples<'_>) -> f64 {
        let squares = examples.rows.chunks_exact(3).map(|example| {
            let residual = example[2] - self.expected_at(theta, self.cell(example));
            residual * residual
        });
        (squares.sum::<f64>() / examples.len() as f64).sqrt()
    }

    fn unrest(&self, s: &[f64], theta: &[f64]) -> Option<f64> {
        self.further_fall(s, theta)
    }
}
