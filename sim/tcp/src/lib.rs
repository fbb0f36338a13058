//! TCP, packet by packet: windows that acknowledgements move on, queues with room, losses and their repair.
//!
//! Two nodes have one connection, which both directions use and which is kept; a transfer is a message on the stream of
//! its direction and has arrived when its last packet has and all before it. Messages of one direction go one after the
//! other, as those of an application that writes them to one socket. The first transfer of a connection sets it up.
//!
//! The model follows Linux 6.18: slow start, Cubic (RFC 9438) with HyStart or Reno (RFC 5681), selective
//! acknowledgements, RACK and tail-loss probes (RFC 8985), proportional rate reduction (RFC 6937), delayed
//! acknowledgements, windows that shrink after a rest. Links store and forward packets at exact integer times. What is
//! due at the same time happens in this order: links by number, then directions of connections.
//!
//! Left out: pacing, send buffers and the growth of receive windows (they are 3 MiB from the start, and grow only to
//! tell when acknowledgements are sent), packets of several segments, the bits of selective acknowledgements in
//! headers.
//!
//! A network without chance is more regular than a real one: equal clients that start at the same instant fill a queue
//! with little room always in the same order, so the same ones lose packets again and again (phase effects, Floyd and
//! Jacobson, On traffic phase effects in packet-switched gateways, 1992). Their last ends as in reality, single ones do
//! not; unequal latencies help.
//!
//! Work and memory: 30 to 200 ns per packet and link, with thousands of connections at work up to 500, so a transfer of
//! 10¹² bits takes a few seconds per link. A connection takes 2 kB, and what is on the way, at most its window, 100 to
//! 200 bytes per packet. A transfer whose packets are lost again and again is given up after 15 timeouts in a row,
//! about 15 minutes, and one whose connection cannot be set up after 127 s: what has not arrived of it is told as lost,
//! and what has not even left as unsent, as is that of every other transfer on the connection.

mod agenda;
mod congestion;
mod connection;
mod link;
mod packet;
mod receiver;
mod round_trip;
mod scoreboard;
mod sender;
mod set_up;
mod wires;

use std::collections::BTreeMap;
use std::sync::Arc;

use fedbits_kernel::network::{
    FlowId, LinkId, MANY_STEPS, Network, Outcome, Packets, Routes, SharedLinks, SharingSetting, Slot, Slots, Transfer,
};
use fedbits_kernel::{Bits, NodeId, Time};
use fedbits_spec::Described;
use serde::{Deserialize, Serialize};

pub use congestion::Congestion;
use connection::{Common, Connection, Message, Verdict, Way};
use packet::Packet;
use wires::{Event, Wires};

/// Bits that a receiver has room for: half of Linux's `tcp_rmem` limit of 6 MiB, the rest of which is overhead.
const RECEIVE_WINDOW: u64 = 3 << 23;

/// Packet-level TCP: acknowledged windows, finite queues (`queues`), losses and their repair. Slower than the flow
/// models, and closest to Linux hosts.
#[derive(Clone, Copy, Debug, Described, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub struct Tcp {
    /// Congestion control.
    #[serde(default)]
    pub congestion: Congestion,
}

impl SharingSetting for Tcp {
    fn build(&self, links: SharedLinks) -> Box<dyn Network> {
        Box::new(TcpPackets::new(links, self.congestion))
    }

    fn has_flows(&self) -> bool {
        false
    }

    fn is_transport(&self) -> bool {
        true
    }

    fn examples() -> Vec<Self> {
        [Congestion::Cubic, Congestion::Reno].map(|congestion| Self { congestion }).into()
    }
}

/// Packets of TCP connections over any [`Routes`].
///
/// ```
/// use std::sync::Arc;
///
/// use fedbits_kernel::network::transport::Transport;
/// use fedbits_kernel::network::{AccessLink, Network, SharedLinks, StarLinks, Transfer};
/// use fedbits_kernel::{Bits, Framing, NodeId, Rate, Time, TimeDelta};
/// use fedbits_tcp::{Congestion, TcpPackets};
///
/// let rate = |mbps: u64| Rate::new(mbps * 1_000_000).unwrap();
/// let client = AccessLink { up: rate(10), down: rate(10), latency: TimeDelta::from_nanos(20_000_000) };
/// let star = StarLinks { server_up: rate(1_000), server_down: rate(1_000), clients: vec![client] };
/// let framing = Framing { header: Bits::new(320), segment: Bits::new(11_680) };
/// let transport = Transport { acknowledgements: true, ..Transport::default() };
/// let links = SharedLinks { transport, ..SharedLinks::plain(Arc::new(star), framing) };
/// let mut network = TcpPackets::new(links, Congestion::Cubic);
/// network.start(Time::ZERO, Transfer::new(NodeId(1), NodeId(0), Bits::new(10 * 12_000)));
/// // 40 ms of set-up, 20 ms of latency, ten packets of 1.2 ms, and half a millisecond for headers and the second link.
/// let mut completed = Vec::new();
/// let end = network.advance_to_completion(None, &mut completed).unwrap();
/// assert!((72.0..72.6).contains(&(end.as_seconds() * 1e3)), "{end}");
/// ```
pub struct TcpPackets {
    routes: Arc<dyn Routes + Sync>,
    common: Common,
    wires: Wires,
    /// The connection of two nodes, the smaller one first.
    pairs: BTreeMap<(NodeId, NodeId), u32>,
    connections: Vec<Connection>,
    slots: Slots<Flow>,
    /// Slots of messages that go onto a new connection, and since when they wait: until time goes on, because what cuts
    /// off their last one, such as the end of the run, may cut them off as well.
    anew: Vec<u32>,
    waits_since: u64,
    /// Room for a route, and for messages that have arrived.
    links: Vec<LinkId>,
    done: Vec<Message>,
}

/// A transfer.
#[derive(Clone, Copy, Debug)]
struct Flow {
    order: u64,
    connection: u32,
    direction: usize,
    bits: Bits,
    in_flight: bool,
    /// Bits that had left on connections that were reset under it: on all of them, and the most on one.
    earlier: Bits,
    furthest: Bits,
    outcome: Outcome,
}

impl Slot for Flow {}

impl TcpPackets {
    /// An idle network over `links`. Every packet may be lost on each of them, also headers and acknowledgements.
    ///
    /// # Panics
    /// If a segment with its header has no bits, or 2³² or more.
    pub fn new(links: SharedLinks, congestion: Congestion) -> Self {
        let SharedLinks { routes, framing, transport, queues, losses, streams } = links;
        let packet = framing.header + framing.segment;
        let small = |bits: Bits| u32::try_from(bits.count()).expect("a packet has less than 2^32 bits");
        assert!(packet > Bits::ZERO, "a packet has at least one bit");
        let common = Common {
            packet: small(packet),
            header: small(framing.header),
            congestion,
            // A window that holds nobody back is as large as what the receiver has room for.
            initial_window: u64::from(transport.slow_start.unwrap_or(u32::MAX).max(1)),
            most: (RECEIVE_WINDOW / packet.count()).max(2),
            set_up: transport.set_up,
            restart_after_idle: transport.restart_after_idle,
            acknowledgements: transport.acknowledgements,
        };
        let sizes = [common.packet, common.header];
        Self {
            wires: Wires::new(&*routes, &queues, &losses, sizes, &streams),
            routes,
            common,
            pairs: BTreeMap::new(),
            connections: Vec::new(),
            slots: Slots::default(),
            anew: Vec::new(),
            waits_since: 0,
            links: Vec::new(),
            done: Vec::new(),
        }
    }

    /// Bits that a link was given to send so far: data, headers, acknowledgements and what was sent again.
    ///
    /// # Panics
    /// If there is no such link.
    pub fn carried(&self, link: LinkId) -> Bits {
        Bits::new(self.wires.bits(link))
    }

    /// The window of the sender at `from` towards `to`, in packets; none without a connection.
    pub fn window(&self, from: NodeId, to: NodeId) -> Option<u64> {
        let number = *self.pairs.get(&(from.min(to), from.max(to)))?;
        Some(self.connections[number as usize].halves[usize::from(from > to)].sender.window.size)
    }

    /// The connection of two nodes, and the direction from the one to the other.
    fn connect(&mut self, now: u64, from: NodeId, to: NodeId) -> (u32, usize) {
        let (one, other) = (from.min(to), from.max(to));
        let direction = usize::from(from > to);
        if let Some(&number) = self.pairs.get(&(one, other)) {
            return (number, direction);
        }
        let ways = [(one, other), (other, one)].map(|(from, to)| {
            let latency = self.routes.route(from, to, &mut self.links).as_nanos();
            let place = self.wires.add_route(&self.links);
            Way { place, latency, is_fair: self.wires.is_fair(place) }
        });
        let number = u32::try_from(self.connections.len()).expect("fewer than 2^32 connections");
        self.pairs.insert((one, other), number);
        self.connections.push(Connection::new(number, ways, now, &self.common));
        self.wires.agenda.extend(self.wires.link_count() + 2 * self.connections.len());
        (number, direction)
    }

    fn run(&mut self, to: u64) {
        if self.waits_since < to {
            self.send_anew();
        }
        while let Some((at, number)) = self.wires.agenda.first().filter(|&(at, _)| at <= to) {
            self.step(at, number);
        }
    }

    /// Messages that wait for a new connection are given to it.
    fn send_anew(&mut self) {
        for slot in std::mem::take(&mut self.anew) {
            let Flow { connection, direction, bits, .. } = self.slots.flows[slot as usize];
            let connection = &mut self.connections[connection as usize];
            connection.append(self.waits_since, direction, slot, bits, &mut self.wires, &self.common);
        }
    }

    /// What is due next happens.
    #[inline]
    fn step(&mut self, now: u64, number: u32) {
        if let Some(half) = (number as usize).checked_sub(self.wires.link_count()) {
            return self.ring(now, half / 2, half & 1);
        }
        match self.wires.step(now, number) {
            Event::Nothing => {}
            Event::Arrived(packet) => self.arrived(now, packet),
            Event::Left(gone, next) => {
                if let Some((at, packet)) = next {
                    let connection = &mut self.connections[packet.half as usize / 2];
                    if connection.is_first(&packet) {
                        connection.leaves(packet.half as usize & 1, packet.number, at);
                    }
                }
                let connection = &mut self.connections[gone.half as usize / 2];
                if connection.is_first(&gone) {
                    connection.has_left(now, gone.half as usize & 1, &mut self.wires, &self.common);
                }
            }
        }
    }

    #[inline]
    fn arrived(&mut self, now: u64, packet: Packet) {
        let number = packet.half / 2;
        let connection = &mut self.connections[number as usize];
        if packet.epoch != connection.epoch {
            return;
        }
        connection.arrive(now, packet, &mut self.wires, &self.common, &mut self.done);
        while let Some(message) = self.done.pop() {
            self.end(now, message.slot, Packets::default(), message.bits);
        }
    }

    fn ring(&mut self, now: u64, number: usize, direction: usize) {
        let connection = &mut self.connections[number];
        let (verdict, arrived) = connection.ring(now, direction, &mut self.wires, &self.common);
        if let Some(packet) = arrived {
            self.arrived(now, packet);
        }
        if verdict == Verdict::GivenUp {
            self.give_up(now, number);
        }
    }

    /// Nothing more arrives: all transfers of the connection end.
    fn give_up(&mut self, now: u64, number: usize) {
        let connection = &self.connections[number];
        let mut ended = Vec::new();
        for (d, half) in connection.halves.iter().enumerate() {
            for message in &half.messages {
                let (count, bits) = message.missing(half.receiver.next, self.common.packet);
                let left = connection.left(now, d, message, &self.wires, &self.common);
                ended.push((message.slot, Packets { count, bits }, left));
            }
        }
        for (slot, lost, left) in ended {
            self.end(now, slot, lost, left);
        }
        self.connections[number].reset(now, &self.common);
    }

    /// A transfer of which `left` bits have left on its connection has arrived or is given up.
    fn end(&mut self, now: u64, slot: u32, lost: Packets, left: Bits) {
        let sent = self.charge(slot, left);
        let flow = &mut self.slots.flows[slot as usize];
        (flow.outcome.lost, flow.outcome.unsent) = (lost, flow.bits - sent);
        let order = flow.order;
        self.slots.finish(Time::from_nanos(now), order, slot);
    }

    /// A transfer of which `left` bits have left on its connection is no longer in flight; it is charged what nobody
    /// was charged for yet. Tells its bits that were sent at all; what left on connections before this one, beyond
    /// these, was sent again.
    fn charge(&mut self, slot: u32, left: Bits) -> Bits {
        let flow = &mut self.slots.flows[slot as usize];
        let sent = left.max(flow.furthest);
        let new = self.connections[flow.connection as usize].uncharged(flow.direction);
        let again = flow.earlier + left - sent;
        flow.outcome = Outcome { retransmitted: new.retransmitted + again, ..new };
        flow.in_flight = false;
        sent
    }

    /// Resets the connection of a flow that is cut off, and lets its other messages wait for a new one; tells the bits
    /// that have left.
    fn cut_off(&mut self, now: u64, slot: u32) -> Bits {
        if let Some(at) = self.anew.iter().position(|&waiting| waiting == slot) {
            self.anew.remove(at);
            return Bits::ZERO;
        }
        let Flow { connection, .. } = self.slots.flows[slot as usize];
        let connection = &mut self.connections[connection as usize];
        let (mut sent, mut renewed) = (Bits::ZERO, Vec::new());
        for d in [0, 1] {
            for message in connection.halves[d].messages.clone() {
                let left = connection.left(now, d, &message, &self.wires, &self.common);
                if message.slot == slot {
                    sent = left;
                } else {
                    let flow = &mut self.slots.flows[message.slot as usize];
                    flow.earlier += left;
                    flow.furthest = flow.furthest.max(left);
                    renewed.push((flow.order, message.slot));
                }
            }
        }
        connection.reset(now, &self.common);
        renewed.sort_unstable();
        self.anew.extend(renewed.into_iter().map(|(_, slot)| slot));
        self.waits_since = now;
        sent
    }
}

impl Network for TcpPackets {
    fn start(&mut self, now: Time, transfer: Transfer) -> FlowId {
        let now = now.as_nanos();
        self.run(now);
        self.send_anew();
        let Transfer { from, to, bits, .. } = transfer;
        let (connection, direction) = self.connect(now, from, to);
        let flow = |order| Flow {
            order,
            connection,
            direction,
            bits,
            in_flight: true,
            earlier: Bits::ZERO,
            furthest: Bits::ZERO,
            outcome: Outcome::default(),
        };
        let slot = self.slots.insert(flow);
        let connection = &mut self.connections[connection as usize];
        connection.append(now, direction, slot, bits, &mut self.wires, &self.common);
        FlowId(slot)
    }

    fn next_completion(&mut self) -> Option<Time> {
        // Whoever asks may cut off more at this instant: what waits sends when time goes on.
        let anew = (!self.anew.is_empty()).then(|| self.waits_since.saturating_add(1));
        let next = self.wires.agenda.first().filter(|_| self.slots.in_flight() > 0).map(|(at, _)| at);
        let ours = next.into_iter().chain(anew).min().map(Time::from_nanos);
        self.slots.first_finished().into_iter().chain(ours).min()
    }

    fn advance(&mut self, to: Time, completed: &mut Vec<FlowId>) {
        self.run(to.as_nanos());
        self.slots.tell(completed);
    }

    fn advance_to_completion(&mut self, horizon: Option<Time>, completed: &mut Vec<FlowId>) -> Option<Time> {
        let (horizon, mut steps) = (horizon.map_or(u64::MAX, Time::as_nanos), 0);
        if self.waits_since < horizon {
            self.send_anew();
        }
        while self.slots.first_finished().is_none() {
            let next = self.wires.agenda.first().filter(|&(at, _)| at <= horizon && self.slots.in_flight() > 0);
            let (at, number) = next?;
            self.step(at, number);
            steps += 1;
            if steps == MANY_STEPS && self.slots.first_finished().is_none() {
                return Some(Time::from_nanos(at));
            }
        }
        let at = self.slots.first_finished()?;
        self.run(at.as_nanos());
        self.slots.tell(completed);
        Some(at)
    }

    fn abort(&mut self, now: Time, flow: FlowId) -> Bits {
        let now = now.as_nanos();
        self.run(now);
        let Flow { bits, in_flight, outcome, .. } = self.slots.flows[flow.0 as usize];
        let sent = if in_flight {
            let left = self.cut_off(now, flow.0);
            self.charge(flow.0, left)
        } else {
            assert!(self.slots.forget_finished(flow.0), "only a flow in flight is aborted");
            bits - outcome.unsent
        };
        self.slots.release(flow.0);
        sent
    }

    fn outcome(&mut self, flow: FlowId) -> Outcome {
        self.slots.flows[flow.0 as usize].outcome
    }

    fn routes(&self) -> Option<&dyn Routes> {
        Some(&*self.routes)
    }
}
