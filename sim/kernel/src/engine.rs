//! The engine: one short loop that runs a protocol over a network in virtual time.
//!
//! It knows no mathematics and no server: nodes send messages of known length, compute for known work, and drop out.
//! Only the
//! [`Context`] acts (schedules, charges, hashes); a protocol is a set of reactions that is handed the context.

use std::num::NonZeroU64;
use std::sync::atomic::{AtomicBool, Ordering};

use fedbits_tally::Fate;

use crate::NodeId;
use crate::context::{Context, Event};
use crate::digest::{Kind, Timeline};
use crate::in_flight::Receipt;
use crate::message::{Message, Payload};
use crate::network::FlowId;
use crate::world::{StopReason, World};

/// A distributed algorithm: reactions of all its nodes, their states in arrays.
pub trait Protocol<P: Payload> {
    /// At time zero.
    fn start(&mut self, context: &mut Context<P>);
    /// A message has arrived at `message.to`.
    fn on_message(&mut self, context: &mut Context<P>, message: Message<P>);
    /// A timer rang. A protocol that sets none need not react.
    fn on_timer(&mut self, _context: &mut Context<P>, _tag: u64) {}
    /// `node` has finished the work it was given with [`Context::compute`].
    fn on_computed(&mut self, context: &mut Context<P>, node: NodeId);
    /// `node` dropped out: its work is gone, its transfers are cut off (the peers notice at once). A protocol
    /// whose world has no dropouts need not react.
    fn on_dropout(&mut self, _context: &mut Context<P>, _node: NodeId) {}
    /// A message was lost in flight: it will not arrive. It is told when it would have arrived, in place of the
    /// timeouts that would find out. A protocol that does not say what a loss means to it fails at the first one.
    fn on_lost(&mut self, context: &mut Context<P>, message: Message<P>) {
        let Message { from, to, .. } = message;
        let why = format!("a message from {from} to {to} was lost, and this protocol needs every message");
        context.stop(StopReason::Failed(why));
    }
}

/// A run: a context and the loop over it.
pub struct Engine<P> {
    context: Context<P>,
    completed: Vec<FlowId>,
    arrived: Vec<(Message<P>, Option<Receipt>)>,
}

impl<P: Payload> Engine<P> {
    /// An engine at time zero.
    pub fn new(world: World) -> Self {
        Self { context: Context::new(world), completed: Vec::new(), arrived: Vec::new() }
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
        self.context.settle_in_flight();
        self.context.ledger.assert_conserved();
        self.context.stop.clone().unwrap_or(StopReason::Idle)
    }

    /// Books what is in flight as far as it got, after a panic in [`Self::run`]; accounts that it left half done stay
    /// so.
    pub fn abandon(&mut self) {
        self.context.settle_in_flight();
    }

    /// What the run left: accounts, timeline, clock.
    pub fn context(&self) -> &Context<P> {
        &self.context
    }

    /// The timeline, to set a watch on it before the run.
    pub fn timeline_mut(&mut self) -> &mut Timeline {
        &mut self.context.timeline
    }

    /// Keeps what happens in these rounds, in increasing order; to be called before the run.
    pub fn trace(&mut self, rounds: Vec<u64>) {
        self.context.trace(rounds);
    }

    /// Goes to the next instant at which something happens. At equal times arrivals come before events of the queue.
    fn step(&mut self, protocol: &mut dyn Protocol<P>) {
        let context = &mut self.context;
        if context.world.event_limit.is_some_and(|limit| context.timeline.events() >= limit) {
            return context.stop(StopReason::EventLimit);
        }
        let (event, limit) = (context.queue.peek_time(), context.world.time_limit);
        let horizon = [event, limit].into_iter().flatten().min();
        if let Some(at) = context.world.network.advance_to_completion(horizon, &mut self.completed) {
            context.go_to(at);
            self.arrivals(protocol);
        } else if let Some(at) = event.filter(|&at| limit.is_none_or(|limit| at <= limit)) {
            if context.world.network.catch_up(at) {
                self.next_event(protocol);
            }
        } else {
            self.out_of_events();
        }
    }

    /// Takes the next event from the queue.
    fn next_event(&mut self, protocol: &mut dyn Protocol<P>) {
        let context = &mut self.context;
        let Some((at, event)) = context.queue.pop() else { return };
        context.go_to(at);
        self.event(protocol, event);
    }

    /// Nothing happens within the limit of time, or nothing at all.
    fn out_of_events(&mut self) {
        let context = &mut self.context;
        let goes_on = context.queue.peek_time().is_some() || context.world.network.next_completion().is_some();
        match context.world.time_limit.filter(|_| goes_on) {
            Some(limit) => {
                context.go_to(limit);
                context.stop(StopReason::TimeLimit);
            }
            None => context.stop(StopReason::Idle),
        }
    }

    /// All arrivals of this instant have been taken from the network before anyone reacts: a reaction may start and cut
    /// off flows.
    fn arrivals(&mut self, protocol: &mut dyn Protocol<P>) {
        let context = &mut self.context;
        if let [flow] = self.completed[..] {
            self.completed.clear();
            let (message, receipt) = context.complete(flow);
            return hand_over(context, protocol, message, receipt);
        }
        self.arrived.extend(self.completed.drain(..).map(|flow| context.complete(flow)));
        for (message, receipt) in self.arrived.drain(..) {
            hand_over(context, protocol, message, receipt);
        }
    }

    fn event(&mut self, protocol: &mut dyn Protocol<P>, event: Event) {
        let context = &mut self.context;
        match event {
            Event::Timer(tag) => {
                context.log(Kind::Timer, NodeId(0), NodeId(0), tag);
                protocol.on_timer(context, tag);
            }
            Event::Computed(node, duration) => {
                let [.., computations] = &mut context.durations;
                computations.record(duration.as_nanos());
                *context.nodes.computing(node) = None;
                context.end_computation(node, Fate::Delivered);
                context.log(Kind::Computed, node, node, 0);
                protocol.on_computed(context, node);
                context.end_task(node);
                context.start_waiting(node);
            }
            Event::Coded(number) => coded(context, protocol, number),
            Event::Dropout(node) => {
                if let Some(watched) = context.nodes.watched(node) {
                    watched.dropout = None;
                }
                context.drop_out(node);
                protocol.on_dropout(context, node);
            }
        }
    }
}

#[inline]
fn hand_over<P: Payload>(
    context: &mut Context<P>,
    protocol: &mut dyn Protocol<P>,
    message: Message<P>,
    receipt: Option<Receipt>,
) {
    let (from, to) = (message.from, message.to);
    // Before anyone reacts: asked again at this instant, the sender begins a new busy period, whoever else is there.
    context.end_task(from);
    match receipt {
        Some(receipt) => match context.decode(message, receipt) {
            Some((message, receipt)) => read(context, protocol, message, receipt),
            None => return,
        },
        None => protocol.on_lost(context, message),
    }
    context.end_task(to);
}

/// The receiver has a message and reacts to it.
#[inline]
fn read<P: Payload>(context: &mut Context<P>, protocol: &mut dyn Protocol<P>, message: Message<P>, receipt: Receipt) {
    context.receipt = Some(receipt);
    protocol.on_message(context, message);
    context.receipt = None;
}

/// A message was coded, and sets out; or it was decoded.
fn coded<P: Payload>(context: &mut Context<P>, protocol: &mut dyn Protocol<P>, number: NonZeroU64) {
    let Some((message, receipt)) = context.end_job(number, Fate::Delivered) else { return };
    let node = if receipt.is_some() { message.to } else { message.from };
    match receipt {
        Some(receipt) => read(context, protocol, message, receipt),
        None => {
            let flow = context.depart(number, message);
            if let Some(codecs) = &mut context.codecs {
                codecs.departs(number, flow);
            }
        }
    }
    context.end_task(node);
    context.start_waiting(node);
}
