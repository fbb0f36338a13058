//! Exact max–min fair sharing in a star whose clients exchange with the server only.
//!
//! Every flow crosses the server's link in one direction and one access link, so each direction is one shared link
//! whose flows have caps (`level.rs`): the access rate, divided by the number of flows that use this access link in
//! this direction. An idle client costs its 32 bytes of link data and nothing else. This file must not know how a level
//! finds its rates.

use std::collections::BTreeMap;
use std::num::NonZeroU32;

use super::level::{Flow, Level, State, is_current};
use super::moment::Moment;
use super::slots::Slots;
use super::whole_bits_sent;
use crate::network::star::SERVER;
use crate::network::{AccessLink, FlowId, LinkId, Network, StarLinks, Transfer};
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
}

impl StarFairShare {
    /// The network over `links`, idle.
    pub fn new(links: StarLinks) -> Self {
        Self {
            clients: links.clients.into_iter().map(Client::from).collect(),
            slots: Slots::new(),
            crowds: BTreeMap::new(),
            milestones: Ladder::default(),
            levels: [Level::new(links.server_up), Level::new(links.server_down)],
            server: [links.server_up, links.server_down],
            upcoming: None,
        }
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
            if let Some(finish) = level.next()
                && next.as_ref().is_none_or(|(first, _)| finish <= *first)
            {
                next = Some((finish, Next::Finish(direction)));
            }
        }
        next
    }

    /// Simulates everything up to `to`.
    fn run(&mut self, to: Time) {
        while let Some((at, next)) = self.next().filter(|(at, _)| at.ceil() <= to) {
            self.happen(at, next);
        }
        self.sweep_milestones();
    }

    #[inline]
    fn happen(&mut self, at: Moment, next: Next) {
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
                self.levels[usize::from(inbound)].sync(at);
                if matches!(state, State::Waiting) { self.open(slot, at) } else { self.finish(slot, at) }
            }
        }
    }

    fn sweep_milestones(&mut self) {
        if self.milestones.stored() > 2 * self.slots.in_flight() + 64 {
            let flows = &self.slots.flows;
            self.milestones.sweep(|entry| is_current(flows, entry));
        }
    }

    /// The latency of a flow is over.
    #[inline]
    fn open(&mut self, slot: u32, at: Moment) {
        let Flow { bits, client, inbound, crowded, .. } = self.slots.flows[slot as usize];
        if bits == 0 {
            self.leave_crowd(slot);
            return self.end(slot, at);
        }
        if crowded {
            self.run_in_crowd(client, inbound, slot);
        }
        let level = &mut self.levels[usize::from(inbound)];
        level.join(&mut self.slots.flows, &mut self.milestones, slot, bits as f64);
        level.settle(&mut self.slots.flows, &mut self.milestones);
    }

    /// A flow has sent its last bit.
    #[inline]
    fn finish(&mut self, slot: u32, at: Moment) {
        self.detach(slot);
        self.end(slot, at);
    }

    #[inline]
    fn end(&mut self, slot: u32, at: Moment) {
        let flow = &mut self.slots.flows[slot as usize];
        flow.enter(State::Finished);
        let order = flow.order;
        self.slots.finish(at.ceil(), order, slot);
    }

    /// Takes a running flow out of its level and its crowd; the level must have been moved to now.
    #[inline]
    fn detach(&mut self, slot: u32) {
        let Flow { inbound, crowded, .. } = self.slots.flows[slot as usize];
        self.levels[usize::from(inbound)].leave(&mut self.slots.flows, slot, State::Finished);
        if crowded {
            self.leave_crowd(slot);
        }
        self.levels[usize::from(inbound)].settle(&mut self.slots.flows, &mut self.milestones);
    }

    // --- several flows on one access link ---------------------------------------------------------------------------

    /// Puts a new flow into a crowd if its client has another flow in flight in its direction; `latest` is what the
    /// client remembers of the flow before.
    fn meet(&mut self, slot: u32, latest: NonZeroU32) {
        let Flow { client, inbound, .. } = self.slots.flows[slot as usize];
        let other = latest.get() - 1;
        if let Some(crowd) = self.crowds.get_mut(&(client, inbound)) {
            crowd.in_flight += 1;
        } else {
            let flow = &mut self.slots.flows[other as usize];
            if other == slot || !flow.is_in_flight() || (flow.client, flow.inbound) != (client, inbound) {
                return;
            }
            flow.crowded = true;
            let running = if flow.state == State::Waiting { vec![] } else { vec![other] };
            self.crowds.insert((client, inbound), Crowd { in_flight: 2, running });
        }
        self.slots.flows[slot as usize].crowded = true;
    }

    /// The latency of a crowded flow is over.
    fn run_in_crowd(&mut self, client: u32, inbound: bool, slot: u32) {
        if let Some(crowd) = self.crowds.get_mut(&(client, inbound)) {
            crowd.running.push(slot);
        }
        self.divide_access(client, inbound, Some(slot));
    }

    /// A flow ends, in whatever way; the level must have been left.
    fn leave_crowd(&mut self, slot: u32) {
        let Flow { client, inbound, crowded, .. } = self.slots.flows[slot as usize];
        let Some(crowd) = self.crowds.get_mut(&(client, inbound)).filter(|_| crowded) else { return };
        crowd.in_flight -= 1;
        let place = crowd.running.iter().position(|&other| other == slot);
        if crowd.in_flight == 0 {
            self.crowds.remove(&(client, inbound));
        } else if let Some(place) = place {
            crowd.running.remove(place);
            self.divide_access(client, inbound, None);
        }
    }

    /// Gives each running flow of a crowd its part of the access rate, the latest first; `joining` is not at the level
    /// yet.
    fn divide_access(&mut self, client: u32, inbound: bool, joining: Option<u32>) {
        let Some(crowd) = self.crowds.get(&(client, inbound)) else { return };
        let cap = self.clients[client as usize].rate(inbound) / crowd.running.len() as f64;
        let (flows, level) = (&mut self.slots.flows, &mut self.levels[usize::from(inbound)]);
        for &slot in crowd.running.iter().rev() {
            if joining == Some(slot) {
                flows[slot as usize].cap = cap;
                continue;
            }
            let remaining = level.remaining(&flows[slot as usize]);
            level.leave(flows, slot, State::Waiting);
            flows[slot as usize].cap = cap;
            level.join(flows, &mut self.milestones, slot, remaining);
        }
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
        let opens = now + link.latency;
        let flow = &mut self.slots.flows[slot as usize];
        (flow.bits, flow.order, flow.client, flow.inbound) = (transfer.bits.count(), order, client, inbound);
        (flow.cap, flow.crowded) = (link.rate(inbound), false);
        flow.enter(State::Waiting);
        self.milestones.push(Entry { key: opens.as_nanos(), slot, generation: flow.stamp });
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
        let mut first = self.slots.first_finished();
        while first.is_none() {
            let (at, next) = self.next().filter(|(at, _)| within(at.ceil()))?;
            self.happen(at, next);
            first = self.slots.first_finished();
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
                let remaining = self.levels[usize::from(inbound)].remaining(&self.slots.flows[slot as usize]);
                self.detach(slot);
                whole_bits_sent(bits, remaining)
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

    fn min_duration(&mut self, transfer: Transfer) -> TimeDelta {
        let (client, inbound) = self.ends(transfer);
        let Client { up, down, latency, .. } = self.clients[client as usize];
        let access = if inbound { up } else { down };
        latency + access.min(self.server[usize::from(inbound)]).time_for(transfer.bits)
    }

    /// The same numbers as those of [`StarLinks`].
    fn route(&mut self, from: NodeId, to: NodeId, links: &mut Vec<LinkId>) {
        links.clear();
        links.extend([LinkId(2 * from.0), LinkId(2 * to.0 + 1)]);
    }
}
