//! How a client of FedEM estimates s̄_i(T(Ŝ)).

use std::rc::Rc;

use fedbits_models::EStep;
use fedbits_random::{DrawPurpose, Stream, Streams};

use super::ahead::{Own, Statistics};
use super::content::Content;
use super::settings::BatchRule;
use crate::federation::{Federation, is_for_one_thread};
use crate::payload::Ahead;

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

/// A rule by which clients of FedEM estimate s̄_i(T(Ŝ)), with what the two ends keep for it.
pub trait LocalRule {
    /// What the server keeps.
    type Server: Default;
    /// What a client keeps.
    type Client: Default;
    /// What a broadcast says for it, from a seed that all share.
    type Content;
    /// What the host computes ahead.
    type Ahead: Ahead;

    /// The server opens `round`.
    fn open(&self, server: &mut Self::Server, streams: &Streams, round: u64) -> Self::Content;
    /// Computes ahead what the clients of `cohort` will need.
    fn compute_ahead<'a>(
        &self,
        task: &Task<'_>,
        content: &Content<Self::Content>,
        cohort: &[u32],
        client: impl Fn(u32) -> &'a Self::Client,
        ahead: &mut Self::Ahead,
    ) where
        Self::Client: 'a;
    /// Client `i` forms its estimate, and `then` uses it. It takes effect with [`LocalRule::on_send`].
    fn estimate(
        &self,
        task: &Task<'_>,
        i: u32,
        client: &mut Self::Client,
        content: &Rc<Content<Self::Content>>,
        ahead: <Self::Ahead as Ahead>::Own<'_>,
        then: impl FnOnce(&[f64]),
    );
    /// Conditional expectations of the estimate of client `i`, which holds `size` examples.
    fn work(&self, batch: BatchRule, size: u32, client: &Self::Client) -> u64;
    /// The client sends its contribution.
    fn on_send(&self, client: &mut Self::Client);
    /// A column of its own, and its value.
    fn column(&self) -> Option<&'static str> {
        None
    }
    /// The column's value.
    fn value(&self, _server: &Self::Server) -> Option<f64> {
        None
    }
}

/// The mean over a batch: Algorithm 1.
#[derive(Clone, Copy, Debug)]
pub struct Minibatch;

impl LocalRule for Minibatch {
    type Server = ();
    type Client = ();
    type Content = ();
    type Ahead = Statistics;

    fn open(&self, _server: &mut (), _streams: &Streams, _round: u64) {}

    fn compute_ahead<'a>(
        &self,
        task: &Task<'_>,
        content: &Content<()>,
        cohort: &[u32],
        _client: impl Fn(u32) -> &'a (),
        ahead: &mut Statistics,
    ) {
        ahead.compute(task, content, cohort);
    }

    fn estimate(
        &self,
        task: &Task<'_>,
        i: u32,
        _client: &mut (),
        content: &Rc<Content<()>>,
        ahead: Own<'_>,
        then: impl FnOnce(&[f64]),
    ) {
        ahead.look(task, i, content, then);
    }

    fn work(&self, batch: BatchRule, size: u32, _client: &()) -> u64 {
        batch.count(size)
    }

    fn on_send(&self, _client: &mut ()) {}
}

impl Task<'_> {
    /// The draws of client `i` for its minibatch of this round.
    pub(crate) fn stream(&self, i: u32) -> Stream {
        self.streams.at(DrawPurpose::Minibatch, u64::from(i), self.round)
    }

    /// Does one thread compute the statistics of `clients`?
    pub(super) fn is_for_one_thread(&self, clients: &[u32], everything: bool) -> bool {
        is_for_one_thread(self.work(clients, everything))
    }

    /// Conditional expectations of the statistics of `clients`.
    fn work(&self, clients: &[u32], everything: bool) -> u64 {
        let rule = if everything { BatchRule::All } else { self.batch };
        clients.iter().map(|&i| rule.count(self.federation.size(i))).sum()
    }

    /// Mean statistics of `clients` over their batches of this round, or over everything, one row each.
    pub(crate) fn statistics(&self, clients: &[u32], e_step: &dyn EStep, everything: bool, out: &mut [f64]) {
        let rule = if everything { BatchRule::All } else { self.batch };
        let (federation, work) = (self.federation, self.work(clients, everything));
        let batch = |i: u32, indices: &mut Vec<u32>| draw_batch(rule, federation.size(i), &mut self.stream(i), indices);
        federation.local_statistics(clients, e_step, batch, work, out);
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
