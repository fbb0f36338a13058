//! Sums over examples: scores aᵀx of a block of examples, and Σ c a of their slopes c. A block stays in the cache, so
//! that a gradient reads the examples from memory once.
//!
//! Every product and every sum is rounded by itself, in an order that depends on no processor: scores in eight lanes,
//! entry k in lane k mod 8, lanes added by halves; gradients example after example. Zeros add nothing to a sum: sparse
//! rows give the same bits as dense ones.

use super::loss::{BLOCK, RegressionLoss};
use crate::{Batch, Examples, Response, Rows};
use fedbits_numerics::lanes::{LANES, sum_by_halves};
use pulp::{Arch, NullaryFnOnce};

/// Examples whose scores are computed at a time, so that x is loaded once for them.
const TOGETHER: usize = 4;

/// The examples of a batch as a linear model sees them.
#[derive(Clone, Copy)]
pub(super) struct Task<'a> {
    pub loss: RegressionLoss,
    /// Is the last coefficient of every vector an intercept?
    pub intercept: bool,
    /// The vectors of coefficients, one after the other: one, or one per class.
    pub x: &'a [f64],
    pub vectors: usize,
    pub examples: Examples<'a>,
}

impl Task<'_> {
    /// Writes Σ ∇ℓ over the batch to `out`, as long as x; returns Σ ℓ where it is `wanted`, else 0. `scores` is working
    /// memory.
    pub fn gradient(self, batch: Batch<'_>, scores: &mut Vec<f64>, out: &mut [f64], wanted: bool) -> f64 {
        assert_eq!(out.len(), self.x.len(), "as many sums as coefficients");
        out.fill(0.0);
        scores.resize(self.vectors * BLOCK, 0.0);
        Arch::new().dispatch(Gradient { task: self, batch, scores, out, wanted })
    }

    /// Σ (aᵀv)² over all examples in the direction of v: writes Σ a aᵀv to `out`.
    pub fn gram(self, out: &mut [f64]) {
        out.fill(0.0);
        Arch::new().dispatch(SquaresAlong { task: self, out });
    }

    /// The scores of all examples: `vectors` for each, example after example.
    pub fn scores(self) -> Vec<f64> {
        Arch::new().dispatch(Scores { task: self })
    }

    /// b of an example.
    fn target(&self, j: usize) -> f64 {
        match self.examples.response() {
            Response::Classes(classes) => self.loss.target(classes[j]),
            Response::Numbers(numbers) => numbers[j],
            Response::None => panic!("examples have the response that the model was fitted to"),
        }
    }

    /// Coefficients and intercept of each vector.
    #[inline(always)]
    fn vectors(&self) -> impl Iterator<Item = (&[f64], f64)> {
        let intercept = self.intercept;
        self.x.chunks_exact(self.x.len() / self.vectors).map(move |x| match x.split_last() {
            Some((last, coefficients)) if intercept => (coefficients, *last),
            _ => (x, 0.0),
        })
    }

    /// Scores of a block for one vector after the other.
    #[inline(always)]
    fn score(&self, block: &[usize], scores: &mut [f64]) {
        for ((coefficients, intercept), scores) in self.vectors().zip(scores.chunks_exact_mut(block.len())) {
            self.score_rows(block, coefficients, scores);
            scores.iter_mut().for_each(|score| *score += intercept);
        }
    }

    /// Adds Σ c a of a block to the sums of one vector after the other.
    #[inline(always)]
    fn add(&self, block: &[usize], slopes: &[f64], out: &mut [f64]) {
        let length = out.len() / self.vectors;
        for (out, slopes) in out.chunks_exact_mut(length).zip(slopes.chunks_exact(block.len())) {
            let (of_columns, of_intercept) = out.split_at_mut(length - usize::from(self.intercept));
            self.add_rows(block, slopes, of_columns);
            of_intercept.iter_mut().for_each(|sum| slopes.iter().for_each(|slope| *sum += slope));
        }
    }

    /// aᵀx of each row of a block.
    #[inline(always)]
    fn score_rows(&self, block: &[usize], x: &[f64], scores: &mut [f64]) {
        if let Rows::Sparse { .. } = self.examples.storage() {
            return block.iter().zip(scores).for_each(|(&j, score)| *score = self.examples.stored_row(j).dot(x));
        }
        let (fours, rest) = block.as_chunks::<TOGETHER>();
        let (fours_of_scores, rest_of_scores) = scores.as_chunks_mut::<TOGETHER>();
        for (four, scores) in fours.iter().zip(fours_of_scores) {
            *scores = dots(four.map(|j| self.examples.row(j)), x);
        }
        for (&j, score) in rest.iter().zip(rest_of_scores) {
            [*score] = dots([self.examples.row(j)], x);
        }
    }

    /// Adds Σ c a over the rows of a block, in their order.
    #[inline(always)]
    fn add_rows(&self, block: &[usize], slopes: &[f64], out: &mut [f64]) {
        if let Rows::Sparse { .. } = self.examples.storage() {
            let pairs = block.iter().zip(slopes);
            return pairs.for_each(|(&j, &slope)| self.examples.stored_row(j).add_scaled(slope, out));
        }
        let (fours, rest) = block.as_chunks::<TOGETHER>();
        let (fours_of_slopes, rest_of_slopes) = slopes.as_chunks::<TOGETHER>();
        for (four, slopes) in fours.iter().zip(fours_of_slopes) {
            add(*slopes, four.map(|j| self.examples.row(j)), out);
        }
        for (&j, slope) in rest.iter().zip(rest_of_slopes) {
            add([*slope], [self.examples.row(j)], out);
        }
    }
}

/// Products of some rows with x.
#[inline(always)]
fn dots<const R: usize>(rows: [&[f64]; R], x: &[f64]) -> [f64; R] {
    let mut sums = [[0.0; LANES]; R];
    let (chunks, rest) = x.as_chunks::<LANES>();
    let rows = rows.map(|row| {
        let (row, rest_of_row) = row[..x.len()].as_chunks::<LANES>();
        (&row[..chunks.len()], rest_of_row)
    });
    for (at, x) in chunks.iter().enumerate() {
        for (sums, (row, _)) in sums.iter_mut().zip(&rows) {
            for (sum, (a, x)) in sums.iter_mut().zip(row[at].iter().zip(x)) {
                *sum += a * x;
            }
        }
    }
    for (sums, (_, row)) in sums.iter_mut().zip(&rows) {
        for (sum, (a, x)) in sums.iter_mut().zip(row.iter().zip(rest)) {
            *sum += a * x;
        }
    }
    sums.map(sum_by_halves)
}

/// Adds Σ c a of some rows, one after the other.
#[inline(always)]
fn add<const R: usize>(slopes: [f64; R], rows: [&[f64]; R], out: &mut [f64]) {
    let rows = rows.map(|row| &row[..out.len()]);
    for (k, out) in out.iter_mut().enumerate() {
        let mut sum = *out;
        for (slope, row) in slopes.iter().zip(&rows) {
            sum += slope * row[k];
        }
        *out = sum;
    }
}

/// Calls `visit` with blocks of at most [`BLOCK`] of the batch.
#[inline(always)]
fn blocks(count: usize, batch: Batch<'_>, mut visit: impl FnMut(&[usize])) {
    let mut block = [0; BLOCK];
    let mut visited = batch.indices(count);
    loop {
        let taken = block.iter_mut().zip(&mut visited).map(|(place, j)| *place = j).count();
        if taken == 0 {
            return;
        }
        visit(&block[..taken]);
    }
}

struct Gradient<'a> {
    task: Task<'a>,
    batch: Batch<'a>,
    scores: &'a mut [f64],
    out: &'a mut [f64],
    wanted: bool,
}

impl NullaryFnOnce for Gradient<'_> {
    type Output = f64;

    #[inline(always)]
    fn call(self) -> f64 {
        let Self { task, batch, scores, out, wanted } = self;
        let (mut targets, mut loss) = ([0.0; BLOCK], 0.0);
        blocks(task.examples.len(), batch, |block| {
            let scores = &mut scores[..task.vectors * block.len()];
            let targets = &mut targets[..block.len()];
            targets.iter_mut().zip(block).for_each(|(target, &j)| *target = task.target(j));
            task.score(block, scores);
            loss += task.loss.slopes(scores, targets, wanted);
            task.add(block, scores, out);
        });
        loss
    }
}

struct SquaresAlong<'a> {
    task: Task<'a>,
    out: &'a mut [f64],
}

impl NullaryFnOnce for SquaresAlong<'_> {
    type Output = ();

    #[inline(always)]
    fn call(self) {
        let Self { task, out } = self;
        let mut scores = [0.0; BLOCK];
        blocks(task.examples.len(), Batch::All, |block| {
            task.score(block, &mut scores[..block.len()]);
            task.add(block, &scores[..block.len()], out);
        });
    }
}

struct Scores<'a> {
    task: Task<'a>,
}

impl NullaryFnOnce for Scores<'_> {
    type Output = Vec<f64>;

    #[inline(always)]
    fn call(self) -> Vec<f64> {
        let Self { task } = self;
        let mut all = Vec::with_capacity(task.vectors * task.examples.len());
        let mut scores = vec![0.0; task.vectors * BLOCK];
        blocks(task.examples.len(), Batch::All, |block| {
            let scores = &mut scores[..task.vectors * block.len()];
            task.score(block, scores);
            for j in 0..block.len() {
                all.extend(scores.chunks_exact(block.len()).map(|scores| scores[j]));
            }
        });
        all
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use fedbits_random::CounterKey;

    /// Every instruction set gives the bits of the baseline's, for all numbers of rows and columns beside whole blocks.
    #[test]
    fn every_instruction_set_gives_the_same_bits() {
        for (examples, columns) in [(1, 1), (5, 3), (33, 8), (67, 17), (40, 68)] {
            let numbers = |key: u64, count: usize| -> Vec<f64> {
                (0..count as u64).map(|j| CounterKey::new(key).uniform(j) - 0.5).collect()
            };
            let rows = numbers(1, examples * columns);
            let classes: Vec<u32> = (0..examples as u32).map(|j| j % 2).collect();
            let of_rows = Examples::new(&rows, columns).with_response(Response::Classes(&classes));
            let x = numbers(2, 2 * (columns + 1));
            let task = Task { loss: RegressionLoss::Softmax, intercept: true, x: &x, vectors: 2, examples: of_rows };
            let (mut scores, mut found) = (Vec::new(), vec![0.0; x.len()]);
            let loss = task.gradient(Batch::All, &mut scores, &mut found, true);
            let mut expected = vec![0.0; x.len()];
            let (batch, out) = (Batch::All, &mut expected[..]);
            let by_baseline = Gradient { task, batch, scores: &mut scores, out, wanted: true }.call();
            assert_eq!(loss.to_bits(), by_baseline.to_bits());
            assert_eq!(found, expected, "{examples} × {columns}");
        }
    }
}
