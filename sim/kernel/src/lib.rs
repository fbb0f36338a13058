//! Virtual time, event queue, engine, network and ledger of bits
pub mod network;
mod quantities;
mod queue;

pub use quantities::{Bits, NodeId, QuantityError, Rate, Span, Time};
pub use queue::{EventId, EventQueue};
