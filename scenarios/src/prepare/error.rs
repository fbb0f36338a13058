//! Why a checked scenario cannot be run.

use std::fmt::Display;
use std::io;
use std::path::{Path, PathBuf};

use fedbits_models::data::{FileError, FileErrorKind, ReadError};
use fedbits_protocols::error::ProtocolError;
use fedbits_protocols::over::BuildError;
use fedbits_spec::Finding;
use thiserror::Error;

use crate::data_files::MissingDataFile;

/// Why a checked scenario cannot be run.
#[derive(Debug, Error)]
pub enum PrepareError {
    /// A data file is missing; the text says which, where it was looked for and where to get it.
    #[error(transparent)]
    MissingFile(#[from] MissingDataFile),
    /// The system does not let a data file be read.
    #[error("{}: {source}", path.display())]
    Unread {
        /// The file.
        path: PathBuf,
        /// What the system says.
        source: io::Error,
    },
    /// A data file is not what it should be, or the data cannot be prepared as asked.
    #[error("{0}")]
    Data(String),
    /// The scenario names a column that a data file has not.
    #[error("{message}")]
    Column {
        /// What is wrong.
        message: String,
        /// The name or the number, as it is written.
        written: String,
    },
    /// Model or initial value do not fit the data.
    #[error("{0}")]
    Model(String),
    /// The protocol does not fit the problem.
    #[error(transparent)]
    Protocol(#[from] ProtocolError),
    /// The run takes more memory than there is.
    #[error("{}", texts(.0))]
    TooLarge(Vec<Finding>),
    /// Files, or what was drawn, do not fit what the scenario says at some paths; at least one.
    #[error("{}", texts(.0))]
    Misfits(Vec<Finding>),
}

impl From<BuildError> for PrepareError {
    fn from(error: BuildError) -> Self {
        match error {
            BuildError::Protocol(error) => error.into(),
            BuildError::Misfit(found) => PrepareError::Misfits(vec![found]),
        }
    }
}

fn texts(misfits: &[Finding]) -> String {
    let texts = misfits.iter().map(|Finding { message, expected, .. }| format!("{message}: {expected}"));
    texts.collect::<Vec<_>>().join("\n")
}

pub(super) fn data_error(error: impl ToString) -> PrepareError {
    PrepareError::Data(error.to_string())
}

/// Why data could not be read.
pub(super) fn read_error(error: ReadError) -> PrepareError {
    let Some(FileError { path, kind, .. }) = error.downcast_ref() else { return data_error(error) };
    match kind {
        FileErrorKind::Io(source) => unread(path, source).unwrap_or_else(|| data_error(&error)),
        FileErrorKind::UnknownColumn(column) => {
            PrepareError::Column { message: error.to_string(), written: column.trim_matches('`').to_owned() }
        }
        _ => data_error(error),
    }
}

/// What the system says of a file, where that is the reason, and no reader's opinion of what is in it.
pub(super) fn unread(path: &Path, source: &io::Error) -> Option<PrepareError> {
    let source = io::Error::from_raw_os_error(source.raw_os_error()?);
    Some(PrepareError::Unread { path: path.to_path_buf(), source })
}

pub(super) fn misfit(path: impl Display, message: impl ToString, expected: impl Into<String>) -> PrepareError {
    PrepareError::Misfits(vec![Finding::error(path, message.to_string(), expected)])
}

/// All values, or all problems with them; what is no misfit comes first.
pub(super) fn every<T>(results: impl IntoIterator<Item = Result<T, PrepareError>>) -> Result<Vec<T>, PrepareError> {
    let (mut values, mut misfits) = (Vec::new(), Vec::new());
    for result in results {
        match result {
            Ok(value) => values.push(value),
            Err(PrepareError::Misfits(more)) => misfits.extend(more),
            Err(error) => return Err(error),
        }
    }
    if misfits.is_empty() { Ok(values) } else { Err(PrepareError::Misfits(misfits)) }
}

pub(super) fn model_error(error: impl ToString) -> PrepareError {
    PrepareError::Model(error.to_string())
}

/// The initial value has no parameters, or no density.
pub(super) fn start_error(error: impl ToString) -> PrepareError {
    misfit("initial", format!("the initial value: {}", error.to_string()), "expected another start")
}
