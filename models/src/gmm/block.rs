//! Working memory of the general kernel: a block of observations, their posterior weights and the sums.
//!
//! Each step over a block is one function per instruction set, which every pass over examples shares: its code is
//! large, and choosing the instruction set per block costs nothing.

use super::accumulate::accumulate;
use super::features::Features;
use super::layout::Layout;
use super::pack::Packed;
use super::softmax::{BLOCK, softmax};
use super::whiten::logits;
use crate::Scratch;
use fedbits_numerics::lanes::{LANES, gather};
use pulp::{Arch, Simd, WithSimd};

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
        for row in source.take(BLOCK - 1) {
            rows[count] = row;
            count += 1;
        }
        Some(Self { rows, count })
    }
}

/// A block, cut out of the scratch buffer.
pub(super) struct Block<'a> {
    packed: &'a Packed,
    level: Arch,
    /// d rows of [`BLOCK`] lanes.
    y: &'a mut [f64],
    /// d rows of lanes: W y when all components share W.
    common: &'a mut [f64],
    /// G rows of lanes: logits, then posterior weights.
    pub r: &'a mut [[f64; BLOCK]],
    /// Extended observations (see [`super::features`]).
    extended: &'a mut [f64],
    /// Sums of r φ, as [`super::accumulate`] lays them out.
    sums: &'a mut [f64],
    maximum: [f64; BLOCK],
    total: [f64; BLOCK],
}

impl<'a> Block<'a> {
    pub fn new(packed: &'a Packed, level: Arch, scratch: &'a mut Scratch) -> Self {
        let Layout { components, dimension, .. } = packed.layout;
        let sizes = [
            dimension * BLOCK,
            if packed.is_common() { dimension * BLOCK } else { 0 },
            components * BLOCK,
            BLOCK * packed.features.length,
            components * packed.features.products(),
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
        let (extended, rest) = rest.split_at_mut(sizes[3]);
        let sums = &mut rest[..sizes[4]];
        sums.fill(0.0);
        let r = r.as_chunks_mut().0;
        Self { packed, level, y, common, r, extended, sums, maximum: [0.0; BLOCK], total: [0.0; BLOCK] }
    }

    /// Log joint densities of the rows.
    pub fn logits(&mut self, rows: &Rows<'_>) {
        let Self { packed, y, common, r, .. } = self;
        self.level.dispatch(Whiten { packed, rows, y, common, r });
    }

    /// Adds the statistics of the rows.
    pub fn add(&mut self, rows: &Rows<'_>) {
        self.logits(rows);
        self.weigh(rows.count);
        self.add_weighted(rows);
    }

    /// Replaces the logits of `count` rows by posterior weights.
    pub fn weigh(&mut self, count: usize) {
        softmax(self.level, self.r, &mut self.maximum, &mut self.total, count);
    }

    /// log p(y_j) of the rows weighed last.
    pub fn log_densities(&self, count: usize) -> impl Iterator<Item = f64> {
        let pairs = self.maximum.iter().zip(&self.total).take(count);
        pairs.map(|(maximum, total)| maximum + libm::log(*total))
    }

    /// Adds the statistics of the rows, weighted with what `r` holds.
    pub fn add_weighted(&mut self, rows: &Rows<'_>) {
        let Self { packed, r, extended, sums, .. } = self;
        self.level.dispatch(Accumulate { features: &packed.features, rows, r, extended, sums });
    }

    /// Adds −log p(y_j) of the rows added last, in order.
    pub fn add_objective(&self, count: usize, objective: f64) -> f64 {
        self.log_densities(count).fold(objective, |sum, density| sum - density)
    }

    /// Writes the sums, divided by `count`, in the layout of s.
    pub fn write(&self, count: usize, out: &mut [f64]) {
        let Packed { layout, features, .. } = self.packed;
        let scale = 1.0 / count.max(1) as f64;
        let (first, second) = features.order[1..].split_at(layout.dimension);
        for g in 0..layout.components {
            let sums = &self.sums[g * LANES..];
            // Eight at a time: for small batches this is a tenth of the time.
            let mean = |target: &mut [f64], order: &[usize]| {
                let ((targets, rest), (orders, remainder)) =
                    (target.as_chunks_mut::<LANES>(), order.as_chunks::<LANES>());
                targets.iter_mut().zip(orders).for_each(|(target, order)| *target = order.map(|at| sums[at] * scale));
                rest.iter_mut().zip(remainder).for_each(|(target, &at)| *target = sums[at] * scale);
            };
            out[g] = sums[0] * scale;
            mean(&mut out[layout.mean(g)], first);
            mean(&mut out[layout.second_moment(g)], second);
        }
    }
}

/// Log joint densities of a block.
struct Whiten<'a> {
    packed: &'a Packed,
    rows: &'a Rows<'a>,
    y: &'a mut [f64],
    common: &'a mut [f64],
    r: &'a mut [[f64; BLOCK]],
}

impl WithSimd for Whiten<'_> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: Simd>(self, simd: S) {
        let Self { packed, rows, y, common, r } = self;
        transpose(simd, rows, packed.layout.dimension, y);
        logits(simd, packed, y, common, r.as_flattened_mut(), rows.count.div_ceil(S::F64_LANES));
    }
}

/// Weighted statistics of a block.
struct Accumulate<'a> {
    features: &'a Features,
    rows: &'a Rows<'a>,
    r: &'a [[f64; BLOCK]],
    extended: &'a mut [f64],
    sums: &'a mut [f64],
}

impl WithSimd for Accumulate<'_> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: Simd>(self, simd: S) {
        let Self { features, rows, r, extended, sums } = self;
        for (row, extended) in rows.rows[..rows.count].iter().zip(extended.chunks_exact_mut(features.length)) {
            features.extend(simd, row, extended);
        }
        accumulate(simd, features, r, extended, sums, rows.count);
    }
}

/// Turns the rows into d rows of lanes. Unused lanes of the last vector repeat the first row.
#[inline(always)]
fn transpose<S: Simd>(simd: S, rows: &Rows<'_>, d: usize, y: &mut [f64]) {
    let padded = rows.count.next_multiple_of(S::F64_LANES);
    for (v, rows) in rows.rows[..padded].chunks_exact(S::F64_LANES).enumerate() {
        // Cut to d numbers once, so that no coordinate need be looked for in a row.
        let rows: [&[f64]; LANES] = std::array::from_fn(|lane| &rows[lane % S::F64_LANES][..d]);
        for (b, lanes) in (0..d).zip(y.chunks_exact_mut(BLOCK)) {
            S::as_mut_simd_f64s(lanes).0[v] = gather(simd, &rows, b);
        }
    }
}
