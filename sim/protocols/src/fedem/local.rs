//! How a client of FedEM estimates s̄_i(T(Ŝ)): by a mean over a batch, or with weights of its own.

use std::borrow::Cow;
use std::rc::Rc;

use fedbits_random::Streams;

use super::settings::BatchRule;
use super::task::{Content, Own, Statistics, Task};
use crate::error::Result;
use crate::payload::{Ahead, Rows};
use crate::personalized::Personalized;

/// A rule by which clients of FedEM estimate s̄_i(T(Ŝ)), with what the two ends keep for it.
pub trait LocalRule {
    /// What the server keeps.
    type Server: Default;
    /// What a client keeps.
    type Client: Default;
    /// What a broadcast says for it, from a seed that all share.
    type Content: 'static;
    /// What the host computes ahead.
    type Ahead: Ahead;

    /// The server opens `round`.
    fn open(&self, server: &mut Self::Server, streams: &Streams, round: u64) -> Self::Content;
    /// Computes ahead what the clients of `cohort` will need.
    ///
    /// # Errors
    /// As [`LocalRule::estimate`].
    fn compute_ahead<'a>(
        &self,
        task: &Task<'_>,
        content: &Content<Self::Content>,
        cohort: &[u32],
        client: impl Fn(u32) -> &'a Self::Client,
        ahead: &mut Self::Ahead,
    ) -> Result<()>
    where
        Self::Client: 'a;
    /// Client `i` forms its estimate, and `then` uses it. It takes effect with [`LocalRule::on_send`].
    ///
    /// # Errors
    /// When its parameters are none of the model.
    fn estimate(
        &self,
        task: &Task<'_>,
        i: u32,
        client: &mut Self::Client,
        content: &Rc<Content<Self::Content>>,
        ahead: <Self::Ahead as Ahead>::Own<'_>,
        then: impl FnOnce(&[f64]),
    ) -> Result<()>;
    /// Conditional expectations of the estimate of client `i`, which holds `size`: by default those of a batch.
    fn work(&self, batch: BatchRule, size: u32, _client: &Self::Client) -> u64 {
        batch.count(size)
    }
    /// The client sends its contribution.
    fn on_send(&self, _client: &mut Self::Client) {}
    /// The clients, where each has parameters of its own: what is measured is measured at these.
    fn personalized(&self) -> Option<&Personalized> {
        None
    }
    /// θ of a client, where `theta` is the server's.
    fn parameters_of<'a>(&self, _client: &Self::Client, theta: &'a [f64]) -> Cow<'a, [f64]> {
        Cow::Borrowed(theta)
    }
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
    ) -> Result<()> {
        ahead.compute(task, content, cohort);
        Ok(())
    }

    fn estimate(
        &self,
        task: &Task<'_>,
        i: u32,
        _client: &mut (),
        content: &Rc<Content<()>>,
        ahead: Own<'_>,
        then: impl FnOnce(&[f64]),
    ) -> Result<()> {
        ahead.look(task, i, content, then);
        Ok(())
    }
}

/// The local rule of FedGMM, over its clients, whose mixtures have weights of their own: Wu, Zhang, Yu, Liu, Gu, Zhou,
/// She and Zhao, "Personalized federated learning under mixture of distributions" (ICML 2023).
///
/// ```text
/// p_i(y) = Σ_g π_ig N(y; µ_g, Σ_g)
/// client i:  s̄_i at (π_i, µ, Σ),   π_i ← T of its s1,   sends s̄_i as in FedEM
/// server:    µ, Σ from T(Ŝ)
/// ```
///
/// The clients' part of T is applied where the data are, and nothing is sent of it. It lowers F_i whether the server
/// uses the message or not, so a client takes over π_i when it sends. Who has not taken part yet, or has lost its
/// state, has the weights of T(Ŝ), the mean over clients.
pub struct OwnWeights(Personalized);

impl OwnWeights {
    /// Of these clients.
    pub fn new(clients: Personalized) -> Self {
        Self(clients)
    }
}

/// What a client of FedGMM has of its own; empty before it takes part.
#[derive(Debug, Default)]
pub struct OwnEntries {
    now: Vec<f64>,
    /// What it takes over when it sends.
    next: Vec<f64>,
}

impl LocalRule for OwnWeights {
    type Server = ();
    type Client = OwnEntries;
    type Content = ();
    type Ahead = Rows;

    fn open(&self, _server: &mut (), _streams: &Streams, _round: u64) {}

    fn compute_ahead<'a>(
        &self,
        task: &Task<'_>,
        content: &Content<()>,
        cohort: &[u32],
        client: impl Fn(u32) -> &'a OwnEntries,
        ahead: &mut Rows,
    ) -> Result<()> {
        let rows = ahead.resize(cohort.len(), content.s_hat.len());
        let theta_of = |i| self.parameters_of(client(i), &content.theta);
        let batch = |i: u32, indices: &mut Vec<u32>| task.draw(i, task.round == 0, indices);
        Ok(self.0.statistics(cohort, &theta_of, batch, rows)?)
    }

    fn estimate(
        &self,
        task: &Task<'_>,
        _i: u32,
        client: &mut OwnEntries,
        _content: &Rc<Content<()>>,
        ahead: <Rows as Ahead>::Own<'_>,
        then: impl FnOnce(&[f64]),
    ) -> Result<()> {
        if let Some(parameters) = task.federation.model().own_parameters() {
            parameters.maximize_own(ahead, &mut client.next);
        }
        then(ahead);
        Ok(())
    }

    fn on_send(&self, client: &mut OwnEntries) {
        client.now.clone_from(&client.next);
    }

    fn personalized(&self) -> Option<&Personalized> {
        Some(&self.0)
    }

    fn parameters_of<'a>(&self, client: &OwnEntries, theta: &'a [f64]) -> Cow<'a, [f64]> {
        let mut theta = Cow::Borrowed(theta);
        if let Some(parameters) = self.0.federation().model().own_parameters().filter(|_| !client.now.is_empty()) {
            theta.to_mut()[parameters.own_entries()].copy_from_slice(&client.now);
        }
        theta
    }
}
