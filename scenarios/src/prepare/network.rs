//! The network of a scenario: its links, drawn, and what goes over them.

use std::sync::Arc;

use fedbits_kernel::network::{AccessLink, LinkId, Network, Routes, StarLinks};
use fedbits_kernel::topology::GraphLinks;
use fedbits_kernel::{OnLinks, Rate, TimeDelta};
use fedbits_random::{DrawPurpose, Streams};
use fedbits_record::TopologyRows;

use super::error::PrepareError;
use super::laws::Drawer;
use super::topology::{self, Plan, Settled};
use crate::data_files::DataFolders;
use crate::schema::{self, Background, CommonSettings, Loss};

/// The links of a network, for whoever plays it by other means.
pub struct Links {
    /// The links, and the routes over them.
    pub routes: Arc<dyn Routes + Sync>,
    /// Losses on a direction of a link.
    pub loss: Arc<dyn Fn(LinkId) -> Loss + Send + Sync>,
}

impl Links {
    /// The directions of links between sites come first; `own` are their losses, `access` those of the others but for
    /// the server's two.
    fn of_graph(graph: &Arc<GraphLinks>, own: impl Fn(LinkId) -> Loss, access: Loss) -> Self {
        let own: Vec<Loss> = (0..backbone(graph)).map(|link| own(LinkId(link))).collect();
        let server = own.len()..own.len() + 2;
        let loss = move |link: LinkId| match link.0 as usize {
            link if server.contains(&link) => Loss::Never,
            link => own.get(link).copied().unwrap_or(access),
        };
        Self { routes: Arc::clone(graph) as Arc<dyn Routes + Sync>, loss: Arc::new(loss) }
    }
}

/// A network, and what the record keeps of its topology.
pub(super) struct Built {
    pub(super) network: Box<dyn Network>,
    pub(super) links: Links,
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
    let schema::Network::Graph { server, clients: placement, .. } = network else {
        let star = Arc::new(star(&common, clients, drawer));
        let of_clients = *common.loss;
        let loss = move |link: LinkId| if link.0 < 2 { Loss::Never } else { of_clients };
        let background = |link: LinkId| if link.0 < 2 { *common.background } else { Background::Quiet };
        let routes = Arc::clone(&star) as Arc<dyn Routes + Sync>;
        let links = OnLinks { routes: Arc::clone(&routes), star: Some(&star), loss: &loss, background: &background };
        let network = common.build(&links, streams);
        let links = Links { routes, loss: Arc::new(loss) };
        return Ok(Built { network, links, topology: None, caveats: Vec::new() });
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
    let network = common.build(&OnLinks { routes, star: None, loss: &loss, background: &background }, streams);
    let links = Links::of_graph(&graph, loss, *common.loss);
    Ok(Built { network, links, topology: Some(topology::rows(&graph, true)), caveats })
}

/// Node i is site i; there are no access links.
pub(super) fn mesh(network: &schema::Network, streams: &Streams, folders: &DataFolders) -> Result<Built, PrepareError> {
    let (common, plan) = (network.common(), Plan::of(network)?);
    let Settled { topology, special, caveats } = topology::topology(&plan, streams, folders)?;
    let graph = Arc::new(topology::inhabit(topology)?);
    let loss = |link| special.loss(link).unwrap_or(plan.link_loss);
    let background = |link| special.background(link, *common.background);
    let routes = Arc::clone(&graph) as Arc<dyn Routes + Sync>;
    let network = common.build(&OnLinks { routes, star: None, loss: &loss, background: &background }, streams);
    let links = Links::of_graph(&graph, loss, Loss::Never);
    Ok(Built { network, links, topology: Some(topology::rows(&graph, false)), caveats })
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

fn star(common: &CommonSettings<'_>, clients: usize, drawer: &Drawer) -> StarLinks {
    let others = if let Background::Rate(rate) = common.background { rate.bits_per_second() } else { 0.0 };
    let left = |rate: &schema::Rate| Rate::of(schema::Rate::Bps(rate.bits_per_second() - others));
    StarLinks {
        server_up: left(common.server_up),
        server_down: left(common.server_down),
        clients: (0..clients as u64).map(|i| client(common, drawer, i)).collect(),
    }
}
