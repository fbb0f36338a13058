//! How long transfers and computations took. It must not know messages.

use fedbits_tally::{Direction, Histogram};

use crate::TimeDelta;

/// Distributions of durations in ns.
pub(crate) struct Durations {
    pub(crate) up: Histogram,
    pub(crate) down: Histogram,
    pub(crate) peer: Histogram,
    pub(crate) compute: Histogram,
}

impl Durations {
    pub(crate) fn new() -> Self {
        let durations = |name| Histogram::new(name, "ns");
        Self {
            up: durations("uplink transfer"),
            down: durations("downlink transfer"),
            peer: durations("peer transfer"),
            compute: durations("compute"),
        }
    }

    #[inline]
    pub(crate) fn transfer(&mut self, direction: Direction, duration: TimeDelta) {
        let distribution = match direction {
            Direction::Up => &mut self.up,
            Direction::Down => &mut self.down,
            Direction::Peer => &mut self.peer,
        };
        distribution.record(duration.as_nanos());
    }
}
