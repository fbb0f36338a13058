//! Round-trip times: smoothed, the least, and the timeout for retransmissions (RFC 6298 with Linux's least variation
//! and its decay once per round). Nanoseconds throughout.

/// Linux's bounds of the timeout, and what it is before there is a measurement.
pub(super) const LEAST_TIMEOUT: u64 = 200_000_000;
const MOST_TIMEOUT: u64 = 120_000_000_000;
pub(super) const FIRST_TIMEOUT: u64 = 1_000_000_000;

#[derive(Clone, Debug, Default)]
pub(super) struct RoundTrip {
    /// 8 times the smoothed round-trip time; 0 before the first measurement.
    smoothed8: u64,
    /// 4 times the mean deviation; the largest of this round; what the timeout adds.
    deviation4: u64,
    largest: u64,
    variation: u64,
    /// The round ends when this packet is acknowledged.
    round: u64,
    pub(super) least: u64,
    timeout: u64,
}

impl RoundTrip {
    pub(super) fn new() -> Self {
        Self { least: u64::MAX, timeout: FIRST_TIMEOUT, ..Self::default() }
    }

    pub(super) fn smoothed(&self) -> Option<u64> {
        (self.smoothed8 > 0).then_some(self.smoothed8 >> 3)
    }

    pub(super) fn timeout(&self) -> u64 {
        self.timeout
    }

    /// After a timeout the next is twice as long.
    pub(super) fn back_off(&mut self) {
        self.timeout = (2 * self.timeout).min(MOST_TIMEOUT.max(self.timeout));
    }

    /// A measurement, when all packets before `acknowledged` of those before `next` are acknowledged.
    pub(super) fn measure(&mut self, time: u64, acknowledged: u64, next: u64) {
        let time = time.max(1);
        self.least = self.least.min(time);
        if self.smoothed8 == 0 {
            self.smoothed8 = 8 * time;
            self.deviation4 = 2 * time;
            self.variation = self.deviation4.max(LEAST_TIMEOUT);
            (self.largest, self.round) = (self.variation, next);
        } else {
            let error = time as i64 - (self.smoothed8 >> 3) as i64;
            self.smoothed8 = self.smoothed8.saturating_add_signed(error).max(1);
            let mut change = error.abs() - (self.deviation4 >> 2) as i64;
            if error < 0 && change > 0 {
                // What comes early does not make the timeout late.
                change >>= 3;
            }
            self.deviation4 = self.deviation4.saturating_add_signed(change);
            if self.deviation4 > self.largest {
                self.largest = self.deviation4;
                self.variation = self.variation.max(self.largest);
            }
            if acknowledged > self.round {
                self.variation -= self.variation.saturating_sub(self.largest) >> 2;
                (self.round, self.largest) = (next, LEAST_TIMEOUT);
            }
        }
        self.timeout = ((self.smoothed8 >> 3) + self.variation).min(MOST_TIMEOUT);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// RFC 6298: first RTO = R + max(200 ms, 4 R / 2); constant measurements tend to R + 200 ms; a year does not
    /// overflow.
    #[test]
    fn timeouts_follow_measurements() {
        let mut trip = RoundTrip::new();
        assert_eq!(trip.timeout(), FIRST_TIMEOUT);
        trip.measure(500_000_000, 1, 2);
        assert_eq!(trip.timeout(), 1_500_000_000);
        trip.back_off();
        assert_eq!(trip.timeout(), 3_000_000_000);
        for packet in 2..500 {
            trip.measure(40_000_000, packet, packet + 1);
        }
        assert!((240_000_000..241_000_000).contains(&trip.timeout()), "{}", trip.timeout());
        let mut slow = RoundTrip::new();
        (0..100).for_each(|packet| slow.measure(31_557_600_000_000_000 * (1 + packet % 2), packet, packet + 1));
        assert_eq!(slow.timeout(), MOST_TIMEOUT);
    }
}
