//! Transport: what happens to a transfer besides sharing links. A [`Carrier`] wraps a network and adds, as far as asked
//! for: a wait before the flow (setting up the connection, slow start, jitter), losses of packets, and sending lost
//! packets again.
//!
//! *Datagram*: a lost packet loses the message. *Reliable*: lost packets are sent again until all have arrived; each
//! repetition is a transfer of its own over the same network, after the repair duration. What of a transfer is lost is
//! drawn when it has ended, link by link along its route: a packet that is lost on a link does not cross the next. It
//! has used its whole route nevertheless, because sharing knows flows and not packets.
//!
//! Addresses of draws: (loss, link, how many transfers have crossed it) and (jitter, sender and receiver, how many were
//! sent between them): arms of a study meet the same environment.

mod loss;
mod setting;
mod slow_start;

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use fedbits_random::{DrawPurpose, Streams};
use fedbits_spec::laws::{Distribution, DurationLaw};

pub use loss::Loss;
use loss::{Lossy, Train};
pub use setting::{Delivery, Repair, Transport};
pub use slow_start::stall;

use super::{FlowId, LinkId, Network, Outcome, Packets, Routes, Transfer};
use crate::message::Framing;
use crate::{Bits, EventId, EventQueue, NodeId, Time, TimeDelta, draws};

/// How transfers are carried.
#[derive(Clone, Debug)]
pub struct Carriage {
    /// What is done besides sending.
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
pub struct Carrier {
    inner: Box<dyn Network>,
    routes: Arc<dyn Routes + Sync>,
    transport: Transport,
    framing: Framing,
    jitter: Option<Distribution>,
    /// By link; empty when no link loses anything.
    lossy: Vec<Option<Lossy>>,
    streams: Streams,
    parcels: Vec<Parcel>,
    free: Vec<u32>,
    /// The parcel on each flow of the inner network.
    carried: Vec<u32>,
    departures: EventQueue<u32>,
    started: u64,
    /// Messages sent so far between two nodes; kept only for the address of the jitter.
    sent: BTreeMap<(NodeId, NodeId), u64>,
    /// Ended and not told: (when, start order, parcel).
    finished: BTreeSet<(Time, u64, u32)>,
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
struct Parcel {
    transfer: Transfer,
    order: u64,
    state: State,
    /// What flows or is about to.
    train: Train,
    repetitions: u32,
    outcome: Outcome,
}

impl Carrier {
    /// `inner` carried as `carriage` says. `routes` are those of `inner`.
    pub fn new(inner: Box<dyn Network>, routes: Arc<dyn Routes + Sync>, carriage: Carriage, streams: Streams) -> Self {
        let Carriage { transport, framing, jitter, losses } = carriage;
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
            parcels: Vec::new(),
            free: Vec::new(),
            carried: Vec::new(),
            departures: EventQueue::new(),
            started: 0,
            sent: BTreeMap::new(),
            finished: BTreeSet::new(),
            links: Vec::new(),
            completed: Vec::new(),
        }
    }

    /// Bits of a whole packet on the wire; at least 1.
    fn packet(&self) -> Bits {
        self.framing.header + self.framing.segment
    }

    /// The packets of a transfer: an empty one has one packet, too.
    fn train(&self, bits: Bits) -> Train {
        let (whole, rest) = (bits.count() / self.packet().count(), bits.count() % self.packet().count());
        Train { whole, last: rest > 0 || whole == 0 }
    }

    fn bits_of(&self, transfer: Transfer, train: Train) -> Bits {
        let last = if train.last { transfer.bits.count() % self.packet().count() } else { 0 };
        self.packet() * train.whole + Bits::new(last)
    }

    /// How long a message waits before it flows.
    fn wait(&mut self, transfer: Transfer, packets: u64) -> TimeDelta {
        let Transfer { from, to, .. } = transfer;
        let mut wait = self.preparation(transfer, packets);
        if let Some(jitter) = &self.jitter {
            let number = self.sent.entry((from, to)).or_default();
            let pair = u64::from(from.0) << 32 | u64::from(to.0);
            wait += draws::duration(jitter, &mut self.streams.at(DrawPurpose::Jitter, pair, *number));
            *number += 1;
        }
        wait
    }

    /// Setting up the connection, and the stalls of slow start.
    fn preparation(&mut self, Transfer { from, to, .. }: Transfer, packets: u64) -> TimeDelta {
        let mut wait = TimeDelta::ZERO;
        if self.transport.set_up > 0 || self.transport.slow_start.is_some() {
            let back = self.routes.route(to, from, &mut self.links);
            let round_trip = back + self.routes.route(from, to, &mut self.links);
            let slowest = self.links.iter().map(|&link| self.routes.capacity(link)).min();
            let rate = slowest.expect("a route has at least one link");
            for _ in 0..self.transport.set_up {
                wait += round_trip;
            }
            if let Some(window) = self.transport.slow_start {
                wait += stall(packets, self.packet(), rate, round_trip, window);
            }
        }
        wait
    }

    fn insert(&mut self, parcel: Parcel) -> u32 {
        if let Some(slot) = self.free.pop() {
            self.parcels[slot as usize] = parcel;
            return slot;
        }
        self.parcels.push(parcel);
        u32::try_from(self.parcels.len() - 1).expect("fewer than 2^32 transfers are in flight")
    }

    fn depart(&mut self, now: Time, slot: u32) {
        let Parcel { transfer, train, .. } = self.parcels[slot as usize];
        let bits = self.bits_of(transfer, train);
        let flow = self.inner.start(now, Transfer { bits, ..transfer });
        let index = flow.0 as usize;
        if index >= self.carried.len() {
            self.carried.resize(index + 1, 0);
        }
        self.carried[index] = slot;
        self.parcels[slot as usize].state = State::Flowing(flow);
    }

    /// Simulates everything up to `to`.
    fn run(&mut self, to: Time) {
        while let Some(next) = self.next_event().filter(|&next| next <= to) {
            let mut completed = std::mem::take(&mut self.completed);
            self.inner.advance(next, &mut completed);
            for flow in completed.drain(..) {
                self.flowed(next, flow);
            }
            self.completed = completed;
            while self.departures.peek_time() == Some(next) {
                if let Some((_, slot)) = self.departures.pop() {
                    self.depart(next, slot);
                }
            }
        }
    }

    fn next_event(&mut self) -> Option<Time> {
        self.inner.next_completion().into_iter().chain(self.departures.peek_time()).min()
    }

    /// A parcel, or what was sent again of it, has gone its route.
    fn flowed(&mut self, now: Time, flow: FlowId) {
        let slot = self.carried[flow.0 as usize];
        let dropped = self.inner.outcome(flow).lost;
        let parcel = self.parcels[slot as usize];
        let lost = self.lose(parcel, dropped);
        let (bits, lost_bits) = (self.bits_of(parcel.transfer, parcel.train), self.bits_of(parcel.transfer, lost));
        let again = match self.transport.delivery {
            Delivery::Reliable(repair) if lost.count() > 0 && parcel.repetitions < MAX_REPETITIONS => Some(repair),
            _ => None,
        };
        let wait = again.map(|repair| match repair {
            Repair::Timeout(duration) => TimeDelta::of(duration),
            Repair::RoundTrip => self.routes.route(parcel.transfer.to, parcel.transfer.from, &mut self.links),
        });
        let parcel = &mut self.parcels[slot as usize];
        if parcel.repetitions > 0 {
            parcel.outcome.retransmitted += bits;
        }
        match wait {
            Some(wait) => {
                (parcel.train, parcel.repetitions) = (lost, parcel.repetitions + 1);
                parcel.state = State::Waiting(self.departures.push(now + wait, slot));
            }
            None => {
                parcel.outcome.lost = Packets { count: lost.count(), bits: lost_bits };
                parcel.state = State::Finished;
                self.finished.insert((now, parcel.order, slot));
            }
        }
    }

    /// What of a parcel's train was lost: dropped by the inner network, or lost on one of its links.
    fn lose(&mut self, parcel: Parcel, dropped: Packets) -> Train {
        let mut lost = match dropped.count {
            0 => Train::NONE,
            // Whole messages are dropped whole; else packets of our own size are.
            _ if dropped.bits == self.bits_of(parcel.transfer, parcel.train) => parcel.train,
            count => {
                let last = dropped.bits < self.packet() * count;
                Train { whole: count - u64::from(last), last }
            }
        };
        if self.lossy.is_empty() {
            return lost;
        }
        let Transfer { from, to, .. } = parcel.transfer;
        self.routes.route(from, to, &mut self.links);
        for link in &self.links {
            let Some(Some(lossy)) = self.lossy.get_mut(link.0 as usize) else { continue };
            let mut stream = self.streams.at(DrawPurpose::Loss, u64::from(link.0), lossy.crossings);
            lossy.crossings += 1;
            lost = lost.with(lossy.lose(parcel.train.without(lost), &mut stream));
        }
        lost
    }

    fn vacate(&mut self, slot: u32) {
        self.parcels[slot as usize].state = State::Vacant;
        self.free.push(slot);
    }
}

impl Network for Carrier {
    fn start(&mut self, now: Time, transfer: Transfer) -> FlowId {
        let train = self.train(transfer.bits);
        let wait = self.wait(transfer, train.count());
        let set_up = self.framing.header * (2 * u64::from(self.transport.set_up));
        let outcome = Outcome { set_up, ..Outcome::default() };
        let order = self.started;
        self.started += 1;
        let slot = self.insert(Parcel { transfer, order, state: State::Vacant, train, repetitions: 0, outcome });
        if wait == TimeDelta::ZERO {
            self.depart(now, slot);
        } else {
            self.parcels[slot as usize].state = State::Waiting(self.departures.push(now + wait, slot));
        }
        FlowId(slot)
    }

    fn next_completion(&mut self) -> Option<Time> {
        let finished = self.finished.first().map(|&(at, ..)| at);
        finished.into_iter().chain(self.next_event()).min()
    }

    fn advance(&mut self, to: Time, completed: &mut Vec<FlowId>) {
        self.run(to);
        while let Some((_, _, slot)) = self.finished.pop_first() {
            self.vacate(slot);
            completed.push(FlowId(slot));
        }
    }

    fn abort(&mut self, now: Time, flow: FlowId) -> Bits {
        self.run(now);
        let slot = flow.0;
        let Parcel { transfer, order, state, repetitions, .. } = self.parcels[slot as usize];
        let sent = match state {
            State::Vacant => panic!("only a transfer in flight is aborted"),
            State::Waiting(event) => {
                self.departures.cancel(event);
                Bits::ZERO
            }
            State::Flowing(flow) => self.inner.abort(now, flow),
            State::Finished => {
                self.finished.retain(|&(_, other, _)| other != order);
                Bits::ZERO
            }
        };
        let first = repetitions == 0 && state != State::Finished;
        if !first {
            self.parcels[slot as usize].outcome.retransmitted += sent;
        }
        self.vacate(slot);
        if first { sent } else { transfer.bits }
    }

    fn min_duration(&mut self, transfer: Transfer) -> TimeDelta {
        let packets = self.train(transfer.bits).count();
        self.preparation(transfer, packets) + self.inner.min_duration(transfer)
    }

    fn route(&mut self, from: NodeId, to: NodeId, links: &mut Vec<LinkId>) {
        self.inner.route(from, to, links);
    }

    fn outcome(&mut self, flow: FlowId) -> Outcome {
        self.parcels[flow.0 as usize].outcome
    }
}
