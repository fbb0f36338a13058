//! Why something was not done.

use std::path::{Path, PathBuf};

use fedbits_record::RecordError;
use fedbits_record::results::StoreError;
use fedbits_reports::ReportError;
use fedbits_scenarios::Diagnostics;
use fedbits_spec::Panicked;
use thiserror::Error;

/// Why something was not done.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum Error {
    /// A scenario (`what`) has problems, each at its position in a text.
    #[error("the {what} has {}\n{problems}", count(problems))]
    Problems {
        /// What it is called: "scenario", "compressor".
        what: &'static str,
        /// What is wrong.
        problems: Diagnostics,
    },
    /// What was given is not what is expected: a name that nothing has, a folder that holds something else.
    #[error("{0}")]
    Input(String),
    /// A run failed.
    #[error("{0}")]
    Run(String),
    /// A file could not be read or written.
    #[error("{}: {source}", path.display())]
    File {
        /// The file or folder.
        path: PathBuf,
        /// What the system says.
        source: std::io::Error,
    },
    /// A record could not be read or written.
    #[error(transparent)]
    Record(#[from] RecordError),
    /// Results could not be read or written.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// Figures, tables or comparisons could not be made.
    #[error(transparent)]
    Report(#[from] ReportError),
    /// The run was stopped.
    #[error("stopped")]
    Stopped,
}

impl From<Panicked> for Error {
    fn from(panic: Panicked) -> Self {
        Self::Run(panic.to_string())
    }
}

impl Error {
    /// Does it keep one run from being made, and no other? Where a run is made, a file is one of its data.
    pub(crate) fn is_of_one_run(&self) -> bool {
        matches!(self, Self::Problems { .. } | Self::Input(_) | Self::Run(_) | Self::File { .. })
    }

    /// The same of a run that a script of Python made, which only Python may be able to make again.
    pub(crate) fn of_script(self, script: Option<&str>) -> Self {
        match script {
            Some(script) if self.is_of_one_run() && !self.to_string().contains(script) => {
                Self::Input(format!("{self}\nit was made by {script}"))
            }
            _ => self,
        }
    }

    pub(crate) fn file(path: &Path, source: std::io::Error) -> Self {
        Self::File { path: path.to_path_buf(), source }
    }

    pub(crate) fn scenario(problems: Diagnostics) -> Self {
        Self::Problems { what: "scenario", problems }
    }
}

/// "one problem", "3 problems".
pub(crate) fn count(problems: &Diagnostics) -> String {
    match problems.problems().len() {
        1 => "one problem".to_owned(),
        many => format!("{many} problems"),
    }
}
