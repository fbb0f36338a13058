//! The shared code of protocols without a server: algorithms that proceed by rounds of messages between neighbours.
//!
//! An iteration of a node: a root computes, and announces its result down the tree of its hub; a node that knows it
//! takes part in the rounds. Round s: a node sends one message to every neighbour; when all of their round-s messages
//! have arrived it goes on to round s + 1. So nodes drift apart on slow links, by at most one round per hop. After the
//! last round a root begins its next iteration at once, others wait for its announcement. Before the first iteration a
//! node's own data travel to its root, hop by hop. Algorithms without hubs have roots only.
//!
//! What is computed is in the [`Gossip`] algorithm, ahead of time where it can be; the shared code only sends its
//! messages. What consensus algorithms share is here, too: the graph ([`graph`]), weights and their spectrum
//! ([`weights`]), linear rounds ([`rounds`]). It must not know models or examples.

mod driver;
mod gossip;
pub mod graph;
mod letter;
mod node;
mod plan;
pub mod rounds;
pub mod weights;

pub use driver::Neighbours;
pub use gossip::Gossip;
pub use letter::{Carried, Letter};
pub use plan::{Plan, RoundBits};

use crate::journal::Subject;
use crate::run::{Outcome, Runnable, Stage};

/// An algorithm among neighbours, ready to be run.
pub struct NeighbourRun<A>(pub A);

impl<A: Gossip + 'static> Runnable for NeighbourRun<A> {
    fn subject(&self) -> &dyn Subject {
        &self.0
    }

    fn run(self: Box<Self>, stage: Stage<'_>) -> Outcome {
        stage.run(|journal| Neighbours::new(self.0, journal))
    }
}
