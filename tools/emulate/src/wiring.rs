//! What is emulated: nodes, links and their queues, packets. It must not know sockets.

use std::net::Ipv4Addr;
use std::sync::Arc;

use fedbits_kernel::Framing;
use fedbits_kernel::network::{LinkId, Routes, transport::Loss};

use crate::error::EmulateError;

/// One namespace, one device and one poll entry each: beyond this a machine emulates itself.
pub const MAX_NODES: u32 = 200;
/// Room of a queue that is said to be deep.
pub const DEEP: u64 = 10_000_000;
/// Headers of IPv4 and TCP, and of TCP's timestamps.
const PLAIN_HEADERS: u64 = 40;
const TIMESTAMPS: u64 = 12;
/// Bytes of a segment that TCP can be held to: less is below its least, more is beyond a packet.
const SEGMENTS: std::ops::RangeInclusive<u64> = 88..=65_000;

/// The queue of one direction of a link.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Queue {
    /// Does it send a packet of each pair of nodes in turn, and not in the order in which they came?
    pub is_fair: bool,
    /// Bytes that may wait; what finds no room is dropped.
    pub room: u64,
}

impl Default for Queue {
    fn default() -> Self {
        Self { is_fair: false, room: DEEP }
    }
}

/// Says something of each direction of a link.
pub type OfLinks<T> = Arc<dyn Fn(LinkId) -> T + Send + Sync>;

/// A network to be emulated.
#[derive(Clone)]
pub struct Wiring {
    /// Nodes, from 0.
    pub nodes: u32,
    /// The links and the routes over them: those of the simulation.
    pub routes: Arc<dyn Routes + Sync>,
    /// Header and segment of a packet.
    pub framing: Framing,
    /// The queue of each direction of a link.
    pub queue: OfLinks<Queue>,
    /// Its losses.
    pub loss: OfLinks<Loss>,
    /// The root of the draws of losses.
    pub seed: u64,
}

impl Wiring {
    /// A network with deep queues that loses nothing.
    #[must_use]
    pub fn new(nodes: u32, routes: Arc<dyn Routes + Sync>, framing: Framing) -> Self {
        let queue = Arc::new(|_| Queue::default());
        Self { nodes, routes, framing, queue, loss: Arc::new(|_| Loss::Never), seed: 1 }
    }

    /// Which packets TCP has to send so that a full one holds one segment.
    ///
    /// # Errors
    /// When it cannot.
    pub fn packets(&self) -> Result<PacketSizes, EmulateError> {
        let Framing { header, segment } = self.framing;
        let (header, segment) = (header.count() / 8, segment.count() / 8);
        if !SEGMENTS.contains(&segment) {
            let (least, most) = (SEGMENTS.start(), SEGMENTS.end());
            return Err(EmulateError::Unfit(format!(
                "TCP sends no segments of {segment} bytes: expected `headers` with segments from {least} to {most}"
            )));
        }
        let timestamps = header == PLAIN_HEADERS + TIMESTAMPS || header == PLAIN_HEADERS + TIMESTAMPS + 14;
        let headers = PLAIN_HEADERS + if timestamps { TIMESTAMPS } else { 0 };
        Ok(PacketSizes { mtu: (segment + headers) as u32, timestamps, header })
    }

    /// Can it be emulated at all?
    ///
    /// # Errors
    /// When it has too many nodes, or segments that TCP cannot send.
    pub fn check(&self) -> Result<PacketSizes, EmulateError> {
        let nodes = self.nodes;
        if !(2..=MAX_NODES).contains(&nodes) {
            return Err(EmulateError::Unfit(format!(
                "a network of {nodes} nodes is not emulated: each needs a namespace of its own, and this takes 2 to \
                 {MAX_NODES}"
            )));
        }
        let Framing { header, segment } = self.framing;
        let packet = (header + segment).count() / 8;
        if (0..self.routes.link_count() as u32).any(|link| (self.queue)(LinkId(link)).room < packet) {
            return Err(EmulateError::Unfit(format!(
                "a queue has no room for a packet of {packet} bytes, and nothing would arrive: expected more room"
            )));
        }
        self.packets()
    }
}

/// How real packets stand for those of the framing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PacketSizes {
    /// The longest packet with the headers of IP and TCP.
    pub mtu: u32,
    /// Does TCP send its timestamps?
    pub timestamps: bool,
    /// Bytes that a packet is charged for its headers.
    pub header: u64,
}

/// The address of a node.
pub(crate) fn address_of(node: u32) -> Ipv4Addr {
    Ipv4Addr::from(0x0a00_0001 + node)
}

/// The node at an address.
pub(crate) fn node_at(address: u32) -> Option<u32> {
    address.checked_sub(0x0a00_0001).filter(|&node| node < MAX_NODES)
}
