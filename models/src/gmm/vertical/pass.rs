//! One pass over examples whose features lie in blocks: log-terms of every block, mixed, posterior weights, statistics.
//!
//! Everything about 32 examples happens while they are in the cache; nothing of size M × K is stored unless an
//! incremental pass needs it. Fixed order of operations as in [`crate::gmm::kernel`].

use super::mix::Mixing;
use crate::gmm::block::{Block, Rows};
use crate::gmm::pack::Packed;
use crate::gmm::softmax::{BLOCK, softmax};
use crate::{Batch, Scratch};
use fedbits_numerics::lanes::{LANES, mul_add, sum_by_halves};
use pulp::{Arch, Simd, WithSimd};

/// Who looks at mixed terms, and with which π.
#[derive(Clone, Debug)]
pub struct Target<'a> {
    /// π, K positive numbers.
    pub weights: &'a [f64],
    /// The block whose statistics are wanted under the target's γ, if any.
    pub statistics_of: Option<usize>,
}

/// What targets see of the terms, 32 examples at a time. Arguments: the terms (B rows of K × 32 lanes that hold −½ Q),
/// the number of lanes in use, and what is seen (one row of K × 32 lanes per target, to be written). [`Mixing::mix`] is
/// the linear one.
pub type Mix<'a> = dyn FnMut(&[f64], usize, &mut [f64]) + 'a;

/// What a target gets of a pass.
#[derive(Clone, Debug, PartialEq)]
pub struct Estimate {
    /// Its log-likelihood of the visited examples under the parameters that entered the pass.
    pub log_likelihood: f64,
    /// The mean over m and k of (Z_mk − Σ_b Q_mk^b)²: what the target misses of the exact sum.
    pub error_sq: f64,
    /// M⁻¹ Σ_m (1, x, x xᵀ) γ of its block over the visited examples (differences to before in an incremental pass), in
    /// the layout of s; empty when not wanted.
    pub statistics: Vec<f64>,
    /// Where examples lack blocks, M⁻¹ Σ_m γ over all visited examples (differences likewise), K numbers; statistics of
    /// the pass are those of the examples that have its block.
    pub(super) weights: Vec<f64>,
}

/// What a pass reads and writes.
pub(super) struct Pass<'a, 'm, 'c> {
    pub level: Arch,
    /// Rows of every block, M × d_b.
    pub rows: &'a [Vec<f64>],
    /// Factors of every block, whose offsets leave −½ Q as logits.
    pub packed: &'a [Packed],
    pub batch: Batch<'a>,
    /// Which examples have each block; none where all have all.
    pub observed: Option<&'a [Vec<bool>]>,
    pub targets: &'a [Target<'a>],
    /// log π of every target.
    pub log_weights: &'a [Vec<f64>],
    pub mix: &'m mut Mix<'c>,
    /// Posterior weights of every target (M × K) before the pass: only differences are summed then.
    pub memory: Option<&'a mut [Vec<f64>]>,
    /// Component of largest posterior weight, target by target, when wanted.
    pub labels: Option<&'a mut [Vec<u32>]>,
}

impl Pass<'_, '_, '_> {
    /// What every target gets.
    pub fn run(mut self) -> Vec<Estimate> {
        let width = self.packed[0].layout.components * BLOCK;
        let mut scratches = Vec::new();
        let mut blocks = blocks(self.packed, self.level, &mut scratches);
        let mut terms = vec![0.0; blocks.len() * width];
        let mut mixed = vec![0.0; self.targets.len() * width];
        let mut exact = vec![0.0; width];
        let sum = Mixing::sums(1, blocks.len());
        let mut sums = vec![(0.0, 0.0); self.targets.len()];
        let mut weights = vec![vec![0.0; if self.observed.is_some() { width / BLOCK } else { 0 }]; self.targets.len()];
        let examples = self.rows[0].len() / self.packed[0].layout.dimension;
        let visited = visited(self.batch, examples);
        for indices in visited.chunks(BLOCK) {
            for (b, terms) in terms.chunks_exact_mut(width).enumerate() {
                blocks[b].logits(&rows(&self.rows[b], self.packed[b].layout.dimension, indices));
                terms.copy_from_slice(blocks[b].r.as_flattened());
                self.blank(b, terms, indices);
            }
            sum.apply(self.level, &terms, width, &mut exact);
            (self.mix)(&terms, indices.len(), &mut mixed);
            for (t, lanes) in mixed.chunks_exact_mut(width).enumerate() {
                let (x, log_weights) = (lanes.as_chunks_mut().0, &self.log_weights[t]);
                let squares = self.level.dispatch(Weigh { x, exact: exact.as_chunks().0, log_weights });
                sums[t].1 += squares[..indices.len()].iter().fold(0.0, |sum, square| sum + square);
                sums[t].0 += self.posterior(t, lanes, indices);
                if let Some(b) = self.targets[t].statistics_of {
                    let rows = rows(&self.rows[b], self.packed[b].layout.dimension, indices);
                    blocks[b].r.as_flattened_mut().copy_from_slice(lanes);
                    let totals = weights[t].iter_mut().zip(lanes.chunks_exact(BLOCK));
                    totals.for_each(|(sum, row)| *sum = row[..indices.len()].iter().fold(*sum, |sum, x| sum + x));
                    self.blank(b, blocks[b].r.as_flattened_mut(), indices);
                    blocks[b].add_weighted(&rows);
                }
            }
        }
        let count = visited.len() * self.packed[0].layout.components;
        let estimate = |((target, (log_likelihood, squares)), mut weights): ((&Target<'_>, (f64, f64)), Vec<f64>)| {
            weights.iter_mut().for_each(|sum| *sum /= examples.max(1) as f64);
            let statistics = target.statistics_of.map(|b| {
                let mut statistics = vec![0.0; self.packed[b].layout.statistic_dimension()];
                blocks[b].write(examples, &mut statistics);
                statistics
            });
            // Terms are kept as −½ Q.
            let error_sq = 4.0 * squares / count.max(1) as f64;
            Estimate { log_likelihood, error_sq, statistics: statistics.unwrap_or_default(), weights }
        };
        self.targets.iter().zip(sums).zip(weights).map(estimate).collect()
    }

    /// Zeros in the lanes of examples that lack a block.
    fn blank(&self, block: usize, lanes: &mut [f64], indices: &[u32]) {
        let Some(observed) = self.observed else { return };
        for (lane, _) in indices.iter().enumerate().filter(|&(_, &m)| !observed[block][m as usize]) {
            lanes.iter_mut().skip(lane).step_by(BLOCK).for_each(|x| *x = 0.0);
        }
    }

    /// Turns logits of one target into what its statistics are weighted with, and returns Σ_m log Σ_k.
    fn posterior(&mut self, target: usize, lanes: &mut [f64], indices: &[u32]) -> f64 {
        let (mut maximum, mut total) = ([0.0; BLOCK], [0.0; BLOCK]);
        softmax(self.level, lanes.as_chunks_mut().0, &mut maximum, &mut total, BLOCK);
        if let Some(labels) = &mut self.labels {
            labels[target].extend((0..indices.len()).map(|lane| largest(lanes, lane)));
        }
        if let Some(memory) = &mut self.memory {
            replace(&mut memory[target], lanes, indices);
        }
        let pairs = maximum.iter().zip(&total).take(indices.len());
        pairs.fold(0.0, |sum, (maximum, total)| sum + (maximum + libm::log(*total)))
    }
}

/// The terms Q of one block, K rows of a number per visited example.
pub(super) fn terms(of: &[f64], packed: &Packed, batch: Batch<'_>) -> Vec<f64> {
    let d = packed.layout.dimension;
    let mut scratch = Scratch::default();
    let mut block = Block::new(packed, Arch::new(), &mut scratch);
    let indices = visited(batch, of.len() / d);
    let mut terms = vec![0.0; packed.layout.components * indices.len()];
    for (chunk, some) in indices.chunks(BLOCK).enumerate() {
        block.logits(&rows(of, d, some));
        for (row, logits) in terms.chunks_exact_mut(indices.len()).zip(block.r.iter()) {
            let row = &mut row[chunk * BLOCK..][..some.len()];
            row.iter_mut().zip(logits).for_each(|(term, logit)| *term = -2.0 * logit);
        }
    }
    terms
}

/// Scalar products of the terms of all blocks, divided by their number.
pub(super) fn gram(of: &[Vec<f64>], packed: &[Packed], batch: Batch<'_>) -> Vec<f64> {
    let (level, count, components) = (Arch::new(), packed.len(), packed[0].layout.components);
    let mut scratches = Vec::new();
    let mut blocks = blocks(packed, level, &mut scratches);
    let mut gram = vec![0.0; count * count];
    let indices = visited(batch, of[0].len() / packed[0].layout.dimension);
    for some in indices.chunks(BLOCK) {
        for (b, block) in blocks.iter_mut().enumerate() {
            block.logits(&rows(&of[b], packed[b].layout.dimension, some));
            block.r.iter_mut().for_each(|row| row[some.len()..].fill(0.0));
        }
        for a in 0..count {
            for b in 0..=a {
                let (x, y) = (blocks[a].r.as_flattened(), blocks[b].r.as_flattened());
                gram[a * count + b] += level.dispatch(Dot { x, y });
            }
        }
    }
    let scale = 4.0 / (indices.len() * components) as f64;
    for a in 0..count {
        for b in 0..=a {
            gram[a * count + b] *= scale;
            gram[b * count + a] = gram[a * count + b];
        }
    }
    gram
}

/// The working memory of every block, which `scratches` hold.
fn blocks<'a>(packed: &'a [Packed], level: Arch, scratches: &'a mut Vec<Scratch>) -> Vec<Block<'a>> {
    scratches.resize_with(packed.len(), Scratch::default);
    packed.iter().zip(scratches).map(|(packed, scratch)| Block::new(packed, level, scratch)).collect()
}

/// Σ x y with eight fixed chains (position modulo eight), whatever the vector width; lengths are multiples of 32.
struct Dot<'a> {
    x: &'a [f64],
    y: &'a [f64],
}

impl WithSimd for Dot<'_> {
    type Output = f64;

    #[inline(always)]
    fn with_simd<S: Simd>(self, simd: S) -> f64 {
        let mut chains = [0.0; LANES];
        let sums = S::as_mut_simd_f64s(&mut chains).0;
        let (x, y) = (S::as_simd_f64s(self.x).0, S::as_simd_f64s(self.y).0);
        for (x, y) in x.chunks_exact(sums.len()).zip(y.chunks_exact(sums.len())) {
            for ((sum, &x), &y) in sums.iter_mut().zip(x).zip(y) {
                *sum = mul_add(simd, x, y, *sum);
            }
        }
        sum_by_halves(chains)
    }
}

/// Adds log π to mixed terms `x`, one row per component, after Σ_k (x − `exact`)² of every lane, which it gives.
struct Weigh<'a> {
    x: &'a mut [[f64; BLOCK]],
    exact: &'a [[f64; BLOCK]],
    log_weights: &'a [f64],
}

impl WithSimd for Weigh<'_> {
    type Output = [f64; BLOCK];

    #[inline(always)]
    fn with_simd<S: Simd>(self, simd: S) -> [f64; BLOCK] {
        let mut squares = [0.0; BLOCK];
        let sums = S::as_mut_simd_f64s(&mut squares).0;
        for ((x, exact), &log_weight) in self.x.iter_mut().zip(self.exact).zip(self.log_weights) {
            let log_weight = simd.splat_f64s(log_weight);
            for ((x, &exact), sum) in S::as_mut_simd_f64s(x).0.iter_mut().zip(S::as_simd_f64s(exact).0).zip(&mut *sums)
            {
                let difference = simd.sub_f64s(*x, exact);
                *sum = simd.add_f64s(*sum, simd.mul_f64s(difference, difference));
                *x = simd.add_f64s(*x, log_weight);
            }
        }
        squares
    }
}

/// The examples of a batch, in order.
fn visited(batch: Batch<'_>, examples: usize) -> Vec<u32> {
    batch.indices(examples).map(|m| m as u32).collect()
}

/// The examples of `indices` (at most [`BLOCK`], at least one) as rows of one block.
fn rows<'a>(rows: &'a [f64], d: usize, indices: &[u32]) -> Rows<'a> {
    let mut source = indices.iter().map(|&m| &rows[m as usize * d..][..d]);
    Rows::take(&mut source).expect("a chunk has at least one index")
}

/// The component with the largest weight in a lane, the smallest index among equals.
fn largest(lanes: &[f64], lane: usize) -> u32 {
    let weights = lanes.chunks_exact(BLOCK).map(|row| row[lane]).zip(0..);
    weights.fold((f64::NEG_INFINITY, 0), |best, now| if now.0 > best.0 { now } else { best }).1
}

/// Remembers new weights and leaves the differences to the old ones.
fn replace(memory: &mut [f64], lanes: &mut [f64], indices: &[u32]) {
    let components = lanes.len() / BLOCK;
    for (lane, &m) in indices.iter().enumerate() {
        let old = &mut memory[m as usize * components..][..components];
        for (old, row) in old.iter_mut().zip(lanes.chunks_exact_mut(BLOCK)) {
            let new = row[lane];
            row[lane] = new - *old;
            *old = new;
        }
    }
}

const _: () = assert!(BLOCK.is_multiple_of(4 * LANES), "a row of lanes is a whole number of tiles of the product");
