//! The model in expectation form.

use super::estep::Conditional;
use super::model::LowRank;
use crate::{DomainError, DomainPolicy, EStep, Model, Repairs};

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

    /// Families without a closed form start at the truncated link of S and step until the objective of T rests: a
    /// function of S alone. The policy clips nothing: where noise takes an entry of S out of the range of means (below
    /// 0 of `Poisson`), the objective of T need not have a least θ, and the number of steps decides how far it goes.
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
}
