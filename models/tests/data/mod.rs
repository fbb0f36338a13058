//! Data sets and initial values, through the public interface.

mod arrays;
mod csv;
mod dataset;
mod idx;
mod initial;
mod parquet;
mod prepare;
mod real;
mod sparse;
mod synthetic;
mod tables;
mod twin;

use std::path::PathBuf;
use tempfile::TempDir;

/// A directory that disappears with the test.
fn directory() -> TempDir {
    tempfile::tempdir().expect("a temporary directory")
}

/// Writes a file of a test.
fn write(directory: &TempDir, name: &str, bytes: &[u8]) -> PathBuf {
    let path = directory.path().join(name);
    std::fs::write(&path, bytes).expect("the temporary directory is writable");
    path
}

/// A message with the test's directory cut out.
fn message(error: impl std::fmt::Display, directory: &TempDir) -> String {
    error.to_string().replace(&format!("{}/", directory.path().display()), "")
}

fn names(list: &[&str]) -> Vec<String> {
    list.iter().map(|&name| name.to_owned()).collect()
}
