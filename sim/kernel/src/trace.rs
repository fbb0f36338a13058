//! What happened in chosen rounds: transfers, computations and restarts, from when to when, and what came of them.
//!
//! A run that traces nothing pays one comparison per event. The journal tells when rounds close; what they are about is
//! not known here.

use std::num::NonZeroU32;

use fedbits_tally::{Direction, Fate};

use crate::ledger::Charge;
use crate::network::FlowId;
use crate::{Bits, NodeId, Purpose, Time};

/// Something that was under way while a traced round was open.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Span {
    /// The rounds that were open when it began and when it ended.
    pub rounds: [u64; 2],
    /// When it began and ended.
    pub times: [Time; 2],
    /// What it was.
    pub activity: Activity,
}

/// What goes on during a span.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Activity {
    /// A round is open.
    Round,
    /// A message is on its way.
    Transfer {
        /// Sender and receiver.
        ends: [NodeId; 2],
        /// Towards the server, from it, or between peers.
        direction: Direction,
        /// Why it was sent.
        purpose: Purpose,
        /// All that was charged for it.
        charge: Charge,
        /// What became of it.
        fate: Fate,
    },
    /// A node computes.
    Compute {
        /// Who.
        node: NodeId,
        /// Units of work.
        work: u64,
        /// Delivered: to its end; aborted; in flight: the run ended first.
        fate: Fate,
    },
    /// A node codes or decodes a message.
    Coding {
        /// Who, and the other end of the message.
        ends: [NodeId; 2],
        /// Is it a message that has arrived?
        decodes: bool,
        /// Why the message was sent.
        purpose: Purpose,
        /// The length of its content.
        bits: Bits,
        /// Delivered: to its end; aborted; in flight: the run ended first.
        fate: Fate,
    },
    /// A node that dropped out is restarting.
    Restart(NodeId),
}

/// The most spans that are kept: about 20 MB, and a table of as many megabytes.
pub const MOST_SPANS: usize = 200_000;

/// The trace of a run in the making.
pub(crate) struct Tracer {
    /// Traced rounds in increasing order.
    wanted: Vec<u64>,
    /// The round that is open, and since when.
    pub(crate) round: u64,
    opened: Time,
    /// The round in which the flow of each slot began.
    flows: Vec<u64>,
    /// What each node computes: since when, in which round, units of work.
    computing: Vec<Option<(Time, u64, u64)>>,
    /// Nodes that restart: since when and until when, in which round they began.
    restarting: Vec<(NodeId, [Time; 2], u64)>,
    spans: Vec<Span>,
    overflowed: bool,
}

impl Tracer {
    pub(crate) fn new(wanted: Vec<u64>, nodes: usize) -> Self {
        let (flows, spans) = (Vec::new(), Vec::new());
        let computing = vec![None; nodes];
        let restarting = Vec::new();
        Self { wanted, round: 0, opened: Time::ZERO, flows, computing, restarting, spans, overflowed: false }
    }

    /// The spans in the order of their ends; none where there are too many.
    pub(crate) fn spans(&self) -> Option<Vec<Span>> {
        (!self.overflowed).then(|| self.spans.clone())
    }

    /// Keeps a span that ends in the open round, if a traced round was open meanwhile; its number, from 1.
    pub(crate) fn keep(&mut self, began: u64, times: [Time; 2], activity: Activity) -> Option<NonZeroU32> {
        let traced = self.wanted.get(self.wanted.partition_point(|&round| round < began))?;
        self.overflowed |= *traced <= self.round && self.spans.len() == MOST_SPANS;
        if *traced > self.round || self.overflowed {
            return None;
        }
        self.spans.push(Span { rounds: [began, self.round], times, activity });
        NonZeroU32::new(self.spans.len() as u32)
    }

    /// The round of this number closes, and the next one opens.
    pub(crate) fn close_round(&mut self, number: u64, now: Time) {
        self.round = number;
        self.restarted(now);
        self.keep(number, [self.opened, now], Activity::Round);
        (self.round, self.opened) = (number + 1, now);
    }

    /// A message sets out.
    pub(crate) fn departs(&mut self, flow: FlowId) {
        let slot = flow.0 as usize;
        self.flows.resize(self.flows.len().max(slot + 1), 0);
        self.flows[slot] = self.round;
    }

    /// A message has met its fate.
    pub(crate) fn ends(&mut self, flow: FlowId, times: [Time; 2], transfer: Activity) -> Option<NonZeroU32> {
        self.keep(self.flows[flow.0 as usize], times, transfer)
    }

    /// What was delivered was late.
    pub(crate) fn was_late(&mut self, number: NonZeroU32) {
        if let Some(Span { activity: Activity::Transfer { fate, .. }, .. }) =
            self.spans.get_mut(number.get() as usize - 1)
        {
            *fate = Fate::Late;
        }
    }

    pub(crate) fn computes(&mut self, node: NodeId, work: u64, now: Time) {
        self.computing[node.0 as usize] = Some((now, self.round, work));
    }

    pub(crate) fn computed(&mut self, node: NodeId, now: Time, fate: Fate) {
        if let Some((since, round, work)) = self.computing[node.0 as usize].take() {
            self.keep(round, [since, now], Activity::Compute { node, work, fate });
        }
    }

    /// A node has dropped out and is back at the end of these times.
    pub(crate) fn restarts(&mut self, node: NodeId, times: [Time; 2]) {
        if times[0] < times[1] {
            self.restarting.push((node, times, self.round));
        }
    }

    /// Keeps the restarts that have ended by now, in the open round.
    fn restarted(&mut self, now: Time) {
        let all = std::mem::take(&mut self.restarting).into_iter();
        let (ended, going): (Vec<_>, Vec<_>) = all.partition(|(_, times, _)| times[1] <= now);
        self.restarting = going;
        for (node, times, round) in ended {
            self.keep(round, times, Activity::Restart(node));
        }
    }

    /// The run is over: what goes on is cut off.
    pub(crate) fn end(&mut self, now: Time) {
        self.restarting.iter_mut().for_each(|(_, times, _)| times[1] = times[1].min(now));
        self.restarted(now);
        (0..self.computing.len() as u32).for_each(|node| self.computed(NodeId(node), now, Fate::InFlight));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A restart ends in the round that is open then, and with the run at the latest.
    #[test]
    fn restarts_end_in_their_round_and_with_the_run() {
        let time = |nanoseconds| Time::ZERO + crate::TimeDelta::from_nanos(nanoseconds);
        let mut tracer = Tracer::new(vec![2, 4], 3);
        tracer.close_round(1, time(10));
        tracer.restarts(NodeId(0), [time(12), time(15)]);
        tracer.restarts(NodeId(1), [time(13), time(35)]);
        for (round, close) in [(2, 20), (3, 30)] {
            tracer.close_round(round, time(close));
        }
        tracer.restarts(NodeId(2), [time(33), time(900)]);
        tracer.close_round(4, time(40));
        tracer.end(time(50));
        let spans = tracer.spans().unwrap();
        let of = |span: &Span| match span.activity {
            Activity::Restart(node) => Some((node.0, span.rounds, span.times.map(|time| time.as_nanos()))),
            _ => None,
        };
        let restarts: Vec<_> = spans.iter().filter_map(of).collect();
        assert_eq!(restarts, [(0, [2, 2], [12, 15]), (1, [2, 4], [13, 35]), (2, [4, 5], [33, 50])]);
    }
}
