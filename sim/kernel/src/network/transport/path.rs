//! The route of a message as its sender sees it.

use super::Window;
use crate::{Bits, Rate, Time, TimeDelta};

/// The route of a message, and the way back.
pub(super) struct Path {
    pub(super) round_trip: TimeDelta,
    /// Of the slowest link.
    pub(super) rate: Rate,
}

impl Path {
    /// A window of `segments` of `packet` bits; `None` if it holds nobody back.
    pub(super) fn window(&self, packet: Bits, segments: u64) -> Option<Window> {
        let round = self.round_trip + self.rate.time_for(packet).max(TimeDelta::from_nanos(1));
        let limit = self.rate.bits_in(self.round_trip).checked_add(packet).unwrap_or(Bits::MAX);
        let first = Bits::new(packet.count().saturating_mul(segments));
        (first < limit).then_some(Window { first, limit, round })
    }
}

/// The instant that is so much later, or the last one there is: a run ends long before.
pub(super) fn after(now: Time, wait: TimeDelta) -> Time {
    now.checked_add(wait).unwrap_or(Time::MAX)
}
