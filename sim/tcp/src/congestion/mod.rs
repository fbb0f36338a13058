//! Congestion windows: how many packets may be on the way.
//!
//! Slow start adds what is acknowledged until the slow-start threshold; beyond it Reno adds one packet per window,
//! Cubic follows its cubic. A loss multiplies the window by ½ (Reno) or 0.7 (Cubic). A window that is not used does not
//! grow. Linux's counting throughout, so that windows can be compared one by one.

mod cubic;

use cubic::Cubic;
use fedbits_spec::Described;
use serde::{Deserialize, Serialize};

/// Congestion control.
#[derive(Clone, Copy, Debug, Default, Described, Deserialize, PartialEq, Eq, Serialize)]
pub enum Congestion {
    /// RFC 5681, counting packets as Linux does.
    Reno,
    /// RFC 9438 with HyStart, as in Linux.
    #[default]
    Cubic,
}

#[derive(Clone, Debug)]
enum Control {
    Reno,
    Cubic(Cubic),
}

/// No threshold yet: slow start goes on until something happens.
const ENDLESS: u64 = u64::MAX;

/// One sender's window.
#[derive(Clone, Debug)]
pub(super) struct Window {
    pub(super) size: u64,
    pub(super) threshold: u64,
    /// Acknowledged packets that have not yet made the window larger.
    credit: u64,
    control: Control,
}

impl Window {
    pub(super) fn new(kind: Congestion, size: u64, now: u64) -> Self {
        let control = match kind {
            Congestion::Reno => Control::Reno,
            Congestion::Cubic => Control::Cubic(Cubic::new(now)),
        };
        Self { size, threshold: ENDLESS, credit: 0, control }
    }

    pub(super) fn is_slow_start(&self) -> bool {
        self.size < self.threshold
    }

    /// A round trip was measured when all packets before `acknowledged` of those before `next` are acknowledged.
    pub(super) fn measured(&mut self, now: u64, time: u64, acknowledged: u64, next: u64) {
        let slow = self.is_slow_start();
        if let Control::Cubic(cubic) = &mut self.control
            && cubic.measured(now, time, slow.then_some(self.size), acknowledged, next)
        {
            self.threshold = self.size;
        }
    }

    /// `count` packets were acknowledged, and the window was in use.
    pub(super) fn grow(&mut self, now: u64, mut count: u64) {
        if self.is_slow_start() {
            let size = (self.size + count).min(self.threshold);
            count -= size - self.size;
            self.size = size;
            if count == 0 {
                return;
            }
        }
        let per_packet = match &mut self.control {
            Control::Reno => self.size,
            Control::Cubic(cubic) => cubic.per_packet(now, self.size, count),
        };
        if self.credit >= per_packet {
            self.credit = 0;
            self.size += 1;
        }
        self.credit += count;
        self.size += self.credit / per_packet;
        self.credit %= per_packet;
    }

    /// A loss: the threshold that it leads to.
    pub(super) fn reduce(&mut self) {
        self.threshold = match &mut self.control {
            Control::Reno => (self.size / 2).max(2),
            Control::Cubic(cubic) => cubic.reduce(self.size),
        };
    }

    /// A timeout: what was learnt is forgotten.
    pub(super) fn forget(&mut self, now: u64, next: u64) {
        if let Control::Cubic(cubic) = &mut self.control {
            cubic.forget(now, next);
        }
    }

    /// The first packet after nothing was on the way for some time.
    pub(super) fn resume(&mut self, now: u64, idle: u64) {
        if let Control::Cubic(cubic) = &mut self.control {
            cubic.resume(now, idle);
        }
    }

    /// The threshold at least where three quarters of the window are, as before a window that shrinks for lack of use.
    pub(super) fn remember(&mut self) {
        self.threshold = self.threshold.max(self.size / 2 + self.size / 4);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// RFC 5681: one more packet per window of acknowledgements; half after a loss.
    #[test]
    fn reno_adds_a_packet_per_window() {
        let mut window = Window::new(Congestion::Reno, 10, 0);
        window.grow(0, 6);
        assert_eq!(window.size, 16);
        window.reduce();
        window.size = window.threshold;
        assert_eq!(window.size, 8);
        (0..8).for_each(|_| window.grow(0, 1));
        assert_eq!(window.size, 9);
    }

    /// RFC 9438: after a loss at 1 000 packets the window is 700, K = ∛(300 / 0.4) = 9.09 s, and with a short round
    /// trip and an acknowledgement per packet and 10 ms the window is 1 000 again after K, slower before and after.
    #[test]
    fn the_window_follows_the_cubic() {
        let mut window = Window::new(Congestion::Cubic, 1_000, 0);
        window.measured(0, 10_000_000, 0, 0);
        window.reduce();
        window.size = window.threshold;
        assert_eq!(window.size, 700);
        let mut at = [0; 2_000];
        for (step, at) in at.iter_mut().enumerate() {
            window.grow(5_000_000_000 + 10_000_000 * step as u64, window.size);
            *at = window.size;
        }
        let expected = |seconds: f64| {
            let t: f64 = seconds - 9.086;
            0.4 * t * t * t + 1_000.0
        };
        for step in [100, 400, 909, 1_400] {
            let expected = expected(step as f64 / 100.0);
            // Reno with β = 0.7 adds 0.53 packets per round trip of 10 ms: it is faster here from 5 s on.
            let reno = 700.0 + 0.53 * step as f64;
            let here = at[step] as f64;
            assert!((here / expected.max(reno) - 1.0).abs() < 0.05, "{step}: {here} for {expected} or {reno}");
        }
    }
}
