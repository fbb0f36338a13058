//! The scenario schema, its checks, and the library of scenarios.
//!
//! [`load`] turns the text of a RON file, with the edits of `--set` and of its arms, into checked scenarios, or into all
//! the problems it has, each with file, line and column. What is checked here is not checked again deeper down.

#![cfg_attr(not(test), deny(clippy::unwrap_used))]

mod checks;
pub mod data_files;
mod diagnostics;
pub mod library;
mod load;
mod names;
pub mod prepare;
pub mod schema;
mod settings;
mod shape;
mod source;
pub mod study;
mod syntax;

pub use diagnostics::{Diagnostic, Diagnostics};
pub use load::{Checked, load, load_resolved};
pub use names::nearest;
pub use settings::{NotASetting, Set};
pub use source::Source;
