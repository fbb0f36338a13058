//! What can go wrong with results.

use std::path::{Path, PathBuf};

use crate::RecordError;

/// Why results could not be kept or read.
#[derive(Debug, thiserror::Error)]
pub enum StoreError {
    /// The operating system refused.
    #[error("{}: {source}", path.display())]
    Io {
        /// The file or folder concerned.
        path: PathBuf,
        /// What the operating system said.
        source: std::io::Error,
    },
    /// Two results that must be equal are not.
    #[error(
        "{} and {} hold different results under one key ({key}): the same run gave two results, so one of them is \
         wrong (another build under the same version, or an error of the machine); remove one of the two files",
        first.display(), second.display()
    )]
    Conflict {
        /// The key.
        key: String,
        /// The segment of the one.
        first: PathBuf,
        /// The segment of the other.
        second: PathBuf,
    },
    /// A result was whole when its segment was opened and is not any more.
    #[error("{}: the result at byte {at} has changed while it was read: do it again", path.display())]
    Damaged {
        /// The segment.
        path: PathBuf,
        /// Where its frame begins.
        at: u64,
    },
    /// The plan, or a table of the folder.
    #[error(transparent)]
    Record(#[from] RecordError),
}

impl StoreError {
    pub(crate) fn io(path: &Path, source: std::io::Error) -> Self {
        Self::Io { path: path.to_path_buf(), source }
    }
}
