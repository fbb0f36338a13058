//! Hints to the memory of the machine: huge pages for large blocks, and lines of the cache asked for before they are
//! needed. They change how long a run takes and never what it computes. And how a process ends that gets no memory.
//!
//! All `unsafe` of the simulator is in this crate. Without the feature `hints` there is none: [`prefetch`] does
//! nothing, and the allocator does not exist.

#![cfg_attr(not(feature = "hints"), forbid(unsafe_code))]

#[cfg(feature = "hints")]
mod huge_pages;
mod prefetch;
#[cfg(feature = "hints")]
mod refused;

#[cfg(feature = "hints")]
pub use huge_pages::HugePages;
pub use prefetch::prefetch;
#[cfg(feature = "hints")]
pub use refused::end_where_refused;
