//! Virtual time: instants ([`Time`]) and durations ([`TimeDelta`]) in whole nanoseconds. It must not know the host's
//! clock.

use std::fmt;
use std::ops::{Add, AddAssign, Sub};

use super::{QuantityError, to_integer};

const TIME_LIMIT: QuantityError = QuantityError::TooLarge { quantity: "time", limit: "2^64 ns (584 years)" };
const DELTA_LIMIT: QuantityError = QuantityError::TooLarge { quantity: "duration", limit: "2^64 ns (584 years)" };
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

    /// The instant `seconds` after the start, to the nearest nanosecond.
    ///
    /// # Errors
    /// If `seconds` is not finite, negative or beyond 584 years.
    pub fn from_seconds(seconds: f64) -> Result<Self, QuantityError> {
        to_integer(seconds, NANOS_PER_SECOND, TIME_LIMIT).map(Self)
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

    /// `self + duration`.
    ///
    /// # Errors
    /// If the sum lies beyond [`Time::MAX`].
    #[inline]
    pub fn checked_add(self, duration: TimeDelta) -> Result<Self, QuantityError> {
        self.0.checked_add(duration.0).map(Self).ok_or(TIME_LIMIT)
    }

    /// The duration from `earlier` to `self`.
    ///
    /// # Errors
    /// If `earlier` is later than `self`.
    #[inline]
    pub fn checked_since(self, earlier: Self) -> Result<TimeDelta, QuantityError> {
        self.0.checked_sub(earlier.0).map(TimeDelta).ok_or(QuantityError::NegativeDifference("instant"))
    }
}

impl TimeDelta {
    /// No time at all.
    pub const ZERO: Self = Self(0);
    /// The longest duration there is.
    pub const MAX: Self = Self(u64::MAX);

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
        to_integer(seconds, NANOS_PER_SECOND, DELTA_LIMIT).map(Self)
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

    /// `self + other`.
    ///
    /// # Errors
    /// If the sum exceeds [`TimeDelta::MAX`].
    #[inline]
    pub fn checked_add(self, other: Self) -> Result<Self, QuantityError> {
        self.0.checked_add(other.0).map(Self).ok_or(DELTA_LIMIT)
    }

    /// `self - other`.
    ///
    /// # Errors
    /// If `other` is the longer one.
    #[inline]
    pub fn checked_sub(self, other: Self) -> Result<Self, QuantityError> {
        self.0.checked_sub(other.0).map(Self).ok_or(QuantityError::NegativeDifference("duration"))
    }

    /// `times · self`.
    ///
    /// # Errors
    /// If the product exceeds [`TimeDelta::MAX`].
    #[inline]
    pub fn checked_mul(self, times: u64) -> Result<Self, QuantityError> {
        self.0.checked_mul(times).map(Self).ok_or(DELTA_LIMIT)
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
