//! The low-rank model: against the reference vectors g10, against its laws, and the data that it is fitted to.

mod counts;
mod golden;
mod laws;
