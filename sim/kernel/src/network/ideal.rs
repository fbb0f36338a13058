//! A network without contention: latency + bits ÷ slowest link of the route. It must not know queues or neighbours.

use super::varying::Through;
use super::{FlowId, LinkId, Network, Routes, Slot, Slots, Transfer, VaryingRate};
use crate::{Bits, EventId, EventQueue, NodeId, Time, TimeDelta};

/// Every transfer has its route for itself.
pub struct Ideal {
    routes: Box<dyn Routes>,
    slots: Slots<Option<Flow>>,
    completions: EventQueue<FlowId>,
    /// Room for one route.
    links: Vec<LinkId>,
}

#[derive(Clone, Copy, Debug)]
struct Flow {
    /// When its bits begin to flow, and between whom.
    opens: Time,
    ends: [NodeId; 2],
    bits: Bits,
    completion: EventId,
}

impl Slot for Option<Flow> {}

impl Ideal {
    /// A network over `routes`.
    pub fn new(routes: impl Routes + 'static) -> Self {
        let completions = EventQueue::new();
        Self { routes: Box::new(routes), slots: Slots::default(), completions, links: Vec::new() }
    }

    /// What a route lets through.
    fn through<T>(&mut self, [from, to]: [NodeId; 2], of: impl FnOnce(Through<'_>) -> T) -> T {
        self.routes.route(from, to, &mut self.links);
        let capacities = self.links.iter().map(|&link| self.routes.capacity(link));
        let constant = capacities.min().expect("a route has at least one link");
        let varying: Vec<&VaryingRate> = self.links.iter().filter_map(|&link| self.routes.varying(link)).collect();
        of(Through { constant, varying: &varying })
    }
}

impl Network for Ideal {
    fn start(&mut self, now: Time, transfer: Transfer) -> FlowId {
        let latency: TimeDelta = self.routes.route(transfer.from, transfer.to, &mut self.links);
        let after = self.routes.latency_after(transfer.from, latency);
        let (opens, ends) = (now + (latency - after), [transfer.from, transfer.to]);
        let sent = self.through(ends, |through| through.sent_by(opens, transfer.bits));
        let id = FlowId(self.slots.take().0);
        let completion = self.completions.push(sent.checked_add(after).unwrap_or(Time::MAX), id);
        self.slots.flows[id.0 as usize] = Some(Flow { opens, ends, bits: transfer.bits, completion });
        id
    }

    fn next_completion(&mut self) -> Option<Time> {
        self.completions.peek_time()
    }

    fn advance(&mut self, to: Time, completed: &mut Vec<FlowId>) {
        while self.completions.peek_time().is_some_and(|time| time <= to) {
            if let Some((_, id)) = self.completions.pop() {
                self.slots.flows[id.0 as usize] = None;
                self.slots.release(id.0);
                completed.push(id);
            }
        }
    }

    fn abort(&mut self, now: Time, flow: FlowId) -> Bits {
        let slot = self.slots.flows.get_mut(flow.0 as usize).and_then(Option::take);
        let Flow { opens, ends, bits, completion } = slot.expect("only a flow in flight is aborted");
        self.completions.cancel(completion);
        self.slots.release(flow.0);
        if now <= opens {
            return Bits::ZERO;
        }
        self.through(ends, |through| through.bits_between(opens, now)).min(bits)
    }

    fn routes(&self) -> Option<&dyn Routes> {
        Some(&*self.routes)
    }
}
