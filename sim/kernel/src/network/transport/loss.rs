//! Losses of packets on one direction of a link. This file must not know routes or transfers.

use fedbits_random::Stream;
use fedbits_spec::Described;
use fedbits_spec::range::{LOSS, PROBABILITY};
use fedbits_spec::short::{Short, Unread};
use serde::{Deserialize, Serialize};

/// Packet losses of a link.
#[derive(Clone, Copy, Debug, Default, Described, Deserialize, PartialEq, Serialize)]
#[serde(remote = "Self", deny_unknown_fields)]
#[described(short)]
pub enum Loss {
    /// No losses.
    #[default]
    Never,
    /// Each packet independently with this probability; 0 acts as `Never`.
    Bernoulli(#[range(LOSS)] f64),
    /// Bursts: the link turns bad or good before a packet. Mean loss: π · `in_bad` + (1 − π) · `in_good`, π = `to_bad`
    /// / (`to_bad` + `to_good`).
    GilbertElliott {
        /// Probability per packet that a good link turns bad.
        #[range(PROBABILITY)]
        to_bad: f64,
        /// Probability per packet that a bad link turns good.
        #[range(PROBABILITY)]
        to_good: f64,
        /// Probability of loss on a good link.
        #[serde(default)]
        #[range(LOSS)]
        in_good: f64,
        /// Probability of loss on a bad link.
        #[serde(default = "certain")]
        #[range(PROBABILITY)]
        in_bad: f64,
    },
}

impl Short for Loss {
    const FORMS: &'static [(&'static str, &'static str)] = &[("0.01", "Bernoulli(0.01)")];

    fn of_number(number: f64) -> Result<Self, Unread> {
        Ok(Self::Bernoulli(number))
    }
}

fn certain() -> f64 {
    1.0
}

impl Loss {
    /// Can it lose a packet at all?
    #[must_use]
    pub fn is_possible(self) -> bool {
        !matches!(self, Self::Never | Self::Bernoulli(0.0))
    }

    /// Can it lose a packet and all its repetitions in a run that somebody makes? With more than one packet in a
    /// hundred, whatever became of the one before: seven attempts to set a connection up, of two packets each, fail
    /// with a probability of 10⁻¹² below that.
    pub(crate) fn defeats_repetition(self) -> bool {
        let most = match self {
            Self::Never => 0.0,
            Self::Bernoulli(p) => p,
            Self::GilbertElliott { to_bad, to_good, in_good, in_bad } => {
                let next = |bad: f64| bad * in_bad + (1.0 - bad) * in_good;
                next(to_bad).max(next(1.0 - to_good))
            }
        };
        most > 0.01
    }
}

/// The packets of one transfer: this many whole ones, and perhaps a smaller last one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct PacketSet {
    pub(super) whole: u64,
    pub(super) last: bool,
}

impl PacketSet {
    pub(super) const NONE: Self = Self { whole: 0, last: false };

    pub(super) fn count(self) -> u64 {
        self.whole + u64::from(self.last)
    }

    pub(super) fn without(self, lost: Self) -> Self {
        Self { whole: self.whole - lost.whole, last: self.last && !lost.last }
    }

    pub(super) fn with(self, more: Self) -> Self {
        Self { whole: self.whole + more.whole, last: self.last || more.last }
    }
}

/// One direction of a link that loses packets.
#[derive(Clone, Debug)]
pub(super) struct Lossy {
    loss: Loss,
    /// Transfers that have crossed it: the index of its draws.
    pub(super) crossings: u64,
    /// Of Gilbert–Elliott: is it bad? Unknown before the first packet.
    bad: Option<bool>,
}

impl Lossy {
    pub(super) fn new(loss: Loss) -> Self {
        Self { loss, crossings: 0, bad: None }
    }

    /// Which of the packets that cross the link it loses; whole packets come before the last one.
    pub(super) fn lose(&mut self, packets: PacketSet, stream: &mut Stream) -> PacketSet {
        match self.loss {
            Loss::Never => PacketSet::NONE,
            Loss::Bernoulli(p) => {
                PacketSet { whole: stream.binomial(packets.whole, p), last: packets.last && stream.bernoulli(p) }
            }
            Loss::GilbertElliott { .. } => {
                let whole = (0..packets.whole).map(|_| u64::from(self.step(stream))).sum();
                PacketSet { whole, last: packets.last && self.step(stream) }
            }
        }
    }

    /// One packet of a Gilbert–Elliott link: is it lost? The chain begins in its stationary law.
    fn step(&mut self, stream: &mut Stream) -> bool {
        let Loss::GilbertElliott { to_bad, to_good, in_good, in_bad } = self.loss else { return false };
        let bad = match self.bad {
            None => stream.bernoulli(to_bad / (to_bad + to_good)),
            Some(true) => !stream.bernoulli(to_good),
            Some(false) => stream.bernoulli(to_bad),
        };
        self.bad = Some(bad);
        stream.bernoulli(if bad { in_bad } else { in_good })
    }
}

#[cfg(test)]
mod tests {
    use fedbits_random::{DrawPurpose, Streams};

    use super::*;

    fn lost(loss: Loss, packets: u64) -> u64 {
        let (mut link, streams) = (Lossy::new(loss), Streams::new(11, 0));
        let hundred = PacketSet { whole: 99, last: true };
        let lost = |index| link.lose(hundred, &mut streams.at(DrawPurpose::Loss, 0, index)).count();
        (0..packets / 100).map(lost).sum()
    }

    /// 400 000 packets at p = 0.05: 20 000 expected, standard deviation √(N p (1 − p)) = 138; z-limit 7.
    #[test]
    fn bernoulli_loses_its_share() {
        let lost = lost(Loss::Bernoulli(0.05), 400_000) as f64;
        assert!((lost - 20_000.0).abs() < 7.0 * 138.0, "{lost}");
    }

    /// Stationary loss of Gilbert–Elliott: π = 0.02 / (0.02 + 0.18) = 0.1 bad, share 0.1 · 0.8 + 0.9 · 0.01 = 0.089.
    /// The chain's memory 1 − 0.2 = 0.8 widens the variance of the mean: N σ² with σ² = s (1 − s) + 2 Σ_k≥1 π (1 − π)
    /// (0.8 − 0.01)² 0.8^k = 0.0811 + 2 · 0.09 · 0.6241 · 4 = 0.530, so 400 000 packets have a standard deviation of
    /// 461; z-limit 7.
    #[test]
    fn gilbert_elliott_loses_its_stationary_share_in_bursts() {
        let loss = Loss::GilbertElliott { to_bad: 0.02, to_good: 0.18, in_good: 0.01, in_bad: 0.8 };
        let lost = lost(loss, 400_000) as f64;
        assert!((lost - 35_600.0).abs() < 7.0 * 461.0, "{lost}");
    }

    /// One packet in a hundred is repeated until it arrives; where losses come one after the other, repetitions are
    /// lost with it, however rare they are.
    #[test]
    fn bursts_defeat_repetition() {
        let burst = |to_good, in_bad| Loss::GilbertElliott { to_bad: 1e-4, to_good, in_good: 0.0, in_bad };
        let cases = [
            (Loss::Never, false),
            (Loss::Bernoulli(0.01), false),
            (Loss::Bernoulli(0.02), true),
            (burst(0.5, 0.01), false),
            (burst(0.5, 1.0), true),
            (burst(0.02, 1.0), true),
        ];
        for (loss, expected) in cases {
            assert_eq!(loss.defeats_repetition(), expected, "{loss:?}");
        }
    }

    /// The chance that the packet after a lost one is lost, too, with in_good = 0 and in_bad = 1: 1 − to_good, whatever
    /// to_bad. With to_good = 0.25 about 40 000 bad packets: standard error √(0.75 · 0.25 / 40 000) = 0.0022; z-limit
    /// 7.
    #[test]
    fn bursts_have_their_mean_length() {
        let loss = Loss::GilbertElliott { to_bad: 0.05, to_good: 0.25, in_good: 0.0, in_bad: 1.0 };
        let (mut link, streams) = (Lossy::new(loss), Streams::new(12, 0));
        let one = PacketSet { whole: 1, last: false };
        let lost: Vec<bool> = (0..240_000)
            .map(|index| link.lose(one, &mut streams.at(DrawPurpose::Loss, 3, index)).count() == 1)
            .collect();
        let after_lost: Vec<bool> = lost.windows(2).filter(|pair| pair[0]).map(|pair| pair[1]).collect();
        let share = after_lost.iter().filter(|lost| **lost).count() as f64 / after_lost.len() as f64;
        assert!((share - 0.75).abs() < 7.0 * 0.0022, "{share}");
    }
}
