//! Rates that change in time: constant between given instants, and repeated for ever. This file must not know links.

use std::sync::Arc;

use crate::{Bits, Rate, Time, TimeDelta};

const NANOS_PER_SECOND: u128 = 1_000_000_000;

/// A rate that changes at given instants, and begins anew after its period.
#[derive(Clone, Debug)]
pub struct VaryingRate {
    /// Ends of the pieces in nanoseconds, ascending; the last is the period.
    ends: Arc<[u64]>,
    /// bit/s of each piece; 0 is an outage.
    rates: Arc<[u64]>,
    fastest: Rate,
    /// Where in the period the run begins.
    offset: u64,
}

/// A rate, as long as it lasts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Piece {
    /// bit/s; 0 is an outage.
    pub rate: u64,
    /// The first instant at which it may be another.
    pub until: Time,
}

impl VaryingRate {
    /// Pieces of (length, bit/s), which begin anew when the last is over. `None` if one has no length, one is above
    /// [`Rate::MAX`], or all are outages.
    #[must_use]
    pub fn new(pieces: &[(TimeDelta, u64)]) -> Option<Self> {
        let mut end = 0u64;
        let mut ends = Vec::with_capacity(pieces.len());
        for &(length, _) in pieces {
            end = end.checked_add(length.as_nanos()).filter(|_| length > TimeDelta::ZERO)?;
            ends.push(end);
        }
        let fastest = Rate::new(pieces.iter().map(|&(_, rate)| rate).max()?).ok()?;
        Some(Self { ends: ends.into(), rates: pieces.iter().map(|&(_, rate)| rate).collect(), fastest, offset: 0 })
    }

    /// This rate, begun this far into its period.
    #[must_use]
    pub fn from(&self, offset: TimeDelta) -> Self {
        Self { offset: offset.as_nanos() % self.period(), ..self.clone() }
    }

    /// After this it begins anew.
    #[must_use]
    pub fn period(&self) -> u64 {
        self.ends[self.ends.len() - 1]
    }

    /// The fastest of its pieces.
    #[must_use]
    pub fn fastest(&self) -> Rate {
        self.fastest
    }

    /// The piece at an instant.
    #[must_use]
    pub fn at(&self, now: Time) -> Piece {
        let into = ((u128::from(now.as_nanos()) + u128::from(self.offset)) % u128::from(self.period())) as u64;
        let index = self.ends.partition_point(|&end| end <= into);
        let left = TimeDelta::from_nanos(self.ends[index] - into);
        Piece { rate: self.rates[index], until: now.checked_add(left).unwrap_or(Time::MAX) }
    }
}

/// What several links in a row let through, each as fast as the slowest of them. Without a [`VaryingRate`], `constant`.
#[derive(Clone, Copy, Debug)]
pub(super) struct Through<'a> {
    pub(super) constant: Rate,
    pub(super) varying: &'a [&'a VaryingRate],
}

impl Through<'_> {
    fn at(&self, now: Time) -> Piece {
        let constant = Piece { rate: self.constant.bits_per_second(), until: Time::MAX };
        self.varying.iter().fold(constant, |slowest, varying| {
            let piece = varying.at(now);
            Piece { rate: slowest.rate.min(piece.rate), until: slowest.until.min(piece.until) }
        })
    }

    /// When `bits` are through, if the first goes at `from`; to the nanosecond, rounded up once.
    pub(super) fn sent_by(&self, from: Time, bits: Bits) -> Time {
        if self.varying.is_empty() {
            return from.checked_add(self.constant.time_for(bits)).unwrap_or(Time::MAX);
        }
        let mut left = u128::from(bits.count()) * NANOS_PER_SECOND;
        let mut now = from;
        while left > 0 && now < Time::MAX {
            let Piece { rate, until } = self.at(now);
            let most = u128::from(rate) * u128::from((until - now).as_nanos());
            if most >= left {
                let nanos = u64::try_from(left.div_ceil(u128::from(rate))).unwrap_or(u64::MAX);
                return now.checked_add(TimeDelta::from_nanos(nanos)).unwrap_or(Time::MAX);
            }
            (left, now) = (left - most, until);
        }
        now
    }

    /// Whole bits that are through between two instants.
    pub(super) fn bits_between(&self, from: Time, to: Time) -> Bits {
        if self.varying.is_empty() {
            return self.constant.bits_in(to - from);
        }
        let (mut sum, mut now) = (0u128, from);
        while now < to {
            let Piece { rate, until } = self.at(now);
            let until = until.min(to);
            sum += u128::from(rate) * u128::from((until - now).as_nanos());
            now = until;
        }
        Bits::new(u64::try_from(sum / NANOS_PER_SECOND).unwrap_or(u64::MAX))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ms(ms: u64) -> TimeDelta {
        TimeDelta::from_nanos(ms * 1_000_000)
    }

    /// 1 s of 8 bit/s, 2 s of outage, 1 s of 4 bit/s: 12 bits a period.
    fn rate() -> VaryingRate {
        VaryingRate::new(&[(ms(1_000), 8), (ms(2_000), 0), (ms(1_000), 4)]).unwrap()
    }

    #[test]
    fn pieces_come_in_turn() {
        let at = |millis| rate().at(Time::ZERO + ms(millis));
        assert_eq!(at(0), Piece { rate: 8, until: Time::ZERO + ms(1_000) });
        assert_eq!(at(999).rate, 8);
        assert_eq!(at(1_000), Piece { rate: 0, until: Time::ZERO + ms(3_000) });
        assert_eq!(at(4_000), Piece { rate: 8, until: Time::ZERO + ms(5_000) });
        assert_eq!(rate().from(ms(3_500)).at(Time::ZERO), Piece { rate: 4, until: Time::ZERO + ms(500) });
    }

    #[test]
    fn bits_go_through_piece_by_piece() {
        let varying = rate();
        let through = Through { constant: Rate::MAX, varying: &[&varying] };
        let sent_by = |bits| through.sent_by(Time::ZERO, Bits::new(bits)).as_nanos() / 1_000_000;
        assert_eq!([sent_by(0), sent_by(4), sent_by(8), sent_by(9), sent_by(12)], [0, 500, 1_000, 3_250, 4_000]);
        assert_eq!(sent_by(12 * 1_000 + 4), 4_000 * 1_000 + 500);
        assert_eq!(through.bits_between(Time::ZERO + ms(500), Time::ZERO + ms(3_500)), Bits::new(4 + 2));
        let slower = Through { constant: Rate::new(2).unwrap(), varying: &[&varying] };
        assert_eq!(slower.sent_by(Time::ZERO, Bits::new(3)), Time::ZERO + ms(3_500));
    }

    #[test]
    fn what_never_flows_is_no_rate() {
        let none: [&[(TimeDelta, u64)]; 4] =
            [&[], &[(ms(1), 0)], &[(ms(1), 5), (TimeDelta::ZERO, 5)], &[(ms(1), u64::MAX)]];
        assert!(none.iter().all(|pieces| VaryingRate::new(pieces).is_none()));
    }
}
