//! Slow start: how much later a message is through because its sender begins with a small window. It must not know
//! links.
//!
//! The sender sends a window of w₀ segments, waits for the first acknowledgement, sends 2 w₀, then 4 w₀, …, until
//! acknowledgements come before a window has been sent: from then on it sends at the rate R of its route. A window of w
//! segments of S bits takes w S/R, the acknowledgement of its first segment comes back after S/R + RTT, so the sender
//! stands still for max(0, S/R + RTT − w S/R) after each window but the last. (Kurose and Ross, Computer Networking,
//! "static congestion window", with doubling windows.) The stall is laid before the flow: exact on a route that nobody
//! else uses.

use crate::network::Window;
use crate::{Bits, Rate, TimeDelta};

/// The sum of the stalls of a message of `segments` segments, of `segment` bits each, over a route of rate `rate` and
/// round-trip time
/// `round_trip`, with a first window of `window` segments (at least 1).
pub fn stall(segments: u64, segment: Bits, rate: Rate, round_trip: TimeDelta, window: u32) -> TimeDelta {
    let one = rate.time_for(segment);
    let (mut stall, mut left, mut window) = (TimeDelta::ZERO, segments, u64::from(window.max(1)));
    while left > window {
        let Some(gap) = (one + round_trip).checked_sub(rate.time_for(segment * window)) else { break };
        if gap == TimeDelta::ZERO {
            break;
        }
        stall += gap;
        left -= window;
        window *= 2;
    }
    stall
}

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

#[cfg(test)]
mod tests {
    use super::*;

    /// Sends window by window: each begins when the one before has been sent and its first segment has been
    /// acknowledged.
    fn reference(segments: u64, segment: f64, rate: f64, round_trip: f64, window: u64) -> f64 {
        let (mut now, mut left, mut window) = (0.0f64, segments, window);
        loop {
            let sent = left.min(window);
            let end = now + sent as f64 * segment / rate;
            left -= sent;
            if left == 0 {
                return end - segments as f64 * segment / rate;
            }
            now = end.max(now + segment / rate + round_trip);
            window *= 2;
        }
    }

    /// Against the reference for 1 to 400 segments, fast and slow routes.
    #[test]
    fn stalls_are_those_of_the_windows() {
        for (rate, round_trip) in
            [(1_000_000, 80), (10_000_000, 80), (1_000_000_000, 200), (100_000, 1), (5_000_000, 0)]
        {
            for window in [1u32, 2, 10] {
                for segments in 1..400 {
                    let bits = Bits::new(12_000);
                    let trip = TimeDelta::from_nanos(round_trip * 1_000_000);
                    let found = stall(segments, bits, Rate::new(rate).unwrap(), trip, window).as_seconds();
                    let reference = reference(segments, 12e3, rate as f64, round_trip as f64 * 1e-3, u64::from(window));
                    assert!((found - reference).abs() < 1e-7, "{segments} segments at {rate}: {found} for {reference}");
                }
            }
        }
    }

    /// 10 + 20 + 40 + 30 segments over 100 Mbit/s and 100 ms: three stalls of S/R + RTT − w S/R with S/R = 0.12 ms:
    /// 300.36 − 70 · 0.12 = 291.96 ms.
    #[test]
    fn a_hundred_segments_stall_three_times() {
        let rate = Rate::new(100_000_000).unwrap();
        let stall = stall(100, Bits::new(12_000), rate, TimeDelta::from_nanos(100_000_000), 10);
        assert_eq!(stall, TimeDelta::from_nanos(291_960_000));
    }
}
