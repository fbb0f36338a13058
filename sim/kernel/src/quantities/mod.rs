//! Quantities with units: [`Time`], [`TimeDelta`], [`Bits`], [`Rate`] and the name of a node, [`NodeId`].
//!
//! All are integers, so sums are exact and the same on every machine. Only operations with a meaning exist (two
//! instants have a difference and no sum), and none ever wraps: what a user's numbers can overflow has a `checked_*`
//! form; the operators panic, in release builds too. This module must not know events, networks or messages.

/// Sums, differences and multiples of amounts, and their text; the operators panic with these words.
macro_rules! amount {
    ($amount:ident, $units:ident, $too_large:literal, $negative:literal) => {
        impl $amount {
            /// None at all.
            pub const ZERO: Self = Self(0);
            /// The largest there is.
            pub const MAX: Self = Self(u64::MAX);

            /// `self + other`; `None` beyond the largest.
            #[inline]
            pub fn checked_add(self, other: Self) -> Option<Self> {
                self.0.checked_add(other.0).map(Self)
            }
        }

        impl std::ops::Add for $amount {
            type Output = Self;
            #[inline]
            fn add(self, other: Self) -> Self {
                Self(self.0.checked_add(other.0).expect($too_large))
            }
        }

        impl std::ops::AddAssign for $amount {
            #[inline]
            fn add_assign(&mut self, other: Self) {
                *self = *self + other;
            }
        }

        impl std::ops::Sub for $amount {
            type Output = Self;
            #[inline]
            fn sub(self, other: Self) -> Self {
                Self(self.0.checked_sub(other.0).expect($negative))
            }
        }

        impl std::ops::Mul<u64> for $amount {
            type Output = Self;
            #[inline]
            fn mul(self, times: u64) -> Self {
                Self(self.0.checked_mul(times).expect($too_large))
            }
        }

        impl std::iter::Sum for $amount {
            fn sum<I: Iterator<Item = Self>>(amounts: I) -> Self {
                amounts.fold(Self::ZERO, std::ops::Add::add)
            }
        }

        impl std::fmt::Display for $amount {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                super::write_in_units(f, self.0, &$units)
            }
        }
    };
}

mod bits;
mod rate;
mod time;

pub use bits::Bits;
pub use rate::Rate;
pub use time::{Time, TimeDelta};

use thiserror::Error;

/// A node of the network. In a star, node 0 is the server and client `i` is node `i + 1`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct NodeId(pub u32);

impl NodeId {
    /// Its name in records: with a server, node 0, the others are clients counted from 0; without one all are nodes.
    pub fn name(self, server: Option<NodeId>) -> String {
        match server {
            Some(server) if self == server => "server".to_owned(),
            Some(_) => format!("client-{}", self.0 - 1),
            None => format!("node-{}", self.0),
        }
    }
}

impl std::fmt::Display for NodeId {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "node {}", self.0)
    }
}

/// Why a number is not the quantity it was meant to be.
#[derive(Clone, Copy, Debug, PartialEq, Error)]
pub enum QuantityError {
    /// NaN or an infinity.
    #[error("{0} is not a finite number")]
    NotFinite(f64),
    /// A negative time, duration, number of bits or rate.
    #[error("{0} is negative")]
    Negative(f64),
    /// A result or an argument above what the quantity can hold.
    #[error("{quantity} beyond {limit}")]
    TooLarge {
        /// Which quantity.
        quantity: &'static str,
        /// Its largest value in words.
        limit: &'static str,
    },
    /// A rate of zero: a transfer over it would never end.
    #[error("a rate below 1 bit/s never delivers")]
    ZeroRate,
}

/// 2^64 as a float: the first value that does not fit into 64 bits.
const TWO_POW_64: f64 = 18_446_744_073_709_551_616.0;

/// Rounds `value · scale` ≥ 0 to the nearest u64 (halves up).
fn to_integer(value: f64, scale: f64, too_large: QuantityError) -> Result<u64, QuantityError> {
    if !value.is_finite() {
        return Err(QuantityError::NotFinite(value));
    }
    if value < 0.0 {
        return Err(QuantityError::Negative(value));
    }
    let rounded = (value * scale).round();
    if rounded >= TWO_POW_64 { Err(too_large) } else { Ok(rounded as u64) }
}

/// Writes `value` in the largest unit of `units` (ascending powers of `units[i].0`) that does not exceed it; no digit
/// is lost.
fn write_in_units(f: &mut std::fmt::Formatter<'_>, value: u64, units: &[(u64, &str)]) -> std::fmt::Result {
    let largest = units.iter().rev().find(|(size, _)| value >= *size).or(units.first());
    let &(size, name) = largest.expect("every quantity names at least one unit");
    let (whole, rest) = (value / size, value % size);
    if rest == 0 {
        return write!(f, "{whole} {name}");
    }
    let width = size.ilog10() as usize;
    let digits = format!("{rest:0width$}");
    write!(f, "{whole}.{} {name}", digits.trim_end_matches('0'))
}
