//! Diffusion EM of a scenario: examples over agents, weights, and a world without a server whose nodes are the sites of the graph.

use fedbits_protocols::diffusion::{DiffusionEm, DiffusionSettings};
use fedbits_protocols::federation::Federation;
use fedbits_protocols::neighbours::NeighbourRun;
use fedbits_protocols::neighbours::graph::Graph;
use fedbits_protocols::neighbours::rounds::Scheme;
use fedbits_protocols::neighbours::weights::Averaging;

use super::protocol::domain;
use super::vpem::weights_of;
use super::world::Peers;
use super::{PrepareError, schema};

/// The protocol from θ⁰ = `theta`, whose statistic over all data is `s_hat`.
pub(super) fn build(
    diffusion: &schema::DiffusionEm,
    federation: Federation,
    (theta, s_hat): (Vec<f64>, Vec<f64>),
    peers: &Peers,
) -> Result<NeighbourRun<DiffusionEm>, PrepareError> {
    let error = |error: String| PrepareError::Protocol(error);
    let graph = Graph::new(peers.agents, peers.links.iter().copied()).map_err(|why| error(why.to_string()))?;
    let averaging = Averaging::new(&weights_of(&diffusion.weights), &graph).map_err(|why| error(why.to_string()))?;
    let (scheme, rounds) = match diffusion.combine {
        schema::Combine::Rounds(rounds) => (Scheme::Plain, rounds),
        schema::Combine::Chebyshev(rounds) => (Scheme::Chebyshev, rounds),
    };
    let settings = DiffusionSettings { gamma: diffusion.gamma, scheme, rounds, domain: domain(diffusion.domain) };
    DiffusionEm::new(federation, (graph, averaging), settings, s_hat, theta).map(NeighbourRun).map_err(error)
}
