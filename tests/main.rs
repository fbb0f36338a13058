//! The tests of this crate, as one program.

mod command_line;
mod determinism;
mod engine;
mod python;
#[path = "support/skips.rs"]
mod skips;
mod support;
mod tidy;
mod validation;
