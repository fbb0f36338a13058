//! Cubic (RFC 9438): after a loss at window W_max the window follows C (t − K)³ + W_max, K = ∛(W_max (1 − β) / C), at
//! least as Reno would with the same β; and HyStart, which ends slow start before the first loss (Ha and Rhee, Taming
//! the elephants, 2011), when acknowledgements come in a train that is longer than half the least round trip or when
//! round trips have grown by an eighth of it.
//!
//! Times in units of 2⁻¹⁰ s and the constants of Linux: C = 410 / 1024, β = 717 / 1024.

const SECOND: u64 = 1_000_000_000;
const MILLISECOND: u64 = 1_000_000;
const BETA: u64 = 717;
const SCALE: u64 = 1_024;
/// C · 1024, and what the window's distance is multiplied by to get K³ in (2⁻¹⁰ s)³.
const C: u64 = 410;
const CUBE: u64 = (1 << 40) / C;
/// 8 · (1 + β) / (3 (1 − β)): acknowledgements per packet of the window that Reno would have, in eighths.
const RENO: u64 = 8 * (SCALE + BETA) / 3 / (SCALE - BETA);

/// HyStart looks at windows from this size on, at this many round trips per round, and at acknowledgements that are
/// closer than this.
const LOW_WINDOW: u64 = 16;
const SAMPLES: u32 = 8;
const TRAIN_GAP: u64 = 2 * MILLISECOND;

#[derive(Clone, Debug, Default)]
pub(super) struct Cubic {
    /// Packets acknowledged per packet that the window grows by.
    per_packet: u64,
    last_max: u64,
    last_window: u64,
    last_time: u64,
    origin: u64,
    k: u64,
    least_delay: u64,
    /// When the window began to follow the present cubic.
    epoch: Option<u64>,
    acknowledged: u64,
    /// The window that Reno would have.
    reno: u64,
    hystart: HyStart,
}

#[derive(Clone, Debug, Default)]
struct HyStart {
    found: bool,
    round: u64,
    last: u64,
    /// The round ends behind this packet.
    end: u64,
    least: u64,
    samples: u32,
}

impl HyStart {
    fn begin_round(&mut self, now: u64, next: u64) {
        *self = Self { found: self.found, round: now, last: now, end: next, least: u64::MAX, samples: 0 };
    }

    /// Has the window been found to be large enough?
    fn look(&mut self, now: u64, delay: u64, least_delay: u64) -> bool {
        if now - self.last <= TRAIN_GAP {
            self.last = now;
            self.found |= now - self.round > (least_delay + MILLISECOND) / 2;
        }
        self.least = self.least.min(delay);
        if self.samples < SAMPLES {
            self.samples += 1;
        } else {
            self.found |= self.least > least_delay + (least_delay / 8).clamp(4 * MILLISECOND, 16 * MILLISECOND);
        }
        self.found
    }
}

impl Cubic {
    pub(super) fn new(now: u64) -> Self {
        let mut cubic = Self::default();
        cubic.hystart.begin_round(now, 0);
        cubic
    }

    /// A round trip was measured; `slow_start` is the window if it is in slow start. Should slow start end here?
    pub(super) fn measured(
        &mut self,
        now: u64,
        delay: u64,
        slow_start: Option<u64>,
        acknowledged: u64,
        next: u64,
    ) -> bool {
        if self.epoch.is_some_and(|epoch| now < epoch + SECOND) {
            return false;
        }
        if self.least_delay == 0 || delay < self.least_delay {
            self.least_delay = delay.max(1);
        }
        let Some(window) = slow_start.filter(|_| !self.hystart.found) else { return false };
        if acknowledged > self.hystart.end {
            self.hystart.begin_round(now, next);
        }
        window >= LOW_WINDOW && self.hystart.look(now, delay, self.least_delay)
    }

    /// How many packets have to be acknowledged for the window to grow by one.
    pub(super) fn per_packet(&mut self, now: u64, window: u64, count: u64) -> u64 {
        self.acknowledged += count;
        if self.last_window == window && now - self.last_time <= SECOND / 32 {
            return self.per_packet;
        }
        if self.epoch.is_none() || now - self.last_time >= MILLISECOND {
            (self.last_window, self.last_time) = (window, now);
            self.follow(now, window, count);
        }
        let per_reno = window * RENO / 8;
        if per_reno > 0 && self.acknowledged > per_reno {
            let more = (self.acknowledged - 1) / per_reno;
            self.acknowledged -= more * per_reno;
            self.reno += more;
        }
        if self.reno > window {
            self.per_packet = self.per_packet.min(window / (self.reno - window));
        }
        self.per_packet = self.per_packet.max(2);
        self.per_packet
    }

    /// The slope of the cubic at `now`, one least round trip ahead.
    fn follow(&mut self, now: u64, window: u64, count: u64) {
        let epoch = *self.epoch.get_or_insert_with(|| {
            (self.acknowledged, self.reno) = (count, window);
            let distance = self.last_max.saturating_sub(window);
            self.k = libm::cbrt((CUBE * distance) as f64) as u64;
            self.origin = self.last_max.max(window);
            now
        });
        let time = (u128::from(now - epoch + self.least_delay) * 1_024 / u128::from(SECOND)) as u64;
        let offset = u128::from(time.abs_diff(self.k).min(1 << 32));
        let change = u64::try_from((u128::from(C) * offset * offset * offset) >> 40).unwrap_or(u64::MAX);
        let target =
            if time < self.k { self.origin.saturating_sub(change) } else { self.origin.saturating_add(change) };
        self.per_packet = if target > window { window / (target - window) } else { 100 * window };
        if self.last_max == 0 {
            // Nothing is known of the path: at least 5 % per round trip.
            self.per_packet = self.per_packet.min(20);
        }
    }

    /// A loss at this window: where it leads to. A flow that had not yet its last window again leaves room for others
    /// (fast convergence).
    pub(super) fn reduce(&mut self, window: u64) -> u64 {
        self.epoch = None;
        self.last_max = if window < self.last_max { window * (SCALE + BETA) / (2 * SCALE) } else { window };
        (window * BETA / SCALE).max(2)
    }

    pub(super) fn forget(&mut self, now: u64, next: u64) {
        *self = Self::new(now);
        self.hystart.begin_round(now, next);
    }

    /// Time during which nothing was sent does not count.
    pub(super) fn resume(&mut self, now: u64, idle: u64) {
        self.epoch = self.epoch.map(|epoch| (epoch + idle).min(now));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// HyStart: round trips that grow by more than 5 ms end slow start after eight samples; a train longer than half
    /// the least round trip does at once.
    #[test]
    fn slow_start_ends_before_the_loss() {
        let mut cubic = Cubic::new(0);
        assert!(!cubic.measured(40 * MILLISECOND, 40 * MILLISECOND, Some(10), 1, 20));
        let found = |cubic: &mut Cubic, at: u64, delay: u64| {
            cubic.measured(at * MILLISECOND, delay * MILLISECOND, Some(40), 30, 80)
        };
        for k in 0..8 {
            assert!(!found(&mut cubic, 80 + 3 * k, 46));
        }
        assert!(found(&mut cubic, 104, 46));
        let mut train = Cubic::new(0);
        assert!(!train.measured(40 * MILLISECOND, 40 * MILLISECOND, Some(10), 1, 20));
        let ends = (0..40).find(|&k| found(&mut train, 80 + k, 40));
        assert_eq!(ends, Some(21), "1 ms apart, longer than (40 + 1) / 2 ms");
    }
}
