//! What became of every transfer of a network, simulated or real.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::rc::Rc;

use fedbits_kernel::network::{FlowId, LinkId, Network, Outcome, Transfer};
use fedbits_kernel::{Bits, NodeId, Time, TimeDelta};
use serde::Serialize;

/// How a transfer ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub enum Ending {
    /// Its last bit arrived.
    Arrived,
    /// The network lost it.
    Lost,
    /// It was cut off.
    CutOff,
}

/// A transfer that has ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct Played {
    /// The sending node.
    pub from: u32,
    /// The receiving node.
    pub to: u32,
    /// Bits on the wire, headers included, of the whole of it.
    pub bits: u64,
    /// When it was to begin, on the clock of the run.
    pub start_ns: u64,
    /// How much later than that it was handed to the network.
    pub lag_ns: u64,
    /// When it ended.
    pub end_ns: u64,
    /// How.
    pub ending: Ending,
}

/// The transfers of a network, in the order of their ends; several owners look at it.
#[derive(Clone, Debug, Default)]
pub struct Log(Rc<RefCell<Vec<Played>>>);

impl Log {
    pub(crate) fn push(&self, played: Played) {
        self.0.borrow_mut().push(played);
    }

    /// The transfers so far.
    #[must_use]
    pub fn taken(&self) -> Vec<Played> {
        self.0.borrow().clone()
    }
}

/// A network that notes its transfers.
pub struct Noted {
    inner: Box<dyn Network>,
    under_way: BTreeMap<FlowId, (Transfer, Time)>,
    log: Log,
}

impl Noted {
    /// Notes the transfers of `inner`.
    #[must_use]
    pub fn new(inner: Box<dyn Network>) -> (Self, Log) {
        let log = Log::default();
        (Self { inner, under_way: BTreeMap::new(), log: log.clone() }, log)
    }

    fn ended(&mut self, flow: FlowId, at: Time, ending: Ending) {
        let Some((Transfer { from, to, bits, .. }, start)) = self.under_way.remove(&flow) else { return };
        let (start_ns, end_ns) = (start.as_nanos(), at.as_nanos());
        self.log.push(Played { from: from.0, to: to.0, bits: bits.count(), start_ns, lag_ns: 0, end_ns, ending });
    }

    fn completed(&mut self, at: Time, flows: &[FlowId]) {
        for &flow in flows {
            let ending = if self.inner.outcome(flow).arrived() { Ending::Arrived } else { Ending::Lost };
            self.ended(flow, at, ending);
        }
    }
}

impl Network for Noted {
    fn start(&mut self, now: Time, transfer: Transfer) -> FlowId {
        let flow = self.inner.start(now, transfer);
        self.under_way.insert(flow, (transfer, now));
        flow
    }

    fn next_completion(&mut self) -> Option<Time> {
        self.inner.next_completion()
    }

    fn advance(&mut self, to: Time, completed: &mut Vec<FlowId>) {
        let before = completed.len();
        self.inner.advance(to, completed);
        self.completed(to, &completed[before..]);
    }

    fn advance_to_completion(&mut self, horizon: Option<Time>, completed: &mut Vec<FlowId>) -> Option<Time> {
        let before = completed.len();
        let at = self.inner.advance_to_completion(horizon, completed)?;
        self.completed(at, &completed[before..]);
        Some(at)
    }

    fn catch_up(&mut self, to: Time) -> bool {
        self.inner.catch_up(to)
    }

    fn abort(&mut self, now: Time, flow: FlowId) -> Bits {
        self.ended(flow, now, Ending::CutOff);
        self.inner.abort(now, flow)
    }

    fn conclude(&mut self) {
        self.inner.conclude();
    }

    fn heeds_windows(&self) -> bool {
        self.inner.heeds_windows()
    }

    fn min_duration(&mut self, transfer: Transfer) -> TimeDelta {
        self.inner.min_duration(transfer)
    }

    fn route(&mut self, from: NodeId, to: NodeId, links: &mut Vec<LinkId>) {
        self.inner.route(from, to, links);
    }

    fn outcome(&mut self, flow: FlowId) -> Outcome {
        self.inner.outcome(flow)
    }
}
