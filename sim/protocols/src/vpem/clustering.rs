//! How the hubs are found, and what that costs.

use fedbits_spec::Described;
use serde::{Deserialize, Serialize};

use super::hubs::Hubs;
use crate::neighbours::graph::Graph;
use crate::neighbours::{Plan, RoundBits};

/// Who finds the hubs.
#[derive(Clone, Copy, Debug, Default, Described, Deserialize, Eq, PartialEq, Serialize)]
pub enum Clustering {
    /// Known before the start: free.
    #[default]
    Central,
    /// A flooding protocol, whose messages are charged.
    Flooding,
}

/// The flooding of the clustering as rounds of messages. In every phase the agents that are left flood the largest
/// (score, id) for as many rounds as their largest distance, the winner's hub is announced h hops, and neighbours of
/// the leavers update their scores in one round more. A message has 64 bits (score and id) from agents that are left, 1
/// bit from the others, so that neighbours know that they have left.
pub fn flooding(graph: &Graph, hubs: &Hubs, h: u32) -> Plan {
    let mut left = vec![true; graph.len()];
    let (mut rounds, mut bits) = (0, Vec::new());
    for hub in hubs.hubs() {
        rounds += graph.diameter(&|n| left[n as usize]) + h + 1;
        bits.push((rounds, left.iter().map(|&left| if left { 64 } else { 1 }).collect()));
        hub.agents.iter().for_each(|&agent| left[agent as usize] = false);
    }
    Plan { rounds, round_bits: RoundBits::Each(bits), announcement: 0, last: None }
}
