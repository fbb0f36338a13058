//! The outer loops of VR-FedEM: how long they are, and what both ends know of them.

use fedbits_random::{DrawPurpose, Streams};
use fedbits_spec::Described;
use fedbits_spec::range::{Whole, whole};
use serde::{Deserialize, Serialize};

/// Inner steps of an outer loop.
#[derive(Clone, Copy, Debug, Described, Deserialize, Eq, PartialEq, Serialize)]
pub enum InnerSteps {
    /// Fixed.
    Fixed(#[range(STEPS)] u32),
    /// Geometric on 1, 2, … with this mean, redrawn per outer loop from a shared seed (Geom-SPIDER-EM).
    Geometric(#[range(STEPS)] u32),
}

const STEPS: Whole = whole(1, 1_000_000_000).note(" of inner steps");

impl InnerSteps {
    /// How often per inner step a client refreshes that takes part in a step with probability p: at its first step of
    /// an outer loop, if it has one; (1 − E(1 − p)^K)/E K.
    #[must_use]
    pub fn refreshes_per_step(self, p: f64) -> f64 {
        match self {
            Self::Fixed(steps) => (1.0 - libm::pow(1.0 - p, f64::from(steps))) / f64::from(steps),
            // P(K > j) = (1 − 1/k)^j.
            Self::Geometric(mean) => p / (1.0 + (f64::from(mean) - 1.0) * p),
        }
    }

    /// How often per inner step that client makes its second step of an outer loop: (1 − E(1 − p)^K − p E K (1 −
    /// p)^(K−1))/E K.
    #[must_use]
    pub fn seconds_per_step(self, p: f64) -> f64 {
        let refreshes = self.refreshes_per_step(p);
        match self {
            Self::Fixed(steps) => refreshes - p * libm::pow(1.0 - p, f64::from(steps) - 1.0),
            // Behind the first step a loop goes on as a new one, with probability 1 − 1/k.
            Self::Geometric(mean) => refreshes * refreshes * (f64::from(mean) - 1.0),
        }
    }

    /// k_in, or its mean.
    #[must_use]
    pub fn mean(self) -> u32 {
        let (Self::Fixed(steps) | Self::Geometric(steps)) = self;
        steps
    }

    /// Steps of outer loop `t`.
    fn draw(self, streams: &Streams, t: u64) -> u64 {
        match self {
            Self::Fixed(k_in) => u64::from(k_in),
            Self::Geometric(1) => 1,
            Self::Geometric(mean) => {
                let u = streams.at(DrawPurpose::Minibatch, OUTER_LOOPS, t).uniform_open();
                // P(K > k) = (1 − 1/mean)^k.
                1 + libm::floor(libm::log(u) / libm::log1p(-1.0 / f64::from(mean))) as u64
            }
        }
    }
}

/// The entity of draws that belong to no client.
const OUTER_LOOPS: u64 = u64::MAX;

/// The outer loop at the server.
#[derive(Clone, Copy, Debug, Default)]
pub struct OuterLoop {
    /// t, its number, from 1.
    pub(super) t: u64,
    /// First round of this outer loop, and of the next.
    began: u64,
    next: u64,
}

/// What a broadcast says of the outer loop: its first round.
#[derive(Clone, Copy, Debug)]
pub struct Began(pub(super) u64);

impl OuterLoop {
    /// The server opens `round`: the first of an outer loop, or one more.
    pub(super) fn open(&mut self, inner: InnerSteps, streams: &Streams, round: u64) -> Began {
        if round >= self.next && round > 0 {
            self.t += 1;
            self.began = round;
            self.next = round + inner.draw(streams, self.t);
        }
        Began(self.began)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Refreshes per step, counted: a client refreshes at the first step of an outer loop in which it takes part.
    #[test]
    fn refreshes_are_those_of_who_takes_part() {
        let geometric = |k: f64, p: f64| {
            let mut sum = 0.0;
            for j in 0..5_000 {
                let there = f64::from(j);
                sum += libm::pow(1.0 - 1.0 / k, there) * p * libm::pow(1.0 - p, there);
            }
            sum / k
        };
        for (k, p) in [(1, 0.3), (4, 0.5), (20, 0.1), (20, 1.0)] {
            let expected = geometric(f64::from(k), p);
            let found = InnerSteps::Geometric(k).refreshes_per_step(p);
            assert!((found - expected).abs() < 1e-12, "{found} instead of {expected}");
        }
        let three: f64 = (0.5 + 0.25 + 0.125) / 3.0;
        assert!((InnerSteps::Fixed(3).refreshes_per_step(0.5) - three).abs() < 1e-15);
    }

    /// Second steps of a loop, counted: of three steps the second with ¼, the third with 2 · ⅛; of a geometric loop
    /// step j, which there is with (1 − 1/k)^(j−1), as the second with (j − 1) p² (1 − p)^(j−2).
    #[test]
    fn second_steps_are_those_of_who_was_there_before() {
        assert!((InnerSteps::Fixed(3).seconds_per_step(0.5) - 0.5 / 3.0).abs() < 1e-15);
        assert_eq!([1, 20].map(|k| InnerSteps::Fixed(k).seconds_per_step(1.0)), [0.0, 0.05]);
        for (k, p) in [(1, 0.3), (4, 0.5), (20, 0.1), (20, 1.0)] {
            let step = |j: f64| libm::pow(1.0 - 1.0 / f64::from(k), j - 1.0) * (j - 1.0) * libm::pow(1.0 - p, j - 2.0);
            let expected = (2..5_000).map(|j| p * p * step(f64::from(j))).sum::<f64>() / f64::from(k);
            let found = InnerSteps::Geometric(k).seconds_per_step(p);
            assert!((found - expected).abs() < 1e-12, "{found} instead of {expected}");
        }
    }

    /// Mean and P(K = 1) of 20 000 draws, within 6.5 standard errors of k_in and 1/k_in.
    #[test]
    fn geometric_loops_have_their_mean() {
        let streams = Streams::new(5, 0);
        for mean in [1, 2, 20] {
            let draws: Vec<f64> = (1..=20_000).map(|t| InnerSteps::Geometric(mean).draw(&streams, t) as f64).collect();
            let (n, k) = (draws.len() as f64, f64::from(mean));
            let deviation = (k * (k - 1.0)).sqrt();
            let average = draws.iter().sum::<f64>() / n;
            assert!((average - k).abs() <= 6.5 * deviation / n.sqrt(), "{average} instead of {k}");
            let ones = draws.iter().filter(|&&k| k == 1.0).count() as f64 / n;
            let error = (1.0 / k * (1.0 - 1.0 / k) / n).sqrt();
            assert!((ones - 1.0 / k).abs() <= 6.5 * error, "P(K = 1) = {ones} instead of {}", 1.0 / k);
        }
    }
}
