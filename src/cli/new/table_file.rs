//! A table of a user's: its delimiter, its header, and what stands in its columns.

use std::collections::BTreeMap;
use std::io::{BufRead, BufReader};
use std::path::Path;

use csv::{ByteRecord, ReaderBuilder};
use fedbits_models::data::packed;

use crate::cli::failure::Failure;

/// Rows that are looked at; of longer tables the first.
pub(super) const ROWS: u64 = 200_000;
/// Different values of a column that are told apart.
const DISTINCT: usize = 1_000;
/// Delimiters that are tried.
const DELIMITERS: [u8; 5] = [b',', b';', b'\t', b'|', b' '];
/// Lines by which the delimiter is told.
const LINES: usize = 20;

/// What a table holds.
#[derive(Debug)]
pub(super) struct TableFile {
    pub(super) delimiter: char,
    pub(super) header: bool,
    pub(super) columns: Vec<ColumnFacts>,
    pub(super) rows: u64,
    /// Whether there are more rows than were looked at.
    pub(super) cut: bool,
}

/// What stands in a column.
#[derive(Clone, Debug, Default)]
pub(super) struct ColumnFacts {
    pub(super) name: String,
    /// Its position, from 0.
    pub(super) index: usize,
    /// Cells that are finite numbers, whole numbers, and empty or marked as missing.
    pub(super) numbers: u64,
    pub(super) integers: u64,
    pub(super) missing: u64,
    /// The first cell that is neither a number nor missing, and its line.
    pub(super) first_text: Option<(u64, String)>,
    /// How often each value stands there; none when there are too many.
    pub(super) values: Option<BTreeMap<String, u64>>,
    /// Whether each value is the one before and one more, as in a column that numbers the rows.
    pub(super) counts_up: bool,
    last: Option<f64>,
}

impl ColumnFacts {
    fn new(index: usize, name: String) -> Self {
        Self { index, name, values: Some(BTreeMap::new()), counts_up: true, ..Self::default() }
    }

    fn note(&mut self, cell: &str, line: u64) {
        if is_missing(cell) {
            self.missing += 1;
            self.counts_up = false;
            return;
        }
        let number = number(cell);
        self.numbers += u64::from(number.is_some());
        self.integers += u64::from(number.is_some_and(|value| libm::trunc(value) == value));
        self.counts_up &= match (number, self.last) {
            (Some(value), Some(last)) => value == last + 1.0,
            (value, None) => value.is_some(),
            (None, Some(_)) => false,
        };
        self.last = number;
        if number.is_none() && self.first_text.is_none() {
            self.first_text = Some((line, cell.to_owned()));
        }
        if let Some(values) = &mut self.values {
            *values.entry(cell.to_owned()).or_default() += 1;
        }
        self.values = self.values.take().filter(|values| values.len() <= DISTINCT);
    }

    /// What it is called in messages.
    pub(super) fn title(&self) -> String {
        if self.name.is_empty() { format!("column {}", self.index) } else { self.name.clone() }
    }

    /// Whether it holds names or whole numbers, and nothing is missing: what classes and clients are written as.
    pub(super) fn is_code(&self) -> bool {
        self.missing == 0 && (self.first_text.is_some() || self.integers == self.numbers)
    }

    /// The number of different values, where it was counted.
    pub(super) fn distinct(&self) -> Option<usize> {
        self.values.as_ref().map(BTreeMap::len)
    }
}

/// How tables say that a value is missing.
fn is_missing(cell: &str) -> bool {
    cell.is_empty() || ["NA", "N/A", "NaN", "nan", "null", "NULL", "None", "?", "."].contains(&cell)
}

fn number(cell: &str) -> Option<f64> {
    cell.parse().ok().filter(|value: &f64| value.is_finite())
}

/// Looks at a table.
///
/// # Errors
/// A file that cannot be read, is no text, or has rows of different lengths, with the line.
pub(super) fn look(path: &Path) -> Result<TableFile, Failure> {
    let open = || {
        packed::text(path).map_err(|error| match error.kind() {
            std::io::ErrorKind::NotFound => Failure::Input(format!("there is no file {}", path.display())),
            std::io::ErrorKind::InvalidData | std::io::ErrorKind::IsADirectory => {
                Failure::Input(format!("{}: {error}", path.display()))
            }
            _ => Failure::file(path, &error),
        })
    };
    if path.is_dir() {
        return Err(Failure::Input(format!("{} is a folder: expected a table", path.display())));
    }
    let delimiter = delimiter(BufReader::new(open()?)).map_err(|error| Failure::file(path, &error))?;
    let mut reader = ReaderBuilder::new().has_headers(false).flexible(true).delimiter(delimiter).from_reader(open()?);
    let mut rows: Vec<ByteRecord> = Vec::new();
    let mut table: Option<TableFile> = None;
    let mut record = ByteRecord::new();
    let wrong = |error: csv::Error| Failure::Input(format!("{}: {error}", path.display()));
    while reader.read_byte_record(&mut record).map_err(wrong)? {
        match &mut table {
            // The header is told from the first rows.
            None if rows.len() < LINES => rows.push(record.clone()),
            None => table = Some(begun(&rows, delimiter, path)?),
            Some(_) => {}
        }
        if let Some(table) = &mut table {
            if table.rows >= ROWS {
                table.cut = true;
                break;
            }
            table.note(&record, path)?;
        }
    }
    match table {
        Some(table) => Ok(table),
        None => begun(&rows, delimiter, path),
    }
}

/// The table with its first rows.
fn begun(rows: &[ByteRecord], delimiter: u8, path: &Path) -> Result<TableFile, Failure> {
    let Some(first) = rows.first() else {
        return Err(Failure::Input(format!("{} is empty: expected a table", path.display())));
    };
    let header = has_header(rows);
    let name = |(index, cell): (usize, &[u8])| {
        let name = if header { text(cell) } else { format!("column {index}") };
        ColumnFacts::new(index, name)
    };
    let columns = first.iter().enumerate().map(name).collect();
    let mut table = TableFile { delimiter: char::from(delimiter), header, columns, rows: 0, cut: false };
    rows.iter().skip(usize::from(header)).try_for_each(|row| table.note(row, path))?;
    if table.rows == 0 {
        return Err(Failure::Input(format!("{} has no row below its header", path.display())));
    }
    Ok(table)
}

impl TableFile {
    fn note(&mut self, record: &ByteRecord, path: &Path) -> Result<(), Failure> {
        let line = record.position().map_or(0, csv::Position::line);
        if record.len() != self.columns.len() {
            let (path, found, expected) = (path.display(), record.len(), self.columns.len());
            return Err(Failure::Input(format!(
                "{path}:{line}: {found} fields, expected {expected} as in the first row"
            )));
        }
        self.rows += 1;
        record.iter().zip(&mut self.columns).for_each(|(cell, column)| column.note(&text(cell), line));
        Ok(())
    }
}

fn text(cell: &[u8]) -> String {
    String::from_utf8_lossy(cell).trim().to_owned()
}

/// Whether the first row holds names: no number, and a number below one of them, or different texts everywhere.
fn has_header(rows: &[ByteRecord]) -> bool {
    let cells = |row: &ByteRecord| -> Vec<String> { row.iter().map(text).collect() };
    let Some((first, others)) = rows.split_first() else { return false };
    let names = cells(first);
    if others.is_empty() || names.iter().any(|name| number(name).is_some()) {
        return false;
    }
    let below =
        |column: usize| others.iter().any(|row| row.get(column).is_some_and(|cell| number(&text(cell)).is_some()));
    (0..names.len()).any(below)
}

/// The delimiter that divides the first lines into the same number of fields, more than one; the one that gives most.
fn delimiter(mut file: impl BufRead) -> std::io::Result<u8> {
    let (mut head, mut line) = (Vec::new(), Vec::new());
    for _ in 0..LINES {
        line.clear();
        if file.read_until(b'\n', &mut line)? == 0 {
            break;
        }
        head.extend_from_slice(&line);
    }
    let fields = |delimiter: u8| {
        let mut reader =
            ReaderBuilder::new().has_headers(false).flexible(true).delimiter(delimiter).from_reader(&head[..]);
        let widths: Vec<usize> = reader.byte_records().map_while(Result::ok).map(|row| row.len()).collect();
        widths.first().copied().filter(|first| widths.iter().all(|own| own == first)).unwrap_or(0)
    };
    let best = DELIMITERS.into_iter().rev().max_by_key(|&delimiter| fields(delimiter));
    Ok(best.filter(|&delimiter| fields(delimiter) > 1).unwrap_or(b','))
}
