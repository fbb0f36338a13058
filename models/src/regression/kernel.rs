//! Sums over examples: scores aᵀx of a block of examples, and Σ c a of their slopes c. A block stays in the cache, so
//! that a gradient reads the examples from memory once.
//!
//! Every product and every sum is rounded by itself, in an order that depends on no processor: scores in eight lanes,
//! entry k in lane k mod 8, lanes added by halves; gradients example after example. Zeros add nothing to a sum: sparse
//! rows give the same bits as dense ones.

use super::loss::{BLOCK, RegressionLoss};
use crate::{Batch, Examples, Response, Rows};
use pulp::{Arch, NullaryFnOnce};

/// Numbers that are summed beside each other.
const LANES: usize = 8;
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
        match self.examples.storage() {
            Rows::Dense(_) => {
                Arch::new().dispatch(Gradient { task: self, rows: Dense(self.examples), batch, scores, out, wanted })
            }
            Rows::Sparse { .. } => {
                Arch::new().dispatch(Gradient { task: self, rows: Sparse(self.examples), batch, scores, out, wanted })
            }
        }
    }

    /// Σ (aᵀv)² over all examples in the direction of v: writes Σ a aᵀv to `out`.
    pub fn gram(self, out: &mut [f64]) {
        out.fill(0.0);
        match self.examples.storage() {
            Rows::Dense(_) => Arch::new().dispatch(SquaresAlong { task: self, rows: Dense(self.examples), out }),
            Rows::Sparse { .. } => Arch::new().dispatch(SquaresAlong { task: self, rows: Sparse(self.examples), out }),
        };
    }

    /// The scores of all examples: `vectors` for each, example after example.
    pub fn scores(self) -> Vec<f64> {
        match self.examples.storage() {
            Rows::Dense(_) => Arch::new().dispatch(Scores { task: self, rows: Dense(self.examples) }),
            Rows::Sparse { .. } => Arch::new().dispatch(Scores { task: self, rows: Sparse(self.examples) }),
        }
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
    fn score(&self, rows: impl Lines, block: &[usize], scores: &mut [f64]) {
        for ((coefficients, intercept), scores) in self.vectors().zip(scores.chunks_exact_mut(block.len())) {
            rows.scores(block, coefficients, scores);
            scores.iter_mut().for_each(|score| *score += intercept);
        }
    }

    /// Adds Σ c a of a block to the sums of one vector after the other.
    #[inline(always)]
    fn add(&self, rows: impl Lines, block: &[usize], slopes: &[f64], out: &mut [f64]) {
        let length = out.len() / self.vectors;
        for (out, slopes) in out.chunks_exact_mut(length).zip(slopes.chunks_exact(block.len())) {
            let (of_columns, of_intercept) = out.split_at_mut(length - usize::from(self.intercept));
            rows.add(block, slopes, of_columns);
            of_intercept.iter_mut().for_each(|sum| slopes.iter().for_each(|slope| *sum += slope));
        }
    }
}

/// Rows of examples, which are multiplied with coefficients.
trait Lines: Copy {
    /// aᵀx of each row of a block.
    fn scores(self, block: &[usize], x: &[f64], scores: &mut [f64]);
    /// Adds Σ c a over the rows of a block, in their order.
    fn add(self, block: &[usize], slopes: &[f64], out: &mut [f64]);
}

/// Rows with all their numbers.
#[derive(Clone, Copy)]
struct Dense<'a>(Examples<'a>);

impl Lines for Dense<'_> {
    #[inline(always)]
    fn scores(self, block: &[usize], x: &[f64], scores: &mut [f64]) {
        let (fours, rest) = block.as_chunks::<TOGETHER>();
        let (fours_of_scores, rest_of_scores) = scores.as_chunks_mut::<TOGETHER>();
        for (four, scores) in fours.iter().zip(fours_of_scores) {
            *scores = dots(four.map(|j| self.0.row(j)), x);
        }
        for (&j, score) in rest.iter().zip(rest_of_scores) {
            [*score] = dots([self.0.row(j)], x);
        }
    }

    #[inline(always)]
    fn add(self, block: &[usize], slopes: &[f64], out: &mut [f64]) {
        let (fours, rest) = block.as_chunks::<TOGETHER>();
        let (fours_of_slopes, rest_of_slopes) = slopes.as_chunks::<TOGETHER>();
        for (four, slopes) in fours.iter().zip(fours_of_slopes) {
            add(*slopes, four.map(|j| self.0.row(j)), out);
        }
        for (&j, slope) in rest.iter().zip(rest_of_slopes) {
            add([*slope], [self.0.row(j)], out);
        }
    }
}

/// Rows without their zeros.
#[derive(Clone, Copy)]
struct Sparse<'a>(Examples<'a>);

impl Lines for Sparse<'_> {
    #[inline(always)]
    fn scores(self, block: &[usize], x: &[f64], scores: &mut [f64]) {
        block.iter().zip(scores).for_each(|(&j, score)| *score = self.0.stored_row(j).dot(x));
    }

    #[inline(always)]
    fn add(self, block: &[usize], slopes: &[f64], out: &mut [f64]) {
        block.iter().zip(slopes).for_each(|(&j, &slope)| self.0.stored_row(j).add_scaled(slope, out));
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
    sums.map(|[a, b, c, d, e, f, g, h]| ((a + e) + (c + g)) + ((b + f) + (d + h)))
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

struct Gradient<'a, L> {
    task: Task<'a>,
    rows: L,
    batch: Batch<'a>,
    scores: &'a mut [f64],
    out: &'a mut [f64],
    wanted: bool,
}

impl<L: Lines> NullaryFnOnce for Gradient<'_, L> {
    type Output = f64;

    #[inline(always)]
    fn call(self) -> f64 {
        let Self { task, rows, batch, scores, out, wanted } = self;
        let (mut targets, mut loss) = ([0.0; BLOCK], 0.0);
        blocks(task.examples.len(), batch, |block| {
            let scores = &mut scores[..task.vectors * block.len()];
            let targets = &mut targets[..block.len()];
            targets.iter_mut().zip(block).for_each(|(target, &j)| *target = task.target(j));
            task.score(rows, block, scores);
            loss += task.loss.slopes(scores, targets, wanted);
            task.add(rows, block, scores, out);
        });
        loss
    }
}

struct SquaresAlong<'a, L> {
    task: Task<'a>,
    rows: L,
    out: &'a mut [f64],
}

impl<L: Lines> NullaryFnOnce for SquaresAlong<'_, L> {
    type Output = ();

    #[inline(always)]
    fn call(self) {
        let Self { task, rows, out } = self;
        let mut scores = [0.0; BLOCK];
        blocks(task.examples.len(), Batch::All, |block| {
            task.score(rows, block, &mut scores[..block.len()]);
            task.add(rows, block, &scores[..block.len()], out);
        });
    }
}

struct Scores<'a, L> {
    task: Task<'a>,
    rows: L,
}

impl<L: Lines> NullaryFnOnce for Scores<'_, L> {
    type Output = Vec<f64>;

    #[inline(always)]
    fn call(self) -> Vec<f64> {
        let Self { task, rows } = self;
        let mut all = Vec::with_capacity(task.vectors * task.examples.len());
        let mut scores = vec![0.0; task.vectors * BLOCK];
        blocks(task.examples.len(), Batch::All, |block| {
            let scores = &mut scores[..task.vectors * block.len()];
            task.score(rows, block, scores);
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
            let rows = Dense(of_rows);
            let (batch, out) = (Batch::All, &mut expected[..]);
            let by_baseline = Gradient { task, rows, batch, scores: &mut scores, out, wanted: true }.call();
            assert_eq!(loss.to_bits(), by_baseline.to_bits());
            assert_eq!(found, expected, "{examples} × {columns}");
        }
    }
}
