//! Tests that need what a machine lacks: each says so in a line of one form, so that `.ci/run` can tell which they were.

use std::io::Write;

/// What a test needs and does not find.
#[derive(Debug, Clone, Copy)]
#[allow(dead_code, reason = "every program of tests needs some of them")]
pub enum Lacks {
    /// Real data: the folder `FEDBITS_DATA`.
    Data,
    /// Rights of the user: to make network namespaces, to mount, to become another user.
    Rights,
    /// The engine for browsers: the file `FEDBITS_ENGINE`.
    Module,
    /// A program or a package of another kind.
    Program,
    /// Anything else of the system.
    System,
}

/// Says that the test of this thread is skipped, on standard error, past the capture of the test harness, which shows
/// nothing of tests that pass; and in the file that `FEDBITS_SKIPPED` names.
pub fn skipped(lacks: Lacks, why: &str) {
    let thread = std::thread::current();
    let (kind, program) = (format!("{lacks:?}").to_lowercase(), env!("CARGO_PKG_NAME"));
    let why = why.split_whitespace().collect::<Vec<_>>().join(" ");
    let line = format!("SKIPPED [{kind}] {program}::{}: {why}\n", thread.name().unwrap_or("main"));
    std::io::stderr().write_all(line.as_bytes()).expect("standard error");
    if let Some(path) = std::env::var_os("FEDBITS_SKIPPED") {
        let file = std::fs::OpenOptions::new().create(true).append(true).open(path);
        file.and_then(|mut file| file.write_all(line.as_bytes())).expect("the file of FEDBITS_SKIPPED can be written");
    }
}
