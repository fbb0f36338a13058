//! Virtual time: instants ([`Time`]) and durations ([`TimeDelta`]) in whole nanoseconds. It must not know the host's
//! clock.

use std::fmt;
use std::ops::{Add, AddAssign, Sub};

use super::{QuantityError, to_integer};

const LIMIT: QuantityError = QuantityError::TooLarge { quantity: "duration", limit: "2^64 ns (584 years)" };
const NANOS_PER_SECOND: f64 = 1e9;
const UNITS: [(u64, &str); 4] = [(1, "ns"), (1_000, "µs"), (1_000_000, "ms"), (1_000_000_000, "s")];

/// An instant of virtual time: nanoseconds since the start of the run.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct Time(u64);

/// A duration in nanoseconds.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct TimeDelta(u64);

impl Time {
    /// The start of the run.
    pub const ZERO: Self = Self(0);
    /// The last instant there is.
    pub const MAX: Self = Self(u64::MAX);

    /// The instant `nanos` nanoseconds after the start.
    #[inline]
    pub const fn from_nanos(nanos: u64) -> Self {
        Self(nanos)
    }

    /// Nanoseconds since the start.
    #[inline]
    pub const fn as_nanos(self) -> u64 {
        self.0
    }

    /// Seconds since the start (the nearest float: for reports, never for arithmetic on time).
    pub fn as_seconds(self) -> f64 {
        self.0 as f64 / NANOS_PER_SECOND
    }

    /// `self + duration`; `None` beyond [`Time::MAX`].
    #[inline]
    pub fn checked_add(self, duration: TimeDelta) -> Option<Self> {
        self.0.checked_add(duration.0).map(Self)
    }

    /// The duration from `earlier` to `self`; `None` if `earlier` is later.
    #[inline]
    pub fn checked_since(self, earlier: Self) -> Option<TimeDelta> {
        self.0.checked_sub(earlier.0).map(TimeDelta)
    }
}

impl TimeDelta {
    /// A duration of `nanos` nanoseconds.
    #[inline]
    pub const fn from_nanos(nanos: u64) -> Self {
        Self(nanos)
    }

    /// A duration of the scenario, to the nearest nanosecond.
    ///
    /// # Panics
    /// If it is no duration of the clock, which the checks of all settings refuse.
    pub fn of(duration: fedbits_spec::Duration) -> Self {
        Self(duration.nanoseconds().expect("durations are checked before they are used"))
    }

    /// A duration of `seconds`, to the nearest nanosecond.
    ///
    /// # Errors
    /// If `seconds` is not finite, negative or beyond 584 years.
    pub fn from_seconds(seconds: f64) -> Result<Self, QuantityError> {
        to_integer(seconds, NANOS_PER_SECOND, LIMIT).map(Self)
    }

    /// Its nanoseconds.
    #[inline]
    pub const fn as_nanos(self) -> u64 {
        self.0
    }

    /// Its seconds (the nearest float).
    pub fn as_seconds(self) -> f64 {
        self.0 as f64 / NANOS_PER_SECOND
    }

    /// `self - other`; `None` if `other` is the longer one.
    #[inline]
    pub fn checked_sub(self, other: Self) -> Option<Self> {
        self.0.checked_sub(other.0).map(Self)
    }

    /// `times · self`; `None` beyond the longest.
    #[inline]
    pub fn checked_mul(self, times: u64) -> Option<Self> {
        self.0.checked_mul(times).map(Self)
    }
}

impl Add<TimeDelta> for Time {
    type Output = Self;
    #[inline]
    fn add(self, duration: TimeDelta) -> Self {
        Self(self.0.checked_add(duration.0).expect("time beyond 2^64 ns (584 years)"))
    }
}

impl AddAssign<TimeDelta> for Time {
    #[inline]
    fn add_assign(&mut self, duration: TimeDelta) {
        *self = *self + duration;
    }
}

impl Sub for Time {
    type Output = TimeDelta;
    #[inline]
    fn sub(self, earlier: Self) -> TimeDelta {
        TimeDelta(self.0.checked_sub(earlier.0).expect("a duration runs from the earlier to the later instant"))
    }
}

amount!(TimeDelta, UNITS, "duration beyond 2^64 ns (584 years)", "no duration is negative");

impl fmt::Display for Time {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        super::write_in_units(f, self.0, &UNITS)
    }
}
