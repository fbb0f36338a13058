//! Diffusion EM of a scenario: examples over agents, weights, and a world without a server whose nodes are the sites of
//! the graph.

use fedbits_protocols::diffusion::{DiffusionEm, DiffusionSettings};
use fedbits_protocols::federation::Federation;
use fedbits_protocols::neighbours::NeighbourRun;
use fedbits_protocols::neighbours::rounds::Scheme;

use super::world::Peers;
use super::{PrepareError, peers, schema};

/// The protocol from θ⁰ = `theta`, whose statistic over all data is `s_hat`.
pub(super) fn build(
    diffusion: &schema::DiffusionEm,
    federation: Federation,
    (theta, s_hat): (Vec<f64>, Vec<f64>),
    sites: &Peers,
) -> Result<NeighbourRun<DiffusionEm>, PrepareError> {
    let graph = peers::graph(federation.clients() as usize, sites)?;
    let averaging = peers::averaging(&diffusion.weights, "protocol.weights", &graph)?;
    let (scheme, rounds) = match diffusion.combine {
        schema::Combine::Rounds(rounds) => (Scheme::Plain, rounds),
        schema::Combine::Chebyshev(rounds) => (Scheme::Chebyshev, rounds),
    };
    let settings = DiffusionSettings { gamma: diffusion.gamma, scheme, rounds, domain: diffusion.domain };
    let algorithm = DiffusionEm::new(federation, (graph, averaging), settings, s_hat, theta);
    Ok(NeighbourRun(algorithm?))
}
