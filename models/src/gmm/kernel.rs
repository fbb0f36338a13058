//! The E-step kernel: blocks of at most 32 observations, whitened in lanes, and their statistics summed in order.
//!
//! The instruction set is chosen once per call; every level runs the same fused operations on every number, so
//! AVX-512, AVX2 and scalar code give the same bits. It must not know who asked for the batch.

use super::accumulate::{accumulate, features, stride};
use super::layout::Layout;
use super::pack::Packed;
use super::small;
use super::softmax::softmax;
use super::whiten::logits;
use super::{BLOCK, LANES};

use crate::{Batch, EStep, Examples, Scratch};
use pulp::{Arch, Simd, WithSimd};

/// Observations whose φ are kept at a time: at d = 20 they and the sums fit the first-level cache.
const PART: usize = 8;

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
        self.level.dispatch(Classify { packed: &self.packed, block, examples, labels: &mut labels });
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

/// Up to [`BLOCK`] observations; unused places repeat the first one.
pub(super) struct Rows<'a> {
    rows: [&'a [f64]; BLOCK],
    pub count: usize,
}

impl<'a> Rows<'a> {
    /// The next observations, if there are any.
    #[inline(always)]
    pub fn take(source: &mut impl Iterator<Item = &'a [f64]>) -> Option<Self> {
        let mut rows = [source.next()?; BLOCK];
        let mut count = 1;
        for (target, row) in rows[1..].iter_mut().zip(source) {
            *target = row;
            count += 1;
        }
        Some(Self { rows, count })
    }

    #[inline(always)]
    fn used(&self) -> &[&'a [f64]] {
        &self.rows[..self.count]
    }

    /// The observations and what fills their last vector.
    #[inline(always)]
    pub fn padded(&self) -> &[[&'a [f64]; LANES]] {
        self.rows[..self.count.next_multiple_of(LANES)].as_chunks().0
    }
}

/// Working memory of one block, cut out of the scratch buffer.
struct Block<'a> {
    /// d rows of [`BLOCK`] lanes.
    y: &'a mut [f64],
    /// d rows of lanes: W y when all components share W.
    common: &'a mut [f64],
    /// G rows of lanes: logits, then posterior weights.
    r: &'a mut [[f64; BLOCK]],
    /// [`PART`] vectors φ.
    phi: &'a mut [f64],
    /// G sums of r φ.
    sums: &'a mut [f64],
    stride: usize,
    maximum: [f64; BLOCK],
    total: [f64; BLOCK],
}

impl<'a> Block<'a> {
    fn new(packed: &Packed, scratch: &'a mut Scratch) -> Self {
        let Layout { components, dimension, .. } = packed.layout;
        let stride = stride(1 + dimension + packed.layout.second_moment_length());
        let sizes = [
            dimension * BLOCK,
            if packed.is_common() { dimension * BLOCK } else { 0 },
            components * BLOCK,
            PART * stride + LANES,
            components * stride,
        ];
        let needed = sizes.iter().sum::<usize>() + LANES;
        if scratch.buffer.len() < needed {
            scratch.buffer.resize(needed, 0.0);
        }
        // Vectors that lie within one cache line load faster.
        let aligned = scratch.buffer.as_ptr().align_offset(8 * LANES).min(LANES);
        let (y, rest) = scratch.buffer[aligned..].split_at_mut(sizes[0]);
        let (common, rest) = rest.split_at_mut(sizes[1]);
        let (r, rest) = rest.split_at_mut(sizes[2]);
        let (phi, rest) = rest.split_at_mut(sizes[3]);
        let sums = &mut rest[..sizes[4]];
        sums.fill(0.0);
        let r = r.as_chunks_mut().0;
        Self { y, common, r, phi, sums, stride, maximum: [0.0; BLOCK], total: [0.0; BLOCK] }
    }

    /// Turns the rows into lanes. Unused lanes of the last vector repeat the first row.
    #[inline(always)]
    fn transpose(&mut self, rows: &Rows<'_>, d: usize) {
        for (v, rows) in rows.padded().iter().enumerate() {
            let rows = rows.map(|row| &row[..d]);
            for (b, lanes) in self.y.chunks_exact_mut(BLOCK).enumerate() {
                lanes[v * LANES..][..LANES].copy_from_slice(&rows.map(|row| row[b]));
            }
        }
    }

    #[inline(always)]
    fn logits<S: Simd>(&mut self, simd: S, packed: &Packed, count: usize) {
        let vectors = count.div_ceil(S::F64_LANES);
        logits(simd, packed, self.y, self.common, self.r.as_flattened_mut(), vectors);
    }

    #[inline(always)]
    fn posterior<S: Simd>(&mut self, simd: S, count: usize) {
        let vectors = count.div_ceil(S::F64_LANES);
        softmax(simd, self.r.as_flattened_mut(), &mut self.maximum, &mut self.total, vectors);
    }

    #[inline(always)]
    fn accumulate<S: Simd>(&mut self, simd: S, layout: &Layout, rows: &[&[f64]]) {
        for (part, rows) in rows.chunks(PART).enumerate() {
            for (j, row) in rows.iter().enumerate() {
                let phi = &mut self.phi[j * self.stride..][..self.stride + LANES];
                features(simd, layout.form, row, phi);
            }
            accumulate(simd, self.r, part * PART, self.phi, self.stride, self.sums, rows.len());
        }
    }

    /// Adds −log p(y_j) of the block, in order.
    fn add_objective(&self, count: usize, objective: f64) -> f64 {
        let pairs = self.maximum.iter().zip(&self.total).take(count);
        pairs.fold(objective, |sum, (maximum, total)| sum - (maximum + libm::log(*total)))
    }

    /// Writes the sums, divided by `count`, in the layout of s.
    #[inline(always)]
    fn write(&self, layout: &Layout, count: usize, out: &mut [f64]) {
        let d = layout.dimension;
        let scale = 1.0 / count.max(1) as f64;
        let mean = |target: &mut [f64], sums: &[f64]| {
            target.iter_mut().zip(sums).for_each(|(target, sum)| *target = sum * scale);
        };
        for (g, sums) in self.sums.chunks_exact(self.stride).enumerate() {
            out[g] = sums[0] * scale;
            mean(&mut out[layout.mean(g)], &sums[1..=d]);
            mean(&mut out[layout.second_moment(g)], &sums[1 + d..]);
        }
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
        let sums = match batch {
            Batch::All => small::sum::<S, D, G>(simd, packed, rows.chunks_exact(D), wanted),
            Batch::Indices(indices) => {
                let rows = indices.iter().map(|&i| &rows[i as usize * D..][..D]);
                small::sum::<S, D, G>(simd, packed, rows, wanted)
            }
        };
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
        self.block.write(&self.task.packed.layout, count, self.out);
        objective / count.max(1) as f64
    }
}

impl<'a> General<'a> {
    /// Sums over the rows, block by block; returns their number and Σ −log p.
    #[inline(always)]
    fn sum<S: Simd>(&mut self, simd: S, mut next: impl FnMut() -> Option<Rows<'a>>) -> (usize, f64) {
        let (mut total, mut objective) = (0, 0.0);
        while let Some(rows) = next() {
            objective = self.add(simd, &rows, objective);
            total += rows.count;
        }
        (total, objective)
    }

    /// Adds one block and its −log p.
    #[inline(always)]
    fn add<S: Simd>(&mut self, simd: S, rows: &Rows<'_>, objective: f64) -> f64 {
        let packed = self.task.packed;
        self.block.transpose(rows, packed.layout.dimension);
        self.block.logits(simd, packed, rows.count);
        self.block.posterior(simd, rows.count);
        self.block.accumulate(simd, &packed.layout, rows.used());
        if self.task.wanted { self.block.add_objective(rows.count, objective) } else { objective }
    }
}

struct Classify<'a> {
    packed: &'a Packed,
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
            self.block.transpose(&block, self.examples.dimension);
            self.block.logits(simd, self.packed, block.count);
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
pub(super) mod tests;
