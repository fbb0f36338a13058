//! Instants between the nanoseconds. Rates change when a flow *exactly* ends; rounding these instants would let every
//! flow hold its share up to a nanosecond too long, and over thousands of completions on one link that adds up.
//! This file must not know flows.

use crate::Time;

/// A fraction of a nanosecond this small is rounding, not time: a flow that ends exactly at a nanosecond ends there.
const DUST: f64 = 1e-3;

/// `nanos + fraction` nanoseconds after the start, 0 ≤ fraction < 1.
#[derive(Clone, Copy, Debug, Default, PartialEq, PartialOrd)]
pub(super) struct Moment {
    nanos: u64,
    fraction: f64,
}

impl Moment {
    /// `nanos` later (0 if rounding made it negative); never beyond the last instant.
    #[inline]
    pub(super) fn after(self, nanos: f64) -> Self {
        let sum = self.fraction + nanos.max(0.0);
        // Of a number that is not negative, the conversion is the floor.
        let whole = sum as u64;
        match self.nanos.checked_add(whole) {
            Some(nanos) if nanos < u64::MAX => Self { nanos, fraction: sum - whole as f64 },
            _ => Self::from(Time::MAX),
        }
    }

    /// Nanoseconds from `earlier` to `self`, 0 if it is not earlier.
    #[inline]
    pub(super) fn since(self, earlier: Self) -> f64 {
        let whole = self.nanos.saturating_sub(earlier.nanos) as f64;
        if self > earlier { whole + (self.fraction - earlier.fraction) } else { 0.0 }
    }

    /// The first whole nanosecond not before it.
    #[inline]
    pub(super) fn ceil(self) -> Time {
        Time::from_nanos(if self.fraction > DUST { self.nanos + 1 } else { self.nanos })
    }

    /// The last whole nanosecond not after it.
    #[inline]
    pub(super) fn floor(self) -> Time {
        Time::from_nanos(self.nanos)
    }

    #[inline]
    pub(super) fn max(self, other: Self) -> Self {
        if other > self { other } else { self }
    }
}

impl From<Time> for Moment {
    #[inline]
    fn from(time: Time) -> Self {
        Self { nanos: time.as_nanos(), fraction: 0.0 }
    }
}
