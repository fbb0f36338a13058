//! A satellite: every transfer takes the same time, however long it is and whoever else sends. It must not know queues.

use crate::network::{FlowId, Network, Transfer};
use crate::{Bits, EventId, EventQueue, Time, TimeDelta};

/// A constant delay.
pub struct Satellite {
    delay: TimeDelta,
    /// Bits and completion of every transfer in progress, by slot.
    flows: Vec<Option<(Bits, EventId)>>,
    free: Vec<u32>,
    completions: EventQueue<FlowId>,
}

impl Satellite {
    /// Every transfer takes `delay`.
    pub fn new(delay: TimeDelta) -> Self {
        Self { delay, flows: Vec::new(), free: Vec::new(), completions: EventQueue::new() }
    }
}

impl Network for Satellite {
    // A slot is used again after its transfer: the engine keeps its own data by slot.
    fn start(&mut self, now: Time, transfer: Transfer) -> FlowId {
        let slot = self.free.pop().unwrap_or_else(|| {
            self.flows.push(None);
            u32::try_from(self.flows.len() - 1).expect("fewer than 2^32 transfers are in progress")
        });
        let completion = self.completions.push(now + self.delay, FlowId(slot));
        self.flows[slot as usize] = Some((transfer.bits, completion));
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

    // All bits leave at once, so all are charged.
    fn abort(&mut self, _now: Time, flow: FlowId) -> Bits {
        let unfinished = self.flows.get_mut(flow.0 as usize).and_then(Option::take);
        let (bits, completion) = unfinished.expect("only a transfer in progress is aborted");
        self.completions.cancel(completion);
        self.free.push(flow.0);
        bits
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::NodeId;

    /// Two transfers that start 1 s apart end 1 s apart, after the delay, in the order of their start; one cut off
    /// never ends.
    #[test]
    fn every_transfer_takes_the_delay() {
        let (delay, second) = (TimeDelta::from_nanos(250_000_000), TimeDelta::from_nanos(1_000_000_000));
        let mut satellite = Satellite::new(delay);
        let transfer = |bits| Transfer { from: NodeId(0), to: NodeId(1), bits: Bits::new(bits) };
        let first = satellite.start(Time::ZERO, transfer(8));
        let cut = satellite.start(Time::ZERO, transfer(800));
        let last = satellite.start(Time::ZERO + second, transfer(1 << 40));
        assert_eq!(satellite.abort(Time::ZERO, cut), Bits::new(800));
        let mut completed = Vec::new();
        assert_eq!(satellite.advance_to_completion(None, &mut completed), Some(Time::ZERO + delay));
        assert_eq!(completed, [first]);
        completed.clear();
        assert_eq!(satellite.advance_to_completion(None, &mut completed), Some(Time::ZERO + second + delay));
        assert_eq!(completed, [last]);
        assert_eq!(satellite.next_completion(), None);
    }
}
