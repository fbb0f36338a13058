//! Why a file gives no data: where, what was found, what was expected.

use super::set::DataSetError;
use fedbits_spec::so_many;
use std::fmt::{Display, Formatter};
use std::path::{Path, PathBuf};
use std::{error, fmt, io};

/// What is wrong with a file, and where.
#[derive(Debug)]
pub struct FileError {
    /// The file.
    pub path: PathBuf,
    /// The line, counted from 1; none where the whole file is meant.
    pub line: Option<u64>,
    /// The column, or the entry of a line, as a message shows it.
    pub column: Option<String>,
    /// What was found.
    pub found: String,
    /// What was expected; may be empty.
    pub expected: String,
    /// What a scenario can say so that the file is read; may be empty.
    pub advice: String,
    /// What programs tell apart.
    pub kind: FileErrorKind,
}

/// Kinds of [`FileError`].
#[derive(Debug)]
pub enum FileErrorKind {
    /// The file cannot be opened, read or unpacked, or has no room in memory.
    Io(io::Error),
    /// Another thing than expected stands in some place.
    Content,
    /// The file, or what it is asked for, is wrong as a whole.
    Whole,
    /// There are no rows.
    Empty,
    /// The line that should hold names holds numbers alone: it may be the first row of the data, which would be lost.
    NumbersForNames,
    /// The first line may hold names or data; it begins like this.
    Header(String),
    /// Several characters may separate the fields; one of them.
    Delimiter(char),
    /// There is no such column.
    UnknownColumn(String),
}

impl FileError {
    fn new(path: &Path, kind: FileErrorKind, expected: impl Into<String>, found: impl Into<String>) -> Self {
        let (expected, found) = (expected.into(), found.into());
        Self { path: path.to_owned(), line: None, column: None, found, expected, advice: String::new(), kind }
    }

    /// Something else than expected: `expected …, found …`.
    pub fn content(path: &Path, expected: impl Into<String>, found: impl Into<String>) -> Self {
        Self::new(path, FileErrorKind::Content, expected, found)
    }

    /// A statement about the file or a column, and what was expected instead.
    pub fn whole(path: &Path, found: impl Into<String>, expected: impl Into<String>) -> Self {
        Self::new(path, FileErrorKind::Whole, expected, found)
    }

    /// A file without data.
    pub fn empty(path: &Path, expected: &str) -> Self {
        Self::new(path, FileErrorKind::Empty, expected, "no data")
    }

    /// A table that is no data set.
    pub fn no_data_set(path: &Path) -> impl Fn(DataSetError) -> Self {
        move |source| Self::whole(path, source.to_string(), "")
    }

    /// What the system says of a file.
    pub(super) fn io(path: &Path) -> impl Fn(io::Error) -> Self {
        move |source| Self::new(path, FileErrorKind::Io(source), "", "")
    }

    /// A first line of numbers where names are expected.
    pub(super) fn numbers_for_names(path: &Path, first: &str) -> Self {
        let expected = "a first line with the names of the columns";
        let error = Self::new(path, FileErrorKind::NumbersForNames, expected, format!("numbers alone (`{first}` …)"));
        error.at(1).advise("a file without names has `header: false`, and columns by their positions from 0")
    }

    /// A first line that may hold names or data.
    pub(super) fn header(path: &Path, first: String) -> Self {
        let found = format!("does the first line hold names (`{first}` …)? It is not clear from the lines below");
        let expected = "names that are not numbers, or none at all";
        let error = Self::new(path, FileErrorKind::Header(first), expected, found);
        error.at(1).advise("`header: true` or `header: false`")
    }

    /// Several characters that may separate the fields, each with how many fields it makes.
    pub(super) fn delimiter(path: &Path, found: &[(char, usize)]) -> Self {
        let each = found.iter().map(|(delimiter, fields)| format!("{delimiter:?} ({})", so_many(fields, "field")));
        let example = found[0].0;
        let found = format!("the fields may be separated by {}", each.collect::<Vec<_>>().join(" or "));
        let error = Self::new(path, FileErrorKind::Delimiter(example), "one of them alone", found);
        error.advise(format!("`delimiter: {example:?}` or another"))
    }

    /// A column that is not there, and what is.
    pub(super) fn unknown_column(path: &Path, column: &str, hint: String) -> Self {
        Self::new(path, FileErrorKind::UnknownColumn(column.to_owned()), hint, format!("no column {column}"))
    }

    /// Other columns than those of the first of several files.
    #[must_use]
    pub fn other_columns(path: &Path, first: &Path, expected: &[String], found: &[String]) -> Self {
        let common = expected.iter().zip(found).take_while(|(one, other)| one == other).count();
        let found = format!("the columns {} are not those of {}", shown(found, common), first.display());
        Self::whole(path, found, shown(expected, common))
    }

    /// With a line.
    #[must_use]
    pub fn at(self, line: u64) -> Self {
        Self { line: Some(line), ..self }
    }

    /// With a column, as the message shows it.
    #[must_use]
    pub fn column(self, column: impl ToString) -> Self {
        Self { column: Some(column.to_string()), ..self }
    }

    /// With what a scenario, or a command, can say of the file.
    #[must_use]
    pub fn advise(self, advice: impl Into<String>) -> Self {
        Self { advice: advice.into(), ..self }
    }

    /// What it says where no scenario can say more of the file.
    #[must_use]
    pub fn of_file_alone(self) -> String {
        Self { advice: String::new(), ..self }.to_string()
    }
}

impl Display for FileError {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let Self { path, line, column, found, expected, advice, kind } = self;
        write!(f, "{}", path.display())?;
        line.iter().try_for_each(|line| write!(f, ":{line}"))?;
        column.iter().try_for_each(|column| write!(f, ": column {column}"))?;
        match kind {
            FileErrorKind::Io(source) => write!(f, ": {source}"),
            FileErrorKind::UnknownColumn(_) => {
                let separator = if advice.is_empty() { "" } else { "; " };
                write!(f, ": {found}: {expected}{separator}{advice}")
            }
            FileErrorKind::Content | FileErrorKind::NumbersForNames => {
                write!(f, ": expected {expected}, found {found}")?;
                if advice.is_empty() { Ok(()) } else { write!(f, ": {advice}") }
            }
            _ => {
                let expected = if advice.is_empty() { expected } else { advice };
                let separator = if expected.is_empty() { "" } else { ": expected " };
                write!(f, ": {found}{separator}{expected}")
            }
        }
    }
}

impl error::Error for FileError {}

/// Names for a message; of many those around the one at `at`.
pub(crate) fn shown(names: &[String], at: usize) -> String {
    const SHOWN: usize = 12;
    let from = if names.len() > SHOWN { at.saturating_sub(SHOWN / 2) } else { 0 };
    let listed = names.iter().skip(from).take(SHOWN).map(|name| format!("`{name}`"));
    let more = |is_more: bool| is_more.then(|| "…".to_owned());
    let all = more(from > 0).into_iter().chain(listed).chain(more(from + SHOWN < names.len()));
    all.collect::<Vec<_>>().join(", ")
}

/// The first of a list for a note, and how many others there are.
pub(super) fn first_of(list: &[String]) -> String {
    const SHOWN: usize = 10;
    let first = list.iter().take(SHOWN).cloned().collect::<Vec<_>>().join(", ");
    match list.len().saturating_sub(SHOWN) {
        0 => first,
        more => format!("{first} and {}", so_many(more, "other")),
    }
}
