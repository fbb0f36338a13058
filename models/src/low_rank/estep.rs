//! E-steps at a fixed θ: the imputed matrix, corrected where something was observed.

use super::model::LowRank;
use crate::{Batch, EStep, Examples, Scratch};

/// ψ'(θ) of every cell, computed once.
pub(super) struct Conditional {
    model: LowRank,
    /// θ as factors, for the objective.
    theta: Vec<f64>,
    expected: Vec<f64>,
}

impl Conditional {
    pub(super) fn new(model: LowRank, theta: &[f64]) -> Self {
        let mut expected = Vec::with_capacity(model.sites * model.times);
        model.for_each_row(theta, |_, row| expected.extend(row.iter().map(|&theta| model.family.mean(theta))));
        Self { model, theta: theta.to_vec(), expected }
    }

    /// Adds (N/M)/b (x − ψ'(θ_jl)) e_jl for every example.
    fn add<'a>(&self, examples: impl Iterator<Item = &'a [f64]>, count: usize, out: &mut [f64]) {
        let scale = self.model.per_matrix / count as f64;
        for example in examples {
            let cell = self.model.cell(example);
            out[cell] += scale * (example[2] - self.expected[cell]);
        }
    }
}

impl EStep for Conditional {
    fn mean_statistics(&self, examples: Examples<'_>, batch: Batch<'_>, _: &mut Scratch, out: &mut [f64]) {
        let count = match batch {
            Batch::All => examples.len(),
            Batch::Indices(indices) => indices.len(),
        };
        if count == 0 {
            return out.fill(0.0);
        }
        out.copy_from_slice(&self.expected);
        match batch {
            Batch::All => self.add(examples.rows.chunks_exact(3), count, out),
            Batch::Indices(indices) => {
                self.add(indices.iter().map(|&j| &examples.rows[3 * j as usize..][..3]), count, out);
            }
        }
    }

    fn mean_statistics_and_objective(&self, examples: Examples<'_>, scratch: &mut Scratch, out: &mut [f64]) -> f64 {
        self.mean_statistics(examples, Batch::All, scratch, out);
        let model = &self.model;
        let one =
            |example: &[f64]| model.family.objective(example[2], model.parameter_at(&self.theta, model.cell(example)));
        examples.rows.chunks_exact(3).map(one).sum::<f64>() / examples.len().max(1) as f64
    }
}
