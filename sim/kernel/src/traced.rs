//! How a context leads the trace of its run. What is in a trace is not known here.

use std::cell::RefCell;
use std::num::NonZeroU32;

use fedbits_tally::Fate;

use crate::context::Context;
use crate::ledger::Charge;
use crate::message::{Payload, Purpose};
use crate::network::FlowId;
use crate::time_use::Task;
use crate::trace::{Activity, Span, Tracer};
use crate::{NodeId, Time};

impl<P: Payload> Context<P> {
    /// Keeps what happens in these rounds, in increasing order; to be called before anything happens.
    pub(crate) fn trace(&mut self, rounds: Vec<u64>) {
        self.trace = Some(Box::new(RefCell::new(Tracer::new(rounds, self.nodes.len()))));
    }

    /// The trace, where there is one.
    #[inline]
    pub(crate) fn tracer(&mut self) -> Option<&mut Tracer> {
        self.trace.as_mut().map(|trace| trace.get_mut())
    }

    /// Tells the trace, where there is one, what happens now.
    #[inline]
    pub(crate) fn traced(&mut self, tell: impl FnOnce(&mut Tracer, Time)) {
        let now = self.now;
        if let Some(trace) = self.tracer() {
            tell(trace, now);
        }
    }

    /// A round closes, and the next one opens.
    pub fn close_round(&self, number: u64) {
        if let Some(trace) = &self.trace {
            trace.borrow_mut().close_round(number, self.now);
        }
    }

    /// What happened in the traced rounds so far; none where these hold more than [`crate::MOST_SPANS`].
    pub fn spans(&self) -> Option<Vec<Span>> {
        self.trace.as_ref().map_or_else(|| Some(Vec::new()), |trace| trace.borrow().spans())
    }

    /// `node` computes no more.
    #[inline]
    pub(crate) fn end_computation(&mut self, node: NodeId, fate: Fate) {
        self.clock(node, Task::Compute, false);
        self.traced(|trace, now| trace.computed(node, now, fate));
    }

    /// A message has met its fate; its number in the trace, if it is there.
    #[inline]
    pub(crate) fn end_trace(
        &mut self,
        flow: FlowId,
        departed: Time,
        (ends, purpose): ([NodeId; 2], Purpose),
        (charge, fate): (impl FnOnce() -> Charge, Fate),
    ) -> Option<NonZeroU32> {
        self.trace.as_ref()?;
        let (now, (direction, _)) = (self.now, self.direction(ends[0], ends[1]));
        let transfer = Activity::Transfer { ends, direction, purpose, charge: charge(), fate };
        self.tracer()?.ends(flow, [departed, now], transfer)
    }
}
