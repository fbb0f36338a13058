//! The event queue: what happens next, in the total order (time, insertion).
//!
//! Payloads lie in a slab and the order in a ladder queue of 16-byte entries (`ladder.rs`). Cancelling takes the
//! payload out of its slot and raises the slot's generation; the entry left in the ladder is recognized as dead by its
//! old generation when it surfaces, or swept away when dead entries outnumber the living. This module must not know
//! what events are.

pub(crate) mod ladder;

use std::num::NonZeroU32;

use crate::Time;
use ladder::{Entry, Ladder};

/// Names one pushed event; it never names another one, also after the event has left the queue.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct EventId {
    slot: u32,
    generation: NonZeroU32,
}

const _: () =
    assert!(size_of::<Option<EventId>>() == 8, "an event that may be absent costs no more than one that is there");

#[derive(Debug)]
struct Slot<E> {
    generation: NonZeroU32,
    payload: Option<E>,
}

/// A monotone priority queue of events: constant expected time per operation.
#[derive(Debug)]
pub struct EventQueue<E> {
    ladder: Ladder,
    slots: Vec<Slot<E>>,
    /// Slots below `fresh` to be used again.
    free: Vec<u32>,
    /// Slots from here on have not been used since the queue was last empty: a burst gets neighbouring ones.
    fresh: usize,
    /// The last time popped.
    now: Time,
    pending: usize,
}

impl<E> Default for EventQueue<E> {
    fn default() -> Self {
        Self::new()
    }
}

impl<E> EventQueue<E> {
    /// An empty queue at time 0.
    pub fn new() -> Self {
        Self { ladder: Ladder::default(), slots: Vec::new(), free: Vec::new(), fresh: 0, now: Time::ZERO, pending: 0 }
    }

    /// Events pending.
    pub fn len(&self) -> usize {
        self.pending
    }

    /// Whether nothing is pending.
    pub fn is_empty(&self) -> bool {
        self.pending == 0
    }

    /// Schedules `event` at `at`, after everything already scheduled for the same time.
    ///
    /// # Panics
    /// If `at` lies before the last time popped, or if 2^32 events are pending.
    #[inline]
    pub fn push(&mut self, at: Time, event: E) -> EventId {
        assert!(at >= self.now, "an event at {at} is pushed after time has reached {}", self.now);
        let id = self.occupy(event);
        self.ladder.push(Entry { key: at.as_nanos(), slot: id.slot, generation: id.generation.get() });
        self.pending += 1;
        id
    }

    /// Takes an event back; `None` if it has been popped or cancelled before.
    pub fn cancel(&mut self, id: EventId) -> Option<E> {
        let event = self.vacate(id.slot, id.generation)?;
        if self.ladder.stored > 2 * self.pending + 64 {
            let slots = &self.slots;
            self.ladder.sweep(|entry| is_pending(slots, entry));
        }
        Some(event)
    }

    /// When the next event is due.
    #[inline]
    pub fn peek_time(&mut self) -> Option<Time> {
        let slots = &self.slots;
        self.ladder.front(|entry| is_pending(slots, entry)).map(|entry| Time::from_nanos(entry.key))
    }

    /// Takes the next event out.
    ///
    /// # Panics
    /// If its time lies before the last time popped: a defect of the queue.
    #[inline]
    pub fn pop(&mut self) -> Option<(Time, E)> {
        let slots = &self.slots;
        let entry = self.ladder.front(|entry| is_pending(slots, entry))?;
        self.ladder.pop_front();
        let at = Time::from_nanos(entry.key);
        assert!(at >= self.now, "time goes back from {} to {at}", self.now);
        self.now = at;
        self.vacate(entry.slot, NonZeroU32::new(entry.generation)?).map(|event| (at, event))
    }

    #[inline]
    fn occupy(&mut self, event: E) -> EventId {
        let slot = self.free.pop().unwrap_or_else(|| self.fresh_slot());
        if slot as usize == self.slots.len() {
            self.slots.push(Slot { generation: NonZeroU32::MIN, payload: Some(event) });
            return EventId { slot, generation: NonZeroU32::MIN };
        }
        let place = &mut self.slots[slot as usize];
        place.payload = Some(event);
        EventId { slot, generation: place.generation }
    }

    #[inline]
    fn fresh_slot(&mut self) -> u32 {
        // A slot whose generations are used up is never given out again: its old ids stay stale for ever.
        while self.slots.get(self.fresh).is_some_and(|slot| slot.generation == NonZeroU32::MAX) {
            self.fresh += 1;
        }
        self.fresh += 1;
        u32::try_from(self.fresh - 1).expect("fewer than 2^32 events are pending")
    }

    /// Empties a slot if it still belongs to `generation`.
    #[inline]
    fn vacate(&mut self, slot: u32, generation: NonZeroU32) -> Option<E> {
        let place = self.slots.get_mut(slot as usize).filter(|place| place.generation == generation)?;
        let event = place.payload.take()?;
        self.pending -= 1;
        place.generation = generation.checked_add(1).unwrap_or(NonZeroU32::MAX);
        if place.generation != NonZeroU32::MAX {
            self.free.push(slot);
        }
        if self.pending == 0 {
            self.free.clear();
            self.fresh = 0;
        }
        Some(event)
    }
}

#[inline]
fn is_pending<E>(slots: &[Slot<E>], entry: &Entry) -> bool {
    let slot = &slots[entry.slot as usize];
    slot.generation.get() == entry.generation && slot.payload.is_some()
}
