//! Everything that can go wrong between rows and files; each error names the file it concerns.

use fedbits_spec::so_many;
use std::path::{Path, PathBuf};

/// Why a record could not be written or read.
#[derive(Debug, thiserror::Error)]
pub enum RecordError {
    /// The operating system refused.
    #[error("{}: {source}", path.display())]
    Io {
        /// The file or directory concerned.
        path: PathBuf,
        /// What the operating system said.
        source: std::io::Error,
    },
    /// The file is not the JSON it should be.
    #[error("{}:{line}:{column}: {message}", path.display())]
    Syntax {
        /// The file.
        path: PathBuf,
        /// Line, counted from 1.
        line: u64,
        /// Column, counted from 1.
        column: u64,
        /// What the parser said.
        message: String,
    },
    /// A table that no record may hold: a number that is none, a row of another width, a name that stands twice.
    #[error("{0}")]
    Table(String),
    /// Something that this program did not write stands where it would write or remove.
    #[error("{} is in the way: it is {what}; move it, or choose another folder", path.display())]
    InTheWay {
        /// The file or folder.
        path: PathBuf,
        /// What it is not.
        what: &'static str,
    },
}

impl RecordError {
    pub(crate) fn io(path: &Path, source: std::io::Error) -> Self {
        Self::Io { path: path.to_path_buf(), source }
    }

    /// A row of a table has another number of values than were declared.
    pub(crate) fn width(table: &str, round: u64, expected: usize, given: usize) -> Self {
        let declared = so_many(expected, "value was declared|values were declared");
        Self::Table(format!("{table}: round {round}: {declared}, {given} are given"))
    }

    /// A table has a name that no file can have, or that another table has.
    pub(crate) fn table_name(name: &str) -> Self {
        Self::Table(format!("the table name `{name}` cannot be that of a file, or another table has it"))
    }

    /// What is wrong at a line and a column, counted from 1.
    pub(crate) fn syntax(path: &Path, (line, column): (usize, usize), message: impl Into<String>) -> Self {
        Self::Syntax { path: path.to_path_buf(), line: line as u64, column: column as u64, message: message.into() }
    }

    /// What the parser of JSON said; `hint` stands behind it.
    pub(crate) fn json(path: &Path, error: &serde_json::Error, hint: &str) -> Self {
        Self::syntax(path, (error.line(), error.column()), bare_message(error) + hint)
    }
}

/// The parser's message without the position, which the error carries itself, and without long texts of the file.
fn bare_message(error: &serde_json::Error) -> String {
    const MOST: usize = 300;
    let text = error.to_string();
    let text = text.rfind(" at line ").map_or(text.as_str(), |end| &text[..end]);
    match text.char_indices().nth(MOST) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text.to_owned(),
    }
}
