//! Exact max–min fair sharing over any routes, of equal or of weighted flows.
//!
//! A flow that begins or ends changes the rates of at most the flows it is connected with through shared links. Only
//! this component is filled again, progressively: the link with the smallest equal share fixes its flows, their rates
//! are taken off the other links, and so on. A flow whose rate stays the same is not touched at all. Everything that
//! happens at one moment is taken together. This file must not know where routes come from.

mod filling;

use super::moment::Moment;
use super::slow_start::SlowStart;
use super::{BIT_DUST, NANOS_PER_SECOND, whole_bits_sent};
use crate::message::Framing;
use crate::network::{FlowId, LinkId, Network, Piece, Routes, Slot, Slots, Transfer, VaryingRate, Window};
use crate::queue::ladder::{Entry, Ladder};
use crate::{Bits, Rate, Time, TimeDelta};

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum State {
    #[default]
    Vacant,
    /// For its latency, before it flows.
    Waiting,
    Running,
    /// Its window is sent, and its round goes on.
    Resting,
    /// It has sent its last bit, which has not arrived.
    Arriving,
    /// It has ended and has not been told yet.
    Finished,
}

#[derive(Debug, Default)]
struct Flow {
    bits: u64,
    order: u64,
    state: State,
    /// Changes with every change of state or rate: entries about an earlier one are stale.
    stamp: u32,
    links: Vec<LinkId>,
    /// Where its acknowledgements run, if they take room.
    back: Vec<LinkId>,
    /// Latency that follows its bits.
    after: TimeDelta,
    window: Option<Window>,
    /// While a window may hold it back.
    slow_start: Option<SlowStart>,
    /// Its rate is this many shares.
    weight: f64,
    /// Bits left at `since` of those that its window allows.
    remaining: f64,
    since: Moment,
    /// bit/s.
    rate: f64,
    finish: Moment,
    /// The filling that visited it last, and the one that fixed its rate last.
    visited: u64,
    fixed: u64,
}

impl Slot for Flow {
    fn vacate(&mut self) {
        self.enter(State::Vacant);
    }
}

impl Flow {
    fn enter(&mut self, state: State) {
        self.state = state;
        self.stamp = self.stamp.wrapping_add(1);
    }

    fn remaining_at(&self, at: Moment) -> f64 {
        (self.remaining - self.rate * at.since(self.since) / NANOS_PER_SECOND).max(0.0)
    }

    /// Bits that no window has allowed yet.
    fn held_back(&self) -> u64 {
        self.slow_start.map_or(0, |slow_start| slow_start.held_back)
    }

    /// Runs at `rate` from `at` on. What rounding has left of a last bit does not wait for the end of an outage.
    fn change_rate(&mut self, at: Moment, rate: f64) {
        let remaining = self.remaining_at(at);
        let rate = if rate == 0.0 && remaining < BIT_DUST { self.rate } else { rate };
        (self.remaining, self.since, self.rate) = (remaining, self.since.max(at), rate);
        self.finish = self.since.after(self.remaining * NANOS_PER_SECOND / rate);
        self.enter(State::Running);
    }
}

/// A link with the flows on it.
#[derive(Debug, Default)]
struct Link {
    capacity: f64,
    /// Slots of the flows that run over it.
    flows: Vec<u32>,
    /// Slots of the flows whose acknowledgements run over it.
    acknowledged: Vec<u32>,
    visited: u64,
    /// During a filling: capacity not given away, and flows without a rate.
    left: f64,
    open: usize,
    /// The sum of the weights of the open flows: their number, when all weigh 1.
    weight: f64,
    /// The value of the line above when it was added up last.
    added: f64,
    /// Boxed, because few links have one.
    varying: Option<Box<VaryingRate>>,
    /// Is the next change of its rate expected? Only while flows are on it.
    watched: bool,
}

impl Link {
    /// An idle link.
    fn new(capacity: Rate, varying: Option<VaryingRate>) -> Self {
        let capacity = capacity.bits_per_second() as f64;
        Self { capacity, varying: varying.map(Box::new), ..Self::default() }
    }

    /// Open flows weigh so much.
    fn weigh(&mut self, weight: f64) {
        (self.weight, self.added) = (weight, weight);
    }

    fn share(&self) -> f64 {
        self.left / self.weight
    }
}

/// How large a flow's rate is beside others on one link.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Weights {
    /// As large as any other's.
    Equal,
    /// In proportion to 1 ÷ latency of its route (at least 1 ns), as TCP divides a link between short and long routes.
    InverseLatency,
}

impl Weights {
    fn of(self, latency: TimeDelta) -> f64 {
        match self {
            Self::Equal => 1.0,
            Self::InverseLatency => 1.0 / latency.as_nanos().max(1) as f64,
        }
    }
}

/// Max–min fair sharing over any [`Routes`].
pub struct GeneralFairShare {
    routes: Box<dyn Routes>,
    weights: Weights,
    /// Bits of acknowledgements per bit of data; 0 where they take no room.
    acknowledgements: f64,
    links: Vec<Link>,
    slots: Slots<Flow>,
    /// Ends of latencies and of flows.
    milestones: Ladder,
    /// Ends of rounds of slow start.
    rounds: Ladder,
    /// Changes of the rates of links: their slots are links.
    changes: Ladder,
    /// The last moment simulated.
    clock: Moment,
    /// Links on which flows have begun or ended since the last filling.
    changed: Vec<LinkId>,
    fillings: u64,
    /// Flows are only cut off, and nobody asks for rates.
    is_over: bool,
}

impl GeneralFairShare {
    /// The network over `routes`, idle; all flows weigh the same.
    pub fn new(routes: impl Routes + 'static) -> Self {
        Self::weighted(routes, Weights::Equal)
    }

    /// The network over `routes`, idle: on a link that is full the rates of the flows it holds back are as their
    /// weights.
    pub fn weighted(routes: impl Routes + 'static, weights: Weights) -> Self {
        let link = |id| Link::new(routes.capacity(LinkId(id as u32)), routes.varying(LinkId(id as u32)).cloned());
        Self {
            weights,
            acknowledgements: 0.0,
            links: (0..routes.link_count()).map(link).collect(),
            routes: Box::new(routes),
            slots: Slots::default(),
            milestones: Ladder::default(),
            rounds: Ladder::default(),
            changes: Ladder::default(),
            clock: Moment::from(Time::ZERO),
            changed: Vec::new(),
            fillings: 0,
            is_over: false,
        }
    }

    /// Acknowledgements take room on the links back: a header for every second packet. They are served before data, on
    /// up to half of a link.
    #[must_use]
    pub fn acknowledged(self, framing: Framing) -> Self {
        let [header, segment] = [framing.header, framing.segment].map(|bits| bits.count() as f64);
        Self { acknowledgements: header / (2.0 * (header + segment)), ..self }
    }

    /// What happens first; of simultaneous things, rates change last, and rounds end before.
    fn next(&mut self) -> Option<(Moment, Next, Entry)> {
        let flows = &self.slots.flows;
        let milestone = self.milestones.front(|entry| flows[entry.slot as usize].stamp == entry.generation);
        let milestone = milestone.map(|entry| {
            let flow = &flows[entry.slot as usize];
            let running = flow.state == State::Running;
            let at = if running { flow.finish } else { Moment::from(Time::from_nanos(entry.key)) };
            (at, Next::Milestone, entry)
        });
        let round = self.rounds.front(|entry| current_round(flows, entry).is_some());
        let round = round.and_then(|entry| Some((current_round(flows, &entry)?.ends, Next::Round, entry)));
        let change = self.changes.front(|_| true);
        let change = change.map(|entry| (Moment::from(Time::from_nanos(entry.key)), Next::Change, entry));
        let all = [milestone, round, change].into_iter().flatten();
        all.reduce(|first, candidate| if candidate.0 < first.0 { candidate } else { first })
    }

    /// Simulates everything up to `to`.
    fn run(&mut self, to: Time) {
        while let Some((at, next, entry)) = self.next().filter(|(_, _, entry)| entry.key <= to.as_nanos()) {
            if at > self.clock {
                self.clock = at;
            }
            self.handle(next, entry);
            while let Some((_, next, entry)) = self.next().filter(|(at, ..)| *at <= self.clock) {
                self.handle(next, entry);
            }
            self.fill();
        }
    }

    fn handle(&mut self, next: Next, entry: Entry) {
        match next {
            Next::Milestone => self.milestones.pop_front(),
            Next::Round => self.rounds.pop_front(),
            Next::Change => {
                self.changes.pop_front();
                return self.change_link(LinkId(entry.slot));
            }
        };
        let (slot, flow) = (entry.slot, &self.slots.flows[entry.slot as usize]);
        match (next, flow.state) {
            (Next::Milestone, State::Running) => {
                self.detach(slot);
                self.sent(slot, entry.key);
            }
            (Next::Milestone, State::Waiting) if flow.bits > 0 => self.open(slot),
            (Next::Milestone, State::Waiting) => self.sent(slot, entry.key),
            (Next::Milestone, _) => self.finish(slot, Time::from_nanos(entry.key)),
            (Next::Round | Next::Change, _) => self.end_round(slot),
        }
    }

    /// The latency before the bits of a flow is over.
    fn open(&mut self, slot: u32) {
        let flow = &mut self.slots.flows[slot as usize];
        flow.slow_start = SlowStart::open(flow.window, flow.bits, self.clock);
        let allowed = flow.bits - flow.held_back();
        self.attach(slot, allowed);
        self.expect_round(slot);
    }

    /// Its window ends it for now, or all of it is on its way.
    fn sent(&mut self, slot: u32, nanos: u64) {
        let flow = &mut self.slots.flows[slot as usize];
        if flow.held_back() > 0 {
            flow.enter(State::Resting);
        } else if flow.after == TimeDelta::ZERO {
            self.finish(slot, Time::from_nanos(nanos));
        } else {
            flow.enter(State::Arriving);
            let arrival = Time::from_nanos(nanos).checked_add(flow.after).unwrap_or(Time::MAX);
            self.milestones.push(Entry { key: arrival.as_nanos(), slot, generation: flow.stamp });
        }
    }

    fn finish(&mut self, slot: u32, at: Time) {
        let flow = &mut self.slots.flows[slot as usize];
        flow.enter(State::Finished);
        self.slots.finish(at, self.slots.flows[slot as usize].order, slot);
    }

    /// The end of a flow's present round, if it is in slow start.
    fn expect_round(&mut self, slot: u32) {
        let flow = &self.slots.flows[slot as usize];
        if let Some(slow_start) = flow.slow_start {
            let key = slow_start.ends.ceil().as_nanos();
            self.rounds.push(Entry { key, slot, generation: flow.order as u32 });
        }
    }

    /// A round of slow start ends: the next window opens, or, where sharing has held the flow back, all of it may be
    /// sent.
    fn end_round(&mut self, slot: u32) {
        let flow = &mut self.slots.flows[slot as usize];
        let Some(slow_start) = flow.slow_start.take() else { return };
        if flow.state == State::Resting {
            let (allowed, slow_start) = slow_start.next();
            flow.slow_start = slow_start;
            self.attach(slot, allowed);
            return self.expect_round(slot);
        }
        flow.remaining = flow.remaining_at(self.clock) + slow_start.held_back as f64;
        flow.since = flow.since.max(self.clock);
        flow.change_rate(self.clock, flow.rate);
        let key = flow.finish.ceil().as_nanos();
        self.milestones.push(Entry { key, slot, generation: flow.stamp });
    }

    /// A flow may send `allowed` bits; the next filling gives it a rate.
    fn attach(&mut self, slot: u32, allowed: u64) {
        let flow = &mut self.slots.flows[slot as usize];
        (flow.remaining, flow.since, flow.rate) = (allowed as f64, self.clock, 0.0);
        flow.enter(State::Running);
        for index in 0..self.slots.flows[slot as usize].links.len() {
            let link = self.slots.flows[slot as usize].links[index];
            self.links[link.0 as usize].flows.push(slot);
            self.changed.push(link);
            if self.links[link.0 as usize].varying.is_some() && !self.links[link.0 as usize].watched {
                self.change_link(link);
            }
        }
        self.attach_back(slot);
    }

    /// Notes that acknowledgements of a flow run over the links back.
    fn attach_back(&mut self, slot: u32) {
        let flow = &self.slots.flows[slot as usize];
        for &link in &flow.back {
            self.links[link.0 as usize].acknowledged.push(slot);
        }
        self.changed.extend_from_slice(&flow.back);
    }

    /// The rate of a link with flows is another, until the next change.
    fn change_link(&mut self, id: LinkId) {
        let link = &mut self.links[id.0 as usize];
        link.watched = !link.flows.is_empty();
        if let Some(varying) = link.varying.as_ref().filter(|_| link.watched) {
            let Piece { rate, until } = varying.at(self.clock.floor());
            link.capacity = rate as f64;
            self.changed.push(id);
            self.changes.push(Entry { key: until.as_nanos(), slot: id.0, generation: 0 });
        }
    }

    fn detach(&mut self, slot: u32) {
        let flow = &self.slots.flows[slot as usize];
        for &link in &flow.links {
            self.links[link.0 as usize].flows.retain(|&user| user != slot);
        }
        self.changed.extend_from_slice(&flow.links);
        for &link in &flow.back {
            self.links[link.0 as usize].acknowledged.retain(|&user| user != slot);
        }
        self.changed.extend_from_slice(&flow.back);
    }

    /// Finds the rates of all flows connected with a changed link.
    fn fill(&mut self) {
        self.fillings += 1;
        let (links, slots) = self.component();
        self.open_links(&links);
        let mut rates = self.progressive_rates(&links);
        if self.acknowledgements > 0.0 {
            rates = self.rates_beside_acknowledgements(&links, rates);
        }
        debug_assert_eq!(rates.len(), slots.len());
        for (slot, rate) in rates {
            let flow = &mut self.slots.flows[slot as usize];
            if flow.rate != rate {
                flow.change_rate(self.clock, rate);
                let key = flow.finish.ceil().as_nanos();
                self.milestones.push(Entry { key, slot, generation: flow.stamp });
            }
        }
        self.sweep_milestones();
    }

    fn sweep_milestones(&mut self) {
        let most = 2 * self.slots.in_flight() + 64;
        let flows = &self.slots.flows;
        if self.milestones.stored > most {
            self.milestones.sweep(|entry| flows[entry.slot as usize].stamp == entry.generation);
        }
        if self.rounds.stored > most {
            self.rounds.sweep(|entry| current_round(flows, entry).is_some());
        }
    }
}

/// What an entry of one of the queues is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Next {
    /// The end of a latency or of a flow.
    Milestone,
    /// The end of a round of slow start.
    Round,
    /// The rate of a link changes.
    Change,
}

/// The slow start that an entry of the rounds speaks of, if its flow still is in it.
fn current_round(flows: &[Flow], entry: &Entry) -> Option<SlowStart> {
    let flow = &flows[entry.slot as usize];
    let current = flow.order as u32 == entry.generation && matches!(flow.state, State::Running | State::Resting);
    flow.slow_start.filter(|slow_start| current && slow_start.ends.ceil().as_nanos() == entry.key)
}

impl Network for GeneralFairShare {
    fn start(&mut self, now: Time, transfer: Transfer) -> FlowId {
        let (slot, order) = self.slots.take();
        let flow = &mut self.slots.flows[slot as usize];
        let latency = self.routes.route(transfer.from, transfer.to, &mut flow.links);
        if self.acknowledgements > 0.0 {
            self.routes.route(transfer.to, transfer.from, &mut flow.back);
        }
        flow.after = self.routes.latency_after(transfer.from, latency);
        let before = latency - flow.after;
        (flow.bits, flow.order) = (transfer.bits.count(), order);
        (flow.window, flow.slow_start) = (transfer.window, None);
        flow.weight = self.weights.of(latency);
        flow.enter(State::Waiting);
        self.milestones.push(Entry { key: (now + before).as_nanos(), slot, generation: flow.stamp });
        FlowId(slot)
    }

    fn next_completion(&mut self) -> Option<Time> {
        let next = self.next().map(|(_, _, entry)| Time::from_nanos(entry.key));
        self.slots.first_finished().into_iter().chain(next).min()
    }

    fn advance(&mut self, to: Time, completed: &mut Vec<FlowId>) {
        self.run(to);
        self.slots.tell(completed);
    }

    fn abort(&mut self, now: Time, flow: FlowId) -> Bits {
        self.run(now);
        let slot = flow.0;
        let flow = &self.slots.flows[slot as usize];
        let (bits, held_back) = (flow.bits, flow.held_back());
        let sent = match flow.state {
            State::Vacant => panic!("only a flow in flight is aborted"),
            State::Waiting => Bits::ZERO,
            State::Resting => Bits::new(bits - held_back),
            State::Arriving => Bits::new(bits),
            State::Finished => {
                self.slots.forget_finished(slot);
                Bits::new(bits)
            }
            State::Running => {
                self.clock = self.clock.max(Moment::from(now));
                let remaining = flow.remaining_at(self.clock) + held_back as f64;
                if !self.is_over {
                    self.detach(slot);
                    self.fill();
                }
                whole_bits_sent(bits, remaining)
            }
        };
        self.slots.release(slot);
        self.sweep_milestones();
        sent
    }

    fn conclude(&mut self) {
        self.is_over = true;
    }

    fn heeds_windows(&self) -> bool {
        true
    }

    fn routes(&self) -> Option<&dyn Routes> {
        Some(&*self.routes)
    }
}
