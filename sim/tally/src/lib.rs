//! What a run counts: messages and bits by direction, purpose and fate ([`LedgerRow`]), and distributions of durations
//! ([`Histogram`]).
//!
//! The engine fills these types, records keep them, and neither depends on the other. This crate must not know files,
//! networks or protocols.

#![cfg_attr(not(test), deny(clippy::unwrap_used))]

mod histogram;
mod ledger;
mod words;

pub use histogram::{Histogram, HistogramSummary};
pub use ledger::{Direction, Fate, LedgerRow};

/// What the stop reason of a run begins with that failed.
pub const FAILED: &str = "failed: ";
