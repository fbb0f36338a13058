//! Virtual time: instants ([`Time`]) and durations ([`Span`]) in whole nanoseconds. It must not know the host's clock.

use std::fmt;
use std::iter::Sum;
use std::ops::{Add, AddAssign, Mul, Sub};

use super::{QuantityError, human, to_integer};

const TIME_LIMIT: QuantityError = QuantityError::TooLarge { quantity: "time", limit: "2^64 ns (584 years)" };
const SPAN_LIMIT: QuantityError = QuantityError::TooLarge { quantity: "span", limit: "2^64 ns (584 years)" };
const NANOS_PER_SECOND: f64 = 1e9;
const UNITS: [(u64, &str); 4] = [(1, "ns"), (1_000, "µs"), (1_000_000, "ms"), (1_000_000_000, "s")];

/// An instant of virtual time: nanoseconds since the start of the run.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct Time(u64);

/// A duration in nanoseconds.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct Span(u64);

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

    /// `self + span`.
    ///
    /// # Errors
    /// If the sum lies beyond [`Time::MAX`].
    #[inline]
    pub fn checked_add(self, span: Span) -> Result<Self, QuantityError> {
        self.0.checked_add(span.0).map(Self).ok_or(TIME_LIMIT)
    }

    /// The span from `earlier` to `self`.
    ///
    /// # Errors
    /// If `earlier` is later than `self`.
    #[inline]
    pub fn checked_since(self, earlier: Self) -> Result<Span, QuantityError> {
        self.0.checked_sub(earlier.0).map(Span).ok_or(QuantityError::NegativeDifference("instant"))
    }
}

impl Span {
    /// No time at all.
    pub const ZERO: Self = Self(0);
    /// The longest span there is.
    pub const MAX: Self = Self(u64::MAX);

    /// A span of `nanos` nanoseconds.
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

    /// A span of `seconds`, to the nearest nanosecond.
    ///
    /// # Errors
    /// If `seconds` is not finite, negative or beyond 584 years.
    pub fn from_seconds(seconds: f64) -> Result<Self, QuantityError> {
        to_integer(seconds, NANOS_PER_SECOND, SPAN_LIMIT).map(Self)
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
    /// If the sum exceeds [`Span::MAX`].
    #[inline]
    pub fn checked_add(self, other: Self) -> Result<Self, QuantityError> {
        self.0.checked_add(other.0).map(Self).ok_or(SPAN_LIMIT)
    }

    /// `self - other`.
    ///
    /// # Errors
    /// If `other` is the longer one.
    #[inline]
    pub fn checked_sub(self, other: Self) -> Result<Self, QuantityError> {
        self.0.checked_sub(other.0).map(Self).ok_or(QuantityError::NegativeDifference("span"))
    }

    /// `times · self`.
    ///
    /// # Errors
    /// If the product exceeds [`Span::MAX`].
    #[inline]
    pub fn checked_mul(self, times: u64) -> Result<Self, QuantityError> {
        self.0.checked_mul(times).map(Self).ok_or(SPAN_LIMIT)
    }
}

impl Add<Span> for Time {
    type Output = Self;
    #[inline]
    fn add(self, span: Span) -> Self {
        Self(self.0.checked_add(span.0).expect("time beyond 2^64 ns (584 years)"))
    }
}

impl AddAssign<Span> for Time {
    #[inline]
    fn add_assign(&mut self, span: Span) {
        *self = *self + span;
    }
}

impl Sub for Time {
    type Output = Span;
    #[inline]
    fn sub(self, earlier: Self) -> Span {
        Span(self.0.checked_sub(earlier.0).expect("a span runs from the earlier to the later instant"))
    }
}

impl Add for Span {
    type Output = Self;
    #[inline]
    fn add(self, other: Self) -> Self {
        Self(self.0.checked_add(other.0).expect("span beyond 2^64 ns (584 years)"))
    }
}

impl AddAssign for Span {
    #[inline]
    fn add_assign(&mut self, other: Self) {
        *self = *self + other;
    }
}

impl Sub for Span {
    type Output = Self;
    #[inline]
    fn sub(self, other: Self) -> Self {
        Self(self.0.checked_sub(other.0).expect("no span is negative"))
    }
}

impl Mul<u64> for Span {
    type Output = Self;
    #[inline]
    fn mul(self, times: u64) -> Self {
        Self(self.0.checked_mul(times).expect("span beyond 2^64 ns (584 years)"))
    }
}

impl Sum for Span {
    fn sum<I: Iterator<Item = Self>>(spans: I) -> Self {
        spans.fold(Self::ZERO, Add::add)
    }
}

impl fmt::Display for Time {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        human::write(f, self.0, &UNITS)
    }
}

impl fmt::Display for Span {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        human::write(f, self.0, &UNITS)
    }
}
