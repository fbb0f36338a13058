//! Numbers of bits ([`Bits`]). It must not know what the bits say.

use std::ops::SubAssign;

const UNITS: [(u64, &str); 5] =
    [(1, "bit"), (1_000, "kbit"), (1_000_000, "Mbit"), (1_000_000_000, "Gbit"), (1_000_000_000_000, "Tbit")];

/// A number of bits.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct Bits(u64);

impl Bits {
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

    /// The number itself.
    #[inline]
    pub const fn count(self) -> u64 {
        self.0
    }
}

amount!(Bits, UNITS, "more than 2^64 bits", "no number of bits is negative");

impl SubAssign for Bits {
    #[inline]
    fn sub_assign(&mut self, other: Self) {
        *self = *self - other;
    }
}
