//! The network of a scenario: its links, drawn, and what goes over them.

use std::sync::Arc;

use fedbits_kernel::network::{AccessLink, LinkId, Network, Routes, StarLinks};
use fedbits_kernel::topology::GraphLinks;
use fedbits_kernel::{OnLinks, Rate, TimeDelta};
use fedbits_random::{Purpose as Draw, Streams};
use fedbits_record::TopologyRows;

use super::error::{PrepareError, misfit};
use super::laws::{Drawer, rate};
use super::topology::{self, Plan, Settled};
use crate::data_files::DataFolders;
use crate::schema::{self, Background, CommonSettings, Loss};

/// A network, and what the record keeps of its topology.
pub(super) struct Built {
    pub(super) network: Box<dyn Network>,
    pub(super) topology: Option<TopologyRows>,
    /// What was cut of drawn links.
    pub(super) caveats: Vec<String>,
}

/// Node 0 is the server, node i + 1 client i.
pub(super) fn build(
    network: &schema::Network,
    clients: usize,
    streams: &Streams,
    drawer: &Drawer,
    folders: &DataFolders,
) -> Result<Built, PrepareError> {
    let common = network.common();
    let schema::Network::Graph { link_loss, server, clients: placement, .. } = network else {
        let star = Arc::new(star(&common, clients, drawer));
        let loss = |link: LinkId| if link.0 < 2 { Loss::Never } else { *common.loss };
        let background = |link: LinkId| if link.0 < 2 { *common.background } else { Background::Quiet };
        let routes = Arc::clone(&star) as Arc<dyn Routes + Sync>;
        let links = OnLinks { routes, star: Some(&star), loss: &loss, background: &background };
        return Ok(Built { network: common.build(&links, streams), topology: None, caveats: Vec::new() });
    };
    let plan = Plan::of(network)?;
    let Settled { topology, special, caveats } = topology::topology(&plan, streams, folders)?;
    let (up, down) = (Rate::of(*common.server_up), Rate::of(*common.server_down));
    let server_access = AccessLink { up, down, latency: TimeDelta::ZERO };
    let client_access = (0..clients).map(|i| client(&common, drawer, i as u64));
    let graph = Arc::new(topology::attach(topology, server, placement, server_access, client_access)?);
    let first_client = backbone(&graph) + 2;
    let loss = |link: LinkId| match graph.is_access(link) {
        false => special.loss(link).unwrap_or(*link_loss),
        true if link.0 < first_client => Loss::Never,
        true => *common.loss,
    };
    let background = |link| match graph.is_access(link) {
        false => special.background(link, *common.background),
        true => Background::Quiet,
    };
    let routes = Arc::clone(&graph) as Arc<dyn Routes + Sync>;
    let links = OnLinks { routes, star: None, loss: &loss, background: &background };
    Ok(Built { network: common.build(&links, streams), topology: Some(topology::rows(&graph, true)), caveats })
}

/// A network whose nodes are the sites of a graph.
pub(super) struct Meshed {
    pub(super) network: Box<dyn Network>,
    pub(super) topology: TopologyRows,
    pub(super) agents: usize,
    pub(super) links: Vec<(u32, u32)>,
    /// What was cut of drawn links.
    pub(super) caveats: Vec<String>,
}

/// Node i is site i; there are no access links.
pub(super) fn mesh(
    network: &schema::Network,
    streams: &Streams,
    folders: &DataFolders,
) -> Result<Meshed, PrepareError> {
    let schema::Network::Graph { link_loss, .. } = network else {
        return Err(misfit("network", "agents are the sites of a graph, and this is a star", "expected `Graph(…)`"));
    };
    let common = network.common();
    let Settled { topology, special, caveats } = topology::topology(&Plan::of(network)?, streams, folders)?;
    let links = topology.links().map(|([from, to], _)| (from.0, to.0)).collect();
    let agents = topology.site_count();
    let graph = Arc::new(topology::inhabit(topology)?);
    let loss = |link| special.loss(link).unwrap_or(*link_loss);
    let background = |link| special.background(link, *common.background);
    let routes = Arc::clone(&graph) as Arc<dyn Routes + Sync>;
    let on_links = OnLinks { routes, star: None, loss: &loss, background: &background };
    let (network, topology) = (common.build(&on_links, streams), topology::rows(&graph, false));
    Ok(Meshed { network, topology, agents, links, caveats })
}

/// Number of directions of links between sites, whose ids come first.
fn backbone(graph: &GraphLinks) -> u32 {
    2 * graph.topology().link_count() as u32
}

fn client(access: &CommonSettings<'_>, drawer: &Drawer, i: u64) -> AccessLink {
    AccessLink {
        up: drawer.rate(("network.client_up", access.client_up), Draw::Bandwidth, i, 0),
        down: drawer.rate(("network.client_down", access.client_down), Draw::Bandwidth, i, 1),
        latency: drawer.duration(("network.latency", access.latency), Draw::Latency, i, 0),
    }
}

fn star(common: &CommonSettings<'_>, clients: usize, drawer: &Drawer) -> StarLinks {
    let others = if let Background::Rate(rate) = common.background { rate.bits_per_second() } else { 0.0 };
    StarLinks {
        server_up: rate(common.server_up.bits_per_second() - others),
        server_down: rate(common.server_down.bits_per_second() - others),
        clients: (0..clients as u64).map(|i| client(common, drawer, i)).collect(),
    }
}
