//! The graph of algorithms among neighbours: every site is an agent.

use fedbits_protocols::neighbours::graph::Graph;
use fedbits_spec::so_many;

use super::error::{PrepareError, misfit};
use super::world::Surroundings;

/// The graph of `agents` agents.
pub(super) fn graph(agents: usize, peers: &Surroundings) -> Result<Graph, PrepareError> {
    let rows = || peers.topology.iter();
    let sites: usize = rows().map(|rows| rows.sites.len()).sum();
    if agents != sites {
        let found = format!(
            "the graph has {} for {}, and each agent is a site",
            so_many(sites, "site"),
            so_many(agents, "agent")
        );
        return Err(misfit("clients", found, format!("expected {sites}, or a graph of {}", so_many(agents, "site"))));
    }
    let links = rows().flat_map(|rows| &rows.links).map(|link| (link.from as u32, link.to as u32));
    Graph::new(agents, links).map_err(|error| misfit("network.sites", error, "expected links between all pieces"))
}
