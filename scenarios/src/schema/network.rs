//! The network: where its links lie, how transfers share them, how messages are carried. This file must not know the
//! engine.

use serde::{Deserialize, Serialize};

use super::topology::{LinkCapacity, LinkLatency, LinkSettings, Placement, SiteName, Sites};
use super::{Duration, Rate, Size};
use super::{DurationLaw, RateLaw};

/// The network between the server and the clients.
#[derive(Clone, Debug, Deserialize, PartialEq, Serialize)]
#[serde(deny_unknown_fields)]
#[expect(clippy::large_enum_variant, reason = "there is one per scenario, and its fields are those of the file")]
pub enum Network {
    /// One server, an access link per client, in each direction its own rate.
    Star {
        /// Rate out of the server, shared by all its transfers; default `Gbps(1)`.
        #[serde(default = "one_gbps")]
        server_up: Rate,
        /// Rate into the server, shared by all transfers to it; default `Gbps(1)`.
        #[serde(default = "one_gbps")]
        server_down: Rate,
        /// Rate from a client; default `Mbps(10)`.
        #[serde(default = "ten_mbps")]
        client_up: RateLaw,
        /// Rate to a client; default `Mbps(50)`.
        #[serde(default = "fifty_mbps")]
        client_down: RateLaw,
        /// One-way delay of a client's access link; default `Ms(40)`.
        #[serde(default = "forty_ms")]
        latency: DurationLaw,
        /// Losses on the clients' access links; default `Never`.
        #[serde(default)]
        loss: Loss,
        /// Traffic of others on the server's link, in either direction; default `Quiet`.
        #[serde(default)]
        background: Background,
        /// A further delay of each message, drawn anew; default none.
        #[serde(default)]
        jitter: Option<DurationLaw>,
        /// What is done besides sending; default nothing.
        #[serde(default)]
        transport: Transport,
        /// How transfers share links; default `FairShare`.
        #[serde(default)]
        sharing: Sharing,
        /// Bytes of headers per segment; 0 to 10 000, default 40.
        #[serde(default = "forty")]
        header_bytes: u32,
        /// Bytes of payload per segment; 1 to 1 000 000, default 1460.
        #[serde(default = "ethernet")]
        segment_bytes: u32,
    },
    /// Sites joined by links; the server and the clients are attached to sites by access links. Routes are the shortest
    /// by latency.
    Graph {
        /// The sites and who is joined to whom.
        sites: Sites,
        /// Capacity of the links between sites, in either direction; default `Law(Gbps(1))`.
        #[serde(default)]
        link_capacity: LinkCapacity,
        /// One-way delay of the links between sites; default `Law(Ms(5))`.
        #[serde(default)]
        link_latency: LinkLatency,
        /// Losses on the links between sites; default `Never`.
        #[serde(default)]
        link_loss: Loss,
        /// Links between sites that differ from the others; default none.
        #[serde(default)]
        links: Vec<LinkSettings>,
        /// The server's site; default `Index(0)`.
        #[serde(default)]
        server: SiteName,
        /// The clients' sites; default `Others`.
        #[serde(default)]
        clients: Placement,
        /// Rate from the server to its site; default `Gbps(1)`.
        #[serde(default = "one_gbps")]
        server_up: Rate,
        /// Rate from its site to the server; default `Gbps(1)`.
        #[serde(default = "one_gbps")]
        server_down: Rate,
        /// Rate from a client to its site; default `Mbps(10)`.
        #[serde(default = "ten_mbps")]
        client_up: RateLaw,
        /// Rate from its site to a client; default `Mbps(50)`.
        #[serde(default = "fifty_mbps")]
        client_down: RateLaw,
        /// One-way delay of a client's access link; default `Ms(5)`.
        #[serde(default = "five_ms")]
        latency: DurationLaw,
        /// Losses on the clients' access links; default `Never`.
        #[serde(default)]
        loss: Loss,
        /// Traffic of others on every link between sites, in either direction; default `Quiet`.
        #[serde(default)]
        background: Background,
        /// A further delay of each message, drawn anew; default none.
        #[serde(default)]
        jitter: Option<DurationLaw>,
        /// What is done besides sending; default nothing.
        #[serde(default)]
        transport: Transport,
        /// How transfers share links; default `FairShare`.
        #[serde(default)]
        sharing: Sharing,
        /// Bytes of headers per segment; 0 to 10 000, default 40.
        #[serde(default = "forty")]
        header_bytes: u32,
        /// Bytes of payload per segment; 1 to 1 000 000, default 1460.
        #[serde(default = "ethernet")]
        segment_bytes: u32,
    },
}

/// What both kinds of network say about messages and links, by reference.
#[derive(Clone, Copy, Debug)]
pub struct Carriage<'a> {
    /// Losses on access links.
    pub loss: Loss,
    /// Losses on links between sites; those of the star, which has none, are `Never`.
    pub link_loss: Loss,
    /// Links between sites that differ from the others.
    pub links: &'a [LinkSettings],
    /// Traffic of others.
    pub background: Background,
    /// Delays of single messages.
    pub jitter: Option<&'a DurationLaw>,
    /// What is done besides sending.
    pub transport: Transport,
    /// How transfers share links.
    pub sharing: Sharing,
    /// Bytes of headers per segment.
    pub header_bytes: u32,
    /// Bytes of payload per segment.
    pub segment_bytes: u32,
}

impl Carriage<'_> {
    /// Every setting of losses that there is.
    pub fn losses(&self) -> impl Iterator<Item = Loss> {
        [self.loss, self.link_loss].into_iter().chain(self.links.iter().filter_map(|link| link.loss))
    }

    /// Can a link lose a packet?
    #[must_use]
    pub fn loses_packets(&self) -> bool {
        self.losses().any(Loss::strikes)
    }
}

/// The links of the server and of the clients, by reference.
#[derive(Clone, Copy, Debug)]
pub struct Access<'a> {
    /// Rate out of the server.
    pub server_up: Rate,
    /// Rate into the server.
    pub server_down: Rate,
    /// Rate from a client.
    pub client_up: &'a RateLaw,
    /// Rate to a client.
    pub client_down: &'a RateLaw,
    /// One-way delay of a client's link.
    pub latency: &'a DurationLaw,
}

impl Network {
    /// A graph of these sites with every default.
    #[must_use]
    pub fn graph(sites: Sites) -> Self {
        Network::Graph {
            sites,
            link_capacity: LinkCapacity::default(),
            link_latency: LinkLatency::default(),
            link_loss: Loss::default(),
            links: Vec::new(),
            server: SiteName::default(),
            clients: Placement::default(),
            server_up: one_gbps(),
            server_down: one_gbps(),
            client_up: ten_mbps(),
            client_down: fifty_mbps(),
            latency: five_ms(),
            loss: Loss::default(),
            background: Background::default(),
            jitter: None,
            transport: Transport::default(),
            sharing: Sharing::default(),
            header_bytes: forty(),
            segment_bytes: ethernet(),
        }
    }

    /// Can a message be lost in flight?
    #[must_use]
    pub fn loses_messages(&self) -> bool {
        let carriage = self.carriage();
        let drops = matches!(carriage.sharing, Sharing::Fifo { buffer: Some(_), .. });
        carriage.transport.delivery == Delivery::Datagram && (carriage.loses_packets() || drops)
    }

    /// What it says about messages and links.
    #[must_use]
    pub fn carriage(&self) -> Carriage<'_> {
        match self {
            Network::Star { loss, background, jitter, transport, sharing, header_bytes, segment_bytes, .. } => {
                Carriage {
                    loss: *loss,
                    link_loss: Loss::Never,
                    links: &[],
                    background: *background,
                    jitter: jitter.as_ref(),
                    transport: *transport,
                    sharing: *sharing,
                    header_bytes: *header_bytes,
                    segment_bytes: *segment_bytes,
                }
            }
            Network::Graph {
                loss,
                link_loss,
                links,
                background,
                jitter,
                transport,
                sharing,
                header_bytes,
                segment_bytes,
                ..
            } => Carriage {
                loss: *loss,
                link_loss: *link_loss,
                links,
                background: *background,
                jitter: jitter.as_ref(),
                transport: *transport,
                sharing: *sharing,
                header_bytes: *header_bytes,
                segment_bytes: *segment_bytes,
            },
        }
    }

    /// Its access links.
    #[must_use]
    pub fn access(&self) -> Access<'_> {
        let (Network::Star { server_up, server_down, client_up, client_down, latency, .. }
        | Network::Graph { server_up, server_down, client_up, client_down, latency, .. }) = self;
        Access { server_up: *server_up, server_down: *server_down, client_up, client_down, latency }
    }
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

fn forty() -> u32 {
    40
}

fn ethernet() -> u32 {
    1460
}

impl Default for Network {
    fn default() -> Self {
        Network::Star {
            server_up: one_gbps(),
            server_down: one_gbps(),
            client_up: ten_mbps(),
            client_down: fifty_mbps(),
            latency: forty_ms(),
            loss: Loss::default(),
            background: Background::default(),
            jitter: None,
            transport: Transport::default(),
            sharing: Sharing::default(),
            header_bytes: forty(),
            segment_bytes: ethernet(),
        }
    }
}

/// How concurrent transfers share links.
#[derive(Clone, Copy, Debug, Default, Deserialize, PartialEq, Serialize)]
#[serde(deny_unknown_fields)]
pub enum Sharing {
    /// No contention: latency + bits / slowest link.
    Ideal,
    /// Max–min fair rates, updated whenever a transfer starts or ends.
    #[default]
    FairShare,
    /// The same with rates in proportion to 1 / latency of the route, as TCP shares (the model CM02 of SimGrid).
    WeightedFairShare,
    /// Store and forward: each direction of a link sends one unit after the other.
    Fifo {
        /// What is stored and sent as a whole; default `Packet`.
        #[serde(default)]
        unit: Unit,
        /// Room of the queue of each link on the route, beside the unit being sent; the sender's own is its memory.
        /// What finds no room is lost. Default none: room for everything.
        #[serde(default)]
        buffer: Option<Size>,
    },
}

/// What `Fifo` stores and sends as a whole.
#[derive(Clone, Copy, Debug, Default, Deserialize, Eq, PartialEq, Serialize)]
pub enum Unit {
    /// A segment with its header.
    #[default]
    Packet,
    /// A message.
    Message,
}

/// How a link loses packets.
#[derive(Clone, Copy, Debug, Default, Deserialize, PartialEq, Serialize)]
#[serde(deny_unknown_fields)]
pub enum Loss {
    /// Not at all.
    #[default]
    Never,
    /// Each packet with this probability, independently; in [0, 1), where 0 is as `Never`: for an axis that begins
    /// there.
    Bernoulli(f64),
    /// In bursts: the link is good or bad, and changes between packets.
    GilbertElliott {
        /// Probability per packet that a good link turns bad; in (0, 1].
        to_bad: f64,
        /// Probability per packet that a bad link turns good; in (0, 1].
        to_good: f64,
        /// Probability of loss while good; in [0, 1), default 0.
        #[serde(default)]
        in_good: f64,
        /// Probability of loss while bad; in (0, 1], default 1.
        #[serde(default = "certain")]
        in_bad: f64,
    },
}

impl Loss {
    /// Can it lose a packet at all?
    #[must_use]
    pub fn strikes(self) -> bool {
        !matches!(self, Loss::Never | Loss::Bernoulli(0.0))
    }
}

fn certain() -> f64 {
    1.0
}

/// Traffic of others. Where sharing has weights, a flow of `OnOff` is as far away as its link's latency says; on a link
/// without latency (the server's in a star) as the mean latency of the links that have one.
#[derive(Clone, Copy, Debug, Default, Deserialize, PartialEq, Serialize)]
#[serde(deny_unknown_fields)]
pub enum Background {
    /// None.
    #[default]
    Quiet,
    /// A constant rate that is taken off the capacity; below it.
    Rate(Rate),
    /// Flows that come and go and share like ours: off for an exponential duration, then an exponential number of bits,
    /// and so on.
    OnOff {
        /// Flows per link and direction; 1 to 1000.
        flows: u32,
        /// Mean duration between two transfers of a flow; above 0.
        mean_off: Duration,
        /// Mean size of a transfer; above 0.
        mean_size: Size,
    },
}

/// What is done for a message besides sending it.
#[derive(Clone, Copy, Debug, Default, Deserialize, PartialEq, Serialize)]
#[serde(deny_unknown_fields, default)]
pub struct Transport {
    /// What is done about lost packets; default `Datagram`.
    pub delivery: Delivery,
    /// Round trips to set up the connection before each message, with two headers each; 0 to 10, default 0. A round
    /// trip here is the latency of both directions: the headers are charged as bits, and take no time on the links.
    pub set_up: u32,
    /// Slow start: the first window in segments, doubled each round trip until the route's rate is reached; 1 to 1 000
    /// 000. Default none.
    pub slow_start: Option<u32>,
}

/// What is done about lost packets.
#[derive(Clone, Copy, Debug, Default, Deserialize, PartialEq, Serialize)]
pub enum Delivery {
    /// Nothing: a lost packet loses its message.
    #[default]
    Datagram,
    /// They are sent again until they arrive (at most 1000 times); what is sent again is charged and takes time.
    Reliable(Repair),
}

/// When lost packets are sent again.
#[derive(Clone, Copy, Debug, Deserialize, PartialEq, Serialize)]
pub enum Repair {
    /// When the receiver has told what is missing: after the latency of the route back.
    RoundTrip,
    /// So long after they should have arrived; above 0.
    Timeout(Duration),
}
