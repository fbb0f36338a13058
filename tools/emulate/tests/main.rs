//! The tests of this crate, as one program.

mod scenarios;
mod script;
#[path = "../../../tests/support/skips.rs"]
mod skips;
mod star;
mod validation;
