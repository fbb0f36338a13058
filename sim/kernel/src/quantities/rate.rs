//! Bits per second ([`Rate`]). It must not know links or routes.
//!
//! A rate is a whole number of bits per second: the slowest rate anyone simulates is thousands of bits per second, so a
//! fraction of one bit per second buys nothing, and whole numbers make `bits ÷ rate` exact with a single rounding.

use std::fmt;

use super::{Bits, QuantityError, TimeDelta, to_integer};

const LIMIT: QuantityError = QuantityError::TooLarge { quantity: "rate", limit: "10 Tbit/s" };
const NANOS_PER_SECOND: u128 = 1_000_000_000;
const UNITS: [(u64, &str); 5] =
    [(1, "bit/s"), (1_000, "kbit/s"), (1_000_000, "Mbit/s"), (1_000_000_000, "Gbit/s"), (1_000_000_000_000, "Tbit/s")];

/// A rate between 1 bit/s and [`Rate::MAX`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Rate(u64);

impl Rate {
    /// The fastest rate, 10 Tbit/s: below 2^44, which leaves room for exact sums over 2^32 flows (`network`).
    pub const MAX: Self = Self(10_000_000_000_000);

    /// `bits_per_second` bit/s.
    ///
    /// # Errors
    /// If it is 0 or above [`Rate::MAX`].
    pub const fn new(bits_per_second: u64) -> Result<Self, QuantityError> {
        match bits_per_second {
            0 => Err(QuantityError::ZeroRate),
            1..=10_000_000_000_000 => Ok(Self(bits_per_second)),
            _ => Err(LIMIT),
        }
    }

    /// The whole rate nearest to `bits_per_second`.
    ///
    /// # Errors
    /// If it is not finite, negative, rounds to 0 or lies above [`Rate::MAX`].
    pub fn from_bits_per_second(bits_per_second: f64) -> Result<Self, QuantityError> {
        to_integer(bits_per_second, 1.0, LIMIT).and_then(Self::new)
    }

    /// The whole rate nearest to a rate of the scenario, at least 1 bit/s and at most [`Rate::MAX`].
    ///
    /// # Panics
    /// If it is not a number, which the checks of all settings refuse.
    pub fn of(rate: fedbits_spec::Rate) -> Self {
        let bits_per_second = rate.bits_per_second().clamp(1.0, Self::MAX.0 as f64);
        Self::from_bits_per_second(bits_per_second).expect("rates are checked before they are used")
    }

    /// Bits per second.
    #[inline]
    pub const fn bits_per_second(self) -> u64 {
        self.0
    }

    /// How long `bits` take: ⌈bits ÷ rate⌉ in nanoseconds, exact but for this one rounding.
    ///
    /// # Panics
    /// If the transfer takes longer than 584 years.
    #[inline]
    pub fn time_for(self, bits: Bits) -> TimeDelta {
        let nanos = (u128::from(bits.count()) * NANOS_PER_SECOND).div_ceil(u128::from(self.0));
        TimeDelta::from_nanos(u64::try_from(nanos).expect("a transfer longer than 2^64 ns (584 years)"))
    }

    /// How many whole bits pass within `duration`: ⌊rate · duration⌋, at most [`Bits::MAX`].
    #[inline]
    pub fn bits_in(self, duration: TimeDelta) -> Bits {
        let bits = u128::from(self.0) * u128::from(duration.as_nanos()) / NANOS_PER_SECOND;
        Bits::new(u64::try_from(bits).unwrap_or(u64::MAX))
    }
}

impl fmt::Display for Rate {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        super::write_in_units(f, self.0, &UNITS)
    }
}
