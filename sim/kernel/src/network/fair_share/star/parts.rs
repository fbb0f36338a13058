//! What a star keeps of some of its flows: who divides an access link, who is in slow start. This file must not know
//! the star.

use crate::network::Window;
use crate::network::fair_share::level::Flow;
use crate::network::fair_share::slow_start::SlowStart;
use crate::queue::ladder::Entry;

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
    let same = flow.order as u32 == entry.generation && slow_start.ends.ceil().as_nanos() == entry.key;
    (flow.in_slow_start && flow.uses_link() && same).then_some(slow_start)
}
