//! The world of a scenario: links, speeds, dropouts.

use fedbits_kernel::{LedgerDetail, Network, Speed, Time, World};
use fedbits_protocols::star::SERVER;
use fedbits_random::{DrawPurpose, Streams};
use fedbits_record::{MapProjection, TopologyRows};
use fedbits_spec::Caveat;
use rayon::prelude::*;

use super::error::PrepareError;
use super::laws::{self, Drawer, Wanted};
use super::network::{self, Built, Links};
use super::tables::Entities;
use super::time_use;
use crate::data_files::DataFolders;
use crate::schema::{self, Scenario};

/// Beyond this many hosts, or links between sites, the ledger keeps totals only.
const MAX_HOSTS_IN_LEDGER: usize = 100_000;

/// A world, and what is told of it.
pub(super) struct Surroundings {
    pub(super) world: World,
    /// Its links.
    pub(super) links: Links,
    /// What the record keeps of the network's sites.
    pub(super) topology: Option<TopologyRows>,
    /// How its places became coordinates, where they are on the earth.
    pub(super) projection: Option<MapProjection>,
    /// What was cut of draws.
    pub(super) caveats: Vec<Caveat>,
}

/// The world of a server and this many clients.
pub(super) fn build(
    scenario: &Scenario,
    clients: usize,
    streams: Streams,
    folders: &DataFolders,
) -> Result<Surroundings, PrepareError> {
    let access = scenario.network.common();
    let laws = [
        Wanted::rates("network.client_up", access.client_up),
        Wanted::rates("network.client_down", access.client_down),
        Wanted::durations("network.latency", access.latency),
        Wanted::durations("compute.expectation", &scenario.compute.expectation),
    ];
    let laws: Vec<_> = laws.into_iter().chain(time_use::laws(scenario)).collect();
    let drawer = Drawer::new(streams, Entities { count: clients, name: "client", first: 0 }, &laws, folders)?;
    let Built { network, links, topology, projection, mut caveats } =
        network::build(&scenario.network, clients, &streams, &drawer, folders)?;
    let speeds = speeds(&scenario.compute, clients, &drawer);
    let time_use = time_use::plan(scenario, clients, true, &drawer);
    caveats.extend(drawer.caveats());
    let detail = detail(clients, topology.as_ref(), scenario.asks_for_clients(clients));
    let world = World {
        dropout: scenario.dropout,
        server: Some(SERVER),
        time_use,
        ..peaceful(scenario, network, speeds, detail, streams)
    };
    Ok(Surroundings { world, links, topology, projection, caveats })
}

/// A world of equals: node i is site i of the scenario's graph, there are no access links and no server.
pub(super) fn peers(
    scenario: &Scenario,
    streams: Streams,
    folders: &DataFolders,
) -> Result<Surroundings, PrepareError> {
    let Built { network, links, topology, projection, mut caveats } =
        network::mesh(&scenario.network, &streams, folders)?;
    let agents = topology.as_ref().map_or(0, |rows| rows.sites.len());
    let law = ("compute.expectation", &scenario.compute.expectation);
    let laws: Vec<_> = [Wanted::durations(law.0, law.1)].into_iter().chain(time_use::laws(scenario)).collect();
    let drawer = Drawer::new(streams, Entities { count: agents, name: "agent", first: 0 }, &laws, folders)?;
    let speeds = (0..agents as u64).map(|i| drawer.speed(law, DrawPurpose::Speed, i, 1.0)).collect();
    let time_use = time_use::plan(scenario, agents, false, &drawer);
    caveats.extend(drawer.caveats());
    let detail = detail(agents, topology.as_ref(), scenario.asks_for_clients(agents));
    let world = World { time_use, ..peaceful(scenario, network, speeds, detail, streams) };
    Ok(Surroundings { world, links, topology, projection, caveats })
}

/// A world in which nobody drops out and nobody is the server.
fn peaceful(
    scenario: &Scenario,
    network: Box<dyn Network>,
    speeds: Vec<Speed>,
    detail: LedgerDetail,
    streams: Streams,
) -> World {
    let framing = scenario.network.common().framing();
    let (server, time_limit, event_limit, time_use) = (None, Some(CENTURY), None, None);
    let dropout = schema::Dropout::Never;
    World { network, speeds, dropout, server, framing, detail, streams, time_limit, event_limit, time_use }
}

/// Accounts of hosts, and of the links between sites where there are any; of neither when there are very many, unless a
/// table of the hosts is asked for.
fn detail(hosts: usize, topology: Option<&TopologyRows>, asked: bool) -> LedgerDetail {
    let links = topology.map_or(0, |topology| 2 * topology.links.len());
    match u32::try_from(links) {
        _ if asked && links == 0 => LedgerDetail::PerHost,
        _ if !asked && hosts.max(links) > MAX_HOSTS_IN_LEDGER => LedgerDetail::Totals,
        Ok(links @ 1..) => LedgerDetail::PerLink(links),
        _ => LedgerDetail::PerHost,
    }
}

/// Node 0 is the server, node i + 1 client i.
fn speeds(compute: &schema::Compute, clients: usize, drawer: &Drawer) -> Vec<Speed> {
    let server = laws::speed(compute.server_expectation).expect("durations are checked before a scenario is prepared");
    let factor = |i: u64| match compute.slow {
        Some(slow) if i as usize + slow.count(clients) >= clients => slow.factor,
        _ => 1.0,
    };
    let law = ("compute.expectation", &compute.expectation);
    let client = |i: u64| drawer.speed(law, DrawPurpose::Speed, i, factor(i));
    let node = |node: usize| if node == 0 { server } else { client(node as u64 - 1) };
    (0..clients + 1).into_par_iter().with_min_len(laws::WORTH_A_THREAD).map(node).collect()
}

/// Virtual time ends a run after a century: sums of what may still follow stay on the clock of 584 years.
const CENTURY: Time = Time::from_nanos(3_155_760_000_000_000_000);
