//! Packets that a link loses, each after it has been sent. The draws have the address (loss, link, packet): number 2 k
//! decides on packet k, number 2 k + 1 on the state of a Gilbert–Elliott link after it.

use fedbits_random::{CounterKey, DrawPurpose, Streams};

use fedbits_kernel::network::transport::Loss;

/// One direction of a link that loses packets.
pub(super) struct Lossy {
    loss: Loss,
    draws: CounterKey,
    /// Packets that have crossed it.
    crossed: u64,
    is_bad: bool,
}

impl Lossy {
    pub(super) fn new(loss: Loss, link: u32, streams: &Streams) -> Self {
        let draws = streams.counter(DrawPurpose::Loss, u64::from(link), 0);
        let is_bad = match loss {
            Loss::GilbertElliott { to_bad, to_good, .. } => {
                // The chain begins in its stationary law.
                let first = streams.counter(DrawPurpose::Loss, u64::from(link), 1).uniform(0);
                first * (to_bad + to_good) < to_bad
            }
            Loss::Never | Loss::Bernoulli(_) => false,
        };
        Self { loss, draws, crossed: 0, is_bad }
    }

    /// Does it lose the next packet?
    pub(super) fn strikes(&mut self) -> bool {
        let (decides, moves) = (2 * self.crossed, 2 * self.crossed + 1);
        self.crossed += 1;
        match self.loss {
            Loss::Never => false,
            Loss::Bernoulli(p) => self.draws.uniform(decides) < p,
            Loss::GilbertElliott { to_bad, to_good, in_good, in_bad } => {
                let lost = self.draws.uniform(decides) < if self.is_bad { in_bad } else { in_good };
                self.is_bad ^= self.draws.uniform(moves) < if self.is_bad { to_good } else { to_bad };
                lost
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Shares of loss: p, and of Gilbert–Elliott π · in_bad + (1 − π) · in_good (standard deviations as in
    /// `transport/loss.rs`; z-limit 7).
    #[test]
    fn links_lose_their_share() {
        let burst = Loss::GilbertElliott { to_bad: 0.02, to_good: 0.18, in_good: 0.01, in_bad: 0.8 };
        for (loss, expected, deviation) in [(Loss::Bernoulli(0.05), 20_000.0, 138.0), (burst, 35_600.0, 461.0)] {
            for seed in 0..4 {
                let mut link = Lossy::new(loss, 3, &Streams::new(seed, 0));
                let lost = (0..400_000).filter(|_| link.strikes()).count() as f64;
                assert!((lost - expected).abs() < 7.0 * deviation, "{loss:?}: {lost}");
            }
        }
    }
}
