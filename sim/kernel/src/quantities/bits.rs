//! Numbers of bits ([`Bits`]). It must not know what the bits say.

use std::fmt;
use std::iter::Sum;
use std::ops::{Add, AddAssign, Mul, Sub, SubAssign};

use super::QuantityError;

const LIMIT: QuantityError = QuantityError::TooLarge { quantity: "number of bits", limit: "2^64 bits" };
const UNITS: [(u64, &str); 5] =
    [(1, "bit"), (1_000, "kbit"), (1_000_000, "Mbit"), (1_000_000_000, "Gbit"), (1_000_000_000_000, "Tbit")];

/// A number of bits.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct Bits(u64);

impl Bits {
    /// No bits.
    pub const ZERO: Self = Self(0);
    /// The largest number of bits there is.
    pub const MAX: Self = Self(u64::MAX);

    /// `count` bits.
    #[inline]
    pub const fn new(count: u64) -> Self {
        Self(count)
    }

    /// A size of the scenario.
    ///
    /// # Panics
    /// If it is no number of bits, which the checks of all settings refuse.
    pub fn of(size: fedbits_spec::Size) -> Self {
        Self(size.bits().expect("sizes are checked before they are used"))
    }

    /// `bytes` bytes of 8 bits.
    ///
    /// # Errors
    /// If that exceeds [`Bits::MAX`].
    pub fn from_bytes(bytes: u64) -> Result<Self, QuantityError> {
        bytes.checked_mul(8).map(Self).ok_or(LIMIT)
    }

    /// The number itself.
    #[inline]
    pub const fn count(self) -> u64 {
        self.0
    }

    /// `self + other`.
    ///
    /// # Errors
    /// If the sum exceeds [`Bits::MAX`].
    #[inline]
    pub fn checked_add(self, other: Self) -> Result<Self, QuantityError> {
        self.0.checked_add(other.0).map(Self).ok_or(LIMIT)
    }

    /// `self - other`.
    ///
    /// # Errors
    /// If `other` is larger.
    #[inline]
    pub fn checked_sub(self, other: Self) -> Result<Self, QuantityError> {
        self.0.checked_sub(other.0).map(Self).ok_or(QuantityError::NegativeDifference("number of bits"))
    }

    /// `times · self`.
    ///
    /// # Errors
    /// If the product exceeds [`Bits::MAX`].
    #[inline]
    pub fn checked_mul(self, times: u64) -> Result<Self, QuantityError> {
        self.0.checked_mul(times).map(Self).ok_or(LIMIT)
    }
}

impl Add for Bits {
    type Output = Self;
    #[inline]
    fn add(self, other: Self) -> Self {
        Self(self.0.checked_add(other.0).expect("more than 2^64 bits"))
    }
}

impl AddAssign for Bits {
    #[inline]
    fn add_assign(&mut self, other: Self) {
        *self = *self + other;
    }
}

impl Sub for Bits {
    type Output = Self;
    #[inline]
    fn sub(self, other: Self) -> Self {
        Self(self.0.checked_sub(other.0).expect("no number of bits is negative"))
    }
}

impl SubAssign for Bits {
    #[inline]
    fn sub_assign(&mut self, other: Self) {
        *self = *self - other;
    }
}

impl Mul<u64> for Bits {
    type Output = Self;
    #[inline]
    fn mul(self, times: u64) -> Self {
        Self(self.0.checked_mul(times).expect("more than 2^64 bits"))
    }
}

impl Sum for Bits {
    fn sum<I: Iterator<Item = Self>>(bits: I) -> Self {
        bits.fold(Self::ZERO, Add::add)
    }
}

impl fmt::Display for Bits {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        super::write_in_units(f, self.0, &UNITS)
    }
}
