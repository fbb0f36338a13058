//! The slots that flows live in: which are taken, and which hold flows that have ended and have not been told yet.
//! It must not know rates.

use crate::Time;
use crate::network::FlowId;

/// What lives in a slot.
pub(super) trait Slot: Default {
    /// The slot is free from now on.
    fn vacate(&mut self);
}

/// All slots.
#[derive(Debug, Default)]
pub(super) struct Slots<F> {
    pub(super) flows: Vec<F>,
    /// Slots below `fresh` to be used again.
    free: Vec<u32>,
    /// Slots from here on have not been used since nothing was in flight: a burst gets neighbouring ones.
    fresh: usize,
    taken: usize,
    started: u64,
    /// Completion time, start order, slot.
    finished: Vec<(Time, u64, u32)>,
}

impl<F: Slot> Slots<F> {
    /// A slot for a new flow, and the how-manieth flow it is.
    #[inline]
    pub(super) fn take(&mut self) -> (u32, u64) {
        let slot = self.free.pop().unwrap_or_else(|| self.fresh_slot());
        self.taken += 1;
        self.started += 1;
        (slot, self.started)
    }

    fn fresh_slot(&mut self) -> u32 {
        let slot = u32::try_from(self.fresh).ok().filter(|&slot| slot < u32::MAX);
        if self.fresh == self.flows.len() {
            self.flows.push(F::default());
        }
        self.fresh += 1;
        slot.expect("fewer than 2^32 - 1 flows are in flight")
    }

    /// Flows that have not ended.
    #[inline]
    pub(super) fn in_flight(&self) -> usize {
        self.taken - self.finished.len()
    }

    #[inline]
    pub(super) fn release(&mut self, slot: u32) {
        self.flows[slot as usize].vacate();
        self.taken -= 1;
        if self.taken == 0 {
            self.free.clear();
            self.fresh = 0;
        } else {
            self.free.push(slot);
        }
    }

    /// The flow that started as number `order` has ended and is to be told.
    #[inline]
    pub(super) fn finish(&mut self, at: Time, order: u64, slot: u32) {
        self.finished.push((at, order, slot));
    }

    /// The first completion that has not been told.
    #[inline]
    pub(super) fn first_finished(&self) -> Option<Time> {
        self.finished.iter().map(|&(at, ..)| at).min()
    }

    /// A flow that has ended will not be told: it was cut off just then.
    pub(super) fn forget_finished(&mut self, slot: u32) {
        self.finished.retain(|&(.., ended)| ended != slot);
    }

    /// Tells all that have ended, ordered by (completion time, start order), and frees their slots.
    #[inline]
    pub(super) fn tell(&mut self, completed: &mut Vec<FlowId>) {
        if let [(.., slot)] = self.finished[..] {
            self.finished.clear();
            self.release(slot);
            return completed.push(FlowId(slot));
        }
        let mut finished = std::mem::take(&mut self.finished);
        finished.sort_unstable();
        for &(.., slot) in &finished {
            self.release(slot);
            completed.push(FlowId(slot));
        }
        finished.clear();
        self.finished = finished;
    }
}
