//! The graph of algorithms among neighbours: every site is an agent.

use fedbits_protocols::neighbours::graph::Graph;

use super::world::Peers;
use super::{PrepareError, misfit};

/// The graph of `agents` agents.
pub(super) fn graph(agents: usize, peers: &Peers) -> Result<Graph, PrepareError> {
    if agents != peers.agents {
        let found = format!("there are {agents} agents and {} sites, and each agent is a site", peers.agents);
        return Err(misfit("clients", found, format!("expected {}, or a graph of {agents} sites", peers.agents)));
    }
    let expected = "expected links between all pieces";
    Graph::new(agents, peers.links.iter().copied()).map_err(|error| misfit("network.sites", error, expected))
}
