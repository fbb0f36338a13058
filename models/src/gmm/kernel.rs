//! The E-step kernel: blocks of at most 32 observations, whitened in lanes, and their statistics summed in order.
//!
//! The instruction set is chosen once per call; every level runs the same fused operations on every number, so
//! AVX-512, AVX2 and scalar code give the same bits.

use super::block::{Block, Rows};
use super::pack::Packed;
use super::small;
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
        let block = Block::new(&self.packed, &mut scratch);
        self.level.dispatch(Classify { block, examples, labels: &mut labels });
        labels
    }

    /// Writes the mean statistics; returns the mean of −log p when it is `wanted`, else 0.
    fn run(
        &self,
        examples: Examples<'_>,
        batch: Batch<'_>,
        scratch: &mut Scratch,
        out: &mut [f64],
        wanted: bool,
    ) -> f64 {
        let layout = &self.packed.layout;
        assert_eq!(examples.dimension, layout.dimension, "examples have the dimension of the model");
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
        let block = Block::new(&self.packed, scratch);
        self.level.dispatch(General { task, block, out })
    }
}

impl EStep for Conditional {
    fn mean_statistics(&self, examples: Examples<'_>, batch: Batch<'_>, scratch: &mut Scratch, out: &mut [f64]) {
        self.run(examples, batch, scratch, out, false);
    }

    fn mean_statistics_and_objective(&self, examples: Examples<'_>, scratch: &mut Scratch, out: &mut [f64]) -> f64 {
        self.run(examples, Batch::All, scratch, out, true)
    }
}

/// What is asked of a kernel.
struct Task<'a> {
    packed: &'a Packed,
    examples: Examples<'a>,
    batch: Batch<'a>,
    wanted: bool,
}

struct Small<'a, const D: usize, const G: usize> {
    task: Task<'a>,
    out: &'a mut [f64],
}

impl<const D: usize, const G: usize> WithSimd for Small<'_, D, G> {
    type Output = f64;

    #[inline(always)]
    fn with_simd<S: Simd>(self, simd: S) -> f64 {
        let Task { packed, examples: Examples { rows, .. }, batch, wanted } = self.task;
        let sums = small::sum::<S, D, G>(simd, packed, rows.as_chunks().0, batch, wanted);
        sums.write(self.out)
    }
}

struct General<'a> {
    task: Task<'a>,
    block: Block<'a>,
    out: &'a mut [f64],
}

impl WithSimd for General<'_> {
    type Output = f64;

    #[inline(always)]
    fn with_simd<S: Simd>(mut self, simd: S) -> f64 {
        let Examples { rows, dimension: d } = self.task.examples;
        let mut all = rows.chunks_exact(d);
        let indices = match self.task.batch {
            Batch::All => &[][..],
            Batch::Indices(indices) => indices,
        };
        let mut some = indices.iter().map(|&i| &rows[i as usize * d..][..d]);
        // One loop for both kinds of batch: its body is large.
        let is_all = matches!(self.task.batch, Batch::All);
        let (count, objective) = self.sum(simd, || if is_all { Rows::take(&mut all) } else { Rows::take(&mut some) });
        self.block.write(count, self.out);
        objective / count.max(1) as f64
    }
}

impl<'a> General<'a> {
    /// Sums over the rows, block by block; returns their number and Σ −log p.
    #[inline(always)]
    fn sum<S: Simd>(&mut self, simd: S, mut next: impl FnMut() -> Option<Rows<'a>>) -> (usize, f64) {
        let (mut total, mut objective) = (0, 0.0);
        while let Some(rows) = next() {
            self.block.add(simd, &rows);
            if self.task.wanted {
                objective = self.block.add_objective(rows.count, objective);
            }
            total += rows.count;
        }
        (total, objective)
    }
}

struct Classify<'a> {
    block: Block<'a>,
    examples: Examples<'a>,
    labels: &'a mut Vec<u32>,
}

impl WithSimd for Classify<'_> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: Simd>(mut self, simd: S) {
        let mut rows = self.examples.rows.chunks_exact(self.examples.dimension);
        while let Some(block) = Rows::take(&mut rows) {
            self.block.logits(simd, &block);
            for j in 0..block.count {
                let logits = || self.block.r.iter().map(|lanes| lanes[j]).zip(0..);
                let better = |best: (f64, u32), now: (f64, u32)| if now.0 > best.0 { now } else { best };
                self.labels.push(logits().fold((f64::NEG_INFINITY, 0), better).1);
            }
        }
    }
}

#[cfg(test)]
#[path = "kernel_tests.rs"]
pub(crate) mod tests;
