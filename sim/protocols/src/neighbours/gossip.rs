//! What the driver of algorithms among neighbours runs, the plan of an iteration's messages, and the messages.

use std::rc::Rc;

use fedbits_kernel::{Bits, Payload, TimeDelta};

use super::graph::Graph;
use crate::error::Result;
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
    fn plan(&mut self, iteration: u64) -> Result<Plan>;
    /// All nodes have finished the next iteration; returns the examples visited so far.
    ///
    /// # Errors
    /// Why the run cannot go on.
    fn commit(&mut self) -> Result<u64>;
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

/// A message between neighbours: its place in the order, its length, and the values that the receiver needs where its
/// state depends on which messages arrive. All else that it says is computed when the iteration is planned.
#[derive(Clone, Debug)]
pub struct NeighbourPayload {
    pub(super) content: Content,
    pub(super) bits: Bits,
    pub(super) values: Option<Values>,
}

/// The state that a message of a round carries.
pub type Values = Rc<[f64]>;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Content {
    /// Data of a node on their way to its root.
    Features,
    /// What a root has computed in an iteration, on its way to the leaves.
    Terms { iteration: u64 },
    /// Round of an iteration.
    Round { iteration: u64, round: u32 },
}

/// What messages are sent for.
pub(super) mod purpose {
    purposes! {
        /// Finding out who works with whom.
        CLUSTERING = "clustering",
        /// Data that a node hands over, once.
        FEATURES = "features",
        /// What one node has computed for a sum over nodes.
        TERMS = "terms",
        /// Rounds of averaging among neighbours.
        CONSENSUS = "consensus",
    }
}

impl Payload for NeighbourPayload {
    const PURPOSES: &'static [&'static str] = purpose::NAMES;

    fn bits(&self) -> Bits {
        self.bits
    }
}

/// Lengths of coded messages, in bits per node, of all rounds up to a number of rounds. A node sends one message to all
/// neighbours.
pub type Lengths = Vec<(u32, Vec<u64>)>;

/// The messages of an iteration.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Plan {
    /// S.
    pub rounds: u32,
    /// Bits that every message of a round has.
    pub bits: u64,
    /// Bits beside these, where messages are coded; empty where they are not.
    pub coded: Lengths,
    /// Bits of what a root sends to its leaves.
    pub terms: u64,
    /// Why nobody goes on after this iteration, if so.
    pub last: Option<String>,
}

impl Plan {
    pub(super) fn length(&self, round: u32, node: u32) -> Bits {
        let coded = self.coded.get(self.coded.partition_point(|&(end, _)| end <= round));
        Bits::new(self.bits + coded.map_or(0, |(_, bits)| bits[node as usize]))
    }

    /// Payload bits of the whole iteration on this graph.
    pub fn total(&self, graph: &Graph, leaves: u64) -> u64 {
        let plain = u64::from(self.rounds) * 2 * graph.links() as u64 * self.bits;
        let sent = |row: &[u64]| row.iter().zip(0..).map(|(bits, n)| bits * graph.degree(n) as u64).sum::<u64>();
        let mut before = 0;
        let mut rounds = |end: u32| u64::from(end - std::mem::replace(&mut before, end));
        let coded: u64 = self.coded.iter().map(|(end, row)| rounds(*end) * sent(row)).sum();
        plain + coded + leaves * self.terms
    }
}
