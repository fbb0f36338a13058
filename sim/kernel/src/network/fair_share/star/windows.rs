//! Slow start in a star: the windows of the flows that have one. This file must not know access links.

use super::{StarFairShare, Windows};
use crate::network::fair_share::level::{Flow, State};
use crate::network::fair_share::moment::Moment;
use crate::network::fair_share::slow_start::SlowStart;
use crate::queue::ladder::Entry;

impl StarFairShare {
    /// Bits of a flow that no window has allowed yet.
    #[inline]
    pub(super) fn held_back(&self, slot: u32) -> u64 {
        if !self.slots.flows[slot as usize].in_slow_start {
            return 0;
        }
        match self.windows[slot as usize] {
            Some(Windows::Open(slow_start)) => slow_start.held_back,
            _ => 0,
        }
    }

    /// Opens the first window of a flow; returns what it holds back.
    pub(super) fn first_window(&mut self, slot: u32, bits: u64, at: Moment) -> u64 {
        let first = match self.windows[slot as usize] {
            Some(Windows::First(window)) => Some(window),
            _ => None,
        };
        let slow_start = SlowStart::open(first, bits, at);
        self.set_window(slot, slow_start);
        slow_start.map_or(0, |slow_start| slow_start.held_back)
    }

    /// What a flow's present round is, if it still is in slow start.
    fn set_window(&mut self, slot: u32, slow_start: Option<SlowStart>) {
        self.windows[slot as usize] = slow_start.map(Windows::Open);
        let flow = &mut self.slots.flows[slot as usize];
        flow.in_slow_start = slow_start.is_some();
        if let Some(slow_start) = slow_start {
            let key = slow_start.ends.ceil().as_nanos();
            self.rounds.push(Entry { key, slot, generation: flow.order as u32 });
        }
    }

    /// A flow has sent its window: it leaves the link to others until its round ends.
    pub(super) fn rest(&mut self, slot: u32) {
        let Flow { client, inbound, crowded, .. } = self.slots.flows[slot as usize];
        self.levels[usize::from(inbound)].leave(&mut self.slots.flows, slot, State::Resting);
        if crowded {
            self.rest_in_crowd(client, inbound, slot);
        }
        self.levels[usize::from(inbound)].settle(&mut self.slots.flows, &mut self.milestones);
    }

    /// A round ends: the next window opens, or, where sharing has held the flow back, all of it may be sent.
    pub(super) fn end_round(&mut self, slot: u32) {
        let Some(Windows::Open(slow_start)) = self.windows[slot as usize] else { return };
        let Flow { state, inbound, .. } = self.slots.flows[slot as usize];
        if state == State::Resting {
            let (allowed, slow_start) = slow_start.next();
            self.set_window(slot, slow_start);
            return self.send(slot, allowed);
        }
        let remaining = self.withdraw(slot, State::Waiting) + slow_start.held_back as f64;
        self.slots.flows[slot as usize].in_slow_start = false;
        self.join(slot, remaining);
        self.levels[usize::from(inbound)].settle(&mut self.slots.flows, &mut self.milestones);
    }
}
