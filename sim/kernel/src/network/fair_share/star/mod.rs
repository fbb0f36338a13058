//! Exact max–min fair sharing in a star whose clients exchange with the server only.
//!
//! Every flow crosses the server's link in one direction and one access link, so each direction is one shared link
//! whose flows have caps (`level.rs`): the access rate, divided by the number of flows that use this access link in
//! this direction. An idle client costs its 32 bytes of link data and nothing else. This file must not know how a level
//! finds its rates.

mod crowds;
mod windows;

use std::collections::BTreeMap;
use std::num::NonZeroU32;

use super::level::{Flow, Level, State, is_current};
use super::moment::Moment;
use super::slow_start::SlowStart;
use super::whole_bits_sent;
use crate::network::star::SERVER;
use crate::network::{AccessLink, FlowId, LinkId, MANY_STEPS, Network, Slots, StarLinks, Transfer, Window};
use crate::queue::ladder::{Entry, Ladder};
use crate::{Bits, NodeId, Rate, Time, TimeDelta};

/// A client's access link, and the slot (+ 1) that its latest flow was given, outbound and inbound. Nobody takes that
/// back when the flow ends, so that an end need not look at the client: whoever asks sees from the flow whether it is
/// still there.
#[derive(Debug)]
struct Client {
    up: Rate,
    down: Rate,
    latency: TimeDelta,
    latest: [Option<NonZeroU32>; 2],
}

#[cfg(target_pointer_width = "64")]
const _: () = assert!(size_of::<Client>() == 32, "an idle client costs 32 bytes");

impl From<AccessLink> for Client {
    fn from(AccessLink { up, down, latency }: AccessLink) -> Self {
        Self { up, down, latency, latest: [None; 2] }
    }
}

/// Flows that have met on one access link in one direction, until the last of them has ended.
#[derive(Debug)]
struct Crowd {
    in_flight: usize,
    /// Those whose latency is over, in the order of that: they divide the access rate.
    running: Vec<u32>,
}

/// What a flow may send and when: before it opens, and since.
#[derive(Clone, Copy, Debug)]
enum Windows {
    First(Window),
    Open(SlowStart),
}

/// Max–min fair sharing of a star's links between transfers from and to the server; for transfers between two clients
/// take [`super::GeneralFairShare`] over the same [`StarLinks`].
#[derive(Debug)]
pub struct StarFairShare {
    clients: Vec<Client>,
    slots: Slots<Flow>,
    /// By client and direction (inbound or not). Most flows have their access link for themselves and are in none.
    crowds: BTreeMap<(u32, bool), Crowd>,
    /// Ends of latencies, and ends of capped flows.
    milestones: Ladder,
    /// Windows of the flows in slow start, by slot; the others' are left from earlier flows.
    windows: Vec<Option<Windows>>,
    /// Ends of rounds of slow start.
    rounds: Ladder,
    /// Does what the server sends flow at once, and arrive after its latency?
    bits_first: bool,
    /// What the server sends, what it receives.
    levels: [Level; 2],
    /// The server's link in these directions.
    server: [Rate; 2],
    /// What happens next, as long as nothing changes that.
    upcoming: Option<Upcoming>,
}

type Upcoming = (Moment, Next);

/// What happens next.
#[derive(Clone, Copy, Debug)]
enum Next {
    Milestone(Entry),
    /// The first sharing flow of this direction ends.
    Finish(usize),
    /// A round of slow start ends.
    Round(Entry),
}

impl StarFairShare {
    /// The network over `links`, idle.
    pub fn new(links: StarLinks) -> Self {
        Self {
            clients: links.clients.into_iter().map(Client::from).collect(),
            slots: Slots::default(),
            crowds: BTreeMap::new(),
            milestones: Ladder::default(),
            windows: Vec::new(),
            rounds: Ladder::default(),
            bits_first: false,
            levels: [Level::new(links.server_up), Level::new(links.server_down)],
            server: [links.server_up, links.server_down],
            upcoming: None,
        }
    }

    /// What the server sends flows at once, and arrives after its latency.
    #[must_use]
    pub fn bits_first(self) -> Self {
        Self { bits_first: true, ..self }
    }

    /// The client of a transfer, and whether the server receives.
    fn ends(&self, transfer: Transfer) -> (u32, bool) {
        let (client, inbound) = match (transfer.from, transfer.to) {
            (SERVER, client) => (client, false),
            (client, server) => {
                assert!(server == SERVER, "a star with the fast fair share carries no transfer between two clients");
                (client, true)
            }
        };
        let index = client.0.checked_sub(1).expect("the server does not send to itself");
        assert!((index as usize) < self.clients.len(), "{client} is not in this star");
        (index, inbound)
    }

    /// What happens first, and when; of simultaneous things, ends come before beginnings.
    #[inline]
    fn next(&mut self) -> Option<Upcoming> {
        if self.upcoming.is_none() {
            self.upcoming = self.find_next();
        }
        self.upcoming
    }

    #[inline]
    fn find_next(&mut self) -> Option<Upcoming> {
        let flows = &self.slots.flows;
        let milestone = self.milestones.front(|entry| is_current(flows, entry));
        let mut next = milestone.map(|entry| (moment_of(flows, &entry), Next::Milestone(entry)));
        for (direction, level) in self.levels.iter().enumerate() {
            if let Some(finish) = level.next
                && next.as_ref().is_none_or(|(first, _)| finish <= *first)
            {
                next = Some((finish, Next::Finish(direction)));
            }
        }
        if self.rounds.stored > 0 {
            next = self.or_round(next);
        }
        next
    }

    /// The first end of a round, if nothing else is before or at the same moment.
    fn or_round(&mut self, next: Option<Upcoming>) -> Option<Upcoming> {
        let (flows, windows) = (&self.slots.flows, &self.windows);
        let Some(entry) = self.rounds.front(|entry| current_round(flows, windows, entry).is_some()) else {
            return next;
        };
        let ends = current_round(flows, windows, &entry)?.ends;
        if next.is_none_or(|(at, _)| ends < at) { Some((ends, Next::Round(entry))) } else { next }
    }

    /// Simulates everything up to `to`.
    fn run(&mut self, to: Time) {
        while let Some((at, next)) = self.next().filter(|(at, _)| at.ceil() <= to) {
            self.handle(at, next);
        }
        self.sweep_milestones();
    }

    #[inline]
    fn handle(&mut self, at: Moment, next: Next) {
        self.upcoming = None;
        match next {
            Next::Finish(direction) => {
                if let Some(slot) = self.levels[direction].reach_next(&self.slots.flows) {
                    self.finish(slot, at);
                }
            }
            Next::Milestone(Entry { slot, .. }) => {
                self.milestones.pop_front();
                let Flow { inbound, state, .. } = self.slots.flows[slot as usize];
                match state {
                    State::Arriving => self.end(slot, at),
                    State::Waiting => {
                        self.levels[usize::from(inbound)].sync(at);
                        self.open(slot, at);
                    }
                    _ => {
                        self.levels[usize::from(inbound)].sync(at);
                        self.finish(slot, at);
                    }
                }
            }
            Next::Round(Entry { slot, .. }) => {
                self.rounds.pop_front();
                let inbound = self.slots.flows[slot as usize].inbound;
                self.levels[usize::from(inbound)].sync(at);
                self.end_round(slot);
            }
        }
    }

    fn sweep_milestones(&mut self) {
        if self.milestones.stored > 2 * self.slots.in_flight() + 64 {
            let flows = &self.slots.flows;
            self.milestones.sweep(|entry| is_current(flows, entry));
        }
        if self.rounds.stored > 2 * self.slots.in_flight() + 64 {
            let (flows, windows) = (&self.slots.flows, &self.windows);
            self.rounds.sweep(|entry| current_round(flows, windows, entry).is_some());
        }
    }

    /// The latency before the bits of a flow is over.
    #[inline]
    fn open(&mut self, slot: u32, at: Moment) {
        let Flow { bits, in_slow_start, .. } = self.slots.flows[slot as usize];
        if bits == 0 {
            self.leave_crowd(slot);
            return self.arrive(slot, at);
        }
        let held_back = if in_slow_start { self.first_window(slot, bits, at) } else { 0 };
        self.send(slot, bits - held_back);
    }

    /// A flow may send `allowed` bits from now on.
    #[inline]
    fn send(&mut self, slot: u32, allowed: u64) {
        let Flow { client, inbound, crowded, .. } = self.slots.flows[slot as usize];
        if crowded {
            self.run_in_crowd(client, inbound, slot);
        }
        self.join(slot, allowed as f64);
        self.levels[usize::from(inbound)].settle(&mut self.slots.flows, &mut self.milestones);
    }

    /// Lets a flow with its cap set send `remaining` bits; its level must be settled after.
    #[inline]
    fn join(&mut self, slot: u32, remaining: f64) {
        let level = &mut self.levels[usize::from(self.slots.flows[slot as usize].inbound)];
        level.join(&mut self.slots.flows, &mut self.milestones, slot, remaining);
    }

    /// Takes a flow off its level; returns what it has yet to send of what it may.
    #[inline]
    fn withdraw(&mut self, slot: u32, state: State) -> f64 {
        let level = &mut self.levels[usize::from(self.slots.flows[slot as usize].inbound)];
        let remaining = level.remaining(&self.slots.flows[slot as usize]);
        level.leave(&mut self.slots.flows, slot, state);
        remaining
    }

    /// A flow has sent its last bit, or the last that its window allows.
    #[inline]
    fn finish(&mut self, slot: u32, at: Moment) {
        if self.held_back(slot) > 0 {
            return self.rest(slot);
        }
        self.detach(slot);
        self.arrive(slot, at);
    }

    /// All of a flow is on its way.
    #[inline]
    fn arrive(&mut self, slot: u32, at: Moment) {
        let flow = &mut self.slots.flows[slot as usize];
        if flow.inbound || !self.bits_first {
            return self.end(slot, at);
        }
        flow.enter(State::Arriving);
        let arrival = at.ceil().checked_add(self.clients[flow.client as usize].latency).unwrap_or(Time::MAX);
        self.milestones.push(Entry { key: arrival.as_nanos(), slot, generation: flow.stamp });
    }

    #[inline]
    fn end(&mut self, slot: u32, at: Moment) {
        let flow = &mut self.slots.flows[slot as usize];
        flow.enter(State::Finished);
        let order = flow.order;
        self.slots.finish(at.ceil(), order, slot);
    }

    /// Takes a running flow out of its level and its crowd, and returns what it had yet to send of what it may; the
    /// level must have been moved to now.
    #[inline]
    fn detach(&mut self, slot: u32) -> f64 {
        let Flow { inbound, crowded, .. } = self.slots.flows[slot as usize];
        let remaining = self.withdraw(slot, State::Finished);
        if crowded {
            self.leave_crowd(slot);
        }
        self.levels[usize::from(inbound)].settle(&mut self.slots.flows, &mut self.milestones);
        remaining
    }
}

impl Client {
    /// bit/s.
    #[inline]
    fn rate(&self, inbound: bool) -> f64 {
        let rate = if inbound { self.up } else { self.down };
        rate.bits_per_second() as f64
    }
}

/// The slow start that an entry of the rounds speaks of, if its flow still is in it.
fn current_round(flows: &[Flow], windows: &[Option<Windows>], entry: &Entry) -> Option<SlowStart> {
    let flow = &flows[entry.slot as usize];
    let Some(Windows::Open(slow_start)) = windows[entry.slot as usize] else { return None };
    let same = flow.order as u32 == entry.generation && slow_start.ends.ceil().as_nanos() == entry.key;
    (flow.in_slow_start && flow.uses_link() && same).then_some(slow_start)
}

/// When exactly a milestone is.
#[inline]
fn moment_of(flows: &[Flow], entry: &Entry) -> Moment {
    match flows[entry.slot as usize].state {
        State::Capped { finish } => finish,
        _ => Moment::from(Time::from_nanos(entry.key)),
    }
}

impl Network for StarFairShare {
    fn start(&mut self, now: Time, transfer: Transfer) -> FlowId {
        let (client, inbound) = self.ends(transfer);
        let (slot, order) = self.slots.take();
        let link = &mut self.clients[client as usize];
        let latest = std::mem::replace(&mut link.latest[usize::from(inbound)], NonZeroU32::MIN.checked_add(slot));
        let opens = if self.bits_first && !inbound { now } else { now + link.latency };
        let flow = &mut self.slots.flows[slot as usize];
        (flow.bits, flow.order, flow.client, flow.inbound) = (transfer.bits.count(), order, client, inbound);
        (flow.cap, flow.crowded) = (link.rate(inbound), false);
        flow.in_slow_start = transfer.window.is_some();
        flow.enter(State::Waiting);
        self.milestones.push(Entry { key: opens.as_nanos(), slot, generation: flow.stamp });
        if let Some(window) = transfer.window {
            let length = self.windows.len().max(slot as usize + 1);
            self.windows.resize(length, None);
            self.windows[slot as usize] = Some(Windows::First(window));
        }
        if let Some(latest) = latest {
            self.meet(slot, latest);
        }
        if self.upcoming.is_some_and(|(at, _)| Moment::from(opens) < at) {
            self.upcoming = None;
        }
        FlowId(slot)
    }

    fn next_completion(&mut self) -> Option<Time> {
        let next = self.next().map(|(at, _)| at.ceil());
        self.slots.first_finished().into_iter().chain(next).min()
    }

    fn advance(&mut self, to: Time, completed: &mut Vec<FlowId>) {
        self.run(to);
        self.slots.tell(completed);
    }

    /// Without stopping where latencies end.
    fn advance_to_completion(&mut self, horizon: Option<Time>, completed: &mut Vec<FlowId>) -> Option<Time> {
        let within = |time: Time| horizon.is_none_or(|horizon| time <= horizon);
        let (mut first, mut steps) = (self.slots.first_finished(), 0);
        while first.is_none() {
            let (at, next) = self.next().filter(|(at, _)| within(at.ceil()))?;
            self.handle(at, next);
            first = self.slots.first_finished();
            steps += 1;
            if steps == MANY_STEPS && first.is_none() {
                return Some(at.ceil());
            }
        }
        let first = first.filter(|&first| within(first))?;
        self.advance(first, completed);
        Some(first)
    }

    fn abort(&mut self, now: Time, flow: FlowId) -> Bits {
        self.run(now);
        self.upcoming = None;
        let slot = flow.0;
        let &Flow { bits, state, inbound, .. } = &self.slots.flows[slot as usize];
        assert!(state != State::Vacant, "only a flow in flight is aborted");
        let sent = match state {
            State::Finished => {
                self.slots.forget_finished(slot);
                Bits::new(bits)
            }
            State::Sharing { .. } | State::Capped { .. } => {
                self.levels[usize::from(inbound)].sync(Moment::from(now));
                let held_back = self.held_back(slot) as f64;
                let remaining = self.detach(slot) + held_back;
                whole_bits_sent(bits, remaining)
            }
            State::Arriving => Bits::new(bits),
            State::Resting => {
                self.leave_crowd(slot);
                Bits::new(bits - self.held_back(slot))
            }
            State::Waiting | State::Vacant => {
                self.leave_crowd(slot);
                Bits::ZERO
            }
        };
        self.slots.release(slot);
        self.sweep_milestones();
        sent
    }

    fn heeds_windows(&self) -> bool {
        true
    }

    fn min_duration(&mut self, transfer: Transfer) -> TimeDelta {
        let (client, inbound) = self.ends(transfer);
        let Client { up, down, latency, .. } = self.clients[client as usize];
        let access = if inbound { up } else { down };
        latency + access.min(self.server[usize::from(inbound)]).time_for(transfer.bits)
    }

    /// Links are numbered as in [`StarLinks`].
    fn route(&mut self, from: NodeId, to: NodeId, links: &mut Vec<LinkId>) {
        links.clear();
        links.extend([LinkId(2 * from.0), LinkId(2 * to.0 + 1)]);
    }
}
