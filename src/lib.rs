//! A deterministic discrete-event simulator of federated expectation–maximization over a network, exact to the bit.
//!
//! A [`Scenario`] is loaded from the library, a file or a text, changed by path, and checked. [`run`] gives the
//! [`Record`] of one of its arms in memory; [`Runs::run`] runs all arms and replicates into a folder, which
//! [`Results`] reads, and [`report`] draws figures of it ([`reports`] has its options, comparisons, and how kinds of
//! figures are written). [`verify`] makes runs again and compares the results. The same scenario and seed give the same
//! record on any number of threads and any processor. The program `fedbits` is [`App`]`::new().main()`: the command
//! line over these functions.
//!
//! ```
//! use fedbits::{RunOptions, Scenario};
//!
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! let scenario = Scenario::load("quickstart")?.set("stop.rounds", "5").set("seed", "7");
//! let folder = tempfile::tempdir()?;
//! let runs = scenario.runs()?.run(folder.path(), &RunOptions::default())?;
//! assert_eq!(runs.plan().arms[0].name, "uncompressed");
//! let record = runs.run(0, 0)?.expect("the first replicate of the first arm");
//! let last = record.rounds.last().expect("five rounds");
//! assert_eq!((last.round, record.manifest.seed), (5, 7));
//! println!("‖h(Ŝ)‖² = {:?} after {} bits up", last.mean_field_sq, last.bits_up);
//! # Ok(())
//! # }
//! ```

#![cfg_attr(not(test), deny(clippy::unwrap_used))]
// What only the command line calls.
#![cfg_attr(target_family = "wasm", allow(dead_code, unused_imports))]

#[cfg(not(target_family = "wasm"))]
mod app;
#[cfg(not(target_family = "wasm"))]
mod cli;
mod comparison;
mod error;
mod executor;
mod export;
mod listener;
mod machine;
mod options;
mod page_engine;
mod predict;
mod runs;
mod scenario;
mod texts;
mod trace;
mod verify;
mod watch;

#[cfg(not(target_family = "wasm"))]
pub use app::App;
pub use comparison::{ComparisonTable, comparison};
/// The laws of parts, to be called from the tests of a crate that adds some.
pub mod laws {
    pub use fedbits_codec::laws::compressor;
    pub use fedbits_kernel::availability::laws::availability;
    pub use fedbits_kernel::network::laws::sharing;
    pub use fedbits_models::laws::model;
    pub use fedbits_protocols::laws::protocol;
}

pub use error::Error;
pub use executor::run;
pub use export::{TableFiles, export};
pub use fedbits_codec as codec;
pub use fedbits_kernel as kernel;
pub use fedbits_models as models;
pub use fedbits_protocols as protocols;
pub use fedbits_random as random;
pub use fedbits_record::results::{PLAN_FILE, Results};
pub use fedbits_record::{Digests, Manifest, RunRecord as Record};
pub use fedbits_reports as reports;
pub use fedbits_reports::report;
pub use fedbits_scenarios::fitted::FittedModel;
pub use fedbits_scenarios::{library, register_parts};
pub use fedbits_spec as spec;
/// `exp`, `log` and the others for parts of a crate of its own, in the version that gives the same bits on every
/// processor.
pub use libm;
pub use options::{MOST_THREADS, RunOptions};
pub use page_engine::{ENGINE, page_engine};
pub use predict::{Holds, Prediction, model, predict};
pub use runs::{MemoryRuns, PartialRun, Runs};
pub use scenario::{Arm, Scenario};
pub use verify::{RunDifference, Verification, verify};
pub use watch::{Event, Watch};
