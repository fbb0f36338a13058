//! The scenario schema, its checks, and the library of scenarios.
//!
//! [`load`] turns the text of a RON file, with the edits of `--set` and of its arms, into checked scenarios, or into
//! all the problems it has, each with file, line and column. What is checked here is not checked again in other crates.

#![cfg_attr(not(test), deny(clippy::unwrap_used))]

pub mod arms;
mod bases;
mod checks;
pub mod data_files;
mod declared;
mod document;
pub mod fitted;
pub mod known_files;
mod layers;
pub mod library;
mod load;
mod loader;
mod offers;
pub mod prepare;
pub mod schema;
mod settings;
mod unfit;
pub mod words;

pub use bases::{Bases, Library};
pub use checks::idle_rules;
pub use declared::{compressor, with_sets};
pub use fedbits_text::{Diagnostics, Source};
pub use load::{CheckedScenario, load, load_resolved, load_with};
pub use loader::{Checked, register_parts};
pub use offers::{Offer, OfferedNumber};
pub use settings::{NotASetting, Set};
