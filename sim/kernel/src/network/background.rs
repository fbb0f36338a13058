//! Background traffic: flows of others on single links, which come and go. While nothing of ours is in flight nothing
//! is simulated; the next transfer of ours finds the links as if it had been.

use fedbits_random::{DrawPurpose, Streams};
use fedbits_spec::range::{LinkRate, POSITIVE_DURATION, SomeBits, whole};
use fedbits_spec::short::{Short, Unread};
use fedbits_spec::{Described, Duration, Size};
use serde::{Deserialize, Serialize};

use super::routes::forward;
use super::slots::mark;
use super::{FlowId, LinkId, MANY_STEPS, Network, Outcome, Routes, Slot, Slots, Transfer, VaryingRate};
use crate::{Bits, EventQueue, NodeId, Rate, Time, TimeDelta};

/// Background traffic.
#[derive(Clone, Copy, Debug, Default, Described, Deserialize, PartialEq, Serialize)]
#[serde(remote = "Self", deny_unknown_fields)]
#[described(short)]
pub enum Background {
    /// None.
    #[default]
    Quiet,
    /// A constant rate, subtracted from the capacity and below it.
    Rate(#[range(LinkRate)] fedbits_spec::Rate),
    /// On-off flows that share links like ours, with exponential pauses and sizes. A transfer first waits for the
    /// link's latency (the mean of others' if it has none), without taking capacity.
    OnOff {
        /// Flows per link and direction.
        #[range(whole(1, 1_000))]
        flows: u32,
        /// Mean pause between transfers of a flow.
        #[range(POSITIVE_DURATION)]
        mean_off: Duration,
        /// Mean size of a transfer.
        #[range(SomeBits)]
        mean_size: Size,
    },
}

impl Short for Background {
    const FORMS: &'static [(&'static str, &'static str)] = &[("\"2 Mbps\"", "Rate(Mbps(2))")];

    fn of_text(text: &str) -> Result<Self, Unread> {
        fedbits_spec::Rate::of_text(text).map(Self::Rate)
    }
}

/// The nodes from here on stand for links: a transfer from such a node to itself uses its link alone.
const FIRST_LINK: u32 = 1 << 31;

/// Routes on which single links can be used alone. The latency of such a route is that of its link; where the link has
/// none (the server's in a star, whose latency is the clients'), it is the mean latency of the links that have one:
/// whoever else sends over such a link is as far away as our nodes are. Without this rule a weight of 1 ÷ latency would
/// give it all of the link.
pub struct SingleLinks<R> {
    routes: R,
    mean_latency: TimeDelta,
}

impl<R: Routes> SingleLinks<R> {
    /// `routes`, and besides each of its links alone.
    pub fn new(routes: R) -> Self {
        let latencies = (0..routes.link_count() as u32).map(|link| u128::from(routes.latency(LinkId(link)).as_nanos()));
        let (sum, count) = latencies.filter(|&latency| latency > 0).fold((0, 0), |(sum, n), one| (sum + one, n + 1));
        // A mean of durations is a duration.
        let mean = sum.checked_div(count).and_then(|mean| u64::try_from(mean).ok()).unwrap_or(0);
        Self { routes, mean_latency: TimeDelta::from_nanos(mean) }
    }
}

impl<R: Routes> Routes for SingleLinks<R> {
    forward! { self => self.routes;
        fn link_count() -> usize;
        fn capacity(link: LinkId) -> Rate;
        fn varying(link: LinkId) -> Option<&VaryingRate>;
        fn latency(link: LinkId) -> TimeDelta;
        fn latency_after(from: NodeId, latency: TimeDelta) -> TimeDelta;
    }

    fn route(&self, from: NodeId, to: NodeId, links: &mut Vec<LinkId>) -> TimeDelta {
        match from.0.checked_sub(FIRST_LINK) {
            Some(link) if from == to => {
                let link = LinkId(link);
                links.clear();
                links.push(link);
                Some(self.routes.latency(link))
                    .filter(|&latency| latency > TimeDelta::ZERO)
                    .unwrap_or(self.mean_latency)
            }
            _ => self.routes.route(from, to, links),
        }
    }
}

/// A network with flows of others on some of its links.
pub struct BackgroundTraffic {
    /// Its routes are [`SingleLinks`].
    inner: Box<dyn Network>,
    streams: Streams,
    sources: Vec<Source>,
    /// Sources that are off, and when they go on.
    off: EventQueue<u32>,
    /// What each of the inner network's flows is.
    carried: Vec<Carried>,
    slots: Slots<Ours>,
    completed: Vec<FlowId>,
}

/// What a flow of the inner network is.
#[derive(Clone, Copy)]
enum Carried {
    Background(u32),
    Ours(u32),
}

/// One of our transfers.
#[derive(Clone, Copy)]
struct Ours {
    order: u64,
    bits: Bits,
    /// `None` once it has ended.
    flow: Option<FlowId>,
    outcome: Outcome,
}

impl Slot for Ours {}

struct Source {
    link: LinkId,
    /// Means in nanoseconds and bits.
    mean_off: f64,
    mean_bits: f64,
    /// The entity of its draws: its link and its number there, so that traffic elsewhere changes nothing for it.
    entity: u64,
    /// Transfers so far: the index of its draws.
    transfers: u64,
}

impl Source {
    /// The flows of a link.
    fn all(link: LinkId, background: Background) -> Vec<Self> {
        let Background::OnOff { flows, mean_off, mean_size } = background else { return Vec::new() };
        let (mean_off, mean_bits) = (TimeDelta::of(mean_off).as_nanos() as f64, Bits::of(mean_size).count() as f64);
        let entity = |number: u32| u64::from(link.0) << 32 | u64::from(number);
        (0..flows).map(|number| Self { link, mean_off, mean_bits, entity: entity(number), transfers: 0 }).collect()
    }
}

impl BackgroundTraffic {
    /// `inner` over [`SingleLinks`], with the flows of each of `links`; a constant rate is none.
    pub fn new(inner: Box<dyn Network>, links: &[(LinkId, Background)], streams: Streams) -> Self {
        let mut background = Self {
            inner,
            streams,
            sources: links.iter().flat_map(|&(link, background)| Source::all(link, background)).collect(),
            off: EventQueue::new(),
            carried: Vec::new(),
            slots: Slots::default(),
            completed: Vec::new(),
        };
        (0..background.sources.len() as u32).for_each(|source| background.pause(Time::ZERO, source));
        background
    }

    /// The draws of a source: when it goes on next, and what it sends then.
    fn draw(&self, source: u32) -> (TimeDelta, Bits) {
        let Source { mean_off, mean_bits, entity, transfers, .. } = &self.sources[source as usize];
        let mut stream = self.streams.at(DrawPurpose::Background, *entity, *transfers);
        let duration = stream.exponential() * mean_off;
        let bits = (stream.exponential() * mean_bits).ceil();
        (TimeDelta::from_nanos(duration as u64), Bits::new((bits as u64).max(1)))
    }

    fn pause(&mut self, now: Time, source: u32) {
        let (duration, _) = self.draw(source);
        // A source that stays off beyond the clock never comes back.
        if let Some(at) = now.checked_add(duration) {
            self.off.push(at, source);
        }
    }

    fn start_transfer(&mut self, now: Time, source: u32) {
        let (_, bits) = self.draw(source);
        let Source { link, transfers, .. } = &mut self.sources[source as usize];
        *transfers += 1;
        let node = NodeId(FIRST_LINK + link.0);
        let flow = self.inner.start(now, Transfer::new(node, node, bits));
        mark(&mut self.carried, flow, Carried::Background(source));
    }

    fn next_event(&mut self) -> Option<Time> {
        self.inner.next_completion().into_iter().chain(self.off.peek_time()).min()
    }

    /// Simulates everything up to `to`.
    fn run(&mut self, to: Time) {
        while self.step(to) {}
    }

    /// Simulates what happens next, by `to`; false if nothing does.
    fn step(&mut self, to: Time) -> bool {
        let Some(next) = self.next_event().filter(|&next| next <= to) else { return false };
        let mut completed = std::mem::take(&mut self.completed);
        self.inner.advance(next, &mut completed);
        for flow in completed.drain(..) {
            match self.carried[flow.0 as usize] {
                Carried::Background(source) => self.pause(next, source),
                Carried::Ours(slot) => self.end(next, slot, flow),
            }
        }
        self.completed = completed;
        while self.off.peek_time() == Some(next) {
            if let Some((_, source)) = self.off.pop() {
                self.start_transfer(next, source);
            }
        }
        true
    }

    fn end(&mut self, at: Time, slot: u32, flow: FlowId) {
        let entry = &mut self.slots.flows[slot as usize];
        (entry.flow, entry.outcome) = (None, self.inner.outcome(flow));
        self.slots.finish(at, self.slots.flows[slot as usize].order, slot);
    }
}

impl Network for BackgroundTraffic {
    fn start(&mut self, now: Time, transfer: Transfer) -> FlowId {
        self.run(now);
        let flow = self.inner.start(now, transfer);
        let ours = |order| Ours { order, bits: transfer.bits, flow: Some(flow), outcome: Outcome::default() };
        let slot = self.slots.insert(ours);
        mark(&mut self.carried, flow, Carried::Ours(slot));
        FlowId(slot)
    }

    fn next_completion(&mut self) -> Option<Time> {
        let next = if self.slots.in_flight() > 0 { self.next_event() } else { None };
        self.slots.first_finished().into_iter().chain(next).min()
    }

    fn advance(&mut self, to: Time, completed: &mut Vec<FlowId>) {
        if self.slots.in_flight() > 0 {
            self.run(to);
        }
        self.slots.tell(completed);
    }

    fn abort(&mut self, now: Time, flow: FlowId) -> Bits {
        self.run(now);
        let Ours { bits, flow: carried, .. } = self.slots.flows[flow.0 as usize];
        let sent = match carried {
            Some(carried) => self.inner.abort(now, carried),
            None => bits,
        };
        self.slots.forget_finished(flow.0);
        self.slots.release(flow.0);
        sent
    }

    fn catch_up(&mut self, to: Time) -> bool {
        self.slots.in_flight() > 0 || !(0..MANY_STEPS).all(|_| self.step(to))
    }

    fn conclude(&mut self) {
        self.inner.conclude();
    }

    fn heeds_windows(&self) -> bool {
        self.inner.heeds_windows()
    }

    fn min_duration(&mut self, transfer: Transfer) -> TimeDelta {
        self.inner.min_duration(transfer)
    }

    fn route(&mut self, from: NodeId, to: NodeId, links: &mut Vec<LinkId>) {
        self.inner.route(from, to, links);
    }

    fn outcome(&mut self, flow: FlowId) -> Outcome {
        self.slots.flows[flow.0 as usize].outcome
    }
}
