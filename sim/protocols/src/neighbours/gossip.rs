//! What the driver of algorithms among neighbours runs.

use fedbits_kernel::TimeDelta;

use super::graph::Graph;
use super::messages::{Plan, Values};
use crate::error::ProtocolError;
use crate::journal::Subject;

/// An algorithm among neighbours.
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
    /// Units of work of a root in an iteration.
    fn work(&self, node: u32, iteration: u64) -> u64;
    /// The messages by which nodes find a common start, as iteration 0; none if they need no messages. Called once.
    fn initialization(&mut self) -> Option<Plan> {
        None
    }
    /// The messages of iteration 1, 2, …; called once each, in order, when the first node begins it.
    ///
    /// # Errors
    /// Why the run cannot go on.
    fn plan(&mut self, iteration: u64) -> Result<Plan, ProtocolError>;
    /// All nodes have finished the next iteration; returns the examples visited so far.
    ///
    /// # Errors
    /// Why the run cannot go on.
    fn commit(&mut self) -> Result<u64, ProtocolError>;
    /// Where iterations depend on which messages arrive: the states of the nodes. Otherwise a lost message of a round
    /// ends the run.
    fn states(&mut self) -> Option<&mut dyn States> {
        None
    }
}

/// States of nodes that change with the messages that arrive, so that rounds go on without those that are lost.
pub trait States {
    /// How long a node waits for the messages of a round; none: until each has arrived or been lost. A message that
    /// comes later replaces a missing one in a later round of its iteration; after the iteration it is rejected.
    fn patience(&self) -> Option<TimeDelta>;
    /// A node begins its rounds of an iteration.
    fn begin(&mut self, node: u32);
    /// What a node sends to all neighbours in its next round.
    fn send(&mut self, node: u32) -> Values;
    /// The messages of a round by ascending sender; none where one is missing.
    fn receive(&mut self, node: u32, messages: &[(u32, Option<Values>)]);
    /// A node has finished its rounds of an iteration.
    fn finish(&mut self, node: u32, iteration: u64);
}
