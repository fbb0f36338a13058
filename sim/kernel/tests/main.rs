//! The tests of this crate, as one program.

mod coding;
mod engine;
mod network;
mod quantities;
mod queue;
#[path = "../../../tests/support/skips.rs"]
mod skips;
mod time_use;
