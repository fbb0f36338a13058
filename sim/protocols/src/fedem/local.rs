//! How a client of FedEM estimates s̄_i(T(Ŝ)).

use std::borrow::Cow;
use std::rc::Rc;

use fedbits_random::Streams;

use super::settings::BatchRule;
use super::task::{Content, Own, Statistics, Task};
use crate::error::ProtocolError;
use crate::payload::Ahead;
use crate::personalized::Personalized;

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
    ) -> Result<(), ProtocolError>
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
    ) -> Result<(), ProtocolError>;
    /// Conditional expectations of the estimate of client `i`, which holds `size` examples.
    fn work(&self, batch: BatchRule, size: u32, client: &Self::Client) -> u64;
    /// The client sends its contribution.
    fn on_send(&self, client: &mut Self::Client);
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
    ) -> Result<(), ProtocolError> {
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
    ) -> Result<(), ProtocolError> {
        ahead.look(task, i, content, then);
        Ok(())
    }

    fn work(&self, batch: BatchRule, size: u32, _client: &()) -> u64 {
        batch.count(size)
    }

    fn on_send(&self, _client: &mut ()) {}
}
