//! The engine: one short loop that plays a protocol over a network in virtual time.
//!
//! It knows no mathematics and no server: nodes send messages of known length, compute for known work, and drop out. Only the
//! [`Context`] acts (schedules, charges, hashes); a protocol is a set of reactions that is handed the context.

use std::sync::atomic::{AtomicBool, Ordering};

use fedbits_random::Streams;
use fedbits_record::{Direction, Fate, Histogram};

use crate::clients::{Hazard, Speed};
use crate::digest::{Entry, Kind, Timeline};
use crate::ledger::{Charge, Ledger, LedgerDetail};
use crate::message::{Framing, Message, Payload, Purpose};
use crate::network::{FlowId, Network, Transfer};
use crate::queue::{EventId, EventQueue};
use crate::{Bits, NodeId, Span, Time};

/// A distributed algorithm: reactions of all its nodes, their states in arrays.
pub trait Protocol<P: Payload> {
    /// At time zero.
    fn start(&mut self, context: &mut Context<P>);
    /// A message has arrived at `message.to`.
    fn on_message(&mut self, context: &mut Context<P>, message: Message<P>);
    /// A timer rang.
    fn on_timer(&mut self, context: &mut Context<P>, tag: u64);
    /// `node` has finished the work it was given with [`Context::compute`].
    fn on_computed(&mut self, context: &mut Context<P>, node: NodeId);
    /// `node` dropped out: its work is gone, its transfers are cut off (the peers notice at once).
    fn on_dropout(&mut self, context: &mut Context<P>, node: NodeId);
}

/// Why a run ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum StopReason {
    /// The protocol reached the end it was given; the text names it (for example `rounds: 3333`).
    Reached(String),
    /// Nothing was left to happen.
    Idle,
    /// Virtual time reached its limit.
    TimeLimit,
    /// The number of events reached its limit.
    EventLimit,
    /// The user stopped it.
    Interrupted,
    /// The run cannot go on; the text says why.
    Failed(String),
}

impl StopReason {
    /// Did the run fail?
    pub fn is_failure(&self) -> bool {
        matches!(self, Self::Failed(_))
    }
}

impl std::fmt::Display for StopReason {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Reached(what) => f.write_str(what),
            Self::Idle => f.write_str("nothing left to happen"),
            Self::TimeLimit => f.write_str("time limit"),
            Self::EventLimit => f.write_str("event limit"),
            Self::Interrupted => f.write_str("interrupted"),
            Self::Failed(why) => write!(f, "failed: {why}"),
        }
    }
}

/// What a run is played on.
pub struct World {
    /// Links and flows.
    pub network: Box<dyn Network>,
    /// Speed of every node; its length is the number of nodes.
    pub speeds: Vec<Speed>,
    /// Dropouts while busy, if any; node 0 of a star (the server) never drops out.
    pub hazard: Option<Hazard>,
    /// The node whose incoming traffic counts as up and outgoing as down.
    pub server: Option<NodeId>,
    /// Segments and headers.
    pub framing: Framing,
    /// Detail of the ledger.
    pub detail: LedgerDetail,
    /// Randomness.
    pub streams: Streams,
    /// Virtual time at which the run ends at the latest.
    pub time_limit: Option<Time>,
    /// Number of events after which the run ends at the latest.
    pub event_limit: Option<u64>,
}

#[derive(Clone, Copy, Debug)]
enum Event {
    Timer(u64),
    Computed(NodeId),
    Dropout(NodeId),
}

/// What the engine keeps of a node. An idle node owns no heap memory.
#[derive(Default)]
struct Node {
    computing: Option<EventId>,
    dropout: Option<EventId>,
    flows: Vec<FlowId>,
    busy_periods: u32,
    down_until: Time,
}

impl Node {
    fn is_busy(&self) -> bool {
        self.computing.is_some() || !self.flows.is_empty()
    }
}

struct Flight<P> {
    message: Message<P>,
    payload_bits: Bits,
    acknowledgement_bits: Bits,
    header_bits: Bits,
    departed: Time,
    number: u64,
}

/// Names one transfer for ever, also after it has ended.
#[derive(Clone, Copy, Debug)]
pub struct Sending {
    flow: FlowId,
    number: u64,
}

impl<P> Flight<P> {
    fn charge(&self) -> Charge {
        let (payload, header) = (self.payload_bits.count(), self.header_bits.count());
        Charge { messages: 1, payload, header, retransmitted: 0 }
    }

    fn acknowledgement(&self) -> Charge {
        Charge { payload: self.acknowledgement_bits.count(), ..Charge::default() }
    }
}

/// The receipt of the message being handled, for [`Context::reject_late`].
#[derive(Clone, Copy)]
struct Receipt {
    host: NodeId,
    direction: Direction,
    purpose: Purpose,
    charge: Charge,
}

/// All that a protocol may touch.
pub struct Context<P> {
    now: Time,
    queue: EventQueue<Event>,
    world: World,
    nodes: Vec<Node>,
    flights: Vec<Option<Flight<P>>>,
    ledger: Ledger,
    timeline: Timeline,
    stop: Option<StopReason>,
    sendings: u64,
    receipt: Option<Receipt>,
    dropouts: bool,
    spans: Spans,
}

/// Distributions of spans in ns.
struct Spans {
    up: Histogram,
    down: Histogram,
    peer: Histogram,
    compute: Histogram,
}

impl Spans {
    fn new() -> Self {
        let spans = |name| Histogram::new(name, "ns");
        Self {
            up: spans("uplink transfer"),
            down: spans("downlink transfer"),
            peer: spans("peer transfer"),
            compute: spans("compute"),
        }
    }
}

impl<P: Payload> Context<P> {
    /// Virtual time.
    pub fn now(&self) -> Time {
        self.now
    }

    /// Switches dropouts on or off for busy periods that begin from now on (they are on at the start).
    pub fn set_dropouts(&mut self, on: bool) {
        self.dropouts = on;
    }

    /// Distributions of transfer and compute spans so far.
    pub fn histograms(&self) -> [Histogram; 4] {
        let Spans { up, down, peer, compute } = &self.spans;
        [up, down, peer, compute].map(Clone::clone)
    }

    /// Randomness, by address.
    pub fn streams(&self) -> &Streams {
        &self.world.streams
    }

    /// The accounts so far.
    pub fn ledger(&self) -> &Ledger {
        &self.ledger
    }

    /// The timeline so far.
    pub fn timeline(&self) -> &Timeline {
        &self.timeline
    }

    /// Can `node` be reached, or is it restarting after a dropout?
    pub fn is_up(&self, node: NodeId) -> bool {
        self.nodes[node.0 as usize].down_until <= self.now
    }

    /// Ends the run after the current reaction. The first reason counts.
    pub fn stop(&mut self, reason: StopReason) {
        self.stop.get_or_insert(reason);
    }

    /// Sends a message: charges it and lets it flow.
    pub fn send(&mut self, message: Message<P>) -> Sending {
        let payload_bits = message.payload.bits();
        let acknowledgement_bits = message.payload.acknowledgement_bits();
        let header_bits = self.world.framing.header_bits(payload_bits + acknowledgement_bits);
        let (from, to, number) = (message.from, message.to, self.sendings);
        let flight = Flight { message, payload_bits, acknowledgement_bits, header_bits, departed: self.now, number };
        self.ledger.depart(flight.charge());
        self.ledger.depart(flight.acknowledgement());
        let bits = payload_bits + acknowledgement_bits + header_bits;
        self.log(Kind::Sent, from, to, bits.count());
        let flow = self.world.network.start(self.now, Transfer { from, to, bits });
        self.begin_task(from, Some(flow));
        self.begin_task(to, Some(flow));
        if self.flights.len() <= flow.0 as usize {
            self.flights.resize_with(flow.0 as usize + 1, || None);
        }
        self.flights[flow.0 as usize] = Some(flight);
        self.sendings += 1;
        Sending { flow, number }
    }

    /// Cuts off one transfer, if it is still under way; bits already sent stay charged as aborted.
    pub fn abort(&mut self, sending: Sending) {
        let flight = self.flights[sending.flow.0 as usize].as_ref();
        if flight.is_some_and(|flight| flight.number == sending.number) {
            self.cut_off(sending.flow);
        }
    }

    /// Stops what `node` computes, if anything.
    pub fn stop_computing(&mut self, node: NodeId) {
        self.cancel_computation(node);
        self.end_task(node);
    }

    /// Gives `node` work of `work` units; [`Protocol::on_computed`] follows after work ÷ speed. A node works on one thing at a
    /// time: new work replaces old.
    pub fn compute(&mut self, node: NodeId, work: u64) {
        self.cancel_computation(node);
        let span = self.world.speeds[node.0 as usize].span(work);
        let Some((span, end)) = span.and_then(|span| Some((span, self.now.checked_add(span).ok()?))) else {
            return self.stop(StopReason::Failed(format!("{work} units of work on node {} exceed the clock", node.0)));
        };
        self.log(Kind::Computing, node, node, work);
        self.spans.compute.record(span.as_nanos());
        let event = self.queue.push(end, Event::Computed(node));
        self.begin_task(node, None);
        self.nodes[node.0 as usize].computing = Some(event);
    }

    /// Stops what `node` computes and cuts off all its transfers.
    fn abandon(&mut self, node: NodeId) {
        self.cancel_computation(node);
        while let Some(&flow) = self.nodes[node.0 as usize].flows.last() {
            self.cut_off(flow);
        }
        self.end_task(node);
    }

    /// A timer: [`Protocol::on_timer`] is called with `tag` after `span`.
    pub fn timer(&mut self, span: Span, tag: u64) -> Option<EventId> {
        match self.now.checked_add(span) {
            Ok(at) => Some(self.queue.push(at, Event::Timer(tag))),
            Err(_) => None, // beyond the clock: it never rings
        }
    }

    /// Takes a timer back.
    pub fn cancel_timer(&mut self, timer: EventId) {
        self.queue.cancel(timer);
    }

    /// Books the message being handled as late: it arrived, and nobody uses it. To be called inside `on_message`, once.
    pub fn reject_late(&mut self) {
        let receipt = self.receipt.take().expect("reject_late is called once, while a message is handled");
        self.ledger.reclassify_late(receipt.host, receipt.direction, receipt.purpose, receipt.charge);
    }

    fn log(&mut self, kind: Kind, from: NodeId, to: NodeId, amount: u64) {
        self.timeline.push(Entry { time: self.now, kind, from, to, amount });
    }

    /// Direction of traffic between two nodes, and the host it is booked on: the end that is not the server.
    fn direction(&self, from: NodeId, to: NodeId) -> (Direction, NodeId) {
        match self.world.server {
            Some(server) if server == to => (Direction::Up, from),
            Some(server) if server == from => (Direction::Down, to),
            _ => (Direction::Peer, from),
        }
    }

    /// The server neither drops out nor keeps a list of its flows, which may be millions.
    fn is_tracked(&self, node: NodeId) -> bool {
        self.world.server != Some(node)
    }

    fn begin_task(&mut self, node: NodeId, flow: Option<FlowId>) {
        if !self.is_tracked(node) {
            return;
        }
        let state = &mut self.nodes[node.0 as usize];
        let was_busy = state.is_busy() || state.dropout.is_some();
        state.flows.extend(flow);
        let Some(hazard) = self.world.hazard.filter(|_| self.dropouts && !was_busy) else { return };
        let period = u64::from(state.busy_periods);
        state.busy_periods += 1;
        if let Some(at) = hazard.strikes(&self.world.streams, node, period, self.now) {
            state.dropout = Some(self.queue.push(at, Event::Dropout(node)));
        }
    }

    /// To be called when a task of `node` may have been its last.
    fn end_task(&mut self, node: NodeId) {
        let state = &mut self.nodes[node.0 as usize];
        if state.is_busy() {
            return;
        }
        if let Some(event) = state.dropout.take() {
            self.queue.cancel(event);
        }
    }

    fn cancel_computation(&mut self, node: NodeId) {
        if let Some(event) = self.nodes[node.0 as usize].computing.take() {
            self.queue.cancel(event);
        }
    }

    fn take_flight(&mut self, flow: FlowId) -> Flight<P> {
        let flight = self.flights[flow.0 as usize].take().expect("every flow of the network carries a message");
        for node in [flight.message.from, flight.message.to] {
            let flows = &mut self.nodes[node.0 as usize].flows;
            if let Some(place) = flows.iter().position(|&other| other == flow) {
                flows.swap_remove(place);
            }
        }
        flight
    }

    fn cut_off(&mut self, flow: FlowId) {
        let sent = self.world.network.abort(self.now, flow);
        let flight = self.take_flight(flow);
        let Message { from, to, purpose, .. } = flight.message;
        self.log(Kind::Aborted, from, to, sent.count());
        let whole_payload = flight.payload_bits + flight.acknowledgement_bits;
        let (payload, header) = self.world.framing.split(sent, whole_payload);
        // An acknowledgement rides at the end of its message: what was cut off lost it first.
        let own = payload.count().min(flight.payload_bits.count());
        let aborted = Charge { messages: 1, payload: own, header: header.count(), retransmitted: 0 };
        let riding = Charge { payload: payload.count() - own, ..Charge::default() };
        let unsent = Charge {
            messages: 0,
            payload: whole_payload.count() - payload.count(),
            header: flight.header_bits.count() - header.count(),
            retransmitted: 0,
        };
        self.ledger.withdraw(unsent);
        let (direction, host) = self.direction(from, to);
        self.ledger.settle(host, direction, purpose, Fate::Aborted, aborted);
        self.ledger.settle(host, direction, Purpose::Acknowledgement, Fate::Aborted, riding);
        let other = if host == from { to } else { from };
        self.end_task(other);
    }

    fn deliver(&mut self, flow: FlowId) -> (Message<P>, Receipt) {
        let flight = self.take_flight(flow);
        let Message { from, to, purpose, .. } = flight.message;
        let bits = flight.payload_bits + flight.acknowledgement_bits + flight.header_bits;
        self.log(Kind::Delivered, from, to, bits.count());
        let (direction, host) = self.direction(from, to);
        let span = (self.now - flight.departed).as_nanos();
        match direction {
            Direction::Up => self.spans.up.record(span),
            Direction::Down => self.spans.down.record(span),
            Direction::Peer => self.spans.peer.record(span),
        }
        let charge = flight.charge();
        self.ledger.settle(host, direction, purpose, Fate::Delivered, charge);
        self.ledger.settle(host, direction, Purpose::Acknowledgement, Fate::Delivered, flight.acknowledgement());
        (flight.message, Receipt { host, direction, purpose, charge })
    }
}

/// A run: a context and the loop over it.
pub struct Engine<P> {
    context: Context<P>,
    completed: Vec<FlowId>,
    arrived: Vec<(Message<P>, Receipt)>,
}

impl<P: Payload> Engine<P> {
    /// An engine at time zero.
    pub fn new(world: World) -> Self {
        let nodes = world.speeds.len();
        let context = Context {
            now: Time::ZERO,
            queue: EventQueue::new(),
            nodes: (0..nodes).map(|_| Node::default()).collect(),
            flights: Vec::new(),
            ledger: Ledger::new(nodes, world.detail),
            timeline: Timeline::new(),
            stop: None,
            sendings: 0,
            receipt: None,
            dropouts: true,
            spans: Spans::new(),
            world,
        };
        Self { context, completed: Vec::new(), arrived: Vec::new() }
    }

    /// Plays `protocol` to its end. `interrupt` may be set from elsewhere to stop early.
    pub fn run(&mut self, protocol: &mut dyn Protocol<P>, interrupt: &AtomicBool) -> StopReason {
        protocol.start(&mut self.context);
        while self.context.stop.is_none() {
            self.step(protocol);
            if interrupt.load(Ordering::Relaxed) {
                self.context.stop(StopReason::Interrupted);
            }
        }
        self.context.ledger.assert_conserved();
        self.context.stop.clone().unwrap_or(StopReason::Idle)
    }

    /// What the run left: accounts, timeline, clock.
    pub fn context(&self) -> &Context<P> {
        &self.context
    }

    /// The same, to set a watch on the timeline before the run.
    pub fn timeline_mut(&mut self) -> &mut Timeline {
        &mut self.context.timeline
    }

    /// Goes to the next instant at which something happens. At equal times arrivals come before events of the queue.
    fn step(&mut self, protocol: &mut dyn Protocol<P>) {
        let context = &mut self.context;
        let arrival = context.world.network.next_completion();
        let event = context.queue.peek_time();
        let Some(next) = [arrival, event].into_iter().flatten().min() else {
            return context.stop(StopReason::Idle);
        };
        if context.world.time_limit.is_some_and(|limit| next > limit) {
            return context.stop(StopReason::TimeLimit);
        }
        if context.world.event_limit.is_some_and(|limit| context.timeline.events() >= limit) {
            return context.stop(StopReason::EventLimit);
        }
        assert!(next >= context.now, "virtual time never goes back");
        context.now = next;
        if arrival == Some(next) {
            self.arrivals(protocol);
        } else if let Some((_, event)) = context.queue.pop() {
            self.event(protocol, event);
        }
    }

    /// All arrivals of this instant are taken from the network before anyone reacts: a reaction may start and cut off flows.
    fn arrivals(&mut self, protocol: &mut dyn Protocol<P>) {
        let context = &mut self.context;
        context.world.network.advance(context.now, &mut self.completed);
        self.arrived.extend(self.completed.drain(..).map(|flow| context.deliver(flow)));
        for (message, receipt) in self.arrived.drain(..) {
            let (from, to) = (message.from, message.to);
            context.receipt = Some(receipt);
            protocol.on_message(context, message);
            context.receipt = None;
            context.end_task(from);
            context.end_task(to);
        }
    }

    fn event(&mut self, protocol: &mut dyn Protocol<P>, event: Event) {
        let context = &mut self.context;
        match event {
            Event::Timer(tag) => {
                context.log(Kind::Timer, NodeId(0), NodeId(0), tag);
                protocol.on_timer(context, tag);
            }
            Event::Computed(node) => {
                context.nodes[node.0 as usize].computing = None;
                context.log(Kind::Computed, node, node, 0);
                protocol.on_computed(context, node);
                context.end_task(node);
            }
            Event::Dropout(node) => {
                let state = &mut context.nodes[node.0 as usize];
                state.dropout = None;
                let restart = context.world.hazard.map_or(Span::ZERO, |hazard| hazard.restart);
                state.down_until = context.now.checked_add(restart).unwrap_or(Time::MAX);
                context.log(Kind::Dropout, node, node, 0);
                context.abandon(node);
                protocol.on_dropout(context, node);
            }
        }
    }
}
