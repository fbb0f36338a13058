//! Store and forward: every direction of a link sends one unit after the other, in the order of their arrival.
//!
//! A unit (a whole message, or a packet of it) waits in the queue of a link, is sent at the link's capacity, and
//! arrives after the link's latency at the next link. The sender's own queue is its memory and holds everything; the
//! queues on the route may be finite, and a unit that finds too little room there is lost. While a link is busy, its
//! units end at ⌈(all their bits) ÷ capacity⌉ after the first began: rounding does not add up (where the rate varies,
//! each unit is rounded). This file must not know messages.

use std::collections::VecDeque;

use super::varying::Through;
use super::{FlowId, LinkId, Network, Outcome, Packets, Routes, Slot, Slots, Transfer};
use crate::{Bits, EventId, EventQueue, Rate, Time};

/// Store and forward over any [`Routes`].
pub struct Fifo {
    routes: Box<dyn Routes>,
    /// Bits of a packet on the wire; `None`: messages are stored and sent as a whole.
    packet: Option<Bits>,
    /// Room of each queue on the route, in bits, without the unit being sent.
    buffer: Option<Bits>,
    links: Vec<Queue>,
    slots: Slots<Flow>,
    events: EventQueue<Event>,
}

#[derive(Clone, Copy, Debug)]
enum Event {
    /// A link has sent the unit it was sending.
    Sent(LinkId),
    /// A unit arrives behind link number `hop` of its route.
    Arrived { flow: u32, generation: u32, hop: usize, bits: Bits },
}

/// This many units of `bits` each of one flow, the last of which has `last` bits.
#[derive(Clone, Copy, Debug)]
struct Waiting {
    flow: u32,
    hop: usize,
    units: u64,
    bits: Bits,
    last: Bits,
}

/// One direction of a link.
struct Queue {
    capacity: Rate,
    waiting: VecDeque<Waiting>,
    /// Bits waiting that count against the buffer.
    held: Bits,
    sending: Option<Sending>,
    /// When it last began to send after a rest, and what it has sent since then.
    busy_since: Time,
    busy_bits: Bits,
}

#[derive(Clone, Copy, Debug)]
struct Sending {
    flow: u32,
    hop: usize,
    bits: Bits,
    began: Time,
    event: EventId,
}

#[derive(Default)]
struct Flow {
    order: u64,
    bits: Bits,
    /// Tells the flow in this slot from earlier ones.
    generation: u32,
    in_flight: bool,
    links: Vec<LinkId>,
    /// Units that have neither arrived nor been lost.
    left: u64,
    /// Bits that the sender has sent.
    sent: Bits,
    lost: Packets,
}

impl Slot for Flow {
    fn vacate(&mut self) {
        (self.in_flight, self.generation) = (false, self.generation.wrapping_add(1));
    }
}

impl Fifo {
    /// An idle network over `routes` that stores and sends packets of up to `packet` bits (at least 1), without it
    /// whole messages; `buffer` `None` holds everything.
    pub fn new(routes: impl Routes + 'static, packet: Option<Bits>, buffer: Option<Bits>) -> Self {
        let queue = |link| Queue {
            capacity: routes.capacity(LinkId(link as u32)),
            waiting: VecDeque::new(),
            held: Bits::ZERO,
            sending: None,
            busy_since: Time::ZERO,
            busy_bits: Bits::ZERO,
        };
        Self {
            links: (0..routes.link_count()).map(queue).collect(),
            routes: Box::new(routes),
            packet,
            buffer,
            slots: Slots::default(),
            events: EventQueue::new(),
        }
    }

    /// The units of a transfer.
    fn cut(&self, flow: u32, bits: Bits) -> Waiting {
        let whole = Waiting { flow, hop: 0, units: 1, bits, last: bits };
        match self.packet {
            Some(size) if bits > size => {
                let units = bits.count().div_ceil(size.count());
                Waiting { units, bits: size, last: bits - size * (units - 1), ..whole }
            }
            _ => whole,
        }
    }

    fn run(&mut self, to: Time) {
        while self.events.peek_time().is_some_and(|at| at <= to) {
            match self.events.pop() {
                Some((at, Event::Sent(link))) => self.sent(at, link),
                Some((at, Event::Arrived { flow, generation, hop, bits }))
                    if self.slots.flows[flow as usize].generation == generation =>
                {
                    self.arrived(at, flow, hop, bits);
                }
                // What belongs to a flow that was cut off.
                Some((_, Event::Arrived { .. })) | None => {}
            }
        }
    }

    /// A unit comes to the queue of link number `hop` of its route.
    fn enqueue(&mut self, now: Time, units: Waiting) {
        let flow = &mut self.slots.flows[units.flow as usize];
        let link = flow.links[units.hop];
        let queue = &mut self.links[link.0 as usize];
        let idle = queue.sending.is_none();
        if units.hop > 0 && !idle {
            if self.buffer.is_some_and(|room| queue.held + units.last > room) {
                flow.lost.count += 1;
                flow.lost.bits += units.last;
                return self.unit_ended(now, units.flow);
            }
            queue.held += units.last;
        }
        queue.waiting.push_back(units);
        if idle {
            (queue.busy_since, queue.busy_bits) = (now, Bits::ZERO);
            self.send_next(now, link, false);
        }
    }

    /// Takes the next unit of a link's queue; `held` says whether it counted against the buffer.
    fn send_next(&mut self, now: Time, link: LinkId, held: bool) {
        let queue = &mut self.links[link.0 as usize];
        let Some(first) = queue.waiting.front_mut() else { return };
        let (flow, hop, bits) = (first.flow, first.hop, if first.units == 1 { first.last } else { first.bits });
        first.units -= 1;
        if first.units == 0 {
            queue.waiting.pop_front();
        }
        if held && hop > 0 {
            queue.held -= bits;
        }
        queue.busy_bits += bits;
        let ends = match self.routes.varying(link) {
            Some(varying) => Through { constant: queue.capacity, varying: &[varying] }.sent_by(now, bits),
            None => queue.busy_since + queue.capacity.time_for(queue.busy_bits),
        };
        let event = self.events.push(ends, Event::Sent(link));
        queue.sending = Some(Sending { flow, hop, bits, began: now, event });
    }

    fn sent(&mut self, now: Time, link: LinkId) {
        let sending = self.links[link.0 as usize].sending.take();
        let Sending { flow, hop, bits, .. } = sending.expect("a link that has sent was sending");
        let state = &mut self.slots.flows[flow as usize];
        if hop == 0 {
            state.sent += bits;
        }
        let arrival = Event::Arrived { flow, generation: state.generation, hop, bits };
        self.events.push(now + self.routes.latency(link), arrival);
        self.send_next(now, link, true);
    }

    fn arrived(&mut self, now: Time, flow: u32, hop: usize, bits: Bits) {
        if hop + 1 == self.slots.flows[flow as usize].links.len() {
            return self.unit_ended(now, flow);
        }
        self.enqueue(now, Waiting { flow, hop: hop + 1, units: 1, bits, last: bits });
    }

    fn unit_ended(&mut self, now: Time, slot: u32) {
        let flow = &mut self.slots.flows[slot as usize];
        flow.left -= 1;
        if flow.left == 0 {
            self.slots.finish(now, self.slots.flows[slot as usize].order, slot);
        }
    }

    /// Takes the units of a flow out of all queues; what is being sent is cut off.
    fn withdraw(&mut self, now: Time, slot: u32) {
        for link in self.slots.flows[slot as usize].links.clone() {
            let queue = &mut self.links[link.0 as usize];
            let held = &mut queue.held;
            queue.waiting.retain(|units| {
                if units.flow == slot && units.hop > 0 {
                    *held -= units.last;
                }
                units.flow != slot
            });
            if let Some(sending) = queue.sending.filter(|sending| sending.flow == slot) {
                queue.sending = None;
                self.events.cancel(sending.event);
                if sending.hop == 0 {
                    let varying = self.routes.varying(link);
                    let through = Through { constant: queue.capacity, varying: varying.as_slice() };
                    let sent = through.bits_between(sending.began.min(now), now);
                    self.slots.flows[slot as usize].sent += sent.min(sending.bits);
                }
                (queue.busy_since, queue.busy_bits) = (now, Bits::ZERO);
                self.send_next(now, link, true);
            }
        }
    }
}

impl Network for Fifo {
    fn start(&mut self, now: Time, transfer: Transfer) -> FlowId {
        self.run(now);
        let (slot, order) = self.slots.take();
        let flow = &mut self.slots.flows[slot as usize];
        self.routes.route(transfer.from, transfer.to, &mut flow.links);
        (flow.order, flow.bits, flow.in_flight) = (order, transfer.bits, true);
        (flow.sent, flow.lost) = (Bits::ZERO, Packets::default());
        let units = self.cut(slot, transfer.bits);
        self.slots.flows[slot as usize].left = units.units;
        self.enqueue(now, units);
        FlowId(slot)
    }

    fn next_completion(&mut self) -> Option<Time> {
        self.slots.first_finished().into_iter().chain(self.events.peek_time()).min()
    }

    fn advance(&mut self, to: Time, completed: &mut Vec<FlowId>) {
        self.run(to);
        self.slots.tell(completed);
    }

    fn abort(&mut self, now: Time, flow: FlowId) -> Bits {
        self.run(now);
        let slot = flow.0;
        assert!(self.slots.flows[slot as usize].in_flight, "only a flow in flight is aborted");
        self.slots.forget_finished(slot);
        self.withdraw(now, slot);
        let flow = &mut self.slots.flows[slot as usize];
        flow.lost = Packets::default();
        let sent = flow.sent.min(flow.bits);
        self.slots.release(slot);
        sent
    }

    fn outcome(&mut self, flow: FlowId) -> Outcome {
        Outcome { lost: self.slots.flows[flow.0 as usize].lost, ..Outcome::default() }
    }

    fn routes(&self) -> Option<&dyn Routes> {
        Some(&*self.routes)
    }
}
