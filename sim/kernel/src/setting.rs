//! The network as a scenario names it: a star, or sites joined by links.

use std::collections::BTreeMap;
use std::sync::Arc;

use fedbits_random::Streams;
use fedbits_spec::laws::{DurationLaw, RateLaw};
use fedbits_spec::range::LinkRate;
use fedbits_spec::units::YEAR;
use fedbits_spec::{Described, Facts, Findings, Path, Rate};
use serde::{Deserialize, Serialize};

use crate::NodeId;
use crate::message::{Framing, Headers};
use crate::network::transport::{Carriage, Carrier, Delivery, Loss, Transport};
use crate::network::{
    Background, BackgroundTraffic, BitsFirst, LatencyOrder, LinkId, Network, RateTrace, Routes, Sharing, SingleLinks,
    StarLinks, VaryingLinks, VaryingRate,
};
use crate::topology::{LinkCapacity, LinkLatency, LinkSettings, Placement, SiteName, Sites};

/// Declares the kinds of networks: the fields that both have stand once, each with serde's attributes and its default.
macro_rules! networks {
    (
        $($(#[doc = $rate_doc:literal])+ $rate:ident: $rate_type:ty = $rate_default:expr, [$($rate_meta:meta),+];)+
        latency;
        $($(#[doc = $doc:literal])+ $field:ident: $type:ty = $default:expr, [$($meta:meta),+];)+
    ) => {
        /// The network between the server and the clients.
        #[derive(Clone, Debug, Described, Deserialize, PartialEq, Serialize)]
        #[serde(deny_unknown_fields, rename = "Network")]
        #[described(rules = fits)]
        #[expect(clippy::large_enum_variant, reason = "there is one per scenario, with the fields of the file")]
        pub enum NetworkSetting {
            /// One server, an access link per client, in each direction its own rate.
            Star {
                $($(#[doc = $rate_doc])+ $(#[$rate_meta])+ $rate: $rate_type,)+
                /// One-way delay of a client's access link.
                #[serde(default = "forty_ms")]
                latency: DurationLaw,
                $($(#[doc = $doc])+ $(#[$meta])+ $field: $type,)+
            },
            /// Sites joined by links; the server and the clients are attached to sites by access links. Routes are the
            /// shortest by latency.
            Graph {
                /// The sites and who is joined to whom.
                sites: Sites,
                /// Capacity of the links between sites, in either direction.
                #[serde(default)]
                link_capacity: LinkCapacity,
                /// One-way delay of the links between sites.
                #[serde(default)]
                link_latency: LinkLatency,
                /// Losses on the links between sites.
                #[serde(default)]
                link_loss: Loss,
                /// Links between sites that differ from the others.
                #[serde(default)]
                links: Vec<LinkSettings>,
                /// The server's site.
                #[serde(default)]
                server: SiteName,
                /// The clients' sites.
                #[serde(default)]
                clients: Placement,
                $($(#[doc = $rate_doc])+ $(#[$rate_meta])+ $rate: $rate_type,)+
                /// One-way delay of a client's access link.
                #[serde(default = "five_ms")]
                latency: DurationLaw,
                $($(#[doc = $doc])+ $(#[$meta])+ $field: $type,)+
            },
        }

        /// What both kinds of network have, by reference.
        #[derive(Clone, Copy, Debug)]
        pub struct CommonSettings<'a> {
            $($(#[doc = $rate_doc])+ pub $rate: &'a $rate_type,)+
            /// One-way delay of a client's access link.
            pub latency: &'a DurationLaw,
            $($(#[doc = $doc])+ pub $field: &'a $type,)+
        }

        impl NetworkSetting {
            /// What it has as every network.
            #[must_use]
            pub fn common(&self) -> CommonSettings<'_> {
                let (Self::Star { $($rate,)+ latency, $($field,)+ }
                | Self::Graph { $($rate,)+ latency, $($field,)+ .. }) = self;
                CommonSettings { $($rate,)+ latency, $($field,)+ }
            }

            /// A graph of these sites with every default.
            #[must_use]
            pub fn graph(sites: Sites) -> Self {
                Self::Graph {
                    sites,
                    link_capacity: LinkCapacity::default(),
                    link_latency: LinkLatency::default(),
                    link_loss: Loss::default(),
                    links: Vec::new(),
                    server: SiteName::default(),
                    clients: Placement::default(),
                    $($rate: $rate_default,)+
                    latency: five_ms(),
                    $($field: $default,)+
                }
            }
        }

        impl Default for NetworkSetting {
            fn default() -> Self {
                Self::Star { $($rate: $rate_default,)+ latency: forty_ms(), $($field: $default,)+ }
            }
        }
    };
}

networks! {
    /// Rate out of the server, shared by all its transfers.
    server_up: Rate = one_gbps(), [serde(default = "one_gbps"), range(LinkRate)];
    /// Rate into the server, shared by all transfers to it.
    server_down: Rate = one_gbps(), [serde(default = "one_gbps"), range(LinkRate)];
    /// Rate from a client.
    client_up: RateLaw = ten_mbps(), [serde(default = "ten_mbps")];
    /// Rate to a client.
    client_down: RateLaw = fifty_mbps(), [serde(default = "fifty_mbps")];
    latency;
    /// How the rate from a client changes in time, in place of `client_up`.
    up_trace: Option<RateTrace> = None, [serde(default)];
    /// How the rate to a client changes in time, in place of `client_down`.
    down_trace: Option<RateTrace> = None, [serde(default)];
    /// Losses on the clients' access links.
    loss: Loss = Loss::default(), [serde(default)];
    /// Traffic of others, in either direction: in a star on the server's link, in a graph on every link between sites.
    background: Background = Background::default(), [serde(default)];
    /// A further delay of each message, drawn anew.
    jitter: Option<DurationLaw> = None, [serde(default)];
    /// What is done besides sending.
    transport: Transport = Transport::default(), [serde(default)];
    /// How transfers share links.
    sharing: Sharing = Sharing::default(), [serde(default)];
    /// Where the latency of a transfer lies.
    latency_order: LatencyOrder = LatencyOrder::default(), [serde(default)];
    /// How much of a packet is header.
    headers: Headers = Headers::default(), [serde(default)];
}

fn one_gbps() -> Rate {
    Rate::Gbps(1.0)
}

fn ten_mbps() -> RateLaw {
    RateLaw::Mbps(10.0)
}

fn fifty_mbps() -> RateLaw {
    RateLaw::Mbps(50.0)
}

fn forty_ms() -> DurationLaw {
    DurationLaw::Ms(40.0)
}

fn five_ms() -> DurationLaw {
    DurationLaw::Ms(5.0)
}

/// What is at work on the links of a network, one by one.
pub struct OnLinks<'a> {
    /// The links, and the routes over them.
    pub routes: Arc<dyn Routes + Sync>,
    /// The same as a star, where it is one.
    pub star: Option<&'a StarLinks>,
    /// The server, where there is one.
    pub server: Option<NodeId>,
    /// Links whose rates vary.
    pub rates: Arc<BTreeMap<LinkId, VaryingRate>>,
    /// Losses on a link.
    pub loss: &'a dyn Fn(LinkId) -> Loss,
    /// Traffic of others on a link.
    pub background: &'a dyn Fn(LinkId) -> Background,
}

impl CommonSettings<'_> {
    /// The network itself: sharing over the routes, traffic of others, transport over all.
    #[must_use]
    pub fn build(&self, links: &OnLinks<'_>, streams: &Streams) -> Box<dyn Network> {
        let OnLinks { routes, star, server, rates, loss, background } = links;
        let routes = &match rates.is_empty() {
            true => Arc::clone(routes),
            false => Arc::new(VaryingLinks { routes: Arc::clone(routes), rates: Arc::clone(rates) }) as _,
        };
        let bits_first = server.filter(|_| *self.latency_order == LatencyOrder::AtServer);
        let routes = &match bits_first {
            Some(sender) => Arc::new(BitsFirst { routes: Arc::clone(routes), sender }) as Arc<dyn Routes + Sync>,
            None => Arc::clone(routes),
        };
        let ids = || (0..routes.link_count() as u32).map(LinkId);
        let busy = |link| Some((link, background(link))).filter(|(_, own)| matches!(own, Background::OnOff { .. }));
        let busy: Vec<_> = ids().filter(|_| self.sharing.contends()).filter_map(busy).collect();
        let fast =
            star.filter(|_| busy.is_empty()).and_then(|star| self.sharing.build_star(star, *self.latency_order, rates));
        let routed = || self.sharing.build(Arc::new(SingleLinks::new(Arc::clone(routes))), self.framing());
        let mut network = fast.unwrap_or_else(routed);
        if !busy.is_empty() {
            network = Box::new(BackgroundTraffic::new(network, &busy, *streams));
        }
        let lossy = ids().any(|link| loss(link).is_possible());
        if !lossy && self.jitter.is_none() && *self.transport == Transport::NONE {
            return network;
        }
        let losses = if lossy { ids().map(loss).collect() } else { Vec::new() };
        let (transport, framing, jitter) = (*self.transport, self.framing(), self.jitter.clone());
        let carriage = Carriage { transport, framing, jitter, losses };
        Box::new(Carrier::new(network, Arc::clone(routes), carriage, *streams))
    }

    /// Header and segment of a packet.
    #[must_use]
    pub fn framing(&self) -> Framing {
        self.headers.framing()
    }
}

impl NetworkSetting {
    /// Every setting of losses that there is.
    fn losses(&self) -> impl Iterator<Item = Loss> {
        let (of_links, links) = match self {
            Self::Star { .. } => (Loss::Never, &[][..]),
            Self::Graph { link_loss, links, .. } => (*link_loss, &links[..]),
        };
        let own = links.iter().filter_map(|link| link.loss);
        [*self.common().loss, of_links].into_iter().chain(own)
    }

    /// Can a message be lost on its way?
    #[must_use]
    pub fn loses_messages(&self) -> bool {
        let CommonSettings { transport, sharing, .. } = self.common();
        transport.delivery == Delivery::Datagram && (self.losses().any(Loss::is_possible) || sharing.drops())
    }

    /// The files that it needs: the topology, tables of measurements.
    #[must_use]
    pub fn files(&self) -> Vec<&str> {
        let CommonSettings { client_up, client_down, latency, up_trace, down_trace, .. } = self.common();
        let (mut files, mut tables) = (Vec::new(), Vec::new());
        if let Self::Graph { sites, link_capacity, link_latency, .. } = self {
            files.extend(sites.file());
            tables.push(if let LinkCapacity::Law(law) = link_capacity { law.table() } else { None });
            tables.push(if let LinkLatency::Law(law) = link_latency { law.table() } else { None });
        }
        tables.extend([client_up.table(), client_down.table(), latency.table()]);
        files.extend(tables.into_iter().flatten().map(|table| table.path));
        files.extend([up_trace, down_trace].into_iter().flatten().filter_map(RateTrace::file));
        files
    }
}

/// The fields of a network fit each other.
fn fits(network: &NetworkSetting, at: &Path<'_>, _: &Facts, findings: &mut Findings) {
    let common = network.common();
    if let Some(law) = common.jitter {
        jitter(law, &at.field("jitter"), findings);
    }
    transport(network, &at.field("transport"), findings);
    traces(&common, at, findings);
    flows_of_others(&common, common.background, at, findings);
    match network {
        NetworkSetting::Star { .. } => background_below(&common, at, findings),
        NetworkSetting::Graph { links, .. } => {
            let of_links = at.field("links");
            for (index, link) in links.iter().enumerate() {
                let at = of_links.index(index);
                link.background.iter().for_each(|own| flows_of_others(&common, own, &at, findings));
            }
            link_sources(network, at, findings);
        }
    }
}

fn jitter(law: &DurationLaw, at: &Path<'_>, findings: &mut Findings) {
    if reaches_beyond_a_year(law) {
        findings.caveat(at, "draws beyond a year are cut to a year");
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

/// A trace says the rate, and nothing else does.
fn traces(common: &CommonSettings<'_>, at: &Path<'_>, findings: &mut Findings) {
    let rates = [
        ("client_up", common.up_trace, *common.client_up != ten_mbps()),
        ("client_down", common.down_trace, *common.client_down != fifty_mbps()),
    ];
    for (name, trace, given) in rates {
        if trace.is_some() && given {
            findings.no_effect(at.field(name), "a trace says the rate");
        }
    }
}

/// Something can be lost where lost packets are sent again.
fn transport(network: &NetworkSetting, at: &Path<'_>, findings: &mut Findings) {
    let CommonSettings { transport, sharing, .. } = network.common();
    // A loss that is written down as 0 is the beginning of an axis, and no mistake.
    let nothing_is_lost = network.losses().all(|loss| loss == Loss::Never) && !sharing.drops();
    if transport.delivery != Delivery::Datagram && nothing_is_lost {
        let why =
            "nothing is lost: there is no `loss` and no finite `buffer` (`loss: Bernoulli(0)` says that it is meant)";
        findings.no_effect(at.field("delivery"), why);
    }
}

/// Others slow us down where transfers share.
fn flows_of_others(common: &CommonSettings<'_>, background: &Background, at: &Path<'_>, findings: &mut Findings) {
    if matches!(background, Background::OnOff { .. }) && !common.sharing.contends() {
        let why = format!("with `sharing: {}` nobody slows anybody", common.sharing.part_name());
        findings.no_effect(at.field("background"), &why);
    }
}

/// A constant background leaves something of the server's links.
fn background_below(common: &CommonSettings<'_>, at: &Path<'_>, findings: &mut Findings) {
    let Background::Rate(others) = common.background else { return };
    for (name, rate) in [("server_up", common.server_up), ("server_down", common.server_down)] {
        if rate.bits_per_second() - others.bits_per_second() < 1.0 {
            let message = format!("the background leaves nothing of `{name}`");
            findings.error(at.field("background"), message, format!("expected a rate below that of `{name}`"));
        }
    }
}

/// Capacities and latencies that files or places should tell can be told by them.
fn link_sources(network: &NetworkSetting, at: &Path<'_>, findings: &mut Findings) {
    let NetworkSetting::Graph { sites, link_capacity, link_latency, .. } = network else { return };
    let from_file = sites.file().is_some();
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
