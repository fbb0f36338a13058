//! The simulator for a browser: a scenario's text goes in, progress, results and figures come out. One message is one
//! question in JSON, with bytes behind it; so is its answer.
//!
//! There is no file system and there are no threads: a page plays runs side by side in workers, each with a module of
//! its own, and gives the frames that they return to the one that draws.

#[cfg(target_family = "wasm")]
mod abi;
mod engine;
mod page;

pub use engine::{Reply, WebEngine};
