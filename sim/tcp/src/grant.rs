//! The window that a receiver grants: Linux lets it grow by two packets with each that arrives, up to a limit that
//! follows what arrives per round trip (dynamic right-sizing), and acknowledges each packet at once with which it
//! grows.
//!
//! Only this effect on acknowledgements is modelled: senders are held back by the largest window alone.

/// Linux's first window and first limit (64 KiB, and 128 KiB of memory, in segments of 1 448 bytes), and what it takes
/// to arrive in a first round trip.
const FIRST: u64 = 45;
const FIRST_LIMIT: u64 = 57;
const FIRST_SPACE: u64 = 10;
/// Linux's largest window, 6 MiB of memory.
const MOST: u64 = 2_700;

#[derive(Debug)]
pub(super) struct Grant {
    window: u64,
    limit: u64,
    /// Most packets in a round trip so far.
    space: u64,
    /// The round trip being counted: its first packet, and when it began.
    first: u64,
    began: u64,
    /// The round-trip time as the receiver sees it, and the echo that it was last measured by.
    trip: Option<u64>,
    echo: u64,
}

impl Default for Grant {
    fn default() -> Self {
        Self { window: FIRST, limit: FIRST_LIMIT, space: FIRST_SPACE, first: 0, began: 0, trip: None, echo: 0 }
    }
}

impl Grant {
    /// A packet has arrived, now all before `next` have; does the window grow?
    #[inline]
    pub(super) fn grows(&mut self, now: u64, next: u64, echo: u64) -> bool {
        let grows = self.window < self.limit;
        self.window = (self.window + 2).min(self.limit);
        if echo != self.echo {
            self.echo = echo;
            let time = now.saturating_sub(echo);
            self.trip = Some(self.trip.map_or(time, |trip| time.min(trip - trip / 8 + time / 8)));
        }
        if self.trip.is_some_and(|trip| now - self.began >= trip) {
            self.adjust(next - self.first);
            (self.first, self.began) = (next, now);
        }
        grows
    }

    /// Twice what has arrived in a round trip, and more if it is more than before.
    fn adjust(&mut self, arrived: u64) {
        if arrived <= self.space {
            return;
        }
        let twice = 2 * arrived;
        let more = 2 * (twice * (arrived - self.space) / self.space);
        self.limit = self.limit.max((twice + more).min(MOST));
        self.space = arrived;
    }
}
