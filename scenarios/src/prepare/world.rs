//! The world of a scenario: links, speeds, dropouts, powers; the graph of algorithms among neighbours.

use fedbits_kernel::{LedgerDetail, NodeId, Power, Speed, Time, TimeUsePlan, World};
use fedbits_protocols::neighbours::graph::Graph;
use fedbits_protocols::over::Over;
use fedbits_protocols::star::SERVER;
use fedbits_random::{DrawPurpose, Streams};
use fedbits_record::TopologyRows;
use fedbits_spec::so_many;
use rayon::prelude::*;

use super::error::{PrepareError, misfit};
use super::laws::{self, Drawer, Wanted, wanted};
use super::network::{self, NetworkNotes};
use super::tables::Entities;
use crate::data_files::DataFolders;
use crate::schema::{self, Scenario};

/// Beyond this many hosts, or links between sites, the ledger keeps totals only.
const MAX_HOSTS_IN_LEDGER: usize = 100_000;

/// A world, and what is told of its network.
pub(super) struct Surroundings {
    pub(super) world: World,
    pub(super) notes: NetworkNotes,
}

/// The world of a server and this many clients.
pub(super) fn build(
    scenario: &Scenario,
    clients: usize,
    streams: Streams,
    folders: &DataFolders,
) -> Result<Surroundings, PrepareError> {
    let (access, latency) = (&scenario.network, scenario.network.access_latency());
    let laws = [
        wanted!("network.client_up", &access.client_up),
        wanted!("network.client_down", &access.client_down),
        wanted!("network.latency", &latency),
        wanted!("compute.expectation", &scenario.compute.expectation),
    ];
    let laws: Vec<_> = laws.into_iter().chain(power_laws(scenario)).collect();
    let drawer = Drawer::new(streams, Entities { count: clients, name: "client", first: 0 }, &laws, folders)?;
    let built = network::build(&scenario.network, clients, &streams, &drawer, folders)?;
    let speeds = speeds(&scenario.compute, clients, &drawer);
    Ok(surroundings(scenario, built, (clients, Some(SERVER)), speeds, &drawer, streams))
}

/// A world of equals: node i is site i of the scenario's graph, there are no access links and no server.
pub(super) fn peers(
    scenario: &Scenario,
    streams: Streams,
    folders: &DataFolders,
) -> Result<Surroundings, PrepareError> {
    let mut built = network::mesh(&scenario.network, &streams, folders)?;
    let sends_both = matches!(scenario.protocol.over(), Over::PeerFeatures(_));
    built.1.caveats.extend(sends_both.then(|| scenario.network.messages_overlap()).flatten());
    let agents = built.1.topology.as_ref().map_or(0, |rows| rows.sites.len());
    let law = ("compute.expectation", &scenario.compute.expectation);
    let laws: Vec<_> = [wanted!(law.0, law.1)].into_iter().chain(power_laws(scenario)).collect();
    let drawer = Drawer::new(streams, Entities { count: agents, name: "agent", first: 0 }, &laws, folders)?;
    let speeds = (0..agents as u64).map(|i| drawer.speed(law, DrawPurpose::Speed, i, 1.0)).collect();
    Ok(surroundings(scenario, built, (agents, None), speeds, &drawer, streams))
}

/// The world of so many clients, and of a server if there is one, on their network.
fn surroundings(
    scenario: &Scenario,
    (network, mut notes): network::Built,
    (clients, server): (usize, Option<NodeId>),
    speeds: Vec<Speed>,
    drawer: &Drawer,
    streams: Streams,
) -> Surroundings {
    let time_use = time_use(scenario, clients, server.is_some(), drawer);
    // What was cut of draws is known when all are made.
    notes.caveats.extend(drawer.caveats());
    let world = World {
        network,
        speeds,
        overheads: scenario.compute.overheads(clients),
        dropout: scenario.dropout,
        server,
        framing: scenario.network.framing(),
        detail: detail(clients, notes.topology.as_ref(), scenario.asks_for_clients(clients)),
        streams,
        time_limit: Some(CENTURY),
        event_limit: None,
        time_use,
    };
    Surroundings { world, notes }
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

/// The laws that the powers are drawn from.
fn power_laws(scenario: &Scenario) -> impl Iterator<Item = Wanted<'_>> {
    let laws = scenario.energy.iter().flat_map(|energy| energy.laws());
    laws.map(|(at, law)| wanted!(at, law))
}

/// What is kept of the time of these many clients, and of a server, if somebody asks.
fn time_use(scenario: &Scenario, clients: usize, server: bool, drawer: &Drawer) -> Option<TimeUsePlan> {
    let energy = scenario.energy.as_ref();
    if energy.is_none() && !scenario.asks_for_clients(clients) {
        return None;
    }
    let power = |client: u64| {
        let laws = energy.filter(|_| !scenario.protocol.profile().is_centralized).map(|energy| energy.laws());
        let [compute, send, receive, idle] = laws?;
        let draw = |law, index| drawer.power(law, client, index);
        Some(Power { compute: draw(compute, 0), send: draw(send, 1), receive: draw(receive, 2), idle: draw(idle, 3) })
    };
    let of_server =
        energy.filter(|_| server).map(|energy| energy.server.map(|server| server.power()).unwrap_or_default());
    let of_clients = (0..clients as u64).filter(|_| energy.is_some()).map(|client| power(client).unwrap_or_default());
    let presence = scenario.availability.build(clients + usize::from(server));
    Some(TimeUsePlan { presence, powers: of_server.into_iter().chain(of_clients).collect() })
}

/// The graph of an algorithm among neighbours: each of its agents is a site.
pub(super) fn graph(agents: usize, peers: &Surroundings) -> Result<Graph, PrepareError> {
    let rows = || peers.notes.topology.iter();
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
    Graph::new(agents, links).map_err(|error| misfit("network.shape.sites", error, "expected links between all pieces"))
}
