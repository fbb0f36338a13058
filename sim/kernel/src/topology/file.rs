//! What can be wrong with a file of a topology.

use thiserror::Error;

/// Lists within lists, and the values of a scenario within each other, are read to this depth and no deeper: readers
/// follow them by recursion, and a file must not decide how much stack they take. What people write has about ten
/// levels.
pub const MAX_LEVELS: usize = 100;

/// Something in a file is not as its format says.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("line {line}, column {column}: {message}")]
pub struct MapFileError {
    /// The line, from 1.
    pub line: usize,
    /// The column in characters, from 1.
    pub column: usize,
    /// What is wrong.
    pub message: String,
    /// What was expected there, where more is known than that the file should have its format.
    pub expected: Option<&'static str>,
}

impl MapFileError {
    /// A problem at a byte of a text.
    pub(super) fn at(text: &str, byte: usize, message: impl Into<String>) -> Self {
        let before = &text[..byte.min(text.len())];
        let start = before.rfind('\n').map_or(0, |newline| newline + 1);
        let (line, column) = (before.matches('\n').count() + 1, before[start..].chars().count() + 1);
        Self { line, column, message: message.into(), expected: None }
    }

    /// The same, with what was expected there.
    pub(super) fn expecting(self, expected: &'static str) -> Self {
        Self { expected: Some(expected), ..self }
    }
}
