//! Addressed random streams and the samplers that every room shares.
//!
//! Randomness here is *addressed, never consumed*: a draw names its root seed, replicate, [`DrawPurpose`], entity and
//! index, and a frozen hash of that address seeds a short-lived generator. Nobody holds a generator across events, so
//! adding a client, a probe or a thread changes nobody else's draws. The values are part of the results:
//! `tests/stability.rs` pins them. This crate must not know what its draws are used for beyond the names in
//! [`DrawPurpose`].

#![cfg_attr(not(test), deny(clippy::unwrap_used))]

mod address;
mod counter;
mod mix;
mod samplers;
mod stream;

pub use address::{DrawPurpose, Streams};
pub use counter::CounterKey;
pub use samplers::running_sums;
pub use stream::Stream;
