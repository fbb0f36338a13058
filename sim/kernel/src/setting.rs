//! The network as a scenario names it: a star, or sites joined by links.

use std::sync::Arc;

use fedbits_random::Streams;
use fedbits_spec::laws::{DurationLaw, RateLaw};
use fedbits_spec::range::LinkRate;
use fedbits_spec::units::YEAR;
use fedbits_spec::{Caveat, Described, Facts, Findings, Path, Rate};
use serde::{Deserialize, Serialize};

use crate::NodeId;
use crate::message::{Framing, Headers};
use crate::network::transport::{Connections, Delivery, Loss, Transport, TransportLayer, TransportOptions};
use crate::network::{
    Background, BackgroundTraffic, BitsFirst, LatencyOrder, LinkId, Network, Queue, Queues, RateTrace, Rates, Routes,
    SharedLinks, Sharing, SingleLinks, StarLinks, VaryingLinks,
};
use crate::topology::{LinkCapacity, LinkLatency, LinkSettings, Placement, RateAttribute, SiteName, Sites};

/// Network between server and clients.
#[derive(Clone, Debug, Described, Deserialize, PartialEq, Serialize)]
#[serde(deny_unknown_fields, default, rename = "Network")]
#[described(rules = fits)]
pub struct NetworkSetting {
    /// Topology.
    pub shape: Shape,
    /// Rate out of the server, shared by transfers.
    #[range(LinkRate)]
    pub server_up: Rate,
    /// Rate into the server, shared by transfers.
    #[range(LinkRate)]
    pub server_down: Rate,
    /// Rate from a client.
    pub client_up: RateLaw,
    /// Rate to a client.
    pub client_down: RateLaw,
    /// One-way delay of access links; default 40 ms in a star, 5 ms in a graph.
    pub latency: Option<DurationLaw>,
    /// Time-varying rate, in place of `client_up`.
    pub up_trace: Option<RateTrace>,
    /// Time-varying rate, in place of `client_down`.
    pub down_trace: Option<RateTrace>,
    /// Losses on access links.
    pub loss: Loss,
    /// Background traffic per direction, on the server's link of a star or all links between sites of a graph.
    pub background: Background,
    /// Additional random delay per message.
    pub jitter: Option<DurationLaw>,
    /// Connections and repair of losses.
    pub transport: Transport,
    /// Sharing of links among transfers.
    pub sharing: Sharing,
    /// Queues, for packet-level `sharing` such as `Tcp()`.
    pub queues: Queues,
    /// Order of latency and transmission.
    pub latency_order: LatencyOrder,
    /// Packet headers.
    pub headers: Headers,
}

/// Topology of a network.
#[expect(clippy::large_enum_variant, reason = "a scenario has one of it")]
#[derive(Clone, Debug, Default, Described, Deserialize, PartialEq, Serialize)]
#[serde(deny_unknown_fields)]
pub enum Shape {
    /// One server and an access link per client.
    #[default]
    Star,
    /// Sites joined by links; access links attach server and clients. Routes have the least latency.
    Graph {
        /// Sites and links.
        sites: Sites,
        /// Capacity of links between sites, per direction.
        #[serde(default)]
        link_capacity: LinkCapacity,
        /// One-way delay of links between sites.
        #[serde(default)]
        link_latency: LinkLatency,
        /// Losses on links between sites.
        #[serde(default)]
        link_loss: Loss,
        /// Exceptions for single links between sites.
        #[serde(default)]
        links: Vec<LinkSettings>,
        /// Site of the server.
        #[serde(default)]
        server: SiteName,
        /// Sites of the clients.
        #[serde(default)]
        clients: Placement,
    },
}

impl Default for NetworkSetting {
    fn default() -> Self {
        Self {
            shape: Shape::Star,
            server_up: Rate::Gbps(1.0),
            server_down: Rate::Gbps(1.0),
            client_up: RateLaw::Mbps(10.0),
            client_down: RateLaw::Mbps(50.0),
            latency: None,
            up_trace: None,
            down_trace: None,
            loss: Loss::default(),
            background: Background::default(),
            jitter: None,
            transport: Transport::default(),
            sharing: Sharing::default(),
            queues: Queues::default(),
            latency_order: LatencyOrder::default(),
            headers: Headers::default(),
        }
    }
}

/// What is at work on the links of a network, one by one.
pub struct OnLinks<'a> {
    /// The links, and the routes over them.
    pub routes: Arc<dyn Routes + Sync>,
    /// The links as a star, where they are one.
    pub star: Option<&'a StarLinks>,
    /// The server, where there is one.
    pub server: Option<NodeId>,
    /// Links whose rates vary.
    pub rates: Rates,
    /// Losses on a link.
    pub loss: &'a dyn Fn(LinkId) -> Loss,
    /// Background traffic on a link.
    pub background: &'a dyn Fn(LinkId) -> Background,
    /// Queue in front of a link.
    pub queue: &'a dyn Fn(LinkId) -> Queue,
}

impl NetworkSetting {
    /// The network itself: sharing over the routes, background traffic, transport over all.
    #[must_use]
    pub fn build(&self, links: &OnLinks<'_>, streams: &Streams) -> Box<dyn Network> {
        let OnLinks { routes, star, server, rates, loss, background, queue } = links;
        let routes = &self.conditioned(Arc::clone(routes), *server, rates);
        let ids = || (0..routes.link_count() as u32).map(LinkId);
        let lossy = ids().any(|link| loss(link).is_possible());
        let losses: Vec<Loss> = if lossy { ids().map(loss).collect() } else { Vec::new() };
        let (transport, framing, jitter) = (self.transport, self.framing(), self.jitter.clone());
        let busy =
            |link| Some((link, background(link))).filter(|(_, traffic)| matches!(traffic, Background::OnOff { .. }));
        let busy: Vec<_> = ids().filter(|_| self.sharing.contends()).filter_map(busy).collect();
        let fast = star.filter(|_| busy.is_empty() && rates.is_empty() && !transport.acknowledgements);
        let fast = fast.and_then(|star| self.sharing.build_star(star, self.latency_order));
        let routed = || {
            let routes = Arc::new(SingleLinks::new(Arc::clone(routes)));
            let asks = self.sharing.is_transport();
            let (queues, losses) = (ids().filter(|_| asks).map(queue).collect(), losses.clone());
            self.sharing.build(SharedLinks { routes, framing, transport, queues, losses, streams: *streams })
        };
        let mut network = fast.unwrap_or_else(routed);
        if !busy.is_empty() {
            network = Box::new(BackgroundTraffic::new(network, &busy, *streams));
        }
        let options = match self.sharing.is_transport() {
            true => TransportOptions { transport: Transport::NONE, framing, jitter, losses: Vec::new() },
            false => TransportOptions { transport, framing, jitter, losses },
        };
        if options.losses.is_empty() && options.jitter.is_none() && options.transport == Transport::NONE {
            return network;
        }
        Box::new(TransportLayer::new(network, Arc::clone(routes), options, *streams))
    }

    /// The routes, over links whose rates vary, and with latency where it lies.
    fn conditioned(
        &self,
        mut routes: Arc<dyn Routes + Sync>,
        server: Option<NodeId>,
        rates: &Rates,
    ) -> Arc<dyn Routes + Sync> {
        if !rates.is_empty() {
            routes = Arc::new(VaryingLinks { routes, rates: Arc::clone(rates) });
        }
        match server.filter(|_| self.latency_order == LatencyOrder::AtServer) {
            Some(sender) => Arc::new(BitsFirst { routes, sender }),
            None => routes,
        }
    }

    /// Header and segment of a packet.
    #[must_use]
    pub fn framing(&self) -> Framing {
        self.headers.framing()
    }

    /// One-way delay of a client's access link, given or by default.
    #[must_use]
    pub fn access_latency(&self) -> DurationLaw {
        let usual = if self.shape == Shape::Star { 40.0 } else { 5.0 };
        self.latency.clone().unwrap_or(DurationLaw::Ms(usual))
    }

    /// Every setting of losses that there is.
    fn losses(&self) -> impl Iterator<Item = Loss> {
        let (of_links, links) = match &self.shape {
            Shape::Star => (Loss::Never, &[][..]),
            Shape::Graph { link_loss, links, .. } => (*link_loss, &links[..]),
        };
        [self.loss, of_links].into_iter().chain(links.iter().filter_map(|link| link.loss))
    }

    /// Can a message be lost for good? With a packet, or where TCP gives its connection up.
    #[must_use]
    pub fn loses_messages(&self) -> bool {
        let Self { transport, sharing, .. } = self;
        if sharing.is_transport() {
            return self.losses().any(Loss::defeats_repetition);
        }
        transport.delivery == Delivery::Datagram && (self.losses().any(Loss::is_possible) || sharing.drops())
    }

    /// What is to be said where two messages of a pair leave together: fair sharing knows no connections.
    #[must_use]
    pub fn messages_overlap(&self) -> Option<Caveat> {
        let is_fair = self.sharing.contends() && self.sharing.has_flows() && !self.sharing.is_transport();
        is_fair.then(|| Caveat::MessagesOverlap { sharing: self.sharing.part_name().to_owned() })
    }

    /// The files that it needs: the topology, tables of measurements.
    #[must_use]
    pub fn files(&self) -> Vec<&str> {
        let Self { client_up, client_down, latency, up_trace, down_trace, .. } = self;
        let (mut files, mut tables) = (Vec::new(), Vec::new());
        if let Shape::Graph { sites, link_capacity, link_latency, .. } = &self.shape {
            files.extend(sites.file());
            tables.push(if let LinkCapacity::Law(law) = link_capacity { law.table() } else { None });
            tables.push(if let LinkLatency::Law(law) = link_latency { law.table() } else { None });
        }
        tables.extend([client_up.table(), client_down.table(), latency.as_ref().and_then(DurationLaw::table)]);
        files.extend(tables.into_iter().flatten().map(|table| table.path));
        files.extend([up_trace, down_trace].into_iter().flatten().filter_map(RateTrace::file));
        files
    }
}

/// The fields of a network fit each other.
fn fits(network: &NetworkSetting, at: &Path<'_>, _: &Facts, findings: &mut Findings) {
    if let Some(law) = &network.jitter {
        jitter(law, &at.field("jitter"), findings);
    }
    transport(network, &at.field("transport"), findings);
    traces(network, at, findings);
    of_packets(network, at, findings);
    flows_of_others(network, at, findings);
    match &network.shape {
        Shape::Star => background_below(network, at, findings),
        Shape::Graph { .. } => link_sources(&network.shape, &at.field("shape"), findings),
    }
}

fn jitter(law: &DurationLaw, at: &Path<'_>, findings: &mut Findings) {
    if reaches_beyond_a_year(law) {
        findings.caveat(Caveat::DrawsCutToAYear {});
    }
    if matches!(law, DurationLaw::Column { .. } | DurationLaw::Each(_)) {
        let found = "such a law gives each client one value, and jitter is drawn per message";
        findings.error(at, found, "expected a constant, a distribution or `Values([…])`");
    }
}

/// Can one of the draws that a run makes be above a year? Six standard deviations of the logarithm, and exp(−40), are
/// one in 10⁹ and one in 10¹⁷.
fn reaches_beyond_a_year(law: &DurationLaw) -> bool {
    let largest = match law {
        DurationLaw::LogNormal { median, sigma } => median.seconds() * libm::exp(6.0 * sigma),
        DurationLaw::Gamma { mean, shape } => mean.seconds() * (2.0 + 40.0 / shape),
        DurationLaw::Exponential { mean } => 40.0 * mean.seconds(),
        _ => 0.0,
    };
    largest > YEAR as f64 / 1e9
}

/// What only packets know, and what they do not know.
fn of_packets(network: &NetworkSetting, at: &Path<'_>, findings: &mut Findings) {
    let NetworkSetting { sharing, queues, .. } = network;
    let name = sharing.part_name();
    let links = if let Shape::Graph { links, .. } = &network.shape { &links[..] } else { &[] };
    if network.latency_order == LatencyOrder::First && !sharing.has_flows() {
        let why = format!("packets of `{name}` cross one link after the other, with the latency of each");
        findings.no_effect(at.field("latency_order"), &why);
    }
    if !sharing.is_transport() {
        if *queues != Queues::default() || links.iter().any(|link| link.queue.is_some()) {
            findings.no_effect(at.field("queues"), &format!("`{name}` knows no queues: `sharing: Tcp()` does"));
        }
        return;
    }
    let of_sites = Queues { links: queues.links, ..Queues::default() };
    if network.shape == Shape::Star && of_sites != Queues::default() {
        findings.no_effect(at.field("queues").field("links"), "a star has no links between sites");
    }
    each_background(network, at, |background, at| {
        if matches!(background, Background::OnOff { .. }) {
            let found = format!("`sharing: {name}` does not support background traffic that comes and goes");
            findings.error(at.field("background"), found, "expected another `sharing`");
        }
    });
    if network.transport.connections == Connections::PerMessage {
        let at = at.field("transport");
        findings.error(at.field("connections"), format!("`sharing: {name}` keeps its connections"), "expected `Kept`");
    }
}

/// A trace says the rate, and nothing else does, where rates can vary.
fn traces(network: &NetworkSetting, at: &Path<'_>, findings: &mut Findings) {
    for (field, trace) in [("up_trace", &network.up_trace), ("down_trace", &network.down_trace)] {
        if trace.is_some() && !network.sharing.follows_varying_rates() {
            let found = format!("`sharing: {}` does not follow rates that vary", network.sharing.part_name());
            findings.error(at.field(field), found, "expected another `sharing`");
        }
    }
    let usual = NetworkSetting::default();
    let rates = [
        ("client_up", &network.up_trace, network.client_up != usual.client_up),
        ("client_down", &network.down_trace, network.client_down != usual.client_down),
    ];
    for (name, trace, given) in rates {
        if trace.is_some() && given {
            findings.no_effect(at.field(name), "a trace says the rate");
        }
    }
}

/// Something can be lost where lost packets are sent again.
fn transport(network: &NetworkSetting, at: &Path<'_>, findings: &mut Findings) {
    let NetworkSetting { transport, sharing, .. } = network;
    // A loss that is written down as 0 is the beginning of an axis, and no mistake.
    let nothing_is_lost = network.losses().all(|loss| loss == Loss::Never) && !sharing.drops();
    if transport.delivery != Delivery::Datagram && sharing.is_transport() {
        findings.no_effect(at.field("delivery"), "TCP sends again what is lost, whatever this says");
    } else if transport.delivery != Delivery::Datagram && nothing_is_lost {
        let why =
            "nothing is lost: there is no `loss` and no finite `buffer` (`loss: Bernoulli(0)` says that it is meant)";
        findings.no_effect(at.field("delivery"), why);
    }
}

/// Looks at every setting of background traffic, and where it is.
fn each_background(network: &NetworkSetting, at: &Path<'_>, mut see: impl FnMut(&Background, &Path<'_>)) {
    see(&network.background, at);
    let Shape::Graph { links, .. } = &network.shape else { return };
    let shape = at.field("shape");
    let of_links = shape.field("links");
    for (index, link) in links.iter().enumerate() {
        link.background.iter().for_each(|background| see(background, &of_links.index(index)));
    }
}

/// Others slow us down where transfers share.
fn flows_of_others(network: &NetworkSetting, at: &Path<'_>, findings: &mut Findings) {
    each_background(network, at, |background, at| {
        if matches!(background, Background::OnOff { .. }) && !network.sharing.contends() {
            let why = format!("with `sharing: {}` nobody slows anybody", network.sharing.part_name());
            findings.no_effect(at.field("background"), &why);
        }
    });
}

/// A constant background leaves something of the server's links.
fn background_below(network: &NetworkSetting, at: &Path<'_>, findings: &mut Findings) {
    let Background::Rate(background) = network.background else { return };
    for (name, rate) in [("server_up", network.server_up), ("server_down", network.server_down)] {
        if rate.bits_per_second() - background.bits_per_second() < 1.0 {
            let message = format!("the background leaves nothing of `{name}`");
            findings.error(at.field("background"), message, format!("expected a rate below that of `{name}`"));
        }
    }
}

/// Attributes of a file that are named, and that no link takes.
fn unread_attributes(shape: &Shape, at: &Path<'_>, findings: &mut Findings) {
    let Shape::Graph { sites: Sites::Gml { capacity, latency, .. }, link_capacity, link_latency, .. } = shape else {
        return;
    };
    let at = at.field("sites");
    if *capacity != RateAttribute::default() && matches!(link_capacity, LinkCapacity::Law(_)) {
        findings.no_effect(at.field("capacity"), "links take it with `link_capacity: File()`");
    }
    if latency.is_some() && !matches!(link_latency, LinkLatency::File { .. }) {
        findings.no_effect(at.field("latency"), "links take it with `link_latency: File()`");
    }
}

/// Capacities and latencies that files or places should tell can be told by them.
fn link_sources(shape: &Shape, at: &Path<'_>, findings: &mut Findings) {
    let Shape::Graph { sites, link_capacity, link_latency, .. } = shape else { return };
    let from_file = sites.file().is_some();
    unread_attributes(shape, at, findings);
    let generated = "generated sites have no file that says it";
    if matches!(link_capacity, LinkCapacity::File { .. }) && !from_file {
        findings.error(at.field("link_capacity"), generated, "expected `Law(…)`");
    }
    let at = at.field("link_latency");
    match link_latency {
        LinkLatency::Law(_) => {}
        LinkLatency::File { .. } if !from_file => findings.error(at, generated, "expected `Law(…)`"),
        LinkLatency::File { otherwise } => {
            let known = matches!(sites, Sites::Gml { latency: Some(_), .. });
            if !known && otherwise.is_none() {
                let expected =
                    "expected `sites: Gml(latency: (name: …, unit: Ms(1)))`, or a latency by `Law` or `Distance`";
                findings.error(at, "the file has no attribute for latencies", expected);
            }
        }
        LinkLatency::Distance { .. } if !sites.have_places() => {
            let expected = "expected `Law(…)`, or sites with places: `Grid`, `Geometric`, `Gml`";
            findings.error(at, "these sites have no places, and so no distances", expected);
        }
        LinkLatency::Distance { unit_km, .. } => {
            if from_file && *unit_km != LinkLatency::DEFAULT_UNIT_KM {
                findings.no_effect(at.field("unit_km"), "places in files are on the earth");
            }
        }
    }
}
