//! Tables of measured values: CSV files, plain or packed, of which a client gets one row.

use std::fmt::Display;

use fedbits_kernel::draws::MAX_SECONDS;
use fedbits_models::data::csv::{Row, Rows, TableSchema};
use fedbits_models::data::{FileError, FileErrorKind, Remarks};
use fedbits_spec::range::MAX_WATTS;
use fedbits_spec::so_many;

use super::error::{PrepareError, misfit, unread};
use crate::data_files::DataFolders;
use crate::schema::{Column, Measured, Only, TableColumn};

/// The slowest and the fastest rate that is drawn, in bit/s.
pub(super) const MIN_BITS_PER_SECOND: f64 = 1.0;
pub(super) const MAX_BITS_PER_SECOND: f64 = 1e13;

/// Who draws: how many, and what one of them is called.
#[derive(Clone, Copy)]
pub(super) struct Entities {
    pub(super) count: usize,
    pub(super) name: &'static str,
    /// The number of the first one in the streams of rows: entities of different kinds have draws of their own.
    pub(super) first: u64,
}

/// The rows of a file that have a number in each of the columns asked for.
pub(super) struct Table {
    /// Which table: what laws of it have in common.
    pub(super) path: String,
    pub(super) only: Option<Only>,
    /// Whether entity i has row i.
    pub(super) in_order: bool,
    columns: Vec<Column>,
    rows: Vec<Vec<f64>>,
}

impl Table {
    /// Reads the table that `wanted`, which have path and rows in common, are columns of, each with its path in the
    /// scenario.
    pub(super) fn read(
        wanted: &[(&str, TableColumn<'_>)],
        entities: Entities,
        folders: &DataFolders,
        remarks: &Remarks,
    ) -> Result<Self, PrepareError> {
        let (at, first) = wanted[0];
        let mut file = open(folders, first.path, at)?;
        let index = |(at, column): &(&str, TableColumn<'_>)| find(&file, column.column, format!("{at}.column"));
        let indices: Vec<usize> = wanted.iter().map(index).collect::<Result<_, _>>()?;
        let only = only_of(&file, first.only.as_ref(), at)?;
        let mut rows = Vec::new();
        while let Some(row) = file.read(remarks).map_err(|error| unreadable(at, error))? {
            if only.is_some_and(|(index, text)| row.text(index) != text) {
                continue;
            }
            let cells = indices.iter().zip(wanted).map(|(&index, (at, column))| number(row, index, column, at));
            rows.extend(cells.collect::<Result<Option<Vec<f64>>, _>>()?);
            room(&file, at, rows.len() * (40 + 8 * wanted.len()))?;
        }
        let named = |index: usize| format!("`{}`", file.title(index));
        let refuse = |at: String, what: String, expected| {
            Err(misfit(at, format!("{}: {what}", file.path().display()), expected))
        };
        if rows.is_empty() {
            let columns: Vec<_> = indices.iter().map(|&index| named(index)).collect();
            let of = only.map_or(String::new(), |(index, text)| format!(" and `{text}` in {}", named(index)));
            let what = format!("no row has a number in {}{of}", columns.join(" and "));
            return refuse(at.to_owned(), what, "expected columns that have numbers in common rows");
        }
        let Entities { count, name, .. } = entities;
        if first.in_order && rows.len() < count {
            let what = format!("{} for {}", so_many(rows.len(), "row"), so_many(count, name));
            return refuse(format!("{at}.in_order"), what, "expected a row for each, or rows that are drawn");
        }
        let columns = wanted.iter().map(|(_, column)| column.column.clone()).collect();
        let (path, only, in_order) = (first.path.to_owned(), first.only.clone(), first.in_order);
        Ok(Self { path, only, in_order, columns, rows })
    }

    /// How many rows can be drawn.
    pub(super) fn len(&self) -> u64 {
        self.rows.len() as u64
    }

    /// A number of a row.
    pub(super) fn number(&self, row: u64, column: &Column) -> f64 {
        let place = self.columns.iter().position(|known| known == column);
        self.rows[row as usize][place.expect("every column of a law was read")]
    }
}

/// Opens a table that the scenario names at `at`.
pub(super) fn open(folders: &DataFolders, path: &str, at: &str) -> Result<Rows, PrepareError> {
    let schema = TableSchema::new(Some(true), None).within(folders.limit);
    Rows::open(&folders.find(path)?, &schema).map_err(|error| unreadable(at, error))
}

/// Whether this many bytes may be kept of the file.
pub(super) fn room(file: &Rows, at: &str, bytes: usize) -> Result<(), PrepareError> {
    file.room(bytes as u64).map_err(|error| misfit(format!("{at}.path"), error, "expected a smaller file"))
}

pub(super) fn unreadable(at: &str, error: FileError) -> PrepareError {
    if let FileErrorKind::Io(source) = &error.kind
        && let Some(unread) = unread(&error.path, source)
    {
        return unread;
    }
    let is_packed = || error.path.extension().is_some_and(|ending| ending == "gz" || ending == "zst");
    let expected = match &error.kind {
        FileErrorKind::Io(_) if is_packed() => "expected a CSV file, plain or whole in gzip or zstd",
        FileErrorKind::Io(_) => "expected a CSV file in UTF-8, plain or in gzip or zstd",
        FileErrorKind::Empty => "expected at least one row below the header",
        FileErrorKind::NumbersForNames => "expected a first line with the names of the columns",
        _ => "expected a CSV file whose rows have as many cells as its header",
    };
    misfit(format!("{at}.path"), error, expected)
}

/// Position of a column that the scenario names at `at`.
pub(super) fn find(file: &Rows, column: &Column, at: impl Display) -> Result<usize, PrepareError> {
    file.find(column).map_err(|error| match &error.kind {
        FileErrorKind::UnknownColumn(column) => {
            misfit(at, format!("{}: there is no column {column}", error.path.display()), error.expected)
        }
        _ => misfit(at, error, "expected a column that occurs once"),
    })
}

/// The position of the column that rows must have a text in, and the text.
pub(super) fn only_of<'o>(
    file: &Rows,
    only: Option<&'o Only>,
    at: &str,
) -> Result<Option<(usize, &'o str)>, PrepareError> {
    let place = |only: &'o Only| Ok((find(file, &only.column, format!("{at}.only[0].column"))?, only.is.as_str()));
    only.map(place).transpose()
}

/// The number of a cell; none where nothing was measured.
fn number(row: Row<'_>, index: usize, column: &TableColumn<'_>, at: &str) -> Result<Option<f64>, PrepareError> {
    let cell = row.text(index);
    let refuse = |at: String, what: String, expected: &str| {
        Err(misfit(at, format!("{}: column {}: {what}", row.location(), row.quoted(index)), expected))
    };
    let place = format!("{at}.column");
    let is_zero = column.skip_zero && matches!(row.number(index), Ok(0.0));
    if (cell.is_empty() || is_zero) && column.in_order {
        // Without the row all that follow would be of others.
        let what = if is_zero { "0 is not measured" } else { "the cell is empty" };
        return refuse(place, what.to_owned(), "expected a number in every row with `in_order`");
    }
    if cell.is_empty() || is_zero {
        return Ok(None);
    }
    let Ok(number) = row.number(index) else {
        return refuse(place, format!("`{cell}` is not a number"), "expected a column of numbers");
    };
    let (range, name, unit, expected) = match column.measured {
        Measured::Rate => {
            (MIN_BITS_PER_SECOND..=MAX_BITS_PER_SECOND, "rate", "bit/s", "rates from 1 bit/s to 10 Tbit/s")
        }
        Measured::Duration => (0.0..=MAX_SECONDS, "duration", "s", "durations of at most a year"),
        Measured::Power => (0.0..=MAX_WATTS, "power", "W", "powers of at most 10⁶ W"),
    };
    let value = column.value(number);
    match number {
        0.0 if !column.zero_means_something => {
            let expected = "expected `skip_zero: true`, which passes such rows over";
            refuse(at.to_owned(), "0 is not possible here".to_owned(), expected)
        }
        _ if number < 0.0 => refuse(place, format!("{cell} is negative"), "expected a column of positive numbers"),
        _ if !range.contains(&value) => {
            let expected = format!("expected {expected}: is `unit` what 1 of the column is?");
            refuse(place, format!("{cell} is a {name} of {value:e} {unit}"), &expected)
        }
        _ => Ok(Some(number)),
    }
}
