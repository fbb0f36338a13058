//! What algorithms among neighbours need of the sites: a graph whose every site is an agent, and weights that average
//! on it. What is wrong is told at its place in the scenario.

use fedbits_protocols::neighbours::graph::Graph;
use fedbits_protocols::neighbours::weights::{Averaging, Weights, WeightsError};

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

/// The weights of the scenario, at `path`, on `graph`.
pub(super) fn averaging(weights: &Weights, path: &str, graph: &Graph) -> Result<Averaging, PrepareError> {
    Averaging::new(weights, graph).map_err(|error| {
        let (place, expected) = match error {
            WeightsError::NoLink { row, column, .. } => {
                (format!("{path}[0][{row}][{column}]"), "expected 0, or a link between them")
            }
            WeightsError::RowSum { row, .. } => (format!("{path}[0][{row}]"), "expected rows that sum to 1"),
            _ => (
                format!("{path}[0]"),
                "expected weights that average: `Metropolis` and `BestConstant` do on every graph",
            ),
        };
        misfit(place, error, expected)
    })
}
