//! The network of a scenario: routes, sharing, background traffic, transport, one over the other.

use std::sync::Arc;

use fedbits_kernel::network::transport::{Carrier, Delivery, Loss, Repair, Transport};
use fedbits_kernel::network::{Background, Fifo, GeneralFairShare, LinkId, OnOff, Routes, SingleLinks, Unit, Weights};
use fedbits_kernel::topology::GraphLinks;
use fedbits_kernel::{AccessLink, Bits, Framing, Ideal, Network, StarFairShare, StarLinks, TimeDelta};
use fedbits_random::{Purpose as Draw, Streams};
use fedbits_record::TopologyRows;

use super::laws::{Drawer, duration_from, rate};
use super::topology::{self, Plan, Settled};
use super::world::{bits, duration};
use super::{PrepareError, misfit};
use crate::data_files::DataFolders;
use crate::schema::{self, Access, Carriage, Sharing};

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
    let (access, carriage) = (network.access(), network.carriage());
    match network {
        schema::Network::Star { .. } => {
            let links = Arc::new(star(&access, &carriage, clients, drawer));
            let fast = (carriage.sharing == Sharing::FairShare && on_off(&carriage, carriage.background).is_none())
                .then(|| Box::new(StarFairShare::new((*links).clone())) as Box<dyn Network>);
            let loss = |link: LinkId| if link.0 < 2 { None } else { loss(carriage.loss) };
            let busy = busy(&[LinkId(0), LinkId(1)], |_| on_off(&carriage, carriage.background));
            let network = carried(Arc::clone(&links), fast, &carriage, &busy, loss, streams);
            Ok(Built { network, topology: None, caveats: Vec::new() })
        }
        schema::Network::Graph { sites, link_capacity, link_latency, server, clients: placement, .. } => {
            let plan = plan(&carriage, sites, link_capacity, link_latency);
            let Settled { topology, special, caveats } = topology::topology(&plan, streams, folders)?;
            let (up, down) = (rate(access.server_up.bits_per_second()), rate(access.server_down.bits_per_second()));
            let server_access = AccessLink { up, down, latency: TimeDelta::ZERO };
            let client_access = (0..clients).map(|i| client(&access, drawer, i as u64));
            let graph = topology::attach(topology, server, placement, server_access, client_access)?;
            let (rows, links) = (topology::rows(&graph, true), Arc::new(graph));
            let backbone = backbone(&links);
            let first_client = backbone.len() as u32 + 2;
            let loss = |link: LinkId| match links.is_access(link) {
                false => loss(special.loss(link).unwrap_or(carriage.link_loss)),
                true if link.0 < first_client => None,
                true => loss(carriage.loss),
            };
            let busy = busy(&backbone, |link| on_off(&carriage, special.background(link, carriage.background)));
            let network = carried(Arc::clone(&links), None, &carriage, &busy, loss, streams);
            Ok(Built { network, topology: Some(rows), caveats })
        }
    }
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
    let schema::Network::Graph { sites, link_capacity, link_latency, .. } = network else {
        return Err(misfit("network", "agents are the sites of a graph, and this is a star", "expected `Graph(…)`"));
    };
    let carriage = network.carriage();
    let plan = plan(&carriage, sites, link_capacity, link_latency);
    let Settled { topology, special, caveats } = topology::topology(&plan, streams, folders)?;
    let links = topology.links().map(|([from, to], _)| (from.0, to.0)).collect();
    let agents = topology.site_count();
    let graph = Arc::new(topology::inhabit(topology)?);
    let loss = |link| loss(special.loss(link).unwrap_or(carriage.link_loss));
    let rows = topology::rows(&graph, false);
    let busy = busy(&backbone(&graph), |link| on_off(&carriage, special.background(link, carriage.background)));
    let network = carried(graph, None, &carriage, &busy, loss, streams);
    Ok(Meshed { network, topology: rows, agents, links, caveats })
}

/// The ways over links between sites.
fn backbone(graph: &GraphLinks) -> Vec<LinkId> {
    (0..2 * graph.topology().link_count() as u32).map(LinkId).collect()
}

/// Those of `links` on which others come and go.
fn busy(links: &[LinkId], law: impl Fn(LinkId) -> Option<OnOff>) -> Vec<(LinkId, OnOff)> {
    links.iter().filter_map(|&link| Some((link, law(link)?))).collect()
}

fn plan<'a>(
    carriage: &Carriage<'a>,
    sites: &'a schema::Sites,
    capacity: &'a schema::LinkCapacity,
    latency: &'a schema::LinkLatency,
) -> Plan<'a> {
    Plan { sites, capacity, latency, background: carriage.background, links: carriage.links }
}

fn client(access: &Access<'_>, drawer: &Drawer, i: u64) -> AccessLink {
    AccessLink {
        up: drawer.rate(("network.client_up", access.client_up), Draw::Bandwidth, i, 0),
        down: drawer.rate(("network.client_down", access.client_down), Draw::Bandwidth, i, 1),
        latency: drawer.duration(("network.latency", access.latency), Draw::Latency, i, 0),
    }
}

fn star(access: &Access<'_>, carriage: &Carriage<'_>, clients: usize, drawer: &Drawer) -> StarLinks {
    let others = match carriage.background {
        schema::Background::Rate(rate) => rate.bits_per_second(),
        schema::Background::Quiet | schema::Background::OnOff { .. } => 0.0,
    };
    StarLinks {
        server_up: rate(access.server_up.bits_per_second() - others),
        server_down: rate(access.server_down.bits_per_second() - others),
        clients: (0..clients as u64).map(|i| client(access, drawer, i)).collect(),
    }
}

/// Header and segment of a packet.
pub(super) fn framing(carriage: &Carriage<'_>) -> Framing {
    let bytes = |count: u32| Bits::new(8 * u64::from(count));
    Framing { header: bytes(carriage.header_bytes), segment: bytes(carriage.segment_bytes) }
}

fn on_off(carriage: &Carriage<'_>, background: schema::Background) -> Option<OnOff> {
    match background {
        schema::Background::OnOff { flows, mean_off, mean_size } if carriage.sharing != Sharing::Ideal => {
            Some(OnOff { flows, mean_off: duration(mean_off), mean_bits: bits(mean_size) })
        }
        _ => None,
    }
}

fn loss(loss: schema::Loss) -> Option<Loss> {
    match loss {
        schema::Loss::Never | schema::Loss::Bernoulli(0.0) => None,
        schema::Loss::Bernoulli(probability) => Some(Loss::Bernoulli(probability)),
        schema::Loss::GilbertElliott { to_bad, to_good, in_good, in_bad } => {
            Some(Loss::GilbertElliott { to_bad, to_good, in_good, in_bad })
        }
    }
}

/// Sharing over `routes` (`fast`, where there is a faster way to the same), background traffic on `busy`, transport
/// over all.
fn carried<R: Routes + Sync + 'static>(
    routes: Arc<R>,
    fast: Option<Box<dyn Network>>,
    carriage: &Carriage<'_>,
    busy: &[(LinkId, OnOff)],
    loss: impl Fn(LinkId) -> Option<Loss>,
    streams: &Streams,
) -> Box<dyn Network> {
    let shared = fast.unwrap_or_else(|| shared(Arc::clone(&routes), carriage));
    let shared = match busy {
        [] => shared,
        _ => Box::new(Background::new(shared, busy, *streams)),
    };
    let schema::Transport { delivery, set_up, slow_start } = carriage.transport;
    let losses = carriage.loses_packets();
    let plain = !losses && delivery == schema::Delivery::Datagram && carriage.jitter.is_none();
    if plain && set_up == 0 && slow_start.is_none() {
        return shared;
    }
    let jitter = carriage.jitter.cloned();
    let transport = Transport {
        framing: framing(carriage),
        delivery: match delivery {
            schema::Delivery::Datagram => Delivery::Datagram,
            schema::Delivery::Reliable(schema::Repair::RoundTrip) => Delivery::Reliable(Repair::RoundTrip),
            schema::Delivery::Reliable(schema::Repair::Timeout(timeout)) => {
                Delivery::Reliable(Repair::Timeout(duration(timeout)))
            }
        },
        set_up_round_trips: set_up,
        slow_start,
        jitter: jitter.map(|law| -> fedbits_kernel::network::transport::JitterLaw {
            Box::new(move |stream| duration_from(&law, stream))
        }),
    };
    let by_link = (0..routes.link_count() as u32).map(|link| loss(LinkId(link)));
    let losses = if losses { by_link.collect() } else { Vec::new() };
    Box::new(Carrier::new(shared, routes, transport, losses, *streams))
}

fn shared<R: Routes + Sync + 'static>(routes: Arc<R>, carriage: &Carriage<'_>) -> Box<dyn Network> {
    let routes = SingleLinks::new(routes);
    match carriage.sharing {
        Sharing::Ideal => Box::new(Ideal::new(routes)),
        Sharing::FairShare => Box::new(GeneralFairShare::new(routes)),
        Sharing::WeightedFairShare => Box::new(GeneralFairShare::weighted(routes, Weights::InverseLatency)),
        Sharing::Fifo { unit, buffer } => {
            let framing = framing(carriage);
            let unit = match unit {
                schema::Unit::Message => Unit::Message,
                schema::Unit::Packet => Unit::Packet(framing.header + framing.segment),
            };
            Box::new(Fifo::new(routes, unit, buffer.map(bits)))
        }
    }
}
