//! What algorithms among neighbours need of the network, of failures and of computing.

use fedbits_kernel::network::Queues;
use fedbits_spec::{Caveat, Findings, so_many};

use super::parts::{given, void};
use crate::schema::{Compute, Network, Placement, Scenario, Shape, SiteName};

/// Agents are the sites of a graph, and what is attached to sites elsewhere has no meaning.
pub(super) fn network(scenario: &Scenario, findings: &mut Findings) {
    let Shape::Graph { sites, server, clients, .. } = &scenario.network.shape else {
        let found = "in a decentralized algorithm agents are the sites of a graph";
        findings.error("network.shape", found, "expected `Graph(…)`");
        return;
    };
    if let Some((agents, count)) =
        scenario.clients.zip(sites.count()).filter(|(agents, count)| *agents as u64 != *count)
    {
        let found = format!(
            "the graph has {} for {}, and each agent is a site",
            so_many(count, "site"),
            so_many(agents, "agent")
        );
        findings.error("clients", found, format!("expected {count}, or a graph of {}", so_many(agents, "site")));
    }
    let (access, usual) = (&scenario.network, Network::default());
    let shape = [
        ("network.shape.server", *server != SiteName::default()),
        ("network.shape.clients", *clients != Placement::default()),
        ("network.queues", Queues { links: usual.queues.links, ..access.queues } != usual.queues),
    ];
    let links = given!(
        "network.", access, usual;
        server_up, server_down, client_up, client_down, latency, loss, up_trace, down_trace, latency_order
    );
    let why = "agents are the sites themselves: there is no server, and there are no access links (`link_capacity`, \
        `link_latency` and `link_loss` are those between sites)";
    void(findings, why, shape.into_iter().chain(links));
}

/// Agents are as fast as their own draws say, always.
pub(super) fn computing(scenario: &Scenario, findings: &mut Findings) {
    let (compute, usual) = (&scenario.compute, Compute::default());
    let why = "agents of a graph are as fast as `compute.expectation` says (`Each([…])` gives every agent its own)";
    void(findings, why, given!("compute.", compute, usual; variation, slow));
}

/// Everybody waits for everybody.
pub(super) fn nobody_is_missing(scenario: &Scenario, findings: &mut Findings) {
    let why = "nobody can be missing where the sums of an iteration need all";
    let settings = given!(scenario; round, late, staleness, availability, dropout);
    for (path, _) in settings.iter().filter(|(_, given)| *given) {
        findings.error(path, why, "expected the default");
    }
}

/// A lost message is never repeated by itself.
pub(super) fn losses(scenario: &Scenario, findings: &mut Findings) {
    if !scenario.network.loses_messages() {
        return;
    }
    if scenario.network.sharing.is_transport() {
        findings.caveat(Caveat::ConnectionsGivenUp {});
    } else {
        let found = "a lost message of this protocol is never repeated, and its receiver waits forever";
        let expected = "expected `transport: (delivery: Reliable(RoundTrip))`, or no losses";
        findings.error("network", found, expected);
    }
}
