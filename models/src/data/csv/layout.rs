//! How a text file is laid out: what its first lines show where a setting says nothing.

use super::blanks::Blanks;
use super::cells::{is_missing, text};
use super::schema::TableSchema;
use crate::data::packed::{self, Lines};
use crate::data::{FileError, MemoryLimit};
use ::csv::{ByteRecord, ReaderBuilder};
use std::io::{self, Read};
use std::path::Path;

/// What a cell holds.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
enum Holding {
    /// A number, finite or not.
    Number,
    /// Nothing, or a word for it.
    Missing,
    /// Something else.
    Text,
}

impl Holding {
    fn of(text: &str) -> Self {
        if is_missing(text) {
            Self::Missing
        } else if text.parse::<f64>().is_ok() {
            Self::Number
        } else {
            Self::Text
        }
    }
}

/// The delimiters that are looked for, before blanks.
const DELIMITERS: [u8; 4] = *b",;\t|";
/// Bytes and lines of a file that are looked at, at least: more where lines are long.
const ENOUGH: usize = 64 << 10;
const LINES: usize = 3;
/// Rows of them that are compared.
const ROWS: usize = 50;

/// The beginning of a file.
pub(super) struct Sample<'a> {
    path: &'a Path,
    pub(super) bytes: Vec<u8>,
    whole: bool,
    /// What separates fields, as the first line says.
    pub(super) declared: Option<u8>,
}

/// What separates fields, where the first line says it as Excel does (`sep=;`): the line becomes empty, so that the
/// others keep their numbers.
fn declared(bytes: &mut Vec<u8>) -> Option<u8> {
    let end = bytes.iter().position(|byte| b"\n\r".contains(byte)).unwrap_or(bytes.len());
    let line = bytes[..end].strip_prefix(b"\"").and_then(|line| line.strip_suffix(b"\"")).unwrap_or(&bytes[..end]);
    let &[ref name @ .., b'=', delimiter] = line else { return None };
    let is_declared = name.eq_ignore_ascii_case(b"sep") && !delimiter.is_ascii_alphanumeric() && delimiter.is_ascii();
    is_declared.then(|| {
        bytes.drain(..end);
        delimiter
    })
}

impl<'a> Sample<'a> {
    /// The beginning of a file, whole lines of it and the beginning of one; and what follows it.
    pub(super) fn open(path: &'a Path, limit: MemoryLimit) -> io::Result<(Self, Box<dyn Read>)> {
        let mut file = packed::text(path, limit)?;
        let (mut bytes, mut piece) = (Vec::new(), vec![0; ENOUGH]);
        let mut lines = Lines::default();
        let mut whole = false;
        while !whole && (bytes.len() < ENOUGH || lines.ended < LINES) {
            let count = file.read(&mut piece)?;
            whole = count == 0;
            lines.pass(&piece[..count]);
            bytes.extend_from_slice(&piece[..count]);
        }
        let declared = declared(&mut bytes);
        Ok((Self { path, bytes, whole, declared }, file))
    }

    fn rows(&self, delimiter: u8) -> Vec<Vec<String>> {
        let mut reader = ReaderBuilder::new()
            .has_headers(false)
            .flexible(true)
            .delimiter(delimiter)
            .from_reader(Blanks::new(self.bytes.as_slice(), delimiter));
        let (mut rows, mut record) = (Vec::new(), ByteRecord::new());
        while rows.len() <= ROWS && reader.read_byte_record(&mut record).unwrap_or(false) {
            rows.push(record.iter().map(text).collect());
        }
        // The last one may be cut off.
        if rows.len() > ROWS || !self.whole && rows.len() > 1 {
            rows.pop();
        }
        rows
    }

    /// What separates the fields: what the first line says, or the one character that makes as many fields in every
    /// row, more than one.
    ///
    /// # Errors
    /// When each of several may separate the fields.
    pub(super) fn delimiter(&self, schema: &TableSchema<'_>) -> Result<u8, FileError> {
        if let Some(declared) = self.declared {
            return Ok(declared);
        }
        // So many more fields than the first row have all others.
        let width = |delimiter: u8, more: usize| {
            let rows = self.rows(delimiter);
            let width = rows.first().map_or(0, Vec::len);
            let has_names =
                schema.names().all(|name| rows.first().is_some_and(|row| row.iter().any(|cell| cell == name)));
            let fits = width > 1 && rows.len() > more && rows[1..].iter().all(|row| row.len() == width + more);
            fits.then_some((delimiter, width, has_names))
        };
        let mut fitting: Vec<_> = DELIMITERS.into_iter().filter_map(|delimiter| width(delimiter, 0)).collect();
        // R names one column less than it writes: the reader says so.
        for (delimiter, more) in [(b' ', 0), (b'\t', 1), (b' ', 1)] {
            if fitting.is_empty() {
                fitting.extend(width(delimiter, more));
            }
        }
        if fitting.iter().any(|&(.., has_names)| has_names) {
            fitting.retain(|&(.., has_names)| has_names);
        }
        match fitting[..] {
            // One column, or rows of different lengths: the reader names the first that differs.
            [] => Ok(self.most_frequent()),
            [(delimiter, ..)] => Ok(delimiter),
            _ => {
                let found = fitting.iter().map(|&(delimiter, width, _)| (char::from(delimiter), width));
                Err(FileError::delimiter(self.path, &found.collect::<Vec<_>>()))
            }
        }
    }

    /// The delimiter that stands most often in the first line; the comma where there is none.
    fn most_frequent(&self) -> u8 {
        let line = self
            .bytes
            .split(|byte| b"\n\r".contains(byte))
            .find(|line| !line.trim_ascii().is_empty())
            .unwrap_or_default();
        let count = |delimiter: u8| line.iter().filter(|&&byte| byte == delimiter).count();
        DELIMITERS.into_iter().rev().max_by_key(|&delimiter| count(delimiter)).unwrap_or(b',')
    }

    /// Whether the first row holds names: texts where the rows below have numbers.
    ///
    /// # Errors
    /// When it may hold names or numbers.
    pub(super) fn header(&self, delimiter: u8, schema: &TableSchema<'_>) -> Result<bool, FileError> {
        if schema.names().next().is_some() {
            return Ok(true);
        }
        let rows = self.rows(delimiter);
        let Some((first, below)) = rows.split_first() else { return Ok(false) };
        let begins = || first.iter().take(3).cloned().collect::<Vec<_>>().join(", ");
        let unclear = || Err(FileError::header(self.path, begins()));
        let columns: Vec<usize> = (0..first.len()).filter(|&column| schema.is_number(column)).collect();
        let of = |text: &String| match &schema.missing {
            Some(missing) if missing.is(text) => Holding::Missing,
            _ => Holding::of(text),
        };
        let is = |row: &[String], column: usize, kind| row.get(column).is_some_and(|text| of(text) == kind);
        let texts: Vec<usize> = columns.iter().copied().filter(|&column| is(first, column, Holding::Text)).collect();
        let has_numbers = columns.iter().any(|&column| is(first, column, Holding::Number));
        let numbers_below = |column: usize| below.iter().any(|row| is(row, column, Holding::Number));
        match (texts.is_empty(), has_numbers) {
            // Names do not come again.
            (true, _)
                if (numbers_columns(first) || follow_each_other(first))
                    && !below.is_empty()
                    && !below.contains(first) =>
            {
                unclear()
            }
            (true, _) => Ok(false),
            // A text above numbers is a name; above texts it may be one of them.
            (false, false) if texts.iter().any(|&column| numbers_below(column)) => Ok(true),
            (false, false) if schema.has_factors && !below.is_empty() => unclear(),
            (false, false) => Ok(true),
            (false, true) if texts.iter().any(|&column| numbers_below(column)) => unclear(),
            // Years or numbers of columns, beside names whose columns hold texts.
            (false, true) if follow_each_other(first) && !below.is_empty() && !below.contains(first) => unclear(),
            (false, true) => Ok(false),
        }
    }
}

/// Whether a row counts from 0 or 1: names of columns, or a strange row of data. Before names from 0 there may be the
/// empty one of a column that numbers the rows (pandas); a single column is numbered from 0.
fn numbers_columns(row: &[String]) -> bool {
    let counts = |row: &[String], from: usize| row.iter().enumerate().all(|(at, name)| name.parse() == Ok(from + at));
    let rest = row.strip_prefix(&[String::new()]).unwrap_or(row);
    !rest.is_empty() && counts(rest, 0) || row.len() > 1 && counts(row, 1)
}

/// Whether the numbers of a row are years that follow each other, or count from 0 or 1 up to more than 2: names of
/// columns, or a strange row of data.
fn follow_each_other(row: &[String]) -> bool {
    let numbers: Vec<u32> = row.iter().filter_map(|name| name.parse().ok()).collect();
    let are_all = row.iter().all(|name| name.parse::<f64>().is_err() || name.parse::<u32>().is_ok());
    let follow = numbers.windows(2).all(|pair| pair[0].checked_add(1) == Some(pair[1]));
    let are_years = numbers.iter().all(|year| (1800..=2100).contains(year));
    let count = numbers.len() > 2 && numbers[0] <= 1;
    numbers.len() > 1 && are_all && follow && (are_years || count)
}
