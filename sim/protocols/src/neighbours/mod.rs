//! The shared code of protocols without a server: algorithms that proceed by rounds of messages between neighbours.
//!
//! An iteration of a node: a root computes and sends its result down the tree of its hub; a node that has received it
//! takes part in the rounds. In round s a node sends one message to every neighbour; when all their messages of round s
//! have arrived, it goes on to round s + 1. So nodes drift apart on slow links, by at most one round per hop. After the
//! last round a root begins its next iteration at once; others wait for its result. Before the first iteration the data
//! of a node travel to its root, hop by hop. In algorithms without hubs every node is a root.
//!
//! What is computed is in the [`Gossip`] algorithm, before its messages travel where that is possible; the driver only
//! sends them. What consensus algorithms share is here, too: the graph ([`graph`]), its clustering ([`hubs`]), weights
//! and their spectrum ([`weights`]), and how agents average ([`consensus`]). It must not know models or examples.

pub mod consensus;
mod driver;
mod gossip;
pub mod graph;
pub mod hubs;
pub mod weights;

pub use driver::{NeighbourRun, Neighbours};
pub use gossip::{Gossip, Lengths, NeighbourPayload, Plan, States, Values};
