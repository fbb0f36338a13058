//! Messages that are coded or decoded, or wait for it, where that takes time. It must not know a context.

use std::collections::{BTreeMap, VecDeque};
use std::num::NonZeroU64;

use crate::clients::Overheads;
use crate::in_flight::Receipt;
use crate::message::Message;
use crate::network::FlowId;
use crate::queue::EventId;
use crate::{NodeId, Time, TimeDelta};

/// A message that is coded or decoded, or waits for it.
pub(crate) struct CodecJob<P> {
    pub(crate) message: Message<P>,
    /// The receipt of a message that has arrived; none of one that is to be sent.
    pub(crate) receipt: Option<Receipt>,
    pub(crate) duration: TimeDelta,
    /// What is under way, since when, in which round; none while it waits.
    pub(crate) running: Option<(EventId, Time, u64)>,
}

impl<P> CodecJob<P> {
    /// Who codes or decodes, and the other end.
    pub(crate) fn ends(&self) -> [NodeId; 2] {
        let Message { from, to, .. } = self.message;
        if self.receipt.is_some() { [to, from] } else { [from, to] }
    }
}

/// The lanes of a node that has jobs.
#[derive(Default)]
pub(crate) struct Station {
    pub(crate) running: u32,
    pub(crate) waiting: VecDeque<NonZeroU64>,
}

/// All jobs. They are few: a node without any has no place here.
pub(crate) struct Codecs<P> {
    pub(crate) overheads: Overheads,
    pub(crate) stations: BTreeMap<NodeId, Station>,
    pub(crate) jobs: BTreeMap<NonZeroU64, CodecJob<P>>,
    /// Messages on their way that were coded.
    started: BTreeMap<NonZeroU64, FlowId>,
}

impl<P> Codecs<P> {
    pub(crate) fn new(overheads: Overheads) -> Self {
        Self { overheads, stations: BTreeMap::new(), jobs: BTreeMap::new(), started: BTreeMap::new() }
    }

    /// The message with this number sets out on `flow`.
    pub(crate) fn departs(&mut self, number: NonZeroU64, flow: FlowId) {
        self.started.insert(number, flow);
    }

    /// The message with this number is on its way no more.
    pub(crate) fn ends(&mut self, number: NonZeroU64) {
        self.started.remove(&number);
    }

    /// The flow of a coded message that is on its way.
    pub(crate) fn flow(&self, number: NonZeroU64) -> Option<FlowId> {
        self.started.get(&number).copied()
    }

    /// Jobs that end when `node` drops out: its own, and messages to it that are not yet sent.
    pub(crate) fn of(&self, node: NodeId) -> Vec<NonZeroU64> {
        let is_its = |job: &CodecJob<P>| job.ends()[0] == node || (job.receipt.is_none() && job.message.to == node);
        self.jobs.iter().filter(|(_, job)| is_its(job)).map(|(number, _)| *number).collect()
    }
}
