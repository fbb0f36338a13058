//! The tests of this crate, as one program.

mod bits;
mod documentation;
mod exact;
mod golden;
mod laws;
mod lengths;
mod message_costs;
mod stability;
