//! The tests of this crate, as one program.

mod fedem;
#[path = "../../../models/tests/golden/mod.rs"]
mod golden;
mod laws;
mod optimization;
mod saem;
mod vpem;
mod wrong;
