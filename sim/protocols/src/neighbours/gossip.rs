//! What the shared code of protocols without a server runs.

use fedbits_kernel::TimeDelta;

use super::graph::Graph;
use super::letter::Carried;
use super::plan::Plan;
use crate::error::ProtocolError;
use crate::journal::Subject;

/// An algorithm among neighbours, which the shared code runs.
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
    /// What is exchanged before the first iteration (iteration 0), to find a common start; none if nothing is. Called
    /// once.
    fn initialization(&mut self) -> Option<Plan> {
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
    /// Does it go on when messages of rounds are missing? Then a receiver learns that one was lost when it should have
    /// arrived.
    fn copes(&self) -> bool {
        false
    }
    /// How long a node waits for the messages of a round, if not for ever. What comes later stands in for a missing
    /// message of a later round of the same iteration; after the iteration it is rejected. Needs [`Gossip::copes`].
    fn patience(&self) -> Option<TimeDelta> {
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
