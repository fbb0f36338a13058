//! The network of a scenario: its links, drawn, and what goes over them.

use std::collections::BTreeMap;
use std::sync::Arc;

use fedbits_kernel::network::{AccessLink, LinkId, Network, Queue, Queues, Routes, StarLinks, VaryingRate};
use fedbits_kernel::topology::GraphLinks;
use fedbits_kernel::{NodeId, OnLinks, Rate, TimeDelta};
use fedbits_models::data::Remarks;
use fedbits_random::{DrawPurpose, Streams};
use fedbits_record::{MapProjection, TopologyRows};
use fedbits_spec::Caveat;
use rayon::prelude::*;

use super::error::PrepareError;
use super::laws::{self, Drawer};
use super::rate_traces::Traces;
use super::topology::{self, Plan, Settled};
use crate::data_files::DataFolders;
use crate::schema::{self, Background, CommonSettings, Loss};

/// The links of a network, for whoever plays it by other means.
pub struct Links {
    /// The links, and the routes over them.
    pub routes: Arc<dyn Routes + Sync>,
    /// Losses on a direction of a link.
    pub loss: Arc<dyn Fn(LinkId) -> Loss + Send + Sync>,
    /// Where packets wait for a direction of a link.
    pub queue: Arc<dyn Fn(LinkId) -> Queue + Send + Sync>,
    /// Do rates change in time?
    pub varies: bool,
}

impl Links {
    /// The directions of links between sites come first, then the server's two, then those of clients.
    fn of_graph(
        graph: &Arc<GraphLinks>,
        loss: &dyn Fn(LinkId) -> Loss,
        queue: &dyn Fn(LinkId) -> Queue,
        common: &CommonSettings<'_>,
    ) -> Self {
        let server_up = backbone(graph);
        // Most links between sites are as the first: the others are kept.
        let of_sites = |link| (loss(LinkId(link)), queue(LinkId(link)));
        let usual = if server_up > 0 { of_sites(0) } else { (Loss::Never, Queue::default()) };
        let others = (0..server_up).map(|link| (link, of_sites(link))).filter(|(_, capacity)| *capacity != usual);
        let others: Arc<BTreeMap<u32, (Loss, Queue)>> = Arc::new(others.collect());
        let (others_too, of_clients, queues) = (Arc::clone(&others), *common.loss, *common.queues);
        let loss = move |link: LinkId| match link.0.checked_sub(server_up) {
            None => others.get(&link.0).unwrap_or(&usual).0,
            Some(0 | 1) => Loss::Never,
            Some(_) => of_clients,
        };
        let queue = move |link: LinkId| match link.0 < server_up {
            true => others_too.get(&link.0).unwrap_or(&usual).1,
            false => of_hosts(&queues, link, LinkId(server_up)),
        };
        let routes = Arc::clone(graph) as Arc<dyn Routes + Sync>;
        Self { routes, loss: Arc::new(loss), queue: Arc::new(queue), varies: false }
    }
}

/// A network, and what the record keeps of its topology.
pub(super) struct Built {
    pub(super) network: Box<dyn Network>,
    pub(super) links: Links,
    pub(super) topology: Option<TopologyRows>,
    /// How its places became coordinates, where they are on the earth.
    pub(super) projection: Option<MapProjection>,
    /// What is to be said of the files of links, and what was cut of drawn ones.
    pub(super) caveats: Vec<Caveat>,
}

const SERVER: Option<NodeId> = Some(NodeId(0));

/// Node 0 is the server, node i + 1 client i.
pub(super) fn build(
    network: &schema::Network,
    clients: usize,
    streams: &Streams,
    drawer: &Drawer,
    folders: &DataFolders,
) -> Result<Built, PrepareError> {
    let (common, remarks) = (network.common(), Remarks::default());
    let schema::Network::Graph { server, clients: placement, .. } = network else {
        let star = Arc::new(star(&common, clients, drawer));
        let of_clients = *common.loss;
        let loss = move |link: LinkId| if link.0 < 2 { Loss::Never } else { of_clients };
        let background = |link: LinkId| if link.0 < 2 { *common.background } else { Background::Quiet };
        let routes = Arc::clone(&star) as Arc<dyn Routes + Sync>;
        let rates = rates(&common, clients, 2, streams, (folders, &remarks))?;
        let queues = *common.queues;
        let queue = move |link| of_hosts(&queues, link, LinkId(0));
        let links = OnLinks {
            routes: Arc::clone(&routes),
            star: Some(&star),
            server: SERVER,
            rates: Arc::clone(&rates),
            loss: &loss,
            background: &background,
            queue: &queue,
        };
        let network = common.build(&links, streams);
        let links = Links { routes, loss: Arc::new(loss), queue: Arc::new(queue), varies: !rates.is_empty() };
        let caveats = remarks.into_parts().1;
        return Ok(Built { network, links, topology: None, projection: None, caveats });
    };
    let plan = Plan::of(network)?;
    let Settled { topology, special, caveats } = topology::topology(&plan, streams, folders)?;
    let (up, down) = (Rate::of(*common.server_up), Rate::of(*common.server_down));
    let server_access = AccessLink { up, down, latency: TimeDelta::ZERO };
    let client_access = (0..clients).map(|i| client(&common, drawer, i as u64));
    let graph = Arc::new(topology::attach(topology, server, placement, server_access, client_access)?);
    let first_client = backbone(&graph) + 2;
    let loss = |link: LinkId| match graph.is_access(link) {
        false => special.loss(link).unwrap_or(plan.link_loss),
        true if link.0 < first_client => Loss::Never,
        true => *common.loss,
    };
    let background = |link| match graph.is_access(link) {
        false => special.background(link, *common.background),
        true => Background::Quiet,
    };
    let routes = Arc::clone(&graph) as Arc<dyn Routes + Sync>;
    let rates = rates(&common, clients, first_client, streams, (folders, &remarks))?;
    let queue = |link| match graph.is_access(link) {
        false => special.queue(link, common.queues.links),
        true => of_hosts(common.queues, link, LinkId(first_client - 2)),
    };
    let links = Links { varies: !rates.is_empty(), ..Links::of_graph(&graph, &loss, &queue, &common) };
    let on_links =
        OnLinks { routes, star: None, server: SERVER, rates, loss: &loss, background: &background, queue: &queue };
    let network = common.build(&on_links, streams);
    let caveats = [caveats, remarks.into_parts().1].concat();
    Ok(Built { network, links, topology: Some(topology::rows(&graph, true)), projection: projection(&graph), caveats })
}

/// Node i is site i; there are no access links.
pub(super) fn mesh(network: &schema::Network, streams: &Streams, folders: &DataFolders) -> Result<Built, PrepareError> {
    let (common, plan) = (network.common(), Plan::of(network)?);
    let Settled { topology, special, caveats } = topology::topology(&plan, streams, folders)?;
    let graph = Arc::new(topology::inhabit(topology)?);
    let loss = |link| special.loss(link).unwrap_or(plan.link_loss);
    let background = |link| special.background(link, *common.background);
    let queue = |link| special.queue(link, common.queues.links);
    let routes = Arc::clone(&graph) as Arc<dyn Routes + Sync>;
    let links = Links::of_graph(&graph, &loss, &queue, &common);
    let on_links = OnLinks {
        routes,
        star: None,
        server: None,
        rates: Arc::default(),
        loss: &loss,
        background: &background,
        queue: &queue,
    };
    let network = common.build(&on_links, streams);
    Ok(Built { network, links, topology: Some(topology::rows(&graph, false)), projection: projection(&graph), caveats })
}

/// How the places of sites become coordinates, where they are on the earth.
fn projection(graph: &GraphLinks) -> Option<MapProjection> {
    graph.topology().longitude_scale().map(|longitude_scale| MapProjection { longitude_scale })
}

/// The queues of hosts, the first of whose links leads out of the server.
fn of_hosts(queues: &Queues, link: LinkId, server_up: LinkId) -> Queue {
    match link.0 - server_up.0 {
        0 => queues.server_up,
        1 => queues.server_down,
        n if n.is_multiple_of(2) => queues.client_up,
        _ => queues.client_down,
    }
}

/// Number of directions of links between sites, whose ids come first.
fn backbone(graph: &GraphLinks) -> u32 {
    2 * graph.topology().link_count() as u32
}

fn client(access: &CommonSettings<'_>, drawer: &Drawer, i: u64) -> AccessLink {
    AccessLink {
        up: drawer.rate(("network.client_up", access.client_up), DrawPurpose::Bandwidth, i, 0),
        down: drawer.rate(("network.client_down", access.client_down), DrawPurpose::Bandwidth, i, 1),
        latency: drawer.duration(("network.latency", access.latency), DrawPurpose::Latency, i, 0),
    }
}

/// How the rates of clients' links vary; the first client's link up is `first_client`, and its link down the next.
fn rates(
    common: &CommonSettings<'_>,
    clients: usize,
    first_client: u32,
    streams: &Streams,
    (folders, remarks): (&DataFolders, &Remarks),
) -> Result<Arc<BTreeMap<LinkId, VaryingRate>>, PrepareError> {
    let directions = [("network.up_trace[0]", common.up_trace), ("network.down_trace[0]", common.down_trace)];
    let mut rates = BTreeMap::new();
    for (direction, (at, trace)) in (0..).zip(directions) {
        let Some(trace) = trace else { continue };
        let traces = Traces::read(at, trace, folders, remarks)?;
        let of = |client: u32| (LinkId(first_client + 2 * client + direction), traces.of(client.into(), streams));
        rates.extend((0..clients as u32).map(of));
    }
    Ok(Arc::new(rates))
}

fn star(common: &CommonSettings<'_>, clients: usize, drawer: &Drawer) -> StarLinks {
    let others = if let Background::Rate(rate) = common.background { rate.bits_per_second() } else { 0.0 };
    let left = |rate: &schema::Rate| Rate::of(schema::Rate::Bps(rate.bits_per_second() - others));
    let links = (0..clients).into_par_iter().with_min_len(laws::WORTH_A_THREAD);
    StarLinks {
        server_up: left(common.server_up),
        server_down: left(common.server_down),
        clients: links.map(|i| client(common, drawer, i as u64)).collect(),
    }
}
