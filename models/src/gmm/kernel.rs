//! The E-step kernel: blocks of at most 32 observations, whitened in lanes, and their statistics summed in order.
//!
//! The instruction set is chosen once per call; every level runs the same fused operations on every number, so
//! AVX-512, AVX2 and scalar code give the same bits. It must not know who asked for the batch.

use super::accumulate::{accumulate, second_moments, stride};
use super::layout::Layout;
use super::pack::Packed;
use super::softmax::softmax;
use super::whiten::logits;
use super::{BLOCK, LANES};
use crate::{Batch, EStep, Examples, Scratch};
use pulp::{Arch, Simd, WithSimd};

/// A mixture at a fixed θ.
#[derive(Clone, Debug)]
pub(super) struct Conditional {
    packed: Packed,
    level: Arch,
}

impl Conditional {
    pub fn new(packed: Packed) -> Self {
        Self {
            packed,
            level: Arch::new(),
        }
    }

    /// The most probable component of every example.
    pub fn classify(&self, examples: Examples<'_>) -> Vec<u32> {
        let mut scratch = Scratch::default();
        let mut labels = Vec::with_capacity(examples.len());
        let block = Block::new(&self.packed, &mut scratch);
        self.level.dispatch(Classify {
            packed: &self.packed,
            block,
            examples,
            labels: &mut labels,
        });
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
        let layout = self.packed.layout;
        assert_eq!(
            examples.dimension, layout.dimension,
            "examples have the dimension of the model"
        );
        assert_eq!(out.len(), layout.statistic_dimension(), "the output has q entries");
        let block = Block::new(&self.packed, scratch);
        self.level.dispatch(Statistics {
            packed: &self.packed,
            block,
            examples,
            batch,
            out,
            wanted,
        })
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

/// Working memory of one block, cut out of the scratch buffer.
struct Block<'a> {
    /// d rows of [`BLOCK`] lanes.
    y: &'a mut [f64],
    /// d rows of lanes: W y when all components share W.
    common: &'a mut [f64],
    /// G rows of lanes: logits, then posterior weights.
    r: &'a mut [[f64; BLOCK]],
    /// [`BLOCK`] vectors φ.
    phi: &'a mut [f64],
    /// G sums of r φ.
    sums: &'a mut [f64],
    stride: usize,
    maximum: [f64; BLOCK],
    total: [f64; BLOCK],
}

impl<'a> Block<'a> {
    fn new(packed: &Packed, scratch: &'a mut Scratch) -> Self {
        let Layout {
            components, dimension, ..
        } = packed.layout;
        let stride = stride(1 + dimension + packed.layout.second_moment_length());
        let sizes = [
            dimension * BLOCK,
            if packed.is_common() { dimension * BLOCK } else { 0 },
            components * BLOCK,
            BLOCK * stride + LANES,
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
        Self {
            y,
            common,
            r,
            phi,
            sums,
            stride,
            maximum: [0.0; BLOCK],
            total: [0.0; BLOCK],
        }
    }

    /// Takes over up to [`BLOCK`] observations, as lanes and as φ = (1, y, …); unused lanes of a vector become 0.
    #[inline(always)]
    fn load<'e>(&mut self, rows: impl Iterator<Item = &'e [f64]>, d: usize) -> usize {
        let mut count = 0;
        for (row, phi) in rows.take(BLOCK).zip(self.phi.chunks_exact_mut(self.stride)) {
            phi[0] = 1.0;
            for ((&value, lanes), copy) in row.iter().zip(self.y.chunks_exact_mut(BLOCK)).zip(&mut phi[1..1 + d]) {
                lanes[count % BLOCK] = value;
                *copy = value;
            }
            count += 1;
        }
        for lanes in self.y.chunks_exact_mut(BLOCK) {
            lanes[count..count.next_multiple_of(LANES)].fill(0.0);
        }
        count
    }

    #[inline(always)]
    fn logits<S: Simd>(&mut self, simd: S, packed: &Packed, count: usize) {
        let vectors = count.div_ceil(S::F64_LANES);
        logits(simd, packed, self.y, self.common, self.r.as_flattened_mut(), vectors);
    }

    #[inline(always)]
    fn posterior<S: Simd>(&mut self, simd: S, count: usize) {
        let vectors = count.div_ceil(S::F64_LANES);
        softmax(
            simd,
            self.r.as_flattened_mut(),
            &mut self.maximum,
            &mut self.total,
            vectors,
        );
    }

    #[inline(always)]
    fn accumulate<S: Simd>(&mut self, simd: S, layout: &Layout, count: usize) {
        second_moments(simd, layout.form, layout.dimension, self.stride, self.phi, count);
        accumulate(simd, self.r, self.phi, self.stride, self.sums, count);
    }

    /// Adds −log p(y_j) of the block, in order.
    fn add_objective(&self, count: usize, objective: f64) -> f64 {
        let pairs = self.maximum.iter().zip(&self.total).take(count);
        pairs.fold(objective, |sum, (maximum, total)| sum - (maximum + libm::log(*total)))
    }

    /// Writes the sums, divided by `count`, in the layout of s.
    fn write(&self, layout: &Layout, count: usize, out: &mut [f64]) {
        let d = layout.dimension;
        let scale = count.max(1) as f64;
        let mean = |target: &mut [f64], sums: &[f64]| {
            target
                .iter_mut()
                .zip(sums)
                .for_each(|(target, sum)| *target = sum / scale);
        };
        for (g, sums) in self.sums.chunks_exact(self.stride).enumerate() {
            out[g] = sums[0] / scale;
            mean(&mut out[layout.mean(g)], &sums[1..=d]);
            mean(&mut out[layout.second_moment(g)], &sums[1 + d..]);
        }
    }
}

struct Statistics<'a> {
    packed: &'a Packed,
    block: Block<'a>,
    examples: Examples<'a>,
    batch: Batch<'a>,
    out: &'a mut [f64],
    wanted: bool,
}

impl WithSimd for Statistics<'_> {
    type Output = f64;

    #[inline(always)]
    fn with_simd<S: Simd>(mut self, simd: S) -> f64 {
        let d = self.examples.dimension;
        let (rows, all) = (self.examples.rows, self.examples.rows.chunks_exact(d));
        let (count, objective) = match self.batch {
            Batch::All => self.sum(simd, all),
            Batch::Indices(indices) => self.sum(simd, indices.iter().map(|&i| &rows[i as usize * d..][..d])),
        };
        self.block.write(&self.packed.layout, count, self.out);
        objective / count.max(1) as f64
    }
}

impl Statistics<'_> {
    /// Sums over the rows, block by block; returns their number and Σ −log p.
    #[inline(always)]
    fn sum<'e, S: Simd>(&mut self, simd: S, mut rows: impl Iterator<Item = &'e [f64]>) -> (usize, f64) {
        let layout = &self.packed.layout;
        let (mut total, mut objective) = (0, 0.0);
        loop {
            let count = self.block.load(&mut rows, layout.dimension);
            if count == 0 {
                return (total, objective);
            }
            self.block.logits(simd, self.packed, count);
            self.block.posterior(simd, count);
            self.block.accumulate(simd, layout, count);
            if self.wanted {
                objective = self.block.add_objective(count, objective);
            }
            total += count;
        }
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
        loop {
            let count = self.block.load(&mut rows, self.examples.dimension);
            if count == 0 {
                return;
            }
            self.block.logits(simd, self.packed, count);
            for j in 0..count {
                let logits = || self.block.r.iter().map(|lanes| lanes[j]).zip(0..);
                let (_, best) = logits().fold(
                    (f64::NEG_INFINITY, 0),
                    |best, now| if now.0 > best.0 { now } else { best },
                );
                self.labels.push(best);
            }
        }
    }
}

#[cfg(test)]
pub(super) mod tests {
    use pulp::Arch;

    /// Every instruction set of this processor that the kernel may be dispatched to.
    pub fn levels() -> Vec<Arch> {
        let mut levels = vec![Arch::Scalar];
        #[cfg(target_arch = "x86_64")]
        {
            levels.extend(pulp::x86::V3::try_new().map(Arch::V3));
            levels.extend(pulp::x86::V4::try_new().map(Arch::V4));
        }
        levels
    }
}
