//! The network of a scenario: its links, drawn, and what goes over them.

use std::collections::BTreeMap;
use std::sync::Arc;

use fedbits_kernel::network::{AccessLink, LinkId, Network, Queue, Routes, StarLinks, VaryingRate};
use fedbits_kernel::topology::GraphLinks;
use fedbits_kernel::{NodeId, OnLinks, Rate, TimeDelta};
use fedbits_models::data::Remarks;
use fedbits_random::{DrawPurpose, Streams};
use fedbits_record::{MapProjection, TopologyRows};
use fedbits_spec::Caveat;
use fedbits_spec::laws::DurationLaw;
use rayon::prelude::*;

use super::error::PrepareError;
use super::laws::{self, Drawer};
use super::links::Special;
use super::rate_traces::follow;
use super::topology::{self, Plan, Settled};
use crate::data_files::DataFolders;
use crate::schema::{self, Background, Loss, Shape};

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

/// What is told of a network.
pub(super) struct NetworkNotes {
    pub(super) links: Links,
    /// What the record keeps of its sites.
    pub(super) topology: Option<TopologyRows>,
    /// How its places became coordinates, where they are on the earth.
    pub(super) projection: Option<MapProjection>,
    /// What is to be said of the files of links, and what was cut of draws.
    pub(super) caveats: Vec<Caveat>,
}

/// A network, and what is told of it.
pub(super) type Built = (Box<dyn Network>, NetworkNotes);

const SERVER: Option<NodeId> = Some(NodeId(0));

/// Node 0 is the server, node i + 1 client i.
pub(super) fn build(
    setting: &schema::Network,
    clients: usize,
    streams: &Streams,
    drawer: &Drawer,
    folders: &DataFolders,
) -> Result<Built, PrepareError> {
    let remarks = Remarks::default();
    let Shape::Graph { server, clients: placement, .. } = &setting.shape else {
        let rates = rates(setting, clients, 2, streams, (folders, &remarks))?;
        let star = Arc::new(star(setting, clients, drawer));
        let between = BetweenSites { count: 0, special: Special::default(), loss: Loss::Never };
        let routes = Arc::clone(&star) as Arc<dyn Routes + Sync>;
        let (network, links) = over((routes, Some(&star)), between, setting, (SERVER, rates), streams);
        let caveats = remarks.into_parts().1;
        return Ok((network, NetworkNotes { links, topology: None, projection: None, caveats }));
    };
    let plan = Plan::of(setting)?;
    let Settled { topology, special, caveats } = topology::topology(&plan, streams, folders)?;
    let (up, down) = (Rate::of(setting.server_up), Rate::of(setting.server_down));
    let server_access = AccessLink { up, down, latency: TimeDelta::ZERO };
    let latency = setting.access_latency();
    let client_access = (0..clients).map(|i| client(setting, &latency, drawer, i as u64));
    let graph = Arc::new(topology::attach(topology, server, placement, server_access, client_access)?);
    let between = BetweenSites { count: 2 * graph.topology().link_count() as u32, special, loss: plan.link_loss };
    let rates = rates(setting, clients, between.count + 2, streams, (folders, &remarks))?;
    let routes = Arc::clone(&graph) as Arc<dyn Routes + Sync>;
    let (network, links) = over((routes, None), between, setting, (SERVER, rates), streams);
    let caveats = [caveats, remarks.into_parts().1].concat();
    let (topology, projection) = (Some(topology::rows(&graph, true)), projection(&graph));
    Ok((network, NetworkNotes { links, topology, projection, caveats }))
}

/// Node i is site i; there are no access links.
pub(super) fn mesh(setting: &schema::Network, streams: &Streams, folders: &DataFolders) -> Result<Built, PrepareError> {
    let plan = Plan::of(setting)?;
    let Settled { topology, special, caveats } = topology::topology(&plan, streams, folders)?;
    let graph = Arc::new(topology::inhabit(topology)?);
    let between = BetweenSites { count: 2 * graph.topology().link_count() as u32, special, loss: plan.link_loss };
    let routes = Arc::clone(&graph) as Arc<dyn Routes + Sync>;
    let (network, links) = over((routes, None), between, setting, (None, Arc::default()), streams);
    let (topology, projection) = (Some(topology::rows(&graph, false)), projection(&graph));
    Ok((network, NetworkNotes { links, topology, projection, caveats }))
}

/// The links between sites, whose directions come before the server's two, which come before those of clients.
struct BetweenSites {
    /// Number of directions.
    count: u32,
    /// What is different about single links.
    special: Special,
    /// Losses on the others.
    loss: Loss,
}

/// The network over these routes, and its links.
fn over(
    (routes, star): (Arc<dyn Routes + Sync>, Option<&StarLinks>),
    BetweenSites { count, special, loss: usual_loss }: BetweenSites,
    setting: &schema::Network,
    (server, rates): (Option<NodeId>, Arc<BTreeMap<LinkId, VaryingRate>>),
    streams: &Streams,
) -> (Box<dyn Network>, Links) {
    let special = Arc::new(special);
    let (of_links, of_clients) = (Arc::clone(&special), setting.loss);
    let loss = Arc::new(move |link: LinkId| match link.0.checked_sub(count) {
        None => of_links.of(link).and_then(|link| link.loss).unwrap_or(usual_loss),
        Some(0 | 1) => Loss::Never,
        Some(_) => of_clients,
    });
    let (of_links, queues) = (Arc::clone(&special), setting.queues);
    let queue = Arc::new(move |link: LinkId| match link.0.checked_sub(count) {
        None => of_links.of(link).and_then(|link| link.queue).unwrap_or(queues.links),
        Some(0) => queues.server_up,
        Some(1) => queues.server_down,
        Some(number) if number.is_multiple_of(2) => queues.client_up,
        Some(_) => queues.client_down,
    });
    let background = |link: LinkId| match link.0 < count {
        true => special.of(link).and_then(|link| link.background).unwrap_or(setting.background),
        // In a star that of the server's links.
        false if star.is_some() && link.0 < 2 => setting.background,
        false => Background::Quiet,
    };
    let varies = !rates.is_empty();
    let on_links = OnLinks {
        routes: Arc::clone(&routes),
        star,
        server,
        rates,
        loss: &*loss,
        background: &background,
        queue: &*queue,
    };
    (setting.build(&on_links, streams), Links { routes, loss, queue, varies })
}

/// How the places of sites become coordinates, where they are on the earth.
fn projection(graph: &GraphLinks) -> Option<MapProjection> {
    graph.topology().longitude_scale().map(|longitude_scale| MapProjection { longitude_scale })
}

fn client(access: &schema::Network, latency: &DurationLaw, drawer: &Drawer, i: u64) -> AccessLink {
    AccessLink {
        up: drawer.rate(("network.client_up", &access.client_up), DrawPurpose::Bandwidth, i, 0),
        down: drawer.rate(("network.client_down", &access.client_down), DrawPurpose::Bandwidth, i, 1),
        latency: drawer.duration(("network.latency", latency), DrawPurpose::Latency, i, 0),
    }
}

/// How the rates of clients' links vary; the first client's link up is `first_client`, and its link down the next.
fn rates(
    setting: &schema::Network,
    clients: usize,
    first_client: u32,
    streams: &Streams,
    (folders, remarks): (&DataFolders, &Remarks),
) -> Result<Arc<BTreeMap<LinkId, VaryingRate>>, PrepareError> {
    let directions = [("network.up_trace[0]", &setting.up_trace), ("network.down_trace[0]", &setting.down_trace)];
    let mut rates = BTreeMap::new();
    for (direction, (at, trace)) in (0..).zip(directions) {
        let Some(trace) = trace else { continue };
        let follow = follow(at, trace, folders, remarks)?;
        let of = |client: u32| (LinkId(first_client + 2 * client + direction), follow(client.into(), streams));
        rates.extend((0..clients as u32).map(of));
    }
    Ok(Arc::new(rates))
}

fn star(setting: &schema::Network, clients: usize, drawer: &Drawer) -> StarLinks {
    let background = if let Background::Rate(rate) = setting.background { rate.bits_per_second() } else { 0.0 };
    let left = |rate: schema::Rate| Rate::of(schema::Rate::Bps(rate.bits_per_second() - background));
    let latency = setting.access_latency();
    let links = (0..clients).into_par_iter().with_min_len(laws::WORTH_A_THREAD);
    StarLinks {
        server_up: left(setting.server_up),
        server_down: left(setting.server_down),
        clients: links.map(|i| client(setting, &latency, drawer, i as u64)).collect(),
    }
}
