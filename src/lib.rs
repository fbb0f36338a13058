//! A deterministic discrete-event simulator of federated expectation–maximization over a network.

#![cfg_attr(not(test), deny(clippy::unwrap_used))]

mod app;
mod cli;

pub use app::App;
