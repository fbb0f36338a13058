//! The command line as a user meets it: wrong input, what runs leave and how they end, and what the README says to type.

mod outcomes;
mod readme;
mod studies;
#[path = "../support/mod.rs"]
mod support;
mod wrong_input;
