//! What the clients of a round compute their statistics with: the broadcast, data, batches, draws.

use fedbits_models::EStep;
use fedbits_random::{DrawPurpose, Stream, Streams};

use super::settings::BatchRule;
use crate::federation::{Federation, is_for_one_thread};

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

    /// Does one thread compute the statistics of `clients`?
    pub(super) fn is_for_one_thread(&self, clients: &[u32], everything: bool) -> bool {
        is_for_one_thread(self.work(clients, everything))
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
