//! Exact max–min fair sharing over any routes, of equal or of weighted flows.
//!
//! A flow that begins or ends changes the rates of at most the flows it is connected with through shared links. Only
//! this component is filled again, progressively: the link with the smallest equal share fixes its flows, their rates
//! are taken off the other links, and so on. A flow whose rate stays the same is not touched at all. Everything that
//! happens at one moment is taken together. This file must not know where routes come from.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use super::moment::Moment;
use super::slots::{Slot, Slots};
use super::{NANOS_PER_SECOND, whole_bits_sent};
use crate::network::routes::min_duration;
use crate::network::{FlowId, LinkId, Network, Routes, Transfer};
use crate::queue::ladder::{Entry, Ladder};
use crate::{Bits, NodeId, Time, TimeDelta};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum State {
    Vacant,
    Waiting,
    Running,
    /// It has ended and has not been told yet.
    Finished,
}

#[derive(Debug)]
struct Flow {
    bits: u64,
    order: u64,
    state: State,
    /// Changes with every change of state or rate: entries about an earlier one are stale.
    stamp: u32,
    links: Vec<LinkId>,
    /// Its rate is this many shares.
    weight: f64,
    /// Bits left at `since`.
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
    fn vacant() -> Self {
        let start = Moment::from(Time::ZERO);
        Self {
            bits: 0,
            order: 0,
            state: State::Vacant,
            stamp: 0,
            links: Vec::new(),
            weight: 1.0,
            remaining: 0.0,
            since: start,
            rate: 0.0,
            finish: start,
            visited: 0,
            fixed: 0,
        }
    }

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

    /// Runs at `rate` from `at` on.
    fn change_rate(&mut self, at: Moment, rate: f64) {
        (self.remaining, self.since, self.rate) = (self.remaining_at(at), self.since.max(at), rate);
        self.finish = self.since.after(self.remaining * NANOS_PER_SECOND / rate);
        self.enter(State::Running);
    }
}

#[derive(Debug)]
struct Link {
    capacity: f64,
    /// Slots of the flows that run over it.
    flows: Vec<u32>,
    visited: u64,
    /// During a filling: capacity not given away, and flows without a rate.
    left: f64,
    open: usize,
    /// The sum of the weights of the open flows: their number, when all weigh 1.
    weight: f64,
}

impl Link {
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
    links: Vec<Link>,
    slots: Slots<Flow>,
    /// Ends of latencies and of flows.
    milestones: Ladder,
    /// The last moment simulated.
    clock: Moment,
    /// Links on which flows have begun or ended since the last filling.
    changed: Vec<LinkId>,
    fillings: u64,
}

impl GeneralFairShare {
    /// The network over `routes`, idle; all flows weigh the same.
    pub fn new(routes: impl Routes + 'static) -> Self {
        Self::weighted(routes, Weights::Equal)
    }

    /// The network over `routes`, idle: on a link that is full the rates of the flows it holds back are as their
    /// weights.
    pub fn weighted(routes: impl Routes + 'static, weights: Weights) -> Self {
        let link = |id| Link {
            capacity: routes.capacity(LinkId(id as u32)).bits_per_second() as f64,
            flows: Vec::new(),
            visited: 0,
            left: 0.0,
            open: 0,
            weight: 0.0,
        };
        Self {
            weights,
            links: (0..routes.link_count()).map(link).collect(),
            routes: Box::new(routes),
            slots: Slots::new(),
            milestones: Ladder::default(),
            clock: Moment::from(Time::ZERO),
            changed: Vec::new(),
            fillings: 0,
        }
    }

    fn next(&mut self) -> Option<(Moment, Entry)> {
        let flows = &self.slots.flows;
        let entry = self.milestones.front(|entry| flows[entry.slot as usize].stamp == entry.generation)?;
        let flow = &flows[entry.slot as usize];
        let running = flow.state == State::Running;
        Some((if running { flow.finish } else { Moment::from(Time::from_nanos(entry.key)) }, entry))
    }

    /// Simulates everything up to `to`.
    fn run(&mut self, to: Time) {
        while let Some((at, entry)) = self.next().filter(|(_, entry)| entry.key <= to.as_nanos()) {
            if at > self.clock {
                self.clock = at;
            }
            self.handle(entry);
            while let Some((_, entry)) = self.next().filter(|(at, _)| *at <= self.clock) {
                self.handle(entry);
            }
            self.fill();
        }
    }

    fn handle(&mut self, entry: Entry) {
        self.milestones.pop_front();
        let flow = &mut self.slots.flows[entry.slot as usize];
        if flow.state == State::Running {
            self.detach(entry.slot);
        } else if flow.bits > 0 {
            return self.attach(entry.slot);
        }
        let flow = &mut self.slots.flows[entry.slot as usize];
        flow.enter(State::Finished);
        let order = flow.order;
        self.slots.finish(Time::from_nanos(entry.key), order, entry.slot);
    }

    /// The latency of a flow is over; the next filling gives it a rate.
    fn attach(&mut self, slot: u32) {
        let flow = &mut self.slots.flows[slot as usize];
        (flow.remaining, flow.since, flow.rate) = (flow.bits as f64, self.clock, 0.0);
        flow.enter(State::Running);
        for &link in &flow.links {
            self.links[link.0 as usize].flows.push(slot);
        }
        self.changed.extend_from_slice(&flow.links);
    }

    fn detach(&mut self, slot: u32) {
        let flow = &self.slots.flows[slot as usize];
        for &link in &flow.links {
            self.links[link.0 as usize].flows.retain(|&other| other != slot);
        }
        self.changed.extend_from_slice(&flow.links);
    }

    /// Finds the rates of all flows connected with a changed link.
    fn fill(&mut self) {
        self.fillings += 1;
        let (links, slots) = self.component();
        let rates = self.progressive_rates(&links);
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
        if self.milestones.stored() > 2 * self.slots.in_flight() + 64 {
            let flows = &self.slots.flows;
            self.milestones.sweep(|entry| flows[entry.slot as usize].stamp == entry.generation);
        }
    }

    /// The links and the flows connected with the changed links.
    fn component(&mut self) -> (Vec<LinkId>, Vec<u32>) {
        let (mut links, mut slots) = (Vec::new(), Vec::new());
        let mut waiting = std::mem::take(&mut self.changed);
        while let Some(id) = waiting.pop() {
            let link = &mut self.links[id.0 as usize];
            if std::mem::replace(&mut link.visited, self.fillings) == self.fillings {
                continue;
            }
            links.push(id);
            (link.left, link.open) = (link.capacity, link.flows.len());
            link.weight = link.flows.iter().map(|&slot| self.slots.flows[slot as usize].weight).sum();
            for &slot in &link.flows {
                let flow = &mut self.slots.flows[slot as usize];
                if std::mem::replace(&mut flow.visited, self.fillings) != self.fillings {
                    slots.push(slot);
                    waiting.extend_from_slice(&flow.links);
                }
            }
        }
        (links, slots)
    }

    /// Progressive filling of a component: each flow and its max–min fair rate.
    fn progressive_rates(&mut self, links: &[LinkId]) -> Vec<(u32, f64)> {
        let key = |link: &Link, id: LinkId| Reverse((link.share().to_bits(), id));
        let used = links.iter().filter(|id| self.links[id.0 as usize].open > 0);
        let mut tightest: BinaryHeap<_> = used.map(|&id| key(&self.links[id.0 as usize], id)).collect();
        let (mut rates, mut level) = (Vec::new(), 0.0f64);
        while let Some(Reverse((share, id))) = tightest.pop() {
            let link = &self.links[id.0 as usize];
            if link.open == 0 {
                continue;
            }
            // Shares only grow while others are fixed, so an outdated key is too small and the link goes back.
            if link.share().to_bits() > share {
                tightest.push(key(link, id));
                continue;
            }
            level = level.max(link.share());
            self.fix_flows(id, level, &mut rates);
        }
        rates
    }

    /// Gives every flow on a link that has no rate yet its weight times `level`.
    fn fix_flows(&mut self, id: LinkId, level: f64, rates: &mut Vec<(u32, f64)>) {
        let slots = std::mem::take(&mut self.links[id.0 as usize].flows);
        for &slot in &slots {
            let flow = &mut self.slots.flows[slot as usize];
            if std::mem::replace(&mut flow.fixed, self.fillings) == self.fillings {
                continue;
            }
            let (rate, weight) = (level * flow.weight, flow.weight);
            rates.push((slot, rate));
            for &other in &flow.links {
                let other = &mut self.links[other.0 as usize];
                (other.left, other.open) = ((other.left - rate).max(0.0), other.open - 1);
                other.weight -= weight;
            }
        }
        self.links[id.0 as usize].flows = slots;
    }
}

impl Network for GeneralFairShare {
    fn start(&mut self, now: Time, transfer: Transfer) -> FlowId {
        let (slot, order) = self.slots.take();
        let flow = &mut self.slots.flows[slot as usize];
        let latency = self.routes.route(transfer.from, transfer.to, &mut flow.links);
        (flow.bits, flow.order) = (transfer.bits.count(), order);
        flow.weight = self.weights.of(latency);
        flow.enter(State::Waiting);
        self.milestones.push(Entry { key: (now + latency).as_nanos(), slot, generation: flow.stamp });
        FlowId(slot)
    }

    fn next_completion(&mut self) -> Option<Time> {
        let next = self.next().map(|(_, entry)| Time::from_nanos(entry.key));
        self.slots.first_finished().into_iter().chain(next).min()
    }

    fn advance(&mut self, to: Time, completed: &mut Vec<FlowId>) {
        self.run(to);
        self.slots.tell(completed);
    }

    fn abort(&mut self, now: Time, flow: FlowId) -> Bits {
        self.run(now);
        let slot = flow.0;
        let &Flow { bits, state, .. } = &self.slots.flows[slot as usize];
        assert!(state != State::Vacant, "only a flow in flight is aborted");
        let mut sent = Bits::ZERO;
        if state == State::Finished {
            self.slots.forget_finished(slot);
            sent = Bits::new(bits);
        }
        if state == State::Running {
            self.clock = self.clock.max(Moment::from(now));
            sent = whole_bits_sent(bits, self.slots.flows[slot as usize].remaining_at(self.clock));
            self.detach(slot);
            self.fill();
        }
        self.slots.release(slot);
        self.sweep_milestones();
        sent
    }

    fn min_duration(&mut self, transfer: Transfer) -> TimeDelta {
        min_duration(&*self.routes, transfer, &mut Vec::new())
    }

    fn route(&mut self, from: NodeId, to: NodeId, links: &mut Vec<LinkId>) {
        self.routes.route(from, to, links);
    }
}
