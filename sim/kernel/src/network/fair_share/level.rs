//! One shared link whose flows have caps: max–min fair rates by one number, the level.
//!
//! With capacity C and caps c_i the rates are min(c_i, φ), where the level φ solves Σ min(c_i, φ) = C. *Capped* flows
//! (c_i ≤ φ) run at c_i and end at a time that is known; all others, the *sharing* ones, run at φ = (C − Σ_capped c_i)
//! ÷ n_sharing, so they end in the order of v_i = V(start) + bits, where the virtual time V = ∫φ dt is what each of
//! them has got. A change of φ moves no finish except those of flows whose cap it crosses: O(log n) a change.
//!
//! Who is on which side is decided in integers (caps in units of 2⁻⁴⁸ bit/s), so it cannot flicker by rounding, and
//! sums of caps do not drift. This file must not know clients or latencies.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use super::NANOS_PER_SECOND;
use super::moment::Moment;
use crate::Rate;
use crate::network::Slot;
use crate::queue::ladder::{Entry, Ladder};

/// Units of a cap per bit/s. Rates are below 2^44, so a sum or a product over 2^32 flows stays below 2^124.
const UNITS: f64 = 281_474_976_710_656.0;
const UNIT_BITS: u32 = 48;
/// Rates whose relative (or, below 1 bit/s, absolute) difference is above this compare as floats do.
const CLOSE: f64 = 1e-12;
/// Virtual time starts again at 0 when it exceeds this many seconds at the present level: its rounding stays below
/// 1e-12 s.
const REBASE_SECONDS: f64 = 1_000.0;
/// Stale entries tolerated beyond as many as there are live ones.
const SLACK: usize = 64;

/// Where a flow is.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) enum State {
    /// The slot is free.
    #[default]
    Vacant,
    /// It waits for its latency.
    Waiting,
    /// It runs at the level, until virtual time reaches this.
    Sharing { virtual_finish: f64 },
    /// It runs at its cap, until this moment.
    Capped { finish: Moment },
    /// It has sent its window, and its round of slow start goes on.
    Resting,
    /// It has sent its last bit, which has not arrived.
    Arriving,
    /// It has ended and has not been told yet.
    Finished,
}

/// What the level needs of a flow: one line of the cache.
#[derive(Clone, Copy, Debug, Default)]
#[repr(align(64))]
pub(super) struct Flow {
    pub(super) bits: u64,
    /// The how-manieth transfer it is.
    pub(super) order: u64,
    /// bit/s.
    pub(super) cap: f64,
    pub(super) state: State,
    /// Changes with every change of state: entries about an earlier one are stale.
    pub(super) stamp: u32,
    pub(super) client: u32,
    pub(super) inbound: bool,
    /// Has it met another flow of its client in its direction?
    pub(super) crowded: bool,
    /// Is its sender in slow start?
    pub(super) in_slow_start: bool,
}

#[cfg(target_pointer_width = "64")]
const _: () = assert!(size_of::<Flow>() == 64, "a flow costs 64 bytes");

impl Slot for Flow {
    #[inline]
    fn vacate(&mut self) {
        self.enter(State::Vacant);
    }
}

impl Flow {
    #[inline]
    pub(super) fn uses_link(&self) -> bool {
        !matches!(self.state, State::Vacant | State::Arriving | State::Finished)
    }

    #[inline]
    pub(super) fn enter(&mut self, state: State) {
        self.state = state;
        self.stamp = self.stamp.wrapping_add(1);
    }
}

/// Whether a queue entry still speaks of the present state of its flow.
#[inline]
pub(super) fn is_current(flows: &[Flow], entry: &Entry) -> bool {
    flows[entry.slot as usize].stamp == entry.generation
}

/// A flow by its cap: ordered by the bits of a positive float, which order as the float does.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct ByCap {
    cap: u64,
    slot: u32,
    stamp: u32,
}

impl ByCap {
    fn new(slot: u32, flow: &Flow) -> Self {
        Self { cap: flow.cap.to_bits(), slot, stamp: flow.stamp }
    }

    /// bit/s.
    fn rate(self) -> f64 {
        f64::from_bits(self.cap)
    }

    fn is_current(self, flows: &[Flow]) -> bool {
        flows[self.slot as usize].stamp == self.stamp
    }
}

/// A rate in units, rounded down. The whole and the broken part are converted apart: both fit a machine word.
#[inline]
fn units(rate: f64) -> i128 {
    let whole = rate as i64;
    i128::from(whole) << UNIT_BITS | i128::from(((rate - whole as f64) * UNITS) as i64)
}

/// The rate of this many units, to the nearest float but for one rounding in between.
#[inline]
fn rate_of(units: i128) -> f64 {
    let whole = (units >> UNIT_BITS) as i64;
    let broken = units as u64 & ((1 << UNIT_BITS) - 1);
    whole as f64 + broken as i64 as f64 / UNITS
}

/// The flows on one shared link.
#[derive(Debug, Default)]
pub(super) struct Level {
    /// C − Σ caps of the capped flows, in units.
    leftover: i128,
    sharing: usize,
    capped: usize,
    /// φ in bit/s; without meaning when nobody shares.
    level: f64,
    /// V at `since`, in bits.
    virtual_time: f64,
    since: Moment,
    changes: usize,
    /// Sharing flows by virtual finish.
    finishes: Ladder,
    /// Sharing flows, the smallest cap first, and stale entries.
    narrowest: BinaryHeap<Reverse<ByCap>>,
    /// Capped flows, the largest cap first, and stale entries.
    widest: BinaryHeap<ByCap>,
    /// When the first sharing flow ends if nothing changes.
    pub(super) next: Option<Moment>,
}

impl Level {
    pub(super) fn new(capacity: Rate) -> Self {
        Self { leftover: units(capacity.bits_per_second() as f64), ..Self::default() }
    }

    /// Moves virtual time to `at`.
    #[inline]
    pub(super) fn sync(&mut self, at: Moment) {
        if self.sharing > 0 {
            self.virtual_time += self.level * at.since(self.since) / NANOS_PER_SECOND;
        }
        self.since = self.since.max(at);
    }

    /// Moves virtual time to the first finish and returns the flow that ends there.
    #[inline]
    pub(super) fn reach_next(&mut self, flows: &[Flow]) -> Option<u32> {
        let entry = self.finishes.front(|entry| is_current(flows, entry))?;
        self.since = self.next.map_or(self.since, |next| self.since.max(next));
        self.virtual_time = f64::from_bits(entry.key);
        Some(entry.slot)
    }

    /// Bits that a flow has yet to send; virtual time must be that of now.
    #[inline]
    pub(super) fn remaining(&self, flow: &Flow) -> f64 {
        match flow.state {
            State::Sharing { virtual_finish } => (virtual_finish - self.virtual_time).max(0.0),
            State::Capped { finish } => flow.cap * finish.since(self.since) / NANOS_PER_SECOND,
            _ => 0.0,
        }
    }

    /// Takes a flow with `remaining` bits and its cap set, on the side where it most likely stays. [`Level::settle`]
    /// must follow.
    #[inline]
    pub(super) fn join(&mut self, flows: &mut [Flow], milestones: &mut Ladder, slot: u32, remaining: f64) {
        if self.sharing > 0 && !self.fits_exactly(flows[slot as usize].cap) {
            self.share(flows, slot, remaining);
        } else {
            self.cap(flows, milestones, slot, remaining);
        }
    }

    /// Lets a flow go (to `state`). [`Level::settle`] must follow.
    #[inline]
    pub(super) fn leave(&mut self, flows: &mut [Flow], slot: u32, state: State) {
        let flow = &mut flows[slot as usize];
        match flow.state {
            State::Sharing { .. } => self.sharing -= 1,
            State::Capped { .. } => {
                self.capped -= 1;
                self.leftover += units(flow.cap);
            }
            _ => {}
        }
        flow.enter(state);
    }

    /// Whether a flow with this cap runs at its cap: c ≤ φ, that is c · n ≤ leftover.
    #[inline]
    fn fits_exactly(&self, cap: f64) -> bool {
        units(cap) * self.sharing as i128 <= self.leftover
    }

    /// Whether it is, when φ has been found: floats decide, unless they are closer than all roundings together (φ:
    /// 4e-16 of it; a cap in units: 4e-15 bit/s).
    #[inline]
    fn fits(&self, cap: f64) -> bool {
        let beyond = cap - self.level;
        if beyond.abs() > CLOSE * (self.level.abs() + 1.0) { beyond < 0.0 } else { self.fits_exactly(cap) }
    }

    /// Finds φ, if anybody shares.
    #[inline]
    fn find_level(&mut self) {
        if self.sharing > 0 {
            self.level = rate_of(self.leftover) / self.sharing as f64;
        }
    }

    #[inline]
    fn share(&mut self, flows: &mut [Flow], slot: u32, remaining: f64) {
        let virtual_finish = self.virtual_time + remaining;
        let flow = &mut flows[slot as usize];
        flow.enter(State::Sharing { virtual_finish });
        self.finishes.push(Entry { key: virtual_finish.to_bits(), slot, generation: flow.stamp });
        self.narrowest.push(Reverse(ByCap::new(slot, flow)));
        self.sharing += 1;
    }

    #[inline]
    fn cap(&mut self, flows: &mut [Flow], milestones: &mut Ladder, slot: u32, remaining: f64) {
        let flow = &mut flows[slot as usize];
        let finish = self.since.after(remaining * NANOS_PER_SECOND / flow.cap);
        flow.enter(State::Capped { finish });
        milestones.push(Entry { key: finish.ceil().as_nanos(), slot, generation: flow.stamp });
        self.widest.push(ByCap::new(slot, flow));
        self.capped += 1;
        self.leftover -= units(flow.cap);
    }

    /// After flows have joined or left: moves those whose cap the level has crossed and finds the next finish.
    #[inline]
    pub(super) fn settle(&mut self, flows: &mut [Flow], milestones: &mut Ladder) {
        self.changes += 1;
        if self.sharing > 0 || self.leftover < 0 {
            self.find_level();
            self.lower(flows);
            self.raise(flows, milestones);
        }
        self.forget_stale(flows);
        if self.sharing == 0 {
            self.virtual_time = 0.0;
            self.next = None;
            return;
        }
        if self.virtual_time > REBASE_SECONDS * self.level && self.changes > self.sharing {
            self.rebase(flows);
        }
        let first = self.finishes.front(|entry| is_current(flows, entry));
        self.next = first.map(|entry| {
            let bits = f64::from_bits(entry.key) - self.virtual_time;
            self.since.after(bits * NANOS_PER_SECOND / self.level)
        });
    }

    /// The level has fallen: capped flows above it begin to share, the largest cap first.
    #[inline]
    fn lower(&mut self, flows: &mut [Flow]) {
        while let Some(&top) = self.widest.peek() {
            // A stale entry on top still bounds all caps below it.
            let stays = if self.sharing == 0 { self.leftover >= 0 } else { self.fits(top.rate()) };
            if stays {
                return;
            }
            self.widest.pop();
            if top.is_current(flows) {
                let remaining = self.remaining(&flows[top.slot as usize]);
                self.leave(flows, top.slot, State::Waiting);
                self.share(flows, top.slot, remaining);
                self.find_level();
            }
        }
    }

    /// The level has risen: sharing flows whose cap it has passed are capped, the smallest cap first.
    #[inline]
    fn raise(&mut self, flows: &mut [Flow], milestones: &mut Ladder) {
        while let Some(&Reverse(top)) = self.narrowest.peek() {
            if self.sharing == 0 || !self.fits(top.rate()) {
                return;
            }
            self.narrowest.pop();
            if top.is_current(flows) {
                let remaining = self.remaining(&flows[top.slot as usize]);
                self.leave(flows, top.slot, State::Waiting);
                self.cap(flows, milestones, top.slot, remaining);
                self.find_level();
            }
        }
    }

    #[inline]
    fn forget_stale(&mut self, flows: &[Flow]) {
        if self.sharing == 0 {
            if self.finishes.stored > 0 {
                self.finishes.clear();
            }
            if !self.narrowest.is_empty() {
                self.narrowest.clear();
            }
        } else {
            if self.finishes.stored > 2 * self.sharing + SLACK {
                self.finishes.sweep(|entry| is_current(flows, entry));
            }
            if self.narrowest.len() > 2 * self.sharing + SLACK {
                self.narrowest.retain(|Reverse(entry)| entry.is_current(flows));
            }
        }
        if self.capped == 0 && !self.widest.is_empty() {
            self.widest.clear();
        }
        if self.widest.len() > 2 * self.capped + SLACK {
            self.widest.retain(|entry| entry.is_current(flows));
        }
    }

    /// Starts virtual time again at 0. The order of finishes stays: subtraction is monotone, and ties keep their order.
    fn rebase(&mut self, flows: &mut [Flow]) {
        let mut finishes = Ladder::default();
        while let Some(entry) = self.finishes.front(|entry| is_current(flows, entry)) {
            self.finishes.pop_front();
            let virtual_finish = (f64::from_bits(entry.key) - self.virtual_time).max(0.0);
            flows[entry.slot as usize].state = State::Sharing { virtual_finish };
            finishes.push(Entry { key: virtual_finish.to_bits(), ..entry });
        }
        self.finishes = finishes;
        self.virtual_time = 0.0;
        self.changes = 0;
    }
}
