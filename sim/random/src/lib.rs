//! Addressed random streams and samplers.
//!
//! Each draw has an *address*: its root seed, replicate, [`DrawPurpose`], entity and index. A fixed hash of the address
//! seeds a short-lived generator. No generator is kept across events, so another client, probe or thread changes no
//! other draw. The values are part of the results: `tests/stability.rs` pins them. This crate must not know what its
//! draws are used for beyond the names in [`DrawPurpose`].

#![cfg_attr(not(test), deny(clippy::unwrap_used))]

#[cfg(test)]
extern crate self as fedbits_random;

mod address;
mod counter;
#[cfg(test)]
#[path = "../tests/laws.rs"]
mod laws;
mod mix;
mod samplers;
#[cfg(test)]
#[path = "../tests/stability.rs"]
mod stability;
mod stream;

pub use address::{DrawPurpose, Streams};
pub use counter::CounterKey;
pub use samplers::{floyd_subset, running_sums};
pub use stream::Stream;
