//! The neighbour skeleton: algorithms that proceed by rounds of messages between neighbours, without a server.
//!
//! An iteration of a node: a root computes, and announces its result down the tree of its hub; a node that knows it takes part
//! in the rounds. Round s: a node sends one message to every neighbour; when all of their round-s messages have arrived it goes on to
//! round s + 1. So nodes drift apart on slow links, by at most one round per hop. After the last round a root begins its next
//! iteration at once, others wait for its announcement. Before the first iteration a node's own data travel to its root, hop by
//! hop. Algorithms without hubs have roots only.
//!
//! What is computed lies in the [`Gossip`] algorithm, ahead of time where it can be; the skeleton only plays its messages. What
//! consensus algorithms share is here, too: the graph ([`graph`]), weights and their spectrum ([`weights`]), linear rounds
//! ([`rounds`]). It must not know models or examples.

pub mod graph;
mod letter;
mod node;
mod plan;
mod play;
pub mod rounds;
pub mod weights;

pub use letter::{Carried, Letter};
pub use plan::{Plan, RoundBits};
pub use play::Neighbours;

use fedbits_kernel::Span;

use crate::error::ProtocolError;
use crate::journal::Subject;
use crate::run::{Outcome, Playable, Setting};
use graph::Graph;

/// An algorithm among neighbours: what the skeleton plays.
pub trait Gossip: Subject {
    /// Who can talk to whom.
    fn graph(&self) -> &Graph;
    /// The next node on the way to the root; none for a root, which every node is where there are no hubs.
    fn parent(&self, _node: u32) -> Option<u32> {
        None
    }
    /// Bits of a node's data that its root needs before the first iteration.
    fn data_bits(&self, _node: u32) -> u64 {
        0
    }
    /// Units of work of a root before it can announce.
    fn work(&self, node: u32, iteration: u64) -> u64;
    /// Purpose of the rounds of an iteration; `Clustering` for rounds before the data travel (iteration 0, if there is one).
    fn opening(&mut self) -> Option<Plan> {
        None
    }
    /// Computes iteration `iteration` = 1, 2, … ahead; called once each, in order.
    ///
    /// # Errors
    /// Why the run cannot go on.
    fn ahead(&mut self, iteration: u64) -> Result<Plan, ProtocolError>;
    /// All nodes have finished the next iteration; returns the examples visited so far.
    ///
    /// # Errors
    /// Why the run cannot go on.
    fn commit(&mut self) -> Result<u64, ProtocolError>;
    /// Does it go on when messages of rounds are missing? Then a receiver learns that one was lost when it should have arrived.
    fn copes(&self) -> bool {
        false
    }
    /// How long a node waits for the messages of a round, if not for ever. What comes later stands in for a missing message of a
    /// later round of the same iteration; after the iteration it is rejected. Needs [`Gossip::copes`].
    fn patience(&self) -> Option<Span> {
        None
    }
    /// A node begins its rounds of an iteration.
    fn begins(&mut self, _node: u32, _iteration: u64) {}
    /// What a node's messages of its next round carry.
    fn speaks(&mut self, _node: u32) -> Option<Carried> {
        None
    }
    /// The messages of a round by ascending sender; none where one is missing.
    fn listens(&mut self, _node: u32, _messages: &[(u32, Option<Carried>)]) {}
    /// A node has finished its rounds of an iteration.
    fn finishes(&mut self, _node: u32, _iteration: u64) {}
}

/// An algorithm among neighbours, ready to be played.
pub struct NeighbourRun<A>(pub A);

impl<A: Gossip + 'static> Playable for NeighbourRun<A> {
    fn subject(&self) -> &dyn Subject {
        &self.0
    }

    fn play(self: Box<Self>, setting: Setting<'_>) -> Outcome {
        setting.play(|journal| Neighbours::new(self.0, journal))
    }
}
