//! Examples from CSV files: chosen columns as numbers, one column as label, one as client.
//!
//! Labels and clients are numbered from 0: in numeric order of their values when every cell of the column is an integer,
//! otherwise in the order of their first appearance. It must not know data sets by name.

use crate::data::{DataSet, DataSetError};
use ::csv::{ByteRecord, Reader, ReaderBuilder};
use std::collections::BTreeMap;
use std::fs::File;
use std::io::{BufReader, Read};
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
        Self {
            header: true,
            delimiter: b',',
            columns: Columns::AllOthers,
            label: None,
            client: None,
        }
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
    let mut names = None;
    if options.header {
        advance(&mut reader, &mut record, path)?;
        names = Some(record.iter().map(cell_text).collect::<Vec<_>>());
    }
    if !advance(&mut reader, &mut record, path)? {
        return Err(CsvError::Empty {
            path: path.to_owned(),
            header: options.header,
        });
    }
    let width = names.as_ref().map_or(record.len(), Vec::len);
    let layout = Layout::new(path, options, names, width)?;
    let mut table = Table::default();
    loop {
        layout.read_row(&record, &mut table)?;
        if !advance(&mut reader, &mut record, path)? {
            break;
        }
    }
    let columns = layout.numbers.iter().map(|&index| layout.title(index)).collect();
    let (labels, groups) = (
        layout.label.map(|_| table.labels.finish()),
        layout.client.map(|_| table.clients.finish()),
    );
    DataSet::new(columns, table.rows, labels, groups).map_err(|source| CsvError::DataSet {
        path: path.to_owned(),
        source,
    })
}

fn open(path: &Path, options: &CsvOptions) -> Result<Reader<File>, CsvError> {
    let file = File::open(path).map_err(|source| CsvError::Io {
        path: path.to_owned(),
        source,
    })?;
    // Own length check: it can name the line. Own header handling: names and data come from one record type.
    Ok(ReaderBuilder::new()
        .has_headers(false)
        .flexible(true)
        .delimiter(options.delimiter)
        .from_reader(file))
}

fn advance(reader: &mut Reader<File>, record: &mut ByteRecord, path: &Path) -> Result<bool, CsvError> {
    reader.read_byte_record(record).map_err(|error| CsvError::Io {
        path: path.to_owned(),
        source: error.into(),
    })
}

fn cell_text(cell: &[u8]) -> String {
    String::from_utf8_lossy(cell.trim_ascii()).into_owned()
}

/// What a row is read into.
#[derive(Default)]
struct Table {
    rows: Vec<f64>,
    labels: Codes,
    clients: Codes,
}

/// Which field is what.
struct Layout<'a> {
    path: &'a Path,
    names: Option<Vec<String>>,
    width: usize,
    numbers: Vec<usize>,
    label: Option<usize>,
    client: Option<usize>,
}

impl<'a> Layout<'a> {
    fn new(path: &'a Path, options: &CsvOptions, names: Option<Vec<String>>, width: usize) -> Result<Self, CsvError> {
        let mut layout = Self {
            path,
            names,
            width,
            numbers: Vec::new(),
            label: None,
            client: None,
        };
        layout.label = options.label.as_ref().map(|column| layout.find(column)).transpose()?;
        layout.client = options.client.as_ref().map(|column| layout.find(column)).transpose()?;
        let taken = [layout.label, layout.client];
        layout.numbers = match &options.columns {
            Columns::AllOthers => (0..width).filter(|&index| !taken.contains(&Some(index))).collect(),
            Columns::These(columns) => columns
                .iter()
                .map(|column| layout.find(column))
                .collect::<Result<_, _>>()?,
        };
        if layout.numbers.is_empty() {
            return Err(CsvError::NoColumns { path: path.to_owned() });
        }
        layout.check_distinct()?;
        Ok(layout)
    }

    fn check_distinct(&self) -> Result<(), CsvError> {
        let mut used: Vec<usize> = self
            .numbers
            .iter()
            .copied()
            .chain(self.label)
            .chain(self.client)
            .collect();
        used.sort_unstable();
        match used.windows(2).find(|pair| pair[0] == pair[1]) {
            Some(pair) => Err(CsvError::Twice {
                path: self.path.to_owned(),
                column: self.quoted(pair[0]),
            }),
            None => Ok(()),
        }
    }

    fn find(&self, column: &Column) -> Result<usize, CsvError> {
        let unknown = |column, hint| CsvError::UnknownColumn {
            path: self.path.to_owned(),
            column,
            hint,
        };
        match (column, &self.names) {
            (Column::Index(index), _) if *index < self.width => Ok(*index),
            (Column::Index(index), _) => Err(unknown(
                index.to_string(),
                format!(": there are {}, numbered from 0", self.width),
            )),
            (Column::Name(name), None) => Err(unknown(
                format!("`{name}`"),
                ": the file is read without a header, use an index".to_owned(),
            )),
            (Column::Name(name), Some(names)) => {
                let found: Vec<usize> = (0..names.len()).filter(|&index| names[index] == *name).collect();
                match found[..] {
                    [index] => Ok(index),
                    [] => Err(unknown(format!("`{name}`"), nearest(name, names))),
                    _ => {
                        let (path, name) = (self.path.to_owned(), name.clone());
                        Err(CsvError::Ambiguous {
                            path,
                            name,
                            count: found.len(),
                        })
                    }
                }
            }
        }
    }

    /// Name of a column in the data set.
    fn title(&self, index: usize) -> String {
        self.names
            .as_ref()
            .map_or_else(|| format!("column {index}"), |names| names[index].clone())
    }

    /// A column in a message.
    fn quoted(&self, index: usize) -> String {
        self.names
            .as_ref()
            .map_or_else(|| index.to_string(), |names| format!("`{}`", names[index]))
    }

    fn read_row(&self, record: &ByteRecord, table: &mut Table) -> Result<(), CsvError> {
        if record.len() != self.width {
            let (line, path) = (self.line(record), self.path.to_owned());
            return Err(CsvError::Ragged {
                path,
                line,
                expected: self.width,
                found: record.len(),
            });
        }
        for &index in &self.numbers {
            table.rows.push(self.number(record, index)?);
        }
        for (column, codes) in [(self.label, &mut table.labels), (self.client, &mut table.clients)] {
            if let Some(index) = column {
                codes.push(self.code(record, index)?);
            }
        }
        Ok(())
    }

    fn number(&self, record: &ByteRecord, index: usize) -> Result<f64, CsvError> {
        let cell = record[index].trim_ascii();
        match std::str::from_utf8(cell).ok().and_then(|text| text.parse::<f64>().ok()) {
            Some(value) if value.is_finite() => Ok(value),
            Some(_) => Err(self.cell(record, index, "a finite number")),
            None => Err(self.cell(record, index, "a number")),
        }
    }

    fn code<'r>(&self, record: &'r ByteRecord, index: usize) -> Result<&'r str, CsvError> {
        match std::str::from_utf8(record[index].trim_ascii()) {
            Ok(text) if !text.is_empty() => Ok(text),
            _ => Err(self.cell(record, index, "an integer or a text")),
        }
    }

    fn cell(&self, record: &ByteRecord, index: usize, expected: &'static str) -> CsvError {
        let text = cell_text(&record[index]);
        let found = if text.is_empty() {
            "an empty cell".to_owned()
        } else {
            format!("`{text}`")
        };
        let (line, path, column) = (self.line(record), self.path.to_owned(), self.quoted(index));
        CsvError::Cell {
            path,
            line,
            column,
            expected,
            found,
        }
    }

    /// The line on which a record starts. The reader's own count stops before skipped blank lines, so count again: this
    /// happens once, for a message. A file that cannot be read again keeps the reader's count.
    fn line(&self, record: &ByteRecord) -> u64 {
        let Some(position) = record.position() else { return 1 };
        let Ok(mut file) = File::open(self.path) else {
            return position.line();
        };
        let mut before = Vec::new();
        if file.by_ref().take(position.byte()).read_to_end(&mut before).is_err() {
            return position.line();
        }
        let blank = BufReader::new(file)
            .bytes()
            .map_while(Result::ok)
            .take_while(|&byte| byte == b'\n' || byte == b'\r');
        1 + before.into_iter().chain(blank).filter(|&byte| byte == b'\n').count() as u64
    }
}

/// The name that differs least, if any is near, else all names.
fn nearest(name: &str, names: &[String]) -> String {
    let distance = |other: &String| strsim::damerau_levenshtein(&name.to_lowercase(), &other.to_lowercase());
    match names.iter().min_by_key(|other| distance(other)) {
        Some(other) if distance(other) <= name.chars().count().max(3) / 2 => format!(": did you mean `{other}`?"),
        _ => format!(": there are `{}`", names.join("`, `")),
    }
}

/// A categorical column: a code per row, numbered by first appearance until the end is known.
#[derive(Default)]
struct Codes {
    of_text: BTreeMap<String, u32>,
    rows: Vec<u32>,
}

impl Codes {
    fn push(&mut self, text: &str) {
        let next = self.of_text.len() as u32;
        let code = match self.of_text.get(text) {
            Some(&code) => code,
            None => {
                self.of_text.insert(text.to_owned(), next);
                next
            }
        };
        self.rows.push(code);
    }

    /// Integers are renumbered in numeric order, and different spellings of one integer become one class.
    fn finish(self) -> Vec<u32> {
        let integers: Option<Vec<(i64, u32)>> = self
            .of_text
            .iter()
            .map(|(text, &code)| text.parse().ok().map(|value| (value, code)))
            .collect();
        let Some(mut integers) = integers else { return self.rows };
        integers.sort_unstable();
        let mut renumbered = vec![0; integers.len()];
        let mut class = 0;
        for (place, &(value, code)) in integers.iter().enumerate() {
            class += u32::from(place > 0 && integers[place - 1].0 != value);
            renumbered[code as usize] = class;
        }
        self.rows.iter().map(|&code| renumbered[code as usize]).collect()
    }
}
