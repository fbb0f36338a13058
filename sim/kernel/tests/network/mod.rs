//! The network models against reference tables, closed forms and a slow obvious reference.

#![expect(clippy::unwrap_used, reason = "a test stops at what it does not expect")]

mod background;
mod fifo;
mod ideal;
mod laws;
mod least;
mod metamorphic;
mod reference;
mod reference_impl;
mod script;
mod sharing;
mod table;
mod topology;
mod transport;
