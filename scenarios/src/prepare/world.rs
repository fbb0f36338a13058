//! The world of a scenario: links, speeds, dropouts.

use fedbits_kernel::{Bits, LedgerDetail, Span, Speed, Time, World};
use fedbits_protocols::star::SERVER;
use fedbits_random::{Purpose as Draw, Streams};
use fedbits_record::TopologyRows;

use super::PrepareError;
use super::laws::{self, Drawer, Entities, Wanted};
use super::network::{self, Built};
use crate::data_files::DataFolders;
use crate::schema::{self, Scenario};

/// Beyond so many hosts, or links between sites, the ledger keeps totals only.
const MOST_HOSTS_IN_LEDGER: usize = 100_000;

pub(super) fn span(span: schema::Span) -> Span {
    Span::from_nanos(span.nanoseconds().expect("spans are checked before a scenario is prepared"))
}

pub(super) fn bits(size: schema::Size) -> Bits {
    Bits::new(size.bits().expect("sizes are checked before a scenario is prepared"))
}

/// The world, and what the record keeps of its topology.
pub(super) fn build(
    scenario: &Scenario,
    clients: usize,
    streams: Streams,
    folders: &DataFolders,
) -> Result<(World, Option<TopologyRows>), PrepareError> {
    let access = scenario.network.access();
    let laws = [
        Wanted::rates("network.client_up", access.client_up),
        Wanted::rates("network.client_down", access.client_down),
        Wanted::spans("network.latency", access.latency),
        Wanted::spans("compute.expectation", &scenario.compute.expectation),
    ];
    let drawer = Drawer::new(streams, Entities { count: clients, name: "clients" }, &laws, folders)?;
    let Built { network, topology } = network::build(&scenario.network, clients, &streams, &drawer, folders)?;
    let detail = detail(clients, topology.as_ref());
    let world = World {
        network,
        speeds: speeds(&scenario.compute, clients, &drawer),
        hazard: super::rounds::hazard(scenario.dropout),
        server: Some(SERVER),
        framing: network::framing(&scenario.network.carriage()),
        detail,
        streams,
        time_limit: Some(CENTURY),
        event_limit: None,
    };
    Ok((world, topology))
}

/// A world of equals: node i is site i of the graph, there are no access links and no server.
pub(super) struct Peers {
    pub(super) world: World,
    pub(super) topology: TopologyRows,
    /// Number of sites.
    pub(super) agents: usize,
    /// Who is joined to whom.
    pub(super) links: Vec<(u32, u32)>,
}

/// The sites of the scenario's graph as nodes.
pub(super) fn peers(scenario: &Scenario, streams: Streams, folders: &DataFolders) -> Result<Peers, PrepareError> {
    let network::Meshed { network, topology, agents, links } = network::mesh(&scenario.network, &streams, folders)?;
    let laws = [Wanted::spans("compute.expectation", &scenario.compute.expectation)];
    let drawer = Drawer::new(streams, Entities { count: agents, name: "agents" }, &laws, folders)?;
    let speed = |i: u64| drawer.exact_seconds(&scenario.compute.expectation, Draw::Speed, i);
    let speeds = (0..agents as u64).map(speed);
    let speed = |seconds| Speed::from_seconds_per_unit(seconds).expect("laws of spans draw finite spans");
    let world = World {
        network,
        speeds: speeds.map(speed).collect(),
        hazard: None,
        server: None,
        framing: network::framing(&scenario.network.carriage()),
        detail: detail(agents, Some(&topology)),
        streams,
        time_limit: Some(CENTURY),
        event_limit: None,
    };
    Ok(Peers { world, topology, agents, links })
}

/// Accounts of hosts, and of the links between sites where there are any; of neither when there are very many.
fn detail(hosts: usize, topology: Option<&TopologyRows>) -> LedgerDetail {
    let links = topology.map_or(0, |topology| 2 * topology.links.len());
    match u32::try_from(links) {
        _ if hosts.max(links) > MOST_HOSTS_IN_LEDGER => LedgerDetail::Totals,
        Ok(links @ 1..) => LedgerDetail::PerLink(links),
        _ => LedgerDetail::PerHost,
    }
}

/// Node 0 is the server, node i + 1 client i.
fn speeds(compute: &schema::Compute, clients: usize, drawer: &Drawer) -> Vec<Speed> {
    let server = compute.server_expectation.seconds();
    let factor = |i: u64| match compute.slow {
        Some(slow) if clients as f64 - i as f64 <= (slow.share * clients as f64).round() => slow.factor,
        _ => 1.0,
    };
    let own = |i: u64| drawer.exact_seconds(&compute.expectation, Draw::Speed, i);
    let client = |i: u64| (factor(i) * own(i)).min(laws::LONGEST);
    let seconds = std::iter::once(server).chain((0..clients as u64).map(client));
    seconds.map(|seconds| Speed::from_seconds_per_unit(seconds).expect("laws of spans draw finite spans")).collect()
}

/// Virtual time ends a run after a century: sums of what may still follow stay on the clock of 584 years.
pub(super) const CENTURY: Time = Time::from_nanos(3_155_760_000_000_000_000);
