//! One pass over examples whose features lie in blocks: log-terms of every block, mixed, posterior weights, statistics.
//!
//! Everything about 32 examples happens while they are in the cache; nothing of size M × K is stored unless an
//! incremental pass needs it. Fixed order of operations as in [`crate::gmm::kernel`].

use super::mix::Mixing;
use crate::gmm::block::{Block, Rows};
use crate::gmm::lanes::{BLOCK, LANES};
use crate::gmm::pack::Packed;
use crate::gmm::softmax::softmax;
use crate::{Batch, Scratch};
use pulp::{Simd, WithSimd};
use std::borrow::Cow;

/// Who looks at mixed terms, and with which π.
#[derive(Clone, Debug)]
pub struct Target<'a> {
    /// a, one number per block.
    pub coefficients: &'a [f64],
    /// π, K positive numbers.
    pub weights: &'a [f64],
    /// The block whose statistics are wanted under the target's γ, if any.
    pub statistics_of: Option<usize>,
}

/// A mixing that is not linear, 32 examples at a time: terms (B rows of K × 32 lanes that hold −½ Q), the number of
/// lanes in use, and what the targets see (one row of K × 32 lanes each, to be written).
pub type Custom<'a> = dyn FnMut(&[f64], usize, &mut [f64]) + 'a;

/// What a target gets of a pass.
#[derive(Clone, Debug, PartialEq)]
pub struct Estimate {
    /// Its log-likelihood of the visited examples under the parameters that entered the pass.
    pub log_likelihood: f64,
    /// The mean over m and k of (Z_mk − Σ_b Q_mk^b)²: what the coefficients miss of the exact sum.
    pub error_sq: f64,
    /// M⁻¹ Σ_m (1, x, x xᵀ) γ of its block over the visited examples (differences to before in an incremental pass), in
    /// the layout of s; empty when not wanted.
    pub statistics: Vec<f64>,
}

/// How terms become what targets see.
pub(super) enum Mixer<'a> {
    /// A matrix, one row per target.
    Linear(Mixing),
    /// Anything else.
    Custom(&'a mut Custom<'a>),
}

/// What a pass reads and writes.
pub(super) struct Pass<'a, 'm> {
    /// Rows of every block, M × d_b.
    pub rows: &'a [Vec<f64>],
    /// Factors of every block, whose offsets leave −½ Q as logits.
    pub packed: &'a [Packed],
    pub batch: Batch<'a>,
    pub targets: &'a [Target<'a>],
    /// log π of every target.
    pub log_weights: &'a [Vec<f64>],
    /// What every target gets to see of the terms.
    pub mixer: Mixer<'m>,
    /// Posterior weights of every target (M × K) before the pass: only differences are summed then.
    pub memory: Option<&'a mut [Vec<f64>]>,
    /// Component of largest posterior weight, target by target, when wanted.
    pub labels: Option<&'a mut [Vec<u32>]>,
}

impl WithSimd for Pass<'_, '_> {
    type Output = Vec<Estimate>;

    #[inline(always)]
    fn with_simd<S: Simd>(mut self, simd: S) -> Vec<Estimate> {
        let width = self.packed[0].layout.components * BLOCK;
        let mut scratches: Vec<Scratch> = self.packed.iter().map(|_| Scratch::default()).collect();
        let pairs = self.packed.iter().zip(&mut scratches);
        let mut blocks: Vec<Block<'_>> = pairs.map(|(packed, scratch)| Block::new(packed, scratch)).collect();
        let mut terms = vec![0.0; blocks.len() * width];
        let mut mixed = vec![0.0; self.targets.len() * width];
        let mut exact = vec![0.0; width];
        let ones = vec![1.0; blocks.len()];
        let sum = Mixing::new([&ones[..]], blocks.len());
        let mut sums = vec![(0.0, 0.0); self.targets.len()];
        let examples = self.rows[0].len() / self.packed[0].layout.dimension;
        for indices in visited(self.batch, examples).chunks(BLOCK) {
            for (b, terms) in terms.chunks_exact_mut(width).enumerate() {
                blocks[b].logits(simd, &rows(&self.rows[b], self.packed[b].layout.dimension, indices));
                terms.copy_from_slice(blocks[b].r.as_flattened());
            }
            sum.apply(simd, &terms, width, &mut exact);
            match &mut self.mixer {
                Mixer::Linear(mixing) => mixing.apply(simd, &terms, width, &mut mixed),
                Mixer::Custom(mix) => mix(&terms, indices.len(), &mut mixed),
            }
            for (t, lanes) in mixed.chunks_exact_mut(width).enumerate() {
                sums[t].1 += squared_distance(lanes, &exact, indices.len());
                sums[t].0 += self.posterior(simd, t, lanes, indices);
                if let Some(b) = self.targets[t].statistics_of {
                    let rows = rows(&self.rows[b], self.packed[b].layout.dimension, indices);
                    blocks[b].r.as_flattened_mut().copy_from_slice(lanes);
                    blocks[b].add_weighted(simd, &rows);
                }
            }
        }
        let count = visited(self.batch, examples).len() * self.packed[0].layout.components;
        let estimate = |(target, (log_likelihood, squares)): (&Target<'_>, (f64, f64))| {
            let statistics = target.statistics_of.map(|b| {
                let mut statistics = vec![0.0; self.packed[b].layout.statistic_dimension()];
                blocks[b].write(examples, &mut statistics);
                statistics
            });
            // Terms are kept as −½ Q.
            let error_sq = 4.0 * squares / count.max(1) as f64;
            Estimate { log_likelihood, error_sq, statistics: statistics.unwrap_or_default() }
        };
        self.targets.iter().zip(sums).map(estimate).collect()
    }
}

impl Pass<'_, '_> {
    /// Turns mixed terms of one target into what its statistics are weighted with, and returns Σ_m log Σ_k.
    #[inline(always)]
    fn posterior<S: Simd>(&mut self, simd: S, target: usize, lanes: &mut [f64], indices: &[u32]) -> f64 {
        for (lanes, &log_weight) in lanes.chunks_exact_mut(BLOCK).zip(&self.log_weights[target]) {
            let log_weight = simd.splat_f64s(log_weight);
            for vector in S::as_mut_simd_f64s(lanes).0 {
                *vector = simd.add_f64s(*vector, log_weight);
            }
        }
        let (mut maximum, mut total) = ([0.0; BLOCK], [0.0; BLOCK]);
        softmax(simd, lanes, &mut maximum, &mut total, BLOCK / S::F64_LANES);
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

/// The terms Q of one block.
pub(super) struct Terms<'a> {
    pub rows: &'a [f64],
    pub packed: &'a Packed,
    pub batch: Batch<'a>,
}

impl WithSimd for Terms<'_> {
    type Output = Vec<f64>;

    #[inline(always)]
    fn with_simd<S: Simd>(self, simd: S) -> Vec<f64> {
        let d = self.packed.layout.dimension;
        let mut scratch = Scratch::default();
        let mut block = Block::new(self.packed, &mut scratch);
        let indices = visited(self.batch, self.rows.len() / d);
        let mut terms = vec![0.0; self.packed.layout.components * indices.len()];
        for (chunk, own) in indices.chunks(BLOCK).enumerate() {
            block.logits(simd, &rows(self.rows, d, own));
            for (row, logits) in terms.chunks_exact_mut(indices.len()).zip(block.r.iter()) {
                let row = &mut row[chunk * BLOCK..][..own.len()];
                row.iter_mut().zip(logits).for_each(|(term, logit)| *term = -2.0 * logit);
            }
        }
        terms
    }
}

/// Scalar products of the terms of all blocks, divided by their number.
pub(super) struct Gram<'a> {
    pub rows: &'a [Vec<f64>],
    pub packed: &'a [Packed],
    pub batch: Batch<'a>,
}

impl WithSimd for Gram<'_> {
    type Output = Vec<f64>;

    #[inline(always)]
    fn with_simd<S: Simd>(self, simd: S) -> Vec<f64> {
        let (count, components) = (self.packed.len(), self.packed[0].layout.components);
        let mut scratches: Vec<Scratch> = self.packed.iter().map(|_| Scratch::default()).collect();
        let pairs = self.packed.iter().zip(&mut scratches);
        let mut blocks: Vec<Block<'_>> = pairs.map(|(packed, scratch)| Block::new(packed, scratch)).collect();
        let mut gram = vec![0.0; count * count];
        let indices = visited(self.batch, self.rows[0].len() / self.packed[0].layout.dimension);
        for own in indices.chunks(BLOCK) {
            for (b, block) in blocks.iter_mut().enumerate() {
                block.logits(simd, &rows(&self.rows[b], self.packed[b].layout.dimension, own));
                block.r.iter_mut().for_each(|row| row[own.len()..].fill(0.0));
            }
            for a in 0..count {
                for b in 0..=a {
                    let sum = dot(simd, blocks[a].r.as_flattened(), blocks[b].r.as_flattened());
                    gram[a * count + b] += sum;
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
}

/// Σ x y with eight fixed chains (position modulo eight), whatever the vector width; lengths are multiples of 32.
#[inline(always)]
fn dot<S: Simd>(simd: S, x: &[f64], y: &[f64]) -> f64 {
    let mut chains = [0.0; LANES];
    let sums = S::as_mut_simd_f64s(&mut chains).0;
    let (x, y) = (S::as_simd_f64s(x).0, S::as_simd_f64s(y).0);
    for (x, y) in x.chunks_exact(sums.len()).zip(y.chunks_exact(sums.len())) {
        for ((sum, &x), &y) in sums.iter_mut().zip(x).zip(y) {
            *sum = simd.mul_add_f64s(x, y, *sum);
        }
    }
    let [a, b, c, d, e, f, g, h] = chains;
    ((a + e) + (c + g)) + ((b + f) + (d + h))
}

/// The examples of a batch, in order.
fn visited(batch: Batch<'_>, examples: usize) -> Cow<'_, [u32]> {
    match batch {
        Batch::Indices(indices) => Cow::Borrowed(indices),
        Batch::All => Cow::Owned((0..examples as u32).collect()),
    }
}

/// The examples of `indices` (at most [`BLOCK`], at least one) as rows of one block.
#[inline(always)]
fn rows<'a>(rows: &'a [f64], d: usize, indices: &[u32]) -> Rows<'a> {
    let mut source = indices.iter().map(|&m| &rows[m as usize * d..][..d]);
    Rows::take(&mut source).expect("a chunk has at least one index")
}

/// The component with the largest weight in a lane, the smallest index among equals.
fn largest(lanes: &[f64], lane: usize) -> u32 {
    let weights = lanes.chunks_exact(BLOCK).map(|row| row[lane]).zip(0..);
    weights.fold((f64::NEG_INFINITY, 0), |best, now| if now.0 > best.0 { now } else { best }).1
}

/// Σ (x − y)² over the first `count` lanes of every row.
#[inline(always)]
fn squared_distance(x: &[f64], y: &[f64], count: usize) -> f64 {
    let mut chains = [0.0; BLOCK];
    for (x, y) in x.chunks_exact(BLOCK).zip(y.chunks_exact(BLOCK)) {
        for (sum, (x, y)) in chains.iter_mut().zip(x.iter().zip(y)) {
            *sum += (x - y) * (x - y);
        }
    }
    chains[..count].iter().fold(0.0, |sum, chain| sum + chain)
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
