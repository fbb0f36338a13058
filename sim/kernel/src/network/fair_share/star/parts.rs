//! What a star keeps of some of its flows: who divides an access link, who is in slow start, whose rate varies.
//! This file must not know the star.

use std::collections::BTreeMap;
use std::sync::Arc;

use crate::network::fair_share::level::Flow;
use crate::network::fair_share::moment::Moment;
use crate::network::fair_share::slow_start::SlowStart;
use crate::network::{LinkId, Piece, VaryingRate, Window};
use crate::queue::ladder::{Entry, Ladder};
use crate::{Rate, Time};

/// Flows that have met on one access link in one direction, until the last of them has ended.
#[derive(Debug)]
pub(super) struct Crowd {
    pub(super) in_flight: usize,
    /// Those whose latency is over, in the order of that: they divide the access rate.
    pub(super) running: Vec<u32>,
}

/// What a flow may send and when: before it opens, and since.
#[derive(Clone, Copy, Debug)]
pub(super) enum Windows {
    First(Window),
    Open(SlowStart),
}

/// The slow start that an entry of the rounds speaks of, if its flow still is in it.
pub(super) fn current_round(flows: &[Flow], windows: &[Option<Windows>], entry: &Entry) -> Option<SlowStart> {
    let flow = &flows[entry.slot as usize];
    let Some(Windows::Open(slow_start)) = windows[entry.slot as usize] else { return None };
    let same = flow.order as u32 == entry.generation && slow_start.ends().ceil().as_nanos() == entry.key;
    (flow.in_slow_start && flow.uses_link() && same).then_some(slow_start)
}

/// The rates that vary, and what waits for them.
#[derive(Debug, Default)]
pub(super) struct Varying {
    /// By the links of the star.
    pub(super) rates: Arc<BTreeMap<LinkId, VaryingRate>>,
    /// Access links with flows, by client and direction (inbound or not), and their present rates in bit/s.
    pub(super) watched: BTreeMap<(u32, bool), f64>,
    /// The next changes of these: slots are clients, generations are 1 for inbound and else 0.
    pub(super) changes: Ladder,
    /// What flows have yet to send whose access link lets nothing through, by slot.
    pub(super) stalled: BTreeMap<u32, f64>,
}

impl Varying {
    #[inline]
    pub(super) fn is_any(&self) -> bool {
        !self.rates.is_empty()
    }

    fn of(&self, client: u32, inbound: bool) -> Option<&VaryingRate> {
        self.rates.get(&LinkId(2 * (client + 1) + u32::from(!inbound)))
    }

    /// The fastest rate of an access link that varies.
    pub(super) fn fastest(&self, client: u32, inbound: bool) -> Option<Rate> {
        self.of(client, inbound).map(VaryingRate::fastest)
    }

    /// The next change.
    pub(super) fn next_change(&mut self) -> Option<(Moment, Entry)> {
        let entry = self.changes.front(|_| true)?;
        Some((Moment::from(Time::from_nanos(entry.key)), entry))
    }

    /// What a stalled flow has yet to send.
    pub(super) fn resume(&mut self, slot: u32) -> f64 {
        self.stalled.remove(&slot).expect("who is stalled has bits to send")
    }

    /// The rate of an access link from `at` on, which is watched; `None` if it does not vary.
    pub(super) fn read(&mut self, client: u32, inbound: bool, at: Moment) -> Option<f64> {
        let Piece { rate, until } = self.of(client, inbound)?.at(at.floor());
        self.watched.insert((client, inbound), rate as f64);
        self.changes.push(Entry { key: until.as_nanos(), slot: client, generation: u32::from(inbound) });
        Some(rate as f64)
    }
}
