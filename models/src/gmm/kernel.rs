//! The E-step kernel: blocks of at most 32 observations, whitened in lanes, and their statistics summed in order.
//!
//! The instruction set is chosen once per step over a block; every level runs the same fused operations on every
//! number, so AVX-512, AVX2 and scalar code give the same bits.

use super::block::{Block, Rows};
use super::pack::Packed;
use super::small;
use super::softmax::BLOCK;
use crate::clusters::PosteriorWeights;
use crate::{Batch, EStep, Examples, Scratch};
use pulp::{Arch, Simd, WithSimd};

/// A mixture at a fixed θ.
#[derive(Clone, Debug)]
pub(super) struct Conditional {
    packed: Packed,
    level: Arch,
    /// Never take the kernels for small constant sizes.
    general: bool,
}

impl Conditional {
    pub fn new(packed: Packed) -> Self {
        Self { packed, level: Arch::new(), general: false }
    }

    /// The most probable component of every example.
    pub fn classify(&self, examples: Examples<'_>) -> Vec<u32> {
        let mut scratch = Scratch::default();
        let mut labels = Vec::with_capacity(examples.len());
        let mut block = Block::new(&self.packed, self.level, &mut scratch);
        let mut rows = examples.rows().chunks_exact(examples.dimension());
        while let Some(taken) = Rows::take(&mut rows) {
            block.logits(&taken);
            // Of equal ones the first.
            let (mut best, mut found) = ([f64::NEG_INFINITY; BLOCK], [0; BLOCK]);
            for (logits, component) in block.r.iter().zip(0..) {
                for ((&logit, best), found) in logits.iter().zip(&mut best).zip(&mut found) {
                    (*best, *found) = if logit > *best { (logit, component) } else { (*best, *found) };
                }
            }
            labels.extend(&found[..taken.count]);
        }
        labels
    }

    /// log p and the posterior weights of every example.
    pub fn posterior_weights(&self, examples: Examples<'_>) -> PosteriorWeights {
        let mut scratch = Scratch::default();
        let mut found = PosteriorWeights::default();
        let mut block = Block::new(&self.packed, self.level, &mut scratch);
        let mut rows = examples.rows().chunks_exact(examples.dimension());
        while let Some(taken) = Rows::take(&mut rows) {
            block.logits(&taken);
            block.weigh(taken.count);
            for j in 0..taken.count {
                found.weights.extend(block.r.iter().map(|lanes| lanes[j]));
            }
            found.log_densities.extend(block.log_densities(taken.count));
        }
        found
    }
}

impl EStep for Conditional {
    fn mean(
        &self,
        examples: Examples<'_>,
        batch: Batch<'_>,
        scratch: &mut Scratch,
        out: &mut [f64],
        wanted: bool,
    ) -> f64 {
        let layout = &self.packed.layout;
        assert_eq!(examples.dimension(), layout.dimension, "examples have the dimension of the model");
        assert_eq!(out.len(), layout.statistic_dimension(), "the output has q entries");
        let task = Task { packed: &self.packed, examples, batch, wanted };
        if self.packed.is_common() && !self.general {
            match (layout.dimension, layout.components) {
                (1, 2) => return self.level.dispatch(Small::<1, 2> { task, out }),
                (1, 3) => return self.level.dispatch(Small::<1, 3> { task, out }),
                (2, 2) => return self.level.dispatch(Small::<2, 2> { task, out }),
                (2, 3) => return self.level.dispatch(Small::<2, 3> { task, out }),
                (3, 2) => return self.level.dispatch(Small::<3, 2> { task, out }),
                (3, 3) => return self.level.dispatch(Small::<3, 3> { task, out }),
                _ => {}
            }
        }
        let mut block = Block::new(&self.packed, self.level, scratch);
        let (count, objective) = task.sum(&mut block);
        block.write(count, out);
        objective / count.max(1) as f64
    }
}

/// What is asked of a kernel.
struct Task<'a> {
    packed: &'a Packed,
    examples: Examples<'a>,
    batch: Batch<'a>,
    wanted: bool,
}

impl Task<'_> {
    /// Sums over the batch, block by block; returns the number of its observations and Σ −log p when that is wanted.
    fn sum(&self, block: &mut Block<'_>) -> (usize, f64) {
        let (rows, d) = (self.examples.rows(), self.examples.dimension());
        match self.batch {
            Batch::All => self.sum_rows(block, rows.chunks_exact(d)),
            Batch::Indices(indices) => self.sum_rows(block, indices.iter().map(|&i| &rows[i as usize * d..][..d])),
        }
    }

    fn sum_rows<'r>(&self, block: &mut Block<'_>, mut source: impl Iterator<Item = &'r [f64]>) -> (usize, f64) {
        let (mut total, mut objective) = (0, 0.0);
        while let Some(rows) = Rows::take(&mut source) {
            block.add(&rows);
            if self.wanted {
                objective = block.add_objective(rows.count, objective);
            }
            total += rows.count;
        }
        (total, objective)
    }
}

struct Small<'a, const D: usize, const G: usize> {
    task: Task<'a>,
    out: &'a mut [f64],
}

impl<const D: usize, const G: usize> WithSimd for Small<'_, D, G> {
    type Output = f64;

    #[inline(always)]
    fn with_simd<S: Simd>(self, simd: S) -> f64 {
        let Task { packed, examples, batch, wanted } = self.task;
        let rows = examples.rows().as_chunks().0;
        if wanted {
            small::sum::<S, D, G, true>(simd, packed, rows, batch).write(self.out)
        } else {
            small::sum::<S, D, G, false>(simd, packed, rows, batch).write(self.out)
        }
    }
}

#[cfg(test)]
#[path = "kernel_tests.rs"]
pub(crate) mod tests;
