//! Transport: what happens to a transfer besides sharing links. A [`TransportLayer`] wraps a network and adds, as far
//! as asked for: connections with their set-up and their windows, jitter, losses of packets, and sending lost packets
//! again.
//!
//! The window of a sender in slow start goes with its transfer, and sharing holds the transfer back by it. Networks
//! that do not heed windows have the stalls of a lone transfer laid before it ([`stall`]).
//!
//! *Datagram*: a lost packet loses the message. *Reliable*: lost packets are sent again until all have arrived; each
//! repetition is a transfer of its own over the same network, after the repair duration. What of a transfer is lost is
//! drawn when it has ended, link by link along its route: a packet that is lost on a link does not cross the next. It
//! has used its whole route nevertheless, because sharing knows flows and not packets.
//!
//! Addresses of draws: (loss, link, how many transfers have crossed it) and (jitter, sender and receiver, how many were
//! sent between them): arms of a study meet the same environment.

mod connections;
mod loss;
mod setting;
mod slow_start;

use std::collections::BTreeMap;
use std::sync::Arc;

use fedbits_random::{DrawPurpose, Streams};
use fedbits_spec::laws::{Distribution, DurationLaw};

use connections::{ConnectionTable, Opening, after, set_up_headers};
pub use loss::Loss;
use loss::{Lossy, PacketSet};
pub use setting::{Connections, Delivery, Repair, Transport};
use slow_start::Path;
pub use slow_start::stall;

use super::slots::mark;
use super::{FlowId, LinkId, MANY_STEPS, Network, Outcome, Packets, Routes, Slot, Slots, Transfer};
use crate::message::Framing;
use crate::{Bits, EventId, EventQueue, NodeId, Time, TimeDelta, draws};

/// How transfers are carried.
#[derive(Clone, Debug)]
pub struct TransportOptions {
    /// Connection set-up, slow start, acknowledgements and repair of losses.
    pub transport: Transport,
    /// Segments and headers: which packets a transfer has.
    pub framing: Framing,
    /// A further wait of each message; a law that needs no table.
    pub jitter: Option<DurationLaw>,
    /// By link; none beyond its end.
    pub losses: Vec<Loss>,
}

/// After this many repetitions a message is given up.
const MAX_REPETITIONS: u32 = 1_000;

/// A network with a transport over it.
pub struct TransportLayer {
    inner: Box<dyn Network>,
    routes: Arc<dyn Routes + Sync>,
    transport: Transport,
    framing: Framing,
    jitter: Option<Distribution>,
    /// By link; empty when no link loses anything.
    lossy: Vec<Option<Lossy>>,
    streams: Streams,
    opened: ConnectionTable,
    slots: Slots<Transmission>,
    /// The transmission on each flow of the inner network.
    carried: Vec<u32>,
    departures: EventQueue<u32>,
    /// Messages sent so far between two nodes; kept only for the address of the jitter.
    sent: BTreeMap<(NodeId, NodeId), u64>,
    /// Room for one route, and for completions of the inner network.
    links: Vec<LinkId>,
    completed: Vec<FlowId>,
}

#[derive(Clone, Copy, Debug, PartialEq)]
enum State {
    Vacant,
    /// Until it departs, for the first time or again.
    Waiting(EventId),
    Flowing(FlowId),
    Finished,
}

/// One transfer.
#[derive(Clone, Copy, Debug)]
struct Transmission {
    transfer: Transfer,
    order: u64,
    state: State,
    /// What flows or is about to.
    packets: PacketSet,
    /// Since when it waits for a set-up that it is charged for.
    sets_up: Option<Time>,
    /// The connection it is on.
    connection: u64,
    repetitions: u32,
    outcome: Outcome,
}

impl Slot for Transmission {
    fn vacate(&mut self) {
        self.state = State::Vacant;
    }
}

impl TransportLayer {
    /// `inner` carried as `options` says. `routes` are those of `inner`.
    pub fn new(
        inner: Box<dyn Network>,
        routes: Arc<dyn Routes + Sync>,
        options: TransportOptions,
        streams: Streams,
    ) -> Self {
        let TransportOptions { transport, framing, jitter, losses } = options;
        let lossy = |loss: Loss| loss.is_possible().then(|| Lossy::new(loss));
        let any = losses.iter().copied().any(Loss::is_possible);
        Self {
            inner,
            routes,
            transport,
            framing,
            jitter: jitter.map(|law| law.distribution()),
            lossy: if any { losses.into_iter().map(lossy).collect() } else { Vec::new() },
            streams,
            opened: ConnectionTable::default(),
            slots: Slots::default(),
            carried: Vec::new(),
            departures: EventQueue::new(),
            sent: BTreeMap::new(),
            links: Vec::new(),
            completed: Vec::new(),
        }
    }

    /// Bits of a whole packet on the wire; at least 1.
    fn packet(&self) -> Bits {
        self.framing.header + self.framing.segment
    }

    /// The packets of a transfer: an empty one has one packet, too.
    fn packets(&self, bits: Bits) -> PacketSet {
        let (whole, rest) = (bits.count() / self.packet().count(), bits.count() % self.packet().count());
        PacketSet { whole, last: rest > 0 || whole == 0 }
    }

    fn bits_of(&self, transfer: Transfer, packets: PacketSet) -> Bits {
        let last = if packets.last { transfer.bits.count() % self.packet().count() } else { 0 };
        self.packet() * packets.whole + Bits::new(last)
    }

    /// A further delay of a message.
    fn jitter(&mut self, from: NodeId, to: NodeId) -> TimeDelta {
        let Some(jitter) = &self.jitter else { return TimeDelta::ZERO };
        let number = self.sent.entry((from, to)).or_default();
        let pair = u64::from(from.0) << 32 | u64::from(to.0);
        let delay = draws::duration(jitter, &mut self.streams.at(DrawPurpose::Jitter, pair, *number));
        *number += 1;
        delay
    }

    /// The way a message takes to a node and back.
    fn path(&mut self, from: NodeId, to: NodeId) -> Path {
        let back = self.routes.route(to, from, &mut self.links);
        let (forth, rate) = self.routes.narrowest(from, to, &mut self.links);
        Path { round_trip: back + forth, rate }
    }

    /// The stalls of slow start of a message that is alone on its route.
    fn stall(&self, path: &Path, packets: u64, window: u64) -> TimeDelta {
        let window = u32::try_from(window).unwrap_or(u32::MAX);
        stall(packets, self.packet(), path.rate, path.round_trip, window)
    }

    /// Finds the connection of a transfer: what it waits and is charged for set-up; sharing or the wait heeds its
    /// window.
    fn connect(&mut self, now: Time, transfer: &mut Transfer, packets: u64) -> (u64, TimeDelta, Bits) {
        if !self.transport.has_connections() {
            return (0, TimeDelta::ZERO, Bits::ZERO);
        }
        let path = self.path(transfer.from, transfer.to);
        let Opening { number, is_new, mut wait, window } =
            self.opened.open(&self.transport, now, [transfer.from, transfer.to], path.round_trip);
        if window > 0 && self.inner.heeds_windows() {
            transfer.window = path.window(self.packet(), window);
        } else if window > 0 {
            wait += self.stall(&path, packets, window);
        }
        let headers = if is_new { 2 * u64::from(self.transport.set_up) } else { 0 };
        (number, wait, self.framing.header * headers)
    }

    /// Headers of a transfer's set-up that have left after `elapsed`.
    fn set_up_bits(&mut self, Transfer { from, to, .. }: Transfer, elapsed: TimeDelta) -> Bits {
        let forth = self.routes.route(from, to, &mut self.links);
        let back = self.routes.route(to, from, &mut self.links);
        self.framing.header * set_up_headers(elapsed, forth, back, self.transport.set_up)
    }

    /// What a transfer waits before it flows at the least.
    fn least_preparation(&mut self, transfer: Transfer) -> TimeDelta {
        let Transport { connections, set_up, slow_start, .. } = self.transport;
        if connections == Connections::Kept || !self.transport.has_connections() {
            return TimeDelta::ZERO;
        }
        let path = self.path(transfer.from, transfer.to);
        let packets = self.packets(transfer.bits).count();
        let stalls = slow_start.map_or(TimeDelta::ZERO, |window| self.stall(&path, packets, u64::from(window)));
        (0..set_up).map(|_| path.round_trip).sum::<TimeDelta>() + stalls
    }

    fn depart(&mut self, now: Time, slot: u32) {
        let Transmission { transfer, packets, .. } = self.slots.flows[slot as usize];
        let bits = self.bits_of(transfer, packets);
        // What is sent again is little, on a connection whose window is open.
        let window = transfer.window.filter(|_| self.slots.flows[slot as usize].repetitions == 0);
        let flow = self.inner.start(now, Transfer { bits, window, ..transfer });
        mark(&mut self.carried, flow, slot);
        let transmission = &mut self.slots.flows[slot as usize];
        (transmission.state, transmission.sets_up) = (State::Flowing(flow), None);
    }

    /// Simulates everything up to `to`.
    fn run(&mut self, to: Time) {
        while let Some(next) = self.next_event().filter(|&next| next <= to) {
            self.handle(next);
        }
    }

    /// What flows ends, and what waits departs, at `at`.
    fn handle(&mut self, at: Time) {
        let mut completed = std::mem::take(&mut self.completed);
        self.inner.advance(at, &mut completed);
        for flow in completed.drain(..) {
            self.flowed(at, flow);
        }
        self.completed = completed;
        while self.departures.peek_time() == Some(at) {
            if let Some((_, slot)) = self.departures.pop() {
                self.depart(at, slot);
            }
        }
    }

    /// Lets the inner network go to its first completion before anything departs, by the horizon; else to the first
    /// departure. None if there is neither; else the time, and whether anything happened or steps were many.
    fn step(&mut self, horizon: Option<Time>) -> Option<(Time, bool)> {
        let departure = self.departures.peek_time().filter(|&at| horizon.is_none_or(|horizon| at <= horizon));
        let mut completed = std::mem::take(&mut self.completed);
        let at = self.inner.advance_to_completion(departure.or(horizon), &mut completed);
        let happened = !completed.is_empty();
        for flow in completed.drain(..) {
            self.flowed(at.unwrap_or_default(), flow);
        }
        self.completed = completed;
        if let Some(at) = at {
            return Some((at, happened));
        }
        let departure = departure?;
        self.handle(departure);
        Some((departure, true))
    }

    fn next_event(&mut self) -> Option<Time> {
        self.inner.next_completion().into_iter().chain(self.departures.peek_time()).min()
    }

    /// A transmission, or what was sent again of it, has gone its route.
    fn flowed(&mut self, now: Time, flow: FlowId) {
        let slot = self.carried[flow.0 as usize];
        let below = self.inner.outcome(flow);
        self.slots.flows[slot as usize].outcome.charge(&below);
        let transmission = self.slots.flows[slot as usize];
        if transmission.repetitions == 0 && self.transport.slow_start.is_some() {
            self.acknowledge(now, &transmission);
        }
        let lost = self.lose(transmission, below.lost);
        let (bits, lost_bits) =
            (self.bits_of(transmission.transfer, transmission.packets), self.bits_of(transmission.transfer, lost));
        let again = match self.transport.delivery {
            Delivery::Reliable(repair) if lost.count() > 0 && transmission.repetitions < MAX_REPETITIONS => {
                Some(repair)
            }
            _ => None,
        };
        let wait = again.map(|repair| match repair {
            Repair::Timeout(duration) => TimeDelta::of(duration),
            Repair::RoundTrip => {
                self.routes.route(transmission.transfer.to, transmission.transfer.from, &mut self.links)
            }
        });
        let acknowledgements = self.acknowledgements(transmission.packets.without(lost).count());
        let transmission = &mut self.slots.flows[slot as usize];
        transmission.outcome.acknowledgements += acknowledgements;
        if transmission.repetitions > 0 {
            transmission.outcome.retransmitted += bits;
        }
        match wait {
            Some(wait) => {
                (transmission.packets, transmission.repetitions) = (lost, transmission.repetitions + 1);
                transmission.state = State::Waiting(self.departures.push(now + wait, slot));
            }
            None => {
                transmission.outcome.lost = Packets { count: lost.count(), bits: lost_bits };
                transmission.state = State::Finished;
                let order = transmission.order;
                self.slots.finish(now, order, slot);
            }
        }
    }

    /// Bits that acknowledge this many packets that have come, if that is charged: a header for every second one.
    fn acknowledgements(&self, packets: u64) -> Bits {
        let count = if self.transport.acknowledgements { packets.div_ceil(2) } else { 0 };
        self.framing.header * count
    }

    /// The window of a sender whose transfer has arrived.
    fn acknowledge(&mut self, now: Time, transmission: &Transmission) {
        let Transfer { from, to, .. } = transmission.transfer;
        let latency = self.routes.route(from, to, &mut self.links);
        let sent = now.checked_since(Time::ZERO + latency).map_or(Time::ZERO, |since| Time::ZERO + since);
        self.opened.sent([from, to], transmission.connection, transmission.packets.count(), sent);
    }

    /// What of a transmission's packets was lost: dropped by the inner network, or lost on one of its links.
    fn lose(&mut self, transmission: Transmission, dropped: Packets) -> PacketSet {
        let mut lost = match dropped.count {
            0 => PacketSet::NONE,
            // Whole messages are dropped whole; else packets of our own size are.
            _ if dropped.bits == self.bits_of(transmission.transfer, transmission.packets) => transmission.packets,
            count => {
                let last = dropped.bits < self.packet() * count;
                PacketSet { whole: count - u64::from(last), last }
            }
        };
        if self.lossy.is_empty() {
            return lost;
        }
        let Transfer { from, to, .. } = transmission.transfer;
        self.routes.route(from, to, &mut self.links);
        for link in &self.links {
            let Some(Some(lossy)) = self.lossy.get_mut(link.0 as usize) else { continue };
            let mut stream = self.streams.at(DrawPurpose::Loss, u64::from(link.0), lossy.crossings);
            lossy.crossings += 1;
            lost = lost.with(lossy.lose(transmission.packets.without(lost), &mut stream));
        }
        lost
    }
}

impl Network for TransportLayer {
    fn start(&mut self, now: Time, mut transfer: Transfer) -> FlowId {
        let packets = self.packets(transfer.bits);
        let (connection, wait, set_up) = self.connect(now, &mut transfer, packets.count());
        let wait = wait.checked_add(self.jitter(transfer.from, transfer.to)).unwrap_or(TimeDelta::MAX);
        let new = |order| Transmission {
            transfer,
            order,
            state: State::Vacant,
            packets,
            sets_up: (set_up > Bits::ZERO).then_some(now),
            connection,
            repetitions: 0,
            outcome: Outcome { set_up, ..Outcome::default() },
        };
        let slot = self.slots.insert(new);
        if wait == TimeDelta::ZERO {
            self.depart(now, slot);
        } else {
            self.slots.flows[slot as usize].state = State::Waiting(self.departures.push(after(now, wait), slot));
        }
        FlowId(slot)
    }

    fn next_completion(&mut self) -> Option<Time> {
        self.slots.first_finished().into_iter().chain(self.next_event()).min()
    }

    fn advance(&mut self, to: Time, completed: &mut Vec<FlowId>) {
        self.run(to);
        self.slots.tell(completed);
    }

    /// Without stopping where nothing but the inner network's latencies ends.
    fn advance_to_completion(&mut self, horizon: Option<Time>, completed: &mut Vec<FlowId>) -> Option<Time> {
        let mut steps = 0;
        while self.slots.first_finished().is_none() {
            let (at, happened) = self.step(horizon)?;
            steps += 1;
            if !happened || steps == MANY_STEPS && self.slots.first_finished().is_none() {
                return Some(at);
            }
        }
        let first = self.slots.first_finished().filter(|&first| horizon.is_none_or(|horizon| first <= horizon))?;
        self.advance(first, completed);
        Some(first)
    }

    fn catch_up(&mut self, to: Time) -> bool {
        self.inner.catch_up(to)
    }

    fn abort(&mut self, now: Time, flow: FlowId) -> Bits {
        self.run(now);
        let slot = flow.0;
        let Transmission { transfer, state, sets_up, connection, repetitions, .. } = self.slots.flows[slot as usize];
        let sent = match state {
            State::Vacant => panic!("only a transfer in flight is aborted"),
            State::Waiting(event) => {
                self.departures.cancel(event);
                if let Some(began) = sets_up {
                    self.slots.flows[slot as usize].outcome.set_up = self.set_up_bits(transfer, now - began);
                }
                Bits::ZERO
            }
            State::Flowing(flow) => {
                let (sent, below) = (self.inner.abort(now, flow), self.inner.outcome(flow));
                self.slots.flows[slot as usize].outcome.charge(&below);
                sent
            }
            State::Finished => {
                self.slots.forget_finished(slot);
                Bits::ZERO
            }
        };
        self.opened.close([transfer.from, transfer.to], connection);
        let first = repetitions == 0 && state != State::Finished;
        if !first {
            self.slots.flows[slot as usize].outcome.retransmitted += sent;
        }
        let acknowledged = if state == State::Finished { 0 } else { sent.count() / self.packet().count() };
        let acknowledgements = self.acknowledgements(acknowledged);
        self.slots.flows[slot as usize].outcome.acknowledgements += acknowledgements;
        self.slots.release(slot);
        if first { sent } else { transfer.bits - self.slots.flows[slot as usize].outcome.unsent }
    }

    fn conclude(&mut self) {
        self.inner.conclude();
    }

    fn min_duration(&mut self, transfer: Transfer) -> TimeDelta {
        self.least_preparation(transfer) + self.inner.min_duration(transfer)
    }

    fn route(&mut self, from: NodeId, to: NodeId, links: &mut Vec<LinkId>) {
        self.inner.route(from, to, links);
    }

    fn outcome(&mut self, flow: FlowId) -> Outcome {
        self.slots.flows[flow.0 as usize].outcome
    }
}
