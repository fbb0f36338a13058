//! What the clients of a round compute their statistics with: the broadcast, data, batches, draws. And when the host
//! computes them for a cohort: all of them ahead on all cores, or each when its client needs it.
//!
//! Statistics of many clients that are computed ahead leave the caches before they are used. Where one thread does all
//! the work anyway, a client's is computed when the broadcast has reached it. The numbers are the same: what a
//! statistic depends on was fixed when the broadcast was sent.

use std::cell::RefCell;

use fedbits_models::{Batch, EStep, Scratch};
use fedbits_random::{DrawPurpose, Stream, Streams};

use super::settings::BatchRule;
use crate::federation::{Federation, is_for_one_thread};
use crate::payload::{Ahead, Rows};

/// What a broadcast of FedEM says; `T` is what the local rule adds.
pub struct Content<T> {
    /// Round that it opens.
    pub round: u64,
    /// Ŝ as the wire carries it.
    pub s_hat: Vec<f64>,
    /// c_k of MARINA, which comes from a seed that all share.
    pub full: bool,
    /// What the local rule adds; it comes from a seed that all share.
    pub local: T,
    /// The parameter that a client derives from what it received.
    pub(super) theta: Vec<f64>,
    /// The conditional distribution at it.
    pub(super) e_step: Box<dyn EStep>,
}

impl<T> Content<T> {
    /// The conditional distribution at the parameter that a client derives from what it received.
    pub fn e_step(&self) -> &dyn EStep {
        self.e_step.as_ref()
    }
}

/// What a rule works with in a round.
#[derive(Clone, Copy)]
pub struct Task<'a> {
    /// The clients' data and their model.
    pub federation: &'a Federation,
    /// How batches are drawn.
    pub batch: BatchRule,
    /// Where draws come from.
    pub streams: &'a Streams,
    /// The round; 0 is that of the initial memories, with all examples.
    pub round: u64,
}

impl Task<'_> {
    /// The draws of client `i` for its minibatch of this round.
    pub(crate) fn stream(&self, i: u32) -> Stream {
        self.streams.at(DrawPurpose::Minibatch, u64::from(i), self.round)
    }

    fn rule(&self, everything: bool) -> BatchRule {
        if everything { BatchRule::All } else { self.batch }
    }

    /// Draws the batch of client `i`; false when it is all of its examples.
    pub(super) fn draw(&self, i: u32, everything: bool, indices: &mut Vec<u32>) -> bool {
        draw_batch(self.rule(everything), self.federation.size(i), &mut self.stream(i), indices)
    }

    /// Conditional expectations of the statistics of `clients`.
    fn work(&self, clients: &[u32], everything: bool) -> u64 {
        let rule = self.rule(everything);
        clients.iter().map(|&i| rule.count(self.federation.size(i))).sum()
    }

    /// Mean statistics of `clients` over their batches of this round, or over everything, one row each.
    pub(crate) fn statistics(&self, clients: &[u32], e_step: &dyn EStep, everything: bool, out: &mut [f64]) {
        let work = self.work(clients, everything);
        let batch = |i: u32, indices: &mut Vec<u32>| self.draw(i, everything, indices);
        self.federation.local_statistics(clients, e_step, batch, work, out);
    }
}

/// Draws a minibatch out of `size` examples; false when it is all of them.
pub(crate) fn draw_batch(rule: BatchRule, size: u32, stream: &mut Stream, indices: &mut Vec<u32>) -> bool {
    match rule {
        BatchRule::All => false,
        BatchRule::WithReplacement(b) => {
            indices.clear();
            indices.extend((0..b).map(|_| stream.below(u64::from(size)) as u32));
            true
        }
        BatchRule::WithoutReplacement(b) if b >= size => false,
        BatchRule::WithoutReplacement(b) => {
            stream.subset(size, b, indices);
            true
        }
    }
}

/// The statistics of a cohort are computed ahead when they take no more numbers than this (1 MiB): so many stay in a
/// second-level cache.
const FEW: usize = 1 << 17;

/// The statistics of a cohort: a row for each client, or working memory for one at a time.
#[derive(Default)]
pub struct Statistics {
    rows: Rows,
    later: bool,
    memory: RefCell<Memory>,
}

/// Working memory, so that clients allocate nothing of size q.
#[derive(Default)]
struct Memory {
    indices: Vec<u32>,
    statistic: Vec<f64>,
    scratch: Scratch,
}

/// What one client sees.
pub struct Own<'a>(Source<'a>);

enum Source<'a> {
    Row(&'a [f64]),
    Later(&'a RefCell<Memory>),
}

impl Ahead for Statistics {
    type Own<'a> = Own<'a>;

    fn share(&self, position: usize) -> Own<'_> {
        Own(if self.later { Source::Later(&self.memory) } else { Source::Row(self.rows.share(position)) })
    }
}

impl Statistics {
    /// Computes the statistics of `cohort`, if they are to be computed ahead.
    pub(super) fn compute(&mut self, task: &Task<'_>, content: &Content<()>, cohort: &[u32]) {
        let (q, everything) = (content.s_hat.len(), task.round == 0);
        let is_batched = content.e_step().batched().is_some();
        self.later = !is_batched && cohort.len() * q > FEW && is_for_one_thread(task.work(cohort, everything));
        if !self.later {
            task.statistics(cohort, content.e_step(), everything, self.rows.resize(cohort.len(), q));
        }
    }
}

impl Own<'_> {
    /// `then` looks at the statistic of client `i`.
    pub(super) fn look(self, task: &Task<'_>, i: u32, content: &Content<()>, then: impl FnOnce(&[f64])) {
        match self.0 {
            Source::Row(row) => then(row),
            Source::Later(memory) => {
                let Memory { indices, statistic, scratch } = &mut *memory.borrow_mut();
                let drawn = task.draw(i, task.round == 0, indices);
                let batch = if drawn { Batch::Indices(indices) } else { Batch::All };
                statistic.resize(content.s_hat.len(), 0.0);
                content.e_step().mean_statistics(task.federation.examples(i), batch, scratch, statistic);
                then(statistic);
            }
        }
    }
}
