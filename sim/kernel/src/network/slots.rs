//! The slots that transfers in flight live in: which are taken, and which hold transfers that have ended and have not
//! been told yet. It must not know how transfers flow.

use super::FlowId;
use crate::Time;

/// What lives in a slot.
pub trait Slot {
    /// The slot is free from now on.
    fn vacate(&mut self) {}
}

/// All slots of a network; a transfer has the index of its slot for its [`FlowId`].
#[derive(Debug)]
pub struct Slots<F> {
    /// What lives in them, or did.
    pub flows: Vec<F>,
    /// Slots below `fresh` to be used again.
    free: Vec<u32>,
    /// Slots from here on have not been used since nothing was in flight: a burst gets neighbouring ones.
    fresh: usize,
    taken: usize,
    started: u64,
    /// Completion time, start order, slot.
    finished: Vec<(Time, u64, u32)>,
}

impl<F> Default for Slots<F> {
    fn default() -> Self {
        Self { flows: Vec::new(), free: Vec::new(), fresh: 0, taken: 0, started: 0, finished: Vec::new() }
    }
}

impl<F: Slot> Slots<F> {
    /// A slot for a new transfer, with what was there before, and the how-manieth transfer it is.
    #[inline]
    pub fn take(&mut self) -> (u32, u64)
    where
        F: Default,
    {
        let slot = self.next_slot();
        if slot as usize == self.flows.len() {
            self.flows.push(F::default());
        }
        (slot, self.started)
    }

    /// A slot for a new transfer; `make` is told the how-manieth it is.
    pub fn insert(&mut self, make: impl FnOnce(u64) -> F) -> u32 {
        let slot = self.next_slot();
        let flow = make(self.started);
        match self.flows.get_mut(slot as usize) {
            Some(place) => *place = flow,
            None => self.flows.push(flow),
        }
        slot
    }

    #[inline]
    fn next_slot(&mut self) -> u32 {
        self.taken += 1;
        self.started += 1;
        self.free.pop().unwrap_or_else(|| {
            self.fresh += 1;
            let slot = u32::try_from(self.fresh - 1).ok().filter(|&slot| slot < u32::MAX);
            slot.expect("fewer than 2^32 - 1 flows are in flight")
        })
    }

    /// Transfers that have not ended.
    #[inline]
    pub fn in_flight(&self) -> usize {
        self.taken - self.finished.len()
    }

    /// A transfer is over, and told or cut off.
    #[inline]
    pub fn release(&mut self, slot: u32) {
        self.flows[slot as usize].vacate();
        self.taken -= 1;
        if self.taken == 0 {
            self.free.clear();
            self.fresh = 0;
        } else {
            self.free.push(slot);
        }
    }

    /// The transfer that started as number `order` has ended and is to be told.
    #[inline]
    pub fn finish(&mut self, at: Time, order: u64, slot: u32) {
        self.finished.push((at, order, slot));
    }

    /// The first completion that has not been told.
    #[inline]
    pub fn first_finished(&self) -> Option<Time> {
        self.finished.iter().map(|&(at, ..)| at).min()
    }

    /// A transfer that has ended will not be told: it was cut off just then. False if it had not ended.
    pub fn forget_finished(&mut self, slot: u32) -> bool {
        let before = self.finished.len();
        self.finished.retain(|&(.., ended)| ended != slot);
        self.finished.len() < before
    }

    /// Tells all that have ended, ordered by (completion time, start order), and frees their slots.
    #[inline]
    pub fn tell(&mut self, completed: &mut Vec<FlowId>) {
        if let [(.., slot)] = self.finished[..] {
            self.finished.clear();
            self.release(slot);
            return completed.push(FlowId(slot));
        }
        let mut finished = std::mem::take(&mut self.finished);
        finished.sort_unstable();
        for (.., slot) in finished.drain(..) {
            self.release(slot);
            completed.push(FlowId(slot));
        }
        self.finished = finished;
    }
}

/// Notes what a flow of the network below is.
pub(super) fn mark<T: Copy>(carried: &mut Vec<T>, flow: FlowId, what: T) {
    let index = flow.0 as usize;
    if index >= carried.len() {
        carried.resize(index + 1, what);
    }
    carried[index] = what;
}
