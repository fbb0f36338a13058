//! Examples from CSV files: chosen columns as numbers, one column as label, one as client.
//!
//! Labels and clients are numbered from 0: in numeric order of their values when every cell of the column is an integer,
//! otherwise in the order of their first appearance. It must not know data sets by name.

mod codes;
mod counts;
mod layout;
mod longitudinal;
mod responses;

pub use longitudinal::{Doses, LongitudinalOptions, read_longitudinal};
pub use responses::{ResponseKind, ResponsesOptions, read_responses};

use crate::data::{DataSet, DataSetError, packed};
use ::csv::{ByteRecord, Reader, ReaderBuilder};
use codes::Codes;
pub use counts::{Arrangement, CountOptions, read_counts};
use layout::{Layout, cell_text};
use std::collections::BTreeSet;
use std::io::{Cursor, Read};
use std::path::{Path, PathBuf};
use thiserror::Error;

/// A column of a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Column {
    /// By its name in the header.
    Name(String),
    /// By its zero-based position.
    Index(usize),
}

/// Which columns are the numbers of an example.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Columns {
    /// All except label and client, in the order of the file.
    #[default]
    AllOthers,
    /// These, in this order.
    These(Vec<Column>),
}

/// How to read a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CsvOptions {
    /// The first row holds names.
    pub header: bool,
    /// Field separator.
    pub delimiter: u8,
    /// Numbers of an example.
    pub columns: Columns,
    /// Column of the label.
    pub label: Option<Column>,
    /// Column of the client, kept as the groups of the data set.
    pub client: Option<Column>,
}

impl Default for CsvOptions {
    fn default() -> Self {
        Self { header: true, delimiter: b',', columns: Columns::AllOthers, label: None, client: None }
    }
}

/// Why a file gives no data set. Lines count from 1, columns from 0.
#[derive(Debug, Error)]
pub enum CsvError {
    /// The file cannot be opened or read.
    #[error("{}: {source}", .path.display())]
    Io {
        /// The file.
        path: PathBuf,
        /// What the system says.
        source: std::io::Error,
    },
    /// No row of data.
    #[error("{}: no data: expected at least one row{}", .path.display(), if *.header { " after the header" } else { "" })]
    Empty {
        /// The file.
        path: PathBuf,
        /// Whether a header was expected.
        header: bool,
    },
    /// The line that should hold names holds numbers alone: it may be the first row of the data, which would be lost.
    #[error("{}:1: expected names of columns, found numbers alone (`{first}` …): a file without names has `header: false`", .path.display())]
    NumbersForNames {
        /// The file.
        path: PathBuf,
        /// The first of them.
        first: String,
    },
    /// A chosen column does not exist.
    #[error("{}: no column {column}{hint}", .path.display())]
    UnknownColumn {
        /// The file.
        path: PathBuf,
        /// What was asked for.
        column: String,
        /// What there is.
        hint: String,
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
    /// Label and client leave no column.
    #[error("{}: no column is left for the numbers of an example", .path.display())]
    NoColumns {
        /// The file.
        path: PathBuf,
    },
    /// A row has another number of fields than the first.
    #[error("{}:{line}: expected {expected} fields, found {found}", .path.display())]
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
        /// Name or index.
        column: String,
        /// What was expected.
        expected: &'static str,
        /// What was found.
        found: String,
    },
    /// Lists of columns that should pair up do not.
    #[error("{}: {counts} columns of counts, but {observers} of observers", .path.display())]
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

/// Reads `path` as `options` say. Blank lines are skipped; spaces around a cell are ignored.
///
/// # Errors
/// [`CsvError`] names file, line and column and says what was expected.
pub fn read_csv(path: &Path, options: &CsvOptions) -> Result<DataSet, CsvError> {
    let mut reader = open(path, options)?;
    let mut record = ByteRecord::new();
    let names = first_row(&mut reader, &mut record, path, options.header)?;
    let width = names.as_ref().map_or(record.len(), Vec::len);
    let layout = Layout::new(path, options, names, width)?;
    let mut table = Table::default();
    loop {
        layout.read_row(&record, &mut table)?;
        room(path, table.bytes())?;
        if !advance(&mut reader, &mut record, path)? {
            break;
        }
    }
    let columns = layout.numbers.iter().map(|&index| layout.title(index)).collect();
    let (labels, groups) = (layout.label.map(|_| table.labels.finish()), layout.client.map(|_| table.clients.finish()));
    DataSet::new(columns, table.rows, labels, groups)
        .map_err(|source| CsvError::DataSet { path: path.to_owned(), source })
}

/// Reads the names, if there are any, and the first row into `record`.
fn first_row(
    reader: &mut Rows,
    record: &mut ByteRecord,
    path: &Path,
    header: bool,
) -> Result<Option<Vec<String>>, CsvError> {
    let mut names = None;
    if header {
        advance(reader, record, path)?;
        names = Some(record.iter().map(cell_text).collect::<Vec<_>>());
    }
    if let Some(names) = names.as_ref().filter(|names| are_data(names)) {
        return Err(CsvError::NumbersForNames { path: path.to_owned(), first: names[0].clone() });
    }
    if advance(reader, record, path)? { Ok(names) } else { Err(CsvError::Empty { path: path.to_owned(), header }) }
}

/// Numbers alone are no names, unless they number the columns.
fn are_data(names: &[String]) -> bool {
    let numbers = !names.is_empty() && names.iter().all(|name| name.parse::<f64>().is_ok());
    let distinct: BTreeSet<&String> = names.iter().collect();
    numbers && (distinct.len() < names.len() || names.iter().any(|name| name.parse::<u64>().is_err()))
}

/// A file of rows, or what is in it when it is compressed.
type Rows = Reader<Box<dyn Read>>;

fn open(path: &Path, options: &CsvOptions) -> Result<Rows, CsvError> {
    let file = text(path).map_err(|source| CsvError::Io { path: path.to_owned(), source })?;
    // Own length check: it can name the line. Own header handling: names and data come from one record type.
    Ok(ReaderBuilder::new().has_headers(false).flexible(true).delimiter(options.delimiter).from_reader(file))
}

/// Bytes of a file that are looked at before it is taken for text.
const LOOK: u64 = 4_096;

/// A text, from a file that may be packed with gzip.
fn text(path: &Path) -> std::io::Result<Box<dyn Read>> {
    let mut bytes = packed::lines(path)?;
    let mut head = Vec::new();
    bytes.by_ref().take(LOOK).read_to_end(&mut head)?;
    // A character may be cut off at the end of what was looked at.
    let is_text = std::str::from_utf8(&head).is_ok_and(|text| !text.contains('\0'))
        || std::str::from_utf8(&head).is_err_and(|error| error.error_len().is_none());
    if !is_text {
        return Err(std::io::Error::new(std::io::ErrorKind::InvalidData, "expected UTF-8 text, found other bytes"));
    }
    Ok(Box::new(Cursor::new(head).chain(bytes)))
}

fn advance(reader: &mut Rows, record: &mut ByteRecord, path: &Path) -> Result<bool, CsvError> {
    reader.read_byte_record(record).map_err(|error| CsvError::Io { path: path.to_owned(), source: error.into() })
}

/// Whether so many bytes may be kept of the file.
fn room(path: &Path, bytes: u64) -> Result<(), CsvError> {
    packed::room(bytes).map_err(|source| CsvError::Io { path: path.to_owned(), source })
}

/// What a row is read into.
#[derive(Default)]
struct Table {
    rows: Vec<f64>,
    labels: Codes,
    clients: Codes,
}

impl Table {
    /// Bytes of memory so far.
    fn bytes(&self) -> u64 {
        8 * self.rows.capacity() as u64 + self.labels.bytes() + self.clients.bytes()
    }
}
