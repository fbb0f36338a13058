//! What a protocol may touch: only the context acts (schedules, charges, hashes). It knows no mathematics and no
//! protocol; that the server of a star is not tracked is all it knows of topologies.

use std::cell::RefCell;
use std::num::NonZeroU64;

use fedbits_random::Streams;
use fedbits_tally::{Direction, Fate, Histogram};

use crate::clients::Dropout;
use crate::codecs::Codecs;
use crate::digest::{Entry, Kind, Timeline};
use crate::in_flight::{InFlight, MessageInFlight, Receipt, Wire, beyond, sent_back};
use crate::ledger::{Account, Charge, Ledger, LedgerDetail};
use crate::link_ledger::LinkLedger;
use crate::message::{Message, Payload, Purpose};
use crate::network::{FlowId, LinkId, Transfer};
use crate::node::Nodes;
use crate::queue::{EventId, EventQueue};
use crate::time_use::{Clocks, Task, TimeUse};
use crate::trace::Tracer;
use crate::world::{StopReason, World};
use crate::{NodeId, Time, TimeDelta};

/// All that a protocol may touch.
pub struct Context<P> {
    pub(crate) now: Time,
    pub(crate) queue: EventQueue<Event>,
    pub(crate) world: World,
    pub(crate) nodes: Nodes,
    in_flight: InFlight<P>,
    pub(crate) ledger: Ledger,
    links: LinkLedger,
    /// Room for one route.
    route: Vec<LinkId>,
    pub(crate) timeline: Timeline,
    pub(crate) stop: Option<StopReason>,
    pub(crate) receipt: Option<Receipt>,
    /// The number of the next sending.
    sending: NonZeroU64,
    pub(crate) dropouts: bool,
    /// How long transfers took, by direction, and computations, in ns.
    pub(crate) durations: [Histogram; 4],
    /// The nodes' time, where it is kept; looking at it books what has passed.
    clocks: Option<Box<RefCell<Clocks>>>,
    /// What is coded and decoded, where that takes time.
    pub(crate) codecs: Option<Box<Codecs<P>>>,
    /// What happens in chosen rounds.
    pub(crate) trace: Option<Box<RefCell<Tracer>>>,
}

/// Names one transfer for ever, also after it has ended.
#[derive(Clone, Copy, Debug)]
pub struct Sending {
    /// None of a message that has to be coded first.
    flow: Option<FlowId>,
    number: NonZeroU64,
}

/// What the queue holds; the network keeps its own.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Event {
    Timer(u64),
    /// With the duration of the computation.
    Computed(NodeId, TimeDelta),
    Dropout(NodeId),
    /// A message was coded or decoded.
    Coded(NonZeroU64),
}

impl<P: Payload> Context<P> {
    pub(crate) fn new(mut world: World) -> Self {
        let (nodes, speeds) = (world.speeds.len(), std::mem::take(&mut world.speeds));
        let links = if let LedgerDetail::PerLink(links) = world.detail { links } else { 0 };
        let clocks = world.time_use.take().map(|plan| Box::new(Clocks::new(plan, nodes, world.server)));
        Self {
            now: Time::ZERO,
            queue: EventQueue::new(),
            nodes: Nodes::new(speeds, world.dropout != Dropout::Never),
            in_flight: InFlight::new(),
            ledger: Ledger::new(nodes, world.detail, P::PURPOSES),
            links: LinkLedger::new(links, P::PURPOSES),
            route: Vec::new(),
            timeline: Timeline::new(),
            stop: None,
            receipt: None,
            sending: NonZeroU64::MIN,
            dropouts: true,
            durations: ["uplink transfer", "downlink transfer", "peer transfer", "compute"]
                .map(|name| Histogram::new(name, "ns")),
            clocks,
            codecs: world.overheads.map(|overheads| Box::new(Codecs::new(overheads))),
            trace: None,
            world,
        }
    }

    /// Virtual time.
    pub fn now(&self) -> Time {
        self.now
    }

    /// Distributions of transfer and compute durations so far.
    pub fn histograms(&self) -> [Histogram; 4] {
        self.durations.clone()
    }

    /// How every node has spent its time so far, where that is kept.
    pub fn time_use(&self) -> Option<Vec<TimeUse>> {
        Some(self.clocks.as_ref()?.borrow_mut().until(&self.world.streams, self.now))
    }

    /// What the availability has said that cannot be, if it has.
    pub fn wrong_presence(&self) -> Option<String> {
        self.clocks.as_ref()?.borrow().wrong()
    }

    /// Joules of every node so far, where powers are given.
    pub fn energies(&self) -> Option<Vec<f64>> {
        self.clocks.as_ref()?.borrow_mut().energies(&self.world.streams, self.now)
    }

    /// The server, where there is one.
    pub fn server(&self) -> Option<NodeId> {
        self.world.server
    }

    /// Randomness, by address.
    pub fn streams(&self) -> &Streams {
        &self.world.streams
    }

    /// The accounts so far.
    pub fn ledger(&self) -> &Ledger {
        &self.ledger
    }

    /// The accounts of the links between sites so far.
    pub fn links(&self) -> &LinkLedger {
        &self.links
    }

    /// The timeline so far.
    pub fn timeline(&self) -> &Timeline {
        &self.timeline
    }

    /// Can `node` be reached, or is it restarting after a dropout?
    pub fn is_up(&self, node: NodeId) -> bool {
        self.nodes.down_until(node).is_none_or(|until| until <= self.now)
    }

    /// When `node` can be reached again: now, where it can; none, if it restarts beyond the end of the clock.
    pub fn up_at(&self, node: NodeId) -> Option<Time> {
        let until = self.nodes.down_until(node).unwrap_or(self.now);
        (until < Time::MAX).then(|| until.max(self.now))
    }

    /// Ends the run after the current reaction. The first reason counts.
    pub fn stop(&mut self, reason: StopReason) {
        self.stop.get_or_insert(reason);
    }

    /// Sends a message, once it is coded: charges it and lets it flow.
    pub fn send(&mut self, message: Message<P>) -> Sending {
        let number = self.next_number();
        let flow = self.code(number, message).map(|message| self.depart(number, message));
        Sending { flow, number }
    }

    pub(crate) fn next_number(&mut self) -> NonZeroU64 {
        let number = self.sending;
        self.sending = number.saturating_add(1);
        number
    }

    /// A message enters its first link.
    pub(crate) fn depart(&mut self, number: NonZeroU64, message: Message<P>) -> FlowId {
        let wire = Wire::of(&message.payload, self.world.framing);
        self.ledger.depart(wire.charge());
        if let Some(riding) = wire.acknowledgement() {
            self.ledger.depart(riding);
        }
        let (from, to, bits) = (message.from, message.to, wire.total());
        self.log(Kind::Sent, from, to, bits.count());
        let flow = self.world.network.start(self.now, Transfer::new(from, to, bits));
        self.traced(|trace, _| trace.departs(flow));
        self.begin_task(from, Some(flow));
        self.begin_task(to, Some(flow));
        self.clock(from, Task::Send, true);
        self.clock(to, Task::Receive, true);
        self.in_flight.insert(flow, MessageInFlight { message, departed: self.now, number });
        flow
    }

    /// Cuts off one transfer, if it is still in flight; bits already sent stay charged as aborted. Of what is not coded
    /// yet nothing is charged.
    pub fn abort(&mut self, Sending { flow, number }: Sending) {
        let flow = flow.or_else(|| self.codecs.as_ref()?.flow(number));
        match flow {
            Some(flow) if self.in_flight.number(flow) == Some(number) => self.cut_off(flow, Fate::Aborted),
            Some(_) => {}
            None => self.abort_coding(number),
        }
    }

    /// Stops what `node` computes, if anything.
    pub fn stop_computing(&mut self, node: NodeId) {
        self.cancel_computation(node);
        self.end_task(node);
    }

    /// Gives `node` work of `work` units; [`crate::Protocol::on_computed`] follows after work ÷ speed and the time of a
    /// [step](Self::step_time). A node works on one thing at a time: new work replaces old.
    pub fn compute(&mut self, node: NodeId, work: u64) {
        let duration = self.nodes.speed(node).duration(work);
        self.compute_for(node, work, duration);
    }

    /// As [`Self::compute`], with a duration that is `factor` times as long; `factor` is not negative.
    pub fn compute_scaled(&mut self, node: NodeId, work: u64, factor: f64) {
        let duration = self.nodes.speed(node).times(factor).and_then(|speed| speed.duration(work));
        self.compute_for(node, work, duration);
    }

    fn compute_for(&mut self, node: NodeId, work: u64, duration: Option<TimeDelta>) {
        self.cancel_computation(node);
        let with_step = duration.and_then(|duration| duration.checked_add(self.step_time(node)));
        let Some((duration, end)) = with_step.and_then(|duration| Some((duration, self.now.checked_add(duration)?)))
        else {
            return self.stop(StopReason::Failed(format!("{work} units of work on node {} exceed the clock", node.0)));
        };
        self.log(Kind::Computing, node, node, work);
        let event = self.queue.push(end, Event::Computed(node, duration));
        self.begin_task(node, None);
        self.clock(node, Task::Compute, true);
        self.traced(|trace, now| trace.computes(node, work, now));
        *self.nodes.computing(node) = Some(event);
    }

    /// Stops what `node` computes and cuts off its transfers; bits already sent stay charged as aborted.
    pub fn abandon(&mut self, node: NodeId) {
        self.cancel_computation(node);
        if self.is_watched(node) {
            while let Some(flow) = self.nodes.some_flow(node) {
                self.cut_off(flow, Fate::Aborted);
            }
        } else {
            self.in_flight.of(node).into_iter().for_each(|flow| self.cut_off(flow, Fate::Aborted));
        }
        self.abandon_coding(node);
        self.end_task(node);
    }

    /// A timer: [`crate::Protocol::on_timer`] is called with `tag` after `duration`.
    pub fn timer(&mut self, duration: TimeDelta, tag: u64) -> Option<EventId> {
        // Beyond the clock it never rings.
        self.now.checked_add(duration).map(|at| self.queue.push(at, Event::Timer(tag)))
    }

    /// Takes a timer back.
    pub fn cancel_timer(&mut self, timer: EventId) {
        self.queue.cancel(timer);
    }

    /// Books the message being handled as late: it arrived, and nobody uses it. To be called inside `on_message`, once.
    pub fn reject_late(&mut self) {
        let receipt = self.receipt.take().expect("reject_late is called once, while a message is handled");
        self.book_receipt_late(receipt);
    }

    /// Books as late what this is the receipt of.
    pub(crate) fn book_receipt_late(&mut self, receipt: Receipt) {
        let Receipt { ends: [from, to], purpose, charge, back, riding, traced } = receipt;
        if let Some((trace, number)) = self.tracer().zip(traced) {
            trace.was_late(number);
        }
        self.book_late([from, to], purpose, charge);
        self.book_late([to, from], purpose, back);
        self.book_late([from, to], P::ACKNOWLEDGEMENT, riding);
    }

    /// Books as late what went from one of `ends` to the other and was booked as delivered.
    fn book_late(&mut self, ends: [NodeId; 2], purpose: Purpose, charge: Charge) {
        if charge.is_zero() {
            return;
        }
        let (direction, host) = self.direction(ends[0], ends[1]);
        self.ledger.reclassify_late(host, direction, purpose, charge);
        if self.links.is_kept() {
            let [delivered, late] = [Fate::Delivered, Fate::Late].map(|fate| Account::new(direction, purpose, fate));
            self.world.network.route(ends[0], ends[1], &mut self.route);
            self.links.move_to(&self.route, delivered, late, charge);
        }
    }

    /// Books what became of bits that were to go from one of `ends` to the other: on the host, and on the links of the
    /// route.
    #[inline]
    fn settle(&mut self, ends: [NodeId; 2], purpose: Purpose, fate: Fate, charge: Charge) {
        if charge.is_zero() && !self.links.is_kept() {
            return;
        }
        let (direction, host) = self.direction(ends[0], ends[1]);
        self.ledger.settle(host, direction, purpose, fate, charge);
        if self.links.is_kept() {
            self.world.network.route(ends[0], ends[1], &mut self.route);
            self.links.book(&self.route, Account::new(direction, purpose, fate), charge);
        }
    }

    /// # Panics
    /// If `at` lies before now: a defect of the queue or of a network.
    #[inline]
    pub(crate) fn go_to(&mut self, at: Time) {
        assert!(at >= self.now, "virtual time never goes back");
        self.now = at;
    }

    #[inline]
    pub(crate) fn log(&mut self, kind: Kind, from: NodeId, to: NodeId, amount: u64) {
        self.timeline.push(Entry { time: self.now, kind, from, to, amount });
    }

    /// Direction of traffic between two nodes, and the host it is booked on: the end that is not the server.
    #[inline]
    pub(crate) fn direction(&self, from: NodeId, to: NodeId) -> (Direction, NodeId) {
        match self.world.server {
            Some(server) if server == to => (Direction::Up, from),
            Some(server) if server == from => (Direction::Down, to),
            _ => (Direction::Peer, from),
        }
    }

    /// Where nobody drops out, nobody's transfers are kept; the server never drops out, and its transfers may be
    /// millions.
    #[inline]
    fn is_watched(&self, node: NodeId) -> bool {
        self.nodes.are_watched() && self.world.server != Some(node)
    }

    #[inline]
    pub(crate) fn begin_task(&mut self, node: NodeId, flow: Option<FlowId>) {
        if self.is_watched(node) {
            self.watch(node, flow);
        }
    }

    fn watch(&mut self, node: NodeId, flow: Option<FlowId>) {
        let was_busy = self.nodes.is_busy(node);
        if let Some(flow) = flow {
            self.nodes.add_flow(node, flow);
        }
        let Some(hazard) = self.world.dropout.hazard().filter(|_| self.dropouts && !was_busy) else { return };
        let Some(watched) = self.nodes.watched(node).filter(|watched| watched.dropout.is_none()) else { return };
        let period = u64::from(watched.busy_periods);
        watched.busy_periods += 1;
        if let Some(at) = hazard.strikes(&self.world.streams, node, period, self.now) {
            watched.dropout = Some(self.queue.push(at, Event::Dropout(node)));
        }
    }

    /// `node` begins a task, or ends it.
    #[inline]
    pub(crate) fn clock(&mut self, node: NodeId, task: Task, begins: bool) {
        if let Some(clocks) = &mut self.clocks {
            clocks.get_mut().turn(&self.world.streams, node, task, begins, self.now);
        }
    }

    /// `node` drops out now and is back at `until`.
    pub(crate) fn clock_down(&mut self, node: NodeId, until: Time) {
        if let Some(clocks) = &mut self.clocks {
            clocks.get_mut().goes_down(&self.world.streams, node, self.now, until);
        }
    }

    /// To be called when a task of `node` may have been its last.
    #[inline]
    pub(crate) fn end_task(&mut self, node: NodeId) {
        if !self.nodes.are_watched() || self.nodes.is_busy(node) {
            return;
        }
        if let Some(event) = self.nodes.watched(node).and_then(|watched| watched.dropout.take()) {
            self.queue.cancel(event);
        }
    }

    #[inline]
    fn cancel_computation(&mut self, node: NodeId) {
        if let Some(event) = self.nodes.computing(node).take() {
            self.queue.cancel(event);
            self.end_computation(node, Fate::Aborted);
        }
    }

    #[inline]
    fn take_message(&mut self, flow: FlowId) -> MessageInFlight<P> {
        let flight = self.in_flight.take(flow);
        if let Some(codecs) = &mut self.codecs {
            codecs.ends(flight.number);
        }
        self.clock(flight.message.from, Task::Send, false);
        self.clock(flight.message.to, Task::Receive, false);
        if self.nodes.are_watched() {
            for node in [flight.message.from, flight.message.to] {
                if self.is_watched(node) {
                    self.nodes.remove_flow(node, flow);
                }
            }
        }
        flight
    }

    /// The run is over: what is in flight is booked as far as it got.
    pub(crate) fn settle_in_flight(&mut self) {
        self.world.network.conclude();
        self.in_flight.in_flight().into_iter().for_each(|flow| self.cut_off(flow, Fate::InFlight));
        self.settle_coding();
        self.traced(Tracer::end);
    }

    fn cut_off(&mut self, flow: FlowId, fate: Fate) {
        let sent = self.world.network.abort(self.now, flow);
        let outcome = self.world.network.outcome(flow);
        let (beyond, back) = (beyond(outcome), sent_back(outcome));
        self.ledger.depart(beyond);
        self.ledger.depart(back);
        let MessageInFlight { message: Message { from, to, purpose, payload }, departed, .. } = self.take_message(flow);
        self.settle([to, from], purpose, fate, back);
        let wire = Wire::of(&payload, self.world.framing);
        if fate == Fate::Aborted {
            self.log(Kind::Aborted, from, to, sent.count());
        }
        let [content, riding, unsent] = wire.cut_off(self.world.framing, sent);
        let partial = content + beyond;
        self.ledger.withdraw(unsent);
        self.settle([from, to], purpose, fate, partial);
        self.settle([from, to], P::ACKNOWLEDGEMENT, fate, riding);
        self.end_trace(flow, departed, ([from, to], purpose), (|| partial + riding + back, fate));
        let (_, host) = self.direction(from, to);
        let peer = if host == from { to } else { from };
        self.end_task(peer);
    }

    /// Takes a message that has arrived or was lost off its flow and books it; there is a receipt when it has arrived.
    #[inline]
    pub(crate) fn complete(&mut self, flow: FlowId) -> (Message<P>, Option<Receipt>) {
        let outcome = self.world.network.outcome(flow);
        let MessageInFlight { message, departed, .. } = self.take_message(flow);
        let Message { from, to, purpose, ref payload } = message;
        let wire = Wire::of(payload, self.world.framing);
        let (beyond, back) = (beyond(outcome), sent_back(outcome));
        self.ledger.depart(beyond);
        self.ledger.depart(back);
        let (kind, fate) =
            if outcome.arrived() { (Kind::Delivered, Fate::Delivered) } else { (Kind::Lost, Fate::Lost) };
        self.log(kind, from, to, (wire.total() - outcome.unsent).count());
        if outcome.arrived() {
            let direction = self.direction(from, to).0;
            self.durations[direction as usize].record((self.now - departed).as_nanos());
        }
        let [content, riding, unsent] = wire.ended(self.world.framing, outcome);
        let charge = content + beyond;
        self.ledger.withdraw(unsent);
        self.settle([from, to], purpose, fate, charge);
        self.settle([to, from], purpose, fate, back);
        self.settle([from, to], P::ACKNOWLEDGEMENT, fate, riding);
        let ends = [from, to];
        let traced = self.end_trace(flow, departed, (ends, purpose), (|| charge + riding + back, fate));
        (message, outcome.arrived().then_some(Receipt { ends, purpose, charge, back, riding, traced }))
    }
}
