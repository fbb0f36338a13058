//! How a command can fail, and the exit code of each kind.

use std::io;
use std::path::Path;

use anstream::{AutoStream, ColorChoice};
use fedbits_record::RecordError;
use fedbits_record::results::StoreError;
use fedbits_reports::ReportError;

use crate::cli::signal;
use crate::cli::skipped;
use crate::cli::style::BAD;
use crate::cli::wrap;
use crate::cli::wrap::error_line;
use crate::error::{Error, count};
use crate::texts::absent;

/// Why a command failed.
#[derive(Debug)]
pub(crate) enum Failure {
    Input(String),
    /// A run failed, or a verification found a difference.
    Run(String),
    File(String),
    Signal(u8),
    /// It was said already; the exit code.
    Told(u8),
}

impl Failure {
    /// The exit code: 1, 2, 74 (EX_IOERR) or 128 + signal.
    pub(crate) fn code(&self) -> u8 {
        match self {
            Self::Run(_) => 1,
            Self::Input(_) => 2,
            Self::File(_) => 74,
            Self::Signal(number) => 128 + number,
            Self::Told(code) => *code,
        }
    }

    /// Says it now, before what else there is to say.
    pub(crate) fn told(self) -> Self {
        self.print();
        Self::Told(self.code())
    }

    /// Says it on standard error.
    pub(crate) fn print(&self) {
        match self {
            Self::Input(text) | Self::Run(text) | Self::File(text) => {
                error_line(format_args!("{BAD}fedbits:{BAD:#} {}", text.trim_end()))
            }
            Self::Signal(_) => error_line("fedbits: stopped; what was finished is kept, what was not left nothing"),
            Self::Told(_) => {}
        }
    }

    pub(crate) fn text(&self) -> &str {
        match self {
            Self::Input(text) | Self::Run(text) | Self::File(text) => text,
            Self::Signal(_) => "stopped by a signal",
            Self::Told(_) => "as said before",
        }
    }

    /// The same failure, introduced by what it means for the user.
    pub(crate) fn about(self, what: &str) -> Self {
        let text = |text: String| format!("{what}: {text}");
        match self {
            Self::Input(why) => Self::Input(text(why)),
            Self::Run(why) => Self::Run(text(why)),
            Self::File(why) => Self::File(text(why)),
            failure @ (Self::Signal(_) | Self::Told(_)) => failure,
        }
    }

    /// A file that could not be read or written; what is of the wrong kind is wrong input.
    pub(crate) fn file(path: &Path, error: &io::Error) -> Self {
        let path = path.display();
        match error.kind() {
            io::ErrorKind::NotADirectory => Self::Input(format!("{path}: a file stands where a folder is expected")),
            io::ErrorKind::IsADirectory => Self::Input(format!("{path} is a folder: expected a file")),
            io::ErrorKind::AlreadyExists => Self::Input(format!("{path} is in the way: choose another name")),
            // Not of the system, but of a reader: a device, or a format that this program was built without.
            io::ErrorKind::InvalidInput | io::ErrorKind::Unsupported if error.raw_os_error().is_none() => {
                Self::Input(format!("{path}: {error}"))
            }
            _ => Self::File(format!("{path}: {error}")),
        }
    }
}

impl<E: Into<Error>> From<E> for Failure {
    fn from(error: E) -> Self {
        let unread = |path: &Path, source: &io::Error, absent: &dyn Fn(&Path) -> String| match source.kind() {
            io::ErrorKind::NotFound => Self::Input(absent(path)),
            _ => Self::file(path, source),
        };
        match error.into() {
            Error::Problems { what, problems } => {
                let color = AutoStream::choice(&io::stderr()) != ColorChoice::Never;
                let width = wrap::columns_of_errors().unwrap_or(usize::MAX);
                Self::Input(format!("the {what} has {}\n{}", count(&problems), problems.render_within(color, width)))
            }
            Error::Input(why) => Self::Input(why),
            Error::Run(why) => Self::Run(why),
            Error::File { path, source } | Error::Record(RecordError::Io { path, source }) => {
                Self::file(&path, &source)
            }
            Error::Record(error) => Self::Input(error.to_string()),
            Error::Store(StoreError::Io { path, source }) => unread(&path, &source, &|path| absent("file", path)),
            Error::Store(StoreError::Record(error)) | Error::Report(ReportError::Record(error)) => error.into(),
            Error::Store(error) => Self::Run(error.to_string()),
            Error::Report(ReportError::Io { path, source }) => unread(&path, &source, &skipped::no_folder),
            Error::Report(ReportError::Store(error)) => error.into(),
            Error::Report(ReportError::NotARun(path)) => {
                let hint = skipped::hint(&path);
                Self::Input(format!("{}{hint}", ReportError::NotARun(path)))
            }
            Error::Report(error @ ReportError::Panicked { .. }) => Self::Run(error.to_string()),
            Error::Report(error) => Self::Input(error.to_string()),
            Error::Stopped => Self::Signal(signal::number()),
        }
    }
}
