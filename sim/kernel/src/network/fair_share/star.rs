//! Exact max–min fair sharing in a star whose clients exchange with the server only.
//!
//! Every flow crosses the server's link in one direction and one access link, so each direction is one shared link whose flows
//! have caps (`level.rs`): the access rate, divided by the number of flows that use this access link in this direction.
//! An idle client costs its 32 bytes of link data and nothing else. This file must not know how a level finds its rates.

use std::num::NonZeroU32;

use super::level::{Flow, Level, State, is_current};
use super::moment::Moment;
use super::{Finished, whole_bits_sent};
use crate::network::star::SERVER;
use crate::network::{AccessLink, FlowId, Network, StarLinks, Transfer};
use crate::queue::ladder::{Entry, Ladder};
use crate::{Bits, Rate, Span, Time};

/// A client's access link and the heads of its lists of flows, outbound and inbound (slot + 1).
#[derive(Debug)]
struct Client {
    up: Rate,
    down: Rate,
    latency: Span,
    flows: [Option<NonZeroU32>; 2],
}

const _: () = assert!(size_of::<Client>() == 32, "an idle client costs 32 bytes");

impl From<AccessLink> for Client {
    fn from(AccessLink { up, down, latency }: AccessLink) -> Self {
        Self { up, down, latency, flows: [None; 2] }
    }
}

/// Max–min fair sharing of a star's links between transfers from and to the server; for transfers between two clients take
/// [`super::GeneralFairShare`] over the same [`StarLinks`].
#[derive(Debug)]
pub struct StarFairShare {
    clients: Vec<Client>,
    flows: Vec<Flow>,
    /// Slots below `fresh` to be used again.
    free: Vec<u32>,
    /// Slots from here on have not been used since the star was last idle: a broadcast gets neighbouring ones.
    fresh: usize,
    started: u64,
    /// Ends of latencies, and ends of capped flows.
    milestones: Ladder,
    /// Flows that wait for their latency or run: an upper bound of the live milestones.
    under_way: usize,
    /// Slots in use: flows under way and those that have ended and have not been told.
    occupied: usize,
    /// What the server sends, what it receives.
    levels: [Level; 2],
    /// What happens next, as long as nothing changes that.
    upcoming: Option<Upcoming>,
    finished: Finished,
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
            flows: Vec::new(),
            free: Vec::new(),
            fresh: 0,
            started: 0,
            milestones: Ladder::default(),
            under_way: 0,
            occupied: 0,
            levels: [Level::new(links.server_up), Level::new(links.server_down)],
            upcoming: None,
            finished: Finished::default(),
        }
    }

    fn occupy(&mut self, transfer: Transfer) -> u32 {
        let (client, inbound) = match (transfer.from, transfer.to) {
            (SERVER, client) => (client, false),
            (client, server) => {
                assert!(server == SERVER, "a star with the fast fair share carries no transfer between two clients");
                (client, true)
            }
        };
        let index = client.0.checked_sub(1).expect("the server does not send to itself");
        assert!((index as usize) < self.clients.len(), "{client} is not in this star");
        let slot = self.vacant_slot();
        let flow = &mut self.flows[slot as usize];
        (flow.bits, flow.order, flow.client, flow.inbound) = (transfer.bits.count(), self.started, index, inbound);
        flow.enter(State::Waiting);
        slot
    }

    fn vacant_slot(&mut self) -> u32 {
        if let Some(slot) = self.free.pop() {
            return slot;
        }
        let slot = u32::try_from(self.fresh).ok().filter(|&slot| slot < u32::MAX);
        let slot = slot.expect("fewer than 2^32 - 1 flows are under way");
        if self.fresh == self.flows.len() {
            let state = State::Vacant;
            self.flows.push(Flow {
                bits: 0,
                order: 0,
                cap: 0.0,
                state,
                stamp: 0,
                client: 0,
                inbound: false,
                next: None,
            });
        }
        self.fresh += 1;
        slot
    }

    fn vacate(&mut self, slot: u32) {
        self.flows[slot as usize].enter(State::Vacant);
        self.free.push(slot);
        self.occupied -= 1;
        if self.occupied == 0 {
            self.free.clear();
            self.fresh = 0;
        }
    }

    /// What happens first, and when; of simultaneous things, ends come before beginnings.
    #[inline]
    fn next(&mut self) -> Option<Upcoming> {
        if self.upcoming.is_none() {
            self.upcoming = self.find_next();
        }
        self.upcoming
    }

    fn find_next(&mut self) -> Option<Upcoming> {
        let flows = &self.flows;
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

    /// Plays everything up to `to`.
    fn run(&mut self, to: Time) {
        while let Some((at, next)) = self.next().filter(|(at, _)| at.ceil() <= to) {
            self.upcoming = None;
            match next {
                Next::Finish(direction) => {
                    if let Some(slot) = self.levels[direction].reach_next(&self.flows) {
                        self.finish(slot, at);
                    }
                }
                Next::Milestone(entry) => {
                    self.milestones.pop_front();
                    let flow = self.flows[entry.slot as usize];
                    self.levels[usize::from(flow.inbound)].sync(at);
                    if matches!(flow.state, State::Waiting) {
                        self.open(entry.slot, at)
                    } else {
                        self.finish(entry.slot, at)
                    }
                }
            }
        }
        self.sweep_milestones();
    }

    fn sweep_milestones(&mut self) {
        if self.milestones.stored() > 2 * self.under_way + 64 {
            let flows = &self.flows;
            self.milestones.sweep(|entry| is_current(flows, entry));
        }
    }

    /// The latency of a flow is over.
    fn open(&mut self, slot: u32, at: Moment) {
        let flow = self.flows[slot as usize];
        if flow.bits == 0 {
            return self.tell(slot, at);
        }
        let head = &mut self.clients[flow.client as usize].flows[usize::from(flow.inbound)];
        self.flows[slot as usize].next = *head;
        *head = NonZeroU32::MIN.checked_add(slot);
        self.divide_access(flow.client, flow.inbound, Some(slot));
        let level = &mut self.levels[usize::from(flow.inbound)];
        level.join(&mut self.flows, &mut self.milestones, slot, flow.bits as f64);
        level.settle(&mut self.flows, &mut self.milestones);
    }

    /// A flow has sent its last bit.
    fn finish(&mut self, slot: u32, at: Moment) {
        self.detach(slot);
        self.tell(slot, at);
    }

    fn tell(&mut self, slot: u32, at: Moment) {
        let flow = &mut self.flows[slot as usize];
        flow.enter(State::Finished);
        self.finished.push(at.ceil(), flow.order, FlowId(slot));
        self.under_way -= 1;
    }

    /// Takes a running flow out of its level and its client's list; the level must have been moved to now.
    fn detach(&mut self, slot: u32) {
        let Flow { client, inbound, .. } = self.flows[slot as usize];
        let level = &mut self.levels[usize::from(inbound)];
        level.leave(&mut self.flows, slot, State::Finished);
        self.unlink(slot);
        self.divide_access(client, inbound, None);
        self.levels[usize::from(inbound)].settle(&mut self.flows, &mut self.milestones);
    }

    fn unlink(&mut self, slot: u32) {
        let Flow { client, inbound, next, .. } = self.flows[slot as usize];
        let this = NonZeroU32::MIN.checked_add(slot);
        let head = &mut self.clients[client as usize].flows[usize::from(inbound)];
        if *head == this {
            *head = next;
            return;
        }
        let mut place = *head;
        while let Some(other) = place {
            let other = &mut self.flows[other.get() as usize - 1];
            place = other.next;
            if place == this {
                other.next = next;
                return;
            }
        }
    }

    /// Gives each flow of a client in one direction its part of the access rate; `joining` is not at the level yet.
    fn divide_access(&mut self, client: u32, inbound: bool, joining: Option<u32>) {
        let Client { up, down, flows: heads, .. } = &self.clients[client as usize];
        let (rate, head) = (if inbound { up } else { down }, heads[usize::from(inbound)]);
        let count = successors(&self.flows, head).count();
        let cap = rate.bits_per_second() as f64 / count as f64;
        let level = &mut self.levels[usize::from(inbound)];
        let mut place = head;
        while let Some(index) = place {
            let slot = index.get() - 1;
            let flow = &self.flows[slot as usize];
            place = flow.next;
            if joining == Some(slot) {
                self.flows[slot as usize].cap = cap;
                continue;
            }
            let remaining = level.remaining(flow);
            level.leave(&mut self.flows, slot, State::Waiting);
            self.flows[slot as usize].cap = cap;
            level.join(&mut self.flows, &mut self.milestones, slot, remaining);
        }
    }
}

/// The slots of a client's list from `head` on.
fn successors(flows: &[Flow], head: Option<NonZeroU32>) -> impl Iterator<Item = u32> + '_ {
    std::iter::successors(head, |index| flows[index.get() as usize - 1].next).map(|index| index.get() - 1)
}

/// When exactly a milestone is.
fn moment_of(flows: &[Flow], entry: &Entry) -> Moment {
    match flows[entry.slot as usize].state {
        State::Capped { finish } => finish,
        _ => Moment::from(Time::from_nanos(entry.key)),
    }
}

impl Network for StarFairShare {
    fn start(&mut self, now: Time, transfer: Transfer) -> FlowId {
        let slot = self.occupy(transfer);
        let Flow { client, stamp, .. } = self.flows[slot as usize];
        let opens = now + self.clients[client as usize].latency;
        self.milestones.push(Entry { key: opens.as_nanos(), slot, generation: stamp });
        if self.upcoming.is_some_and(|(at, _)| Moment::from(opens) < at) {
            self.upcoming = None;
        }
        self.started += 1;
        self.under_way += 1;
        self.occupied += 1;
        FlowId(slot)
    }

    fn next_completion(&mut self) -> Option<Time> {
        let next = self.next().map(|(at, _)| at.ceil());
        self.finished.first().into_iter().chain(next).min()
    }

    fn advance(&mut self, to: Time, completed: &mut Vec<FlowId>) {
        self.run(to);
        let mut finished = std::mem::take(&mut self.finished);
        for flow in finished.drain() {
            self.vacate(flow.0);
            completed.push(flow);
        }
        self.finished = finished;
    }

    fn abort(&mut self, now: Time, flow: FlowId) -> Bits {
        self.run(now);
        self.upcoming = None;
        let &Flow { bits, state, inbound, .. } = &self.flows[flow.0 as usize];
        assert!(state != State::Vacant, "only a flow under way is aborted");
        let sent = match state {
            State::Finished => {
                self.finished.remove(flow);
                Bits::new(bits)
            }
            State::Sharing { .. } | State::Capped { .. } => {
                self.under_way -= 1;
                self.levels[usize::from(inbound)].sync(Moment::from(now));
                let remaining = self.levels[usize::from(inbound)].remaining(&self.flows[flow.0 as usize]);
                self.detach(flow.0);
                whole_bits_sent(bits, remaining)
            }
            State::Waiting | State::Vacant => {
                self.under_way -= 1;
                Bits::ZERO
            }
        };
        self.vacate(flow.0);
        self.sweep_milestones();
        sent
    }
}
