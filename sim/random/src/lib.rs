//! Addressed random streams and samplers.
//!
//! Each draw has an *address*: its root seed, replicate, [`DrawPurpose`], entity and index. A fixed hash of the address
//! seeds a short-lived generator. No generator is kept across events, so another client, probe or thread changes no
//! other draw. The values are part of the results: `tests/stability.rs` pins them. This crate must not know what its
//! draws are used for beyond the names in [`DrawPurpose`].

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
