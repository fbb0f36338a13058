//! Max–min fair sharing at flow level: the model of SimGrid's CM02 with all factors and weights 1.
//!
//! Rates are max–min fair at every instant: no flow can be made faster without slowing one that is not faster than it.
//! Two exact algorithms: [`GeneralFairShare`] for any routes recomputes the connected component of links that a change
//! touches;
//! [`StarFairShare`] for a star whose clients talk to the server only needs O(log n) a change.
//! Completions beyond 584 years are told as the last instant there is.

mod general;
mod level;
mod moment;
mod slow_start;
mod star;

pub use general::{GeneralFairShare, Weights};
pub use star::StarFairShare;

use crate::Bits;

/// Nanoseconds per second, for rates in bit/s.
const NANOS_PER_SECOND: f64 = 1e9;

/// A float this close below a whole number of bits is that number: the rest is rounding.
const BIT_DUST: f64 = 1e-6;

/// Whole bits sent when `remaining` of `bits` are left.
fn whole_bits_sent(bits: u64, remaining: f64) -> Bits {
    let sent = bits as f64 - remaining + BIT_DUST;
    Bits::new((sent as u64).min(bits))
}
