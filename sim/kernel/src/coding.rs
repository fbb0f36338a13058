//! What messages and steps take beside the links and the work: times to code and decode, and the time of a step.
//!
//! A message is coded before its first bit leaves and decoded after its last has arrived; both take a time per bit of
//! what it carries (payload and riding acknowledgement, without headers). A node has lanes: as many messages are coded
//! or decoded at a time, the others wait in the order in which they came. While the server makes a step it begins none.
//! What takes no time needs no lane. Where a world has no such times, nothing of this is kept.

use std::num::NonZeroU64;

use fedbits_tally::Fate;

use crate::codecs::{CodecJob, Codecs};
use crate::context::{Context, Event};
use crate::digest::Kind;
use crate::in_flight::Receipt;
use crate::message::{Message, Payload};
use crate::time_use::Task;
use crate::trace::Activity;
use crate::world::StopReason;
use crate::{NodeId, TimeDelta};

impl<P: Payload> Context<P> {
    /// The time that each computation of `node` takes beside its work.
    pub fn step_time(&self, node: NodeId) -> TimeDelta {
        let server = self.world.server;
        self.world.overheads.as_ref().map_or(TimeDelta::ZERO, |overheads| overheads.of(node, server).step)
    }

    /// Sends nothing and decodes nothing: the server while it makes a step.
    fn is_blocked(&mut self, node: NodeId) -> bool {
        self.world.server == Some(node) && self.nodes.computing(node).is_some()
    }

    /// Has a message coded that is to be sent; gives it back where that takes no time.
    pub(crate) fn code(&mut self, number: NonZeroU64, message: Message<P>) -> Option<Message<P>> {
        self.take_time(number, message, None).map(|(message, _)| message)
    }

    /// Has a message decoded that has arrived; gives it back where that takes no time.
    pub(crate) fn decode(&mut self, message: Message<P>, receipt: Receipt) -> Option<(Message<P>, Receipt)> {
        if self.codecs.is_none() {
            return Some((message, receipt));
        }
        let number = self.next_number();
        let (message, receipt) = self.take_time(number, message, Some(receipt))?;
        receipt.map(|receipt| (message, receipt))
    }

    fn take_time(
        &mut self,
        number: NonZeroU64,
        message: Message<P>,
        receipt: Option<Receipt>,
    ) -> Option<(Message<P>, Option<Receipt>)> {
        let Some(codecs) = &self.codecs else { return Some((message, receipt)) };
        let (node, overheads) = (if receipt.is_some() { message.to } else { message.from }, codecs.overheads);
        let overhead = overheads.of(node, self.world.server);
        let speed = if receipt.is_some() { overhead.decode } else { overhead.code };
        let bits = message.payload.bits() + message.payload.acknowledgement_bits();
        let Some(duration) = speed.duration(bits.count()) else {
            self.stop(StopReason::Failed(format!("to code {bits} on node {} exceeds the clock", node.0)));
            return None;
        };
        if duration == TimeDelta::ZERO && !self.is_blocked(node) {
            return Some((message, receipt));
        }
        self.begin_task(node, None);
        if let Some(watched) = self.nodes.watched(node) {
            watched.jobs += 1;
        }
        let codecs = self.codecs.as_mut()?;
        codecs.jobs.insert(number, CodecJob { message, receipt, duration, running: None });
        codecs.stations.entry(node).or_default().waiting.push_back(number);
        self.start_waiting(node);
        None
    }

    /// Begins with what waits at `node`, as far as there are lanes.
    pub(crate) fn start_waiting(&mut self, node: NodeId) {
        if self.codecs.is_none() || self.is_blocked(node) {
            return;
        }
        let (now, server) = (self.now, self.world.server);
        let round = self.tracer().map_or(0, |trace| trace.round);
        while let Some(codecs) = &mut self.codecs {
            let lanes = codecs.overheads.of(node, server).lanes;
            let Some(station) = codecs.stations.get_mut(&node).filter(|station| station.running < lanes) else {
                return;
            };
            let Some(number) = station.waiting.pop_front() else { return };
            station.running += 1;
            let Some(job) = codecs.jobs.get_mut(&number) else { continue };
            let Some(end) = now.checked_add(job.duration) else {
                return self
                    .stop(StopReason::Failed(format!("to code a message on node {} exceeds the clock", node.0)));
            };
            job.running = Some((self.queue.push(end, Event::Coded(number)), now, round));
            let ([_, peer], bits) = (job.ends(), job.message.payload.bits());
            self.log(Kind::Computing, node, peer, bits.count());
            self.clock(node, Task::Compute, true);
        }
    }

    /// Takes away a job that is done or given up.
    pub(crate) fn end_job(&mut self, number: NonZeroU64, fate: Fate) -> Option<(Message<P>, Option<Receipt>)> {
        let now = self.now;
        let codecs = self.codecs.as_mut()?;
        let job = codecs.jobs.remove(&number)?;
        let [node, peer] = job.ends();
        let station = codecs.stations.entry(node).or_default();
        match job.running {
            Some(_) => station.running -= 1,
            None => station.waiting.retain(|waiting| *waiting != number),
        }
        if station.running == 0 && station.waiting.is_empty() {
            codecs.stations.remove(&node);
        }
        let bits = job.message.payload.bits();
        if let Some((event, since, round)) = job.running {
            self.queue.cancel(event);
            let kind = if fate == Fate::Delivered { Kind::Computed } else { Kind::Aborted };
            self.log(kind, node, peer, bits.count());
            self.clock(node, Task::Compute, false);
            let (decodes, purpose) = (job.receipt.is_some(), job.message.purpose);
            if let Some(trace) = self.tracer() {
                trace.keep(round, [since, now], Activity::Coding { ends: [node, peer], decodes, purpose, bits, fate });
            }
        }
        if let Some(watched) = self.nodes.watched(node) {
            watched.jobs -= 1;
        }
        Some((job.message, job.receipt))
    }

    /// Gives up the coding of a message that is to be sent: nothing of it is charged. What has arrived is decoded on.
    pub(crate) fn abort_coding(&mut self, number: NonZeroU64) {
        let is_to_be_sent = |codecs: &Codecs<P>| codecs.jobs.get(&number).is_some_and(|job| job.receipt.is_none());
        if self.codecs.as_deref().is_some_and(is_to_be_sent)
            && let Some((message, _)) = self.end_job(number, Fate::Aborted)
        {
            self.start_waiting(message.from);
            self.end_task(message.from);
        }
    }

    /// `node` is gone: what it codes and what would be sent to it is given up; what it has received and not decoded is
    /// late.
    pub(crate) fn abandon_coding(&mut self, node: NodeId) {
        let numbers = self.codecs.as_deref().map(|codecs| codecs.of(node)).unwrap_or_default();
        for number in numbers {
            let Some((message, receipt)) = self.end_job(number, Fate::Aborted) else { continue };
            match receipt {
                Some(receipt) => self.book_receipt_late(receipt),
                None if message.from != node => {
                    self.start_waiting(message.from);
                    self.end_task(message.from);
                }
                None => {}
            }
        }
    }

    /// The run is over: what is coded or decoded stays so.
    pub(crate) fn settle_coding(&mut self) {
        let all = |codecs: &Codecs<P>| codecs.jobs.keys().copied().collect();
        let numbers: Vec<NonZeroU64> = self.codecs.as_deref().map(all).unwrap_or_default();
        for number in numbers {
            self.end_job(number, Fate::InFlight);
        }
    }
}
