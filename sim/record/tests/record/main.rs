//! Records, folders of runs and their tables: what stands there, what is read back, and what a reader makes of changed files.

#![expect(clippy::unwrap_used, reason = "a test stops at the first surprise")]

mod common;
mod files;
mod floats;
mod store;
