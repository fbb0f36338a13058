//! A satellite between any two nodes: every transfer has its route for itself, and takes a constant delay longer.
//!
//! This file is a whole program: `fedbits` whose scenarios can say `network: (sharing: Satellite(delay: Ms(250)))`.

use std::process::ExitCode;
use std::sync::Arc;

use fedbits::kernel::network::{FlowId, LinkId, Network, Routes, SharedLinks, SharingSetting, Transfer};
use fedbits::kernel::{Bits, EventId, EventQueue, NodeId, Rate, Time, TimeDelta};
use fedbits::spec::range::SHORT_DURATION;
use fedbits::spec::{Described, Duration};
use serde::{Deserialize, Serialize};

/// No contention, and a delay: latency + delay + bits / slowest link.
#[derive(Clone, Copy, Debug, Described, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub struct Satellite {
    /// To the satellite and back to the earth.
    #[range(SHORT_DURATION)]
    pub delay: Duration,
}

// What a scenario needs of it.
impl SharingSetting for Satellite {
    fn build(&self, links: SharedLinks) -> Box<dyn Network> {
        Box::new(Orbit {
            routes: links.routes,
            delay: TimeDelta::of(self.delay),
            flows: Vec::new(),
            free: Vec::new(),
            completions: EventQueue::new(),
        })
    }

    // Background traffic would have no effect, and the check of scenarios says so.
    fn contends(&self) -> bool {
        false
    }

    fn examples() -> Vec<Self> {
        [0.0, 250.0].map(|ms| Self { delay: Duration::Ms(ms) }).into()
    }
}

/// The network: it is given what starts, says when something can complete, and is moved forward.
struct Orbit {
    routes: Arc<dyn Routes + Sync>,
    delay: TimeDelta,
    /// The transfers in flight, by slot.
    flows: Vec<Option<Flow>>,
    free: Vec<u32>,
    completions: EventQueue<FlowId>,
}

#[derive(Clone, Copy)]
struct Flow {
    /// When its first bit arrives.
    begins: Time,
    rate: Rate,
    bits: Bits,
    completion: EventId,
}

impl Orbit {
    /// What a transfer waits before its bits flow, and their rate.
    fn alone(&self, transfer: Transfer) -> (TimeDelta, Rate) {
        let mut links = Vec::new();
        let latency = self.routes.route(transfer.from, transfer.to, &mut links);
        let slowest = links.iter().map(|&link| self.routes.capacity(link)).min();
        (latency + self.delay, slowest.expect("a route has at least one link"))
    }
}

impl Network for Orbit {
    // A slot is used again after its transfer: the engine keeps its own data by slot.
    fn start(&mut self, now: Time, transfer: Transfer) -> FlowId {
        let (wait, rate) = self.alone(transfer);
        let slot = self.free.pop().unwrap_or_else(|| {
            self.flows.push(None);
            u32::try_from(self.flows.len() - 1).expect("fewer than 2^32 transfers are in flight")
        });
        let (begins, bits) = (now + wait, transfer.bits);
        let completion = self.completions.push(begins + rate.time_for(bits), FlowId(slot));
        self.flows[slot as usize] = Some(Flow { begins, rate, bits, completion });
        FlowId(slot)
    }

    fn next_completion(&mut self) -> Option<Time> {
        self.completions.peek_time()
    }

    fn advance(&mut self, to: Time, completed: &mut Vec<FlowId>) {
        while self.completions.peek_time().is_some_and(|time| time <= to) {
            if let Some((_, flow)) = self.completions.pop() {
                self.flows[flow.0 as usize] = None;
                self.free.push(flow.0);
                completed.push(flow);
            }
        }
    }

    // What has been sent by then is charged.
    fn abort(&mut self, now: Time, flow: FlowId) -> Bits {
        let in_flight = self.flows.get_mut(flow.0 as usize).and_then(Option::take);
        let Flow { begins, rate, bits, completion } = in_flight.expect("only a transfer in flight is aborted");
        self.completions.cancel(completion);
        self.free.push(flow.0);
        now.checked_since(begins).map_or(Bits::ZERO, |duration| rate.bits_in(duration).min(bits))
    }

    // Optional: what deadlines are checked against, and which links a record of links charges.
    fn min_duration(&mut self, transfer: Transfer) -> TimeDelta {
        let (wait, rate) = self.alone(transfer);
        wait + rate.time_for(transfer.bits)
    }

    fn route(&mut self, from: NodeId, to: NodeId, links: &mut Vec<LinkId>) {
        self.routes.route(from, to, links);
    }
}

/// `fedbits` with one more model of sharing.
pub fn app() -> fedbits::App {
    fedbits::App::new().sharing::<Satellite>()
}

fn main() -> ExitCode {
    app().main()
}

/// What starts ends once, nothing is faster than alone on its route, looking more often changes nothing.
#[test]
fn it_obeys_the_laws_of_sharing() {
    fedbits::laws::sharing::<Satellite>();
}
