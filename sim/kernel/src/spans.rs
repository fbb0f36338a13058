//! How long transfers and computations took. It must not know messages.

use fedbits_record::{Direction, Histogram};

use crate::Span;

/// Distributions of spans in ns.
pub(crate) struct Spans {
    pub(crate) up: Histogram,
    pub(crate) down: Histogram,
    pub(crate) peer: Histogram,
    pub(crate) compute: Histogram,
}

impl Spans {
    pub(crate) fn new() -> Self {
        let spans = |name| Histogram::new(name, "ns");
        Self {
            up: spans("uplink transfer"),
            down: spans("downlink transfer"),
            peer: spans("peer transfer"),
            compute: spans("compute"),
        }
    }

    #[inline]
    pub(crate) fn transfer(&mut self, direction: Direction, span: Span) {
        let distribution = match direction {
            Direction::Up => &mut self.up,
            Direction::Down => &mut self.down,
            Direction::Peer => &mut self.peer,
        };
        distribution.record(span.as_nanos());
    }
}
