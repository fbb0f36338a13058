//! Why a text file gives no data. Lines count from 1, columns from 0.

use super::set::DataSetError;
use fedbits_spec::so_many;
use std::path::{Path, PathBuf};
use thiserror::Error;

/// What is wrong with a text file, and where.
#[derive(Debug, Error)]
pub enum FileError {
    /// The file cannot be opened or read.
    #[error("{}: {source}", .path.display())]
    Io {
        /// The file.
        path: PathBuf,
        /// What the system says.
        source: std::io::Error,
    },
    /// No data.
    #[error("{}: no data: expected {expected}", .path.display())]
    Empty {
        /// The file.
        path: PathBuf,
        /// What was expected.
        expected: &'static str,
    },
    /// The line that should hold names holds numbers alone: it may be the first row of the data, which would be lost.
    #[error("{}:1: expected names of columns, found numbers alone (`{first}` …): a file without names has `header: \
        false`, and columns by their positions from 0", .path.display())]
    NumbersForNames {
        /// The file.
        path: PathBuf,
        /// The first of them.
        first: String,
    },
    /// The first line may hold names or data.
    #[error("{}:1: does the first line hold names (`{first}` …)? It is not clear from the lines below: expected \
        `header: true` or `header: false`", .path.display())]
    Header {
        /// The file.
        path: PathBuf,
        /// What it begins with.
        first: String,
    },
    /// Several characters may separate the fields.
    #[error("{}: the fields may be separated by {found}: expected `delimiter: {example:?}` or another",
        .path.display())]
    Delimiter {
        /// The file.
        path: PathBuf,
        /// The characters, each with how many fields it makes.
        found: String,
        /// One of them.
        example: char,
    },
    /// A chosen column does not exist.
    #[error("{}: no column {column}: {hint}", .path.display())]
    UnknownColumn {
        /// The file.
        path: PathBuf,
        /// The requested column.
        column: String,
        /// What there is.
        hint: ColumnHint,
    },
    /// A name does not say which column.
    #[error("{}: the header has {count} columns `{name}`: use an index", .path.display())]
    Ambiguous {
        /// The file.
        path: PathBuf,
        /// The name.
        name: String,
        /// How often it occurs.
        count: usize,
    },
    /// A column plays two parts.
    #[error("{}: column {column} is used twice", .path.display())]
    Twice {
        /// The file.
        path: PathBuf,
        /// The column.
        column: String,
    },
    /// The other columns leave none for the numbers.
    #[error("{}: no column is left for the numbers of an example", .path.display())]
    NoColumns {
        /// The file.
        path: PathBuf,
    },
    /// The rest of the file is one cell.
    #[error("{}:{line}: a double quote begins a cell in this row, and is closed nowhere after it", .path.display())]
    OpenQuote {
        /// The file.
        path: PathBuf,
        /// Line on which the row starts.
        line: u64,
    },
    /// A row has another number of fields than the first.
    #[error("{}:{line}: expected {}, found {found}", .path.display(), fields(*.expected))]
    Ragged {
        /// The file.
        path: PathBuf,
        /// Line on which the row starts.
        line: u64,
        /// Fields of the first row.
        expected: usize,
        /// Fields of this row.
        found: usize,
    },
    /// A cell is not what its column needs.
    #[error("{}:{line}: column {column}: expected {expected}, found {found}", .path.display())]
    Cell {
        /// The file.
        path: PathBuf,
        /// Line on which the row starts.
        line: u64,
        /// Name or position.
        column: String,
        /// What was expected.
        expected: String,
        /// What was found.
        found: String,
    },
    /// A line is not what the file holds.
    #[error("{}:{line}: expected {expected}, found {found}", .path.display())]
    Line {
        /// The file.
        path: PathBuf,
        /// The line.
        line: u64,
        /// What was expected.
        expected: &'static str,
        /// What was found.
        found: String,
    },
    /// Two columns that are told apart by their names have the same.
    #[error("{}: columns {first} and {second} are both called `{name}`: expected another name for each",
        .path.display())]
    SameName {
        /// The file.
        path: PathBuf,
        /// Their name.
        name: String,
        /// The position of the first.
        first: usize,
        /// The position of the second.
        second: usize,
    },
    /// Times of several parts become one name.
    #[error("{}: two times become `{name}`, their parts with - between them: expected parts that tell them apart",
        .path.display())]
    SameTime {
        /// The file.
        path: PathBuf,
        /// Their name.
        name: String,
    },
    /// Values are missing, and nothing is said of them.
    #[error("{}:{line}: column {column}: a value is missing{}; such cells: {cells}, in {rows} of {}: \
        expected `missing: Drop`{}, or a file without gaps",
        .path.display(), if .found.is_empty() { String::new() } else { format!(" (`{}`)", .found) },
        so_many(.examples, "row"), if *.is_feature { " or `missing: Impute(Mean | Median | Mode)`" } else { "" })]
    Missing {
        /// Is it a feature, and no label or client?
        is_feature: bool,
        /// The file of the first.
        path: PathBuf,
        /// Its line.
        line: u64,
        /// Its column.
        column: String,
        /// What stands there.
        found: String,
        /// How many there are.
        cells: u64,
        /// In how many rows.
        rows: u64,
        /// Of how many.
        examples: u64,
    },
    /// A text that is declared to stand for missing values stands nowhere.
    #[error("{}: no cell says `{text}`, which `missing_values` declares: expected texts that stand for missing values \
        in this file", .path.display())]
    NeverMissing {
        /// The file.
        path: PathBuf,
        /// The text.
        text: String,
    },
    /// A column has nothing to fill it with.
    #[error("{}: column `{column}` has no value at all: expected other `columns`", .path.display())]
    NoValue {
        /// The file.
        path: PathBuf,
        /// The column.
        column: String,
    },
    /// A factor has no mean and no median.
    #[error("{}: column `{column}` is a factor, of which values are missing: expected `missing: Impute(Mode)` or \
        `missing: Drop`", .path.display())]
    NoMean {
        /// The file.
        path: PathBuf,
        /// The column.
        column: String,
    },
    /// A file has other columns than the first of several.
    #[error("{}: the columns {found} are not those of {}: expected {expected}", .path.display(), .first.display())]
    OtherColumns {
        /// The file.
        path: PathBuf,
        /// The first file.
        first: PathBuf,
        /// Its columns.
        expected: String,
        /// The columns of this one.
        found: String,
    },
    /// A file of an array is not what was expected.
    #[error("{}: expected {expected}, found {found}", .path.display())]
    Array {
        /// The file.
        path: PathBuf,
        /// What was expected.
        expected: String,
        /// What was found.
        found: String,
    },
    /// Lists of columns that should pair up do not.
    #[error("{}: {} of counts, but {observers} of observers", .path.display(), so_many(.counts, "column"))]
    Unpaired {
        /// The file.
        path: PathBuf,
        /// Columns of counts.
        counts: usize,
        /// Columns of observers.
        observers: usize,
    },
    /// Every count is missing.
    #[error("{}: every count is missing", .path.display())]
    AllMissing {
        /// The file.
        path: PathBuf,
    },
    /// A subject of longitudinal data is not complete.
    #[error("{}:{line}: subject {subject}: {problem}", .path.display())]
    Subject {
        /// The file.
        path: PathBuf,
        /// Line of its first row.
        line: u64,
        /// Its name.
        subject: String,
        /// What is missing, and what was expected.
        problem: &'static str,
    },
    /// The table is not a data set (too many rows).
    #[error("{}: {source}", .path.display())]
    DataSet {
        /// The file.
        path: PathBuf,
        /// The broken invariant.
        source: DataSetError,
    },
}

/// What there is instead of a column.
#[derive(Debug, Error)]
pub enum ColumnHint {
    /// The first line, which should hold names, seems to hold data: these.
    #[error("the first line has {0}; columns of a file without names are known by their positions from 0")]
    FirstLine(String),
    /// Anything else, in words.
    #[error("{0}")]
    Other(String),
}

/// As many as the first row has, which may be none of the table where it is one.
fn fields(expected: usize) -> String {
    match expected {
        1 => "1 field, as in the first row (comments and titles above a table are not skipped)".to_owned(),
        many => format!("{many} fields"),
    }
}

/// Names for a message; of many those around the one at `at`.
pub(crate) fn shown(names: &[String], at: usize) -> String {
    const SHOWN: usize = 12;
    let from = if names.len() > SHOWN { at.saturating_sub(SHOWN / 2) } else { 0 };
    let own = names.iter().skip(from).take(SHOWN).map(|name| format!("`{name}`"));
    let more = |is_more: bool| is_more.then(|| "…".to_owned());
    let all = more(from > 0).into_iter().chain(own).chain(more(from + SHOWN < names.len()));
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

impl FileError {
    /// [`FileError::OtherColumns`] of a file, beside the first.
    #[must_use]
    pub fn other_columns(path: &Path, first: &Path, expected: &[String], found: &[String]) -> Self {
        let common = expected.iter().zip(found).take_while(|(one, other)| one == other).count();
        let (path, first) = (path.to_owned(), first.to_owned());
        Self::OtherColumns { path, first, expected: shown(expected, common), found: shown(found, common) }
    }

    /// What it says where no scenario can say more of the file.
    #[must_use]
    pub fn of_file_alone(&self) -> String {
        let path = |path: &Path| path.display().to_string();
        let names = "expected a first line with the names of the columns";
        match self {
            Self::NumbersForNames { path: file, first } => {
                format!("{}:1: {names}, found numbers alone (`{first}` …)", path(file))
            }
            Self::UnknownColumn { path: file, column, hint: ColumnHint::FirstLine(found) } => {
                format!("{}:1: {names}, {column} among them: the first line has {found}", path(file))
            }
            Self::Header { path: file, first } => format!(
                "{}:1: does the first line hold names (`{first}` …)? It is not clear from the lines below: expected \
                 names that are no numbers, or none at all",
                path(file)
            ),
            Self::Delimiter { path: file, found, .. } => {
                format!("{}: the fields may be separated by {found}: expected one of them alone", path(file))
            }
            Self::Ambiguous { path: file, name, count } => {
                format!("{}: the header has {count} columns `{name}`: expected one", path(file))
            }
            other => other.to_string(),
        }
    }

    /// [`FileError::Io`] of a file.
    pub(super) fn io(path: &Path) -> impl Fn(std::io::Error) -> Self {
        move |source| Self::Io { path: path.to_owned(), source }
    }
}
