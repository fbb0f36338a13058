//! Tables of a run: named columns of typed cells. Every format is written from them: CSV, Parquet, Arrow, the page.

use std::fmt;

use serde::{Deserialize, Serialize};

use crate::RecordError;
use crate::files::is_plain;
use crate::table::{Table, check_finite, check_names, seconds};

/// Columns that stand before those of every table over several runs.
pub(crate) const KEY_COLUMNS: [&str; 2] = ["arm", "replicate"];

/// A cell of a table.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub enum Cell {
    /// Not measured.
    #[default]
    Missing,
    /// A whole number.
    Whole(u64),
    /// A finite number.
    Float(f64),
    /// Simulated time in ns; in CSV exact decimal seconds.
    Nanoseconds(u64),
    /// A text.
    Text(String),
}

/// What the cells of a column hold.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum ColumnKind {
    /// Texts.
    Text,
    /// Whole numbers from 0.
    Whole,
    /// All other numbers; times in seconds.
    Float,
}

impl ColumnKind {
    /// The kind that holds the cells of both kinds.
    #[must_use]
    pub fn or(self, other: Self) -> Self {
        match (self, other) {
            _ if self == other => self,
            (Self::Text, _) | (_, Self::Text) => Self::Text,
            _ => Self::Float,
        }
    }
}

impl Cell {
    /// The kind of a column of such cells; none of a missing one.
    #[must_use]
    pub fn kind(&self) -> Option<ColumnKind> {
        match self {
            Self::Missing => None,
            Self::Whole(_) => Some(ColumnKind::Whole),
            Self::Float(_) | Self::Nanoseconds(_) => Some(ColumnKind::Float),
            Self::Text(_) => Some(ColumnKind::Text),
        }
    }

    /// As a number, times in seconds; none of a text or a missing cell.
    #[must_use]
    pub fn number(&self) -> Option<f64> {
        match *self {
            Self::Whole(value) => Some(value as f64),
            Self::Float(value) => Some(value),
            Self::Nanoseconds(time_ns) => Some(time_ns as f64 / 1e9),
            Self::Missing | Self::Text(_) => None,
        }
    }

    /// As a whole number; none of every other cell.
    #[must_use]
    pub fn whole(&self) -> Option<u64> {
        if let Self::Whole(value) = *self { Some(value) } else { None }
    }

    /// The cell of a text that a part wrote: a number where it is written as one, and nothing where it is empty. A name
    /// such as `01` is not the number 1.
    #[must_use]
    pub fn parsed(text: &str) -> Self {
        let digits = text.trim_start_matches('-').as_bytes();
        let is_padded = text.starts_with('+') || (digits.len() > 1 && digits[0] == b'0' && digits[1].is_ascii_digit());
        let float = || text.parse::<f64>().ok().filter(|value| value.is_finite());
        match text {
            "" => Self::Missing,
            _ if is_padded => Self::from(text),
            _ => match text.parse() {
                Ok(whole) => Self::Whole(whole),
                Err(_) => float().map_or_else(|| Self::from(text), Self::Float),
            },
        }
    }
}

/// As CSV has it: floats as the shortest decimal that reads back to the same bits, a missing cell empty.
impl fmt::Display for Cell {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Missing => Ok(()),
            Self::Whole(value) => write!(f, "{value}"),
            Self::Float(value) => write!(f, "{value:?}"),
            Self::Nanoseconds(time_ns) => f.write_str(&seconds(*time_ns)),
            Self::Text(text) => f.write_str(text),
        }
    }
}

/// The cells of values: of which types, as what.
macro_rules! cells {
    ($($value:ident: $from:ty => $cell:expr),+ $(,)?) => {
        $(impl From<$from> for Cell {
            fn from($value: $from) -> Self {
                $cell
            }
        })+
    };
}

cells! {
    whole: u64 => Self::Whole(whole),
    float: f64 => Self::Float(float),
    text: &str => Self::Text(text.to_owned()),
    text: &String => Self::Text(text.clone()),
    text: String => Self::Text(text),
}

impl<T: Into<Cell>> From<Option<T>> for Cell {
    fn from(value: Option<T>) -> Self {
        value.map_or(Self::Missing, Into::into)
    }
}

/// A table of a run with its name, without ending.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct RunTable {
    /// File name without ending.
    pub name: String,
    /// Names of its columns.
    pub columns: Vec<String>,
    /// Rows, one cell per column.
    pub rows: Vec<Vec<Cell>>,
}

impl RunTable {
    /// A table with the cells of each of `rows`.
    pub(crate) fn of<T>(name: &str, columns: &[&str], rows: &[T], cells: impl Fn(&T) -> Vec<Cell>) -> Self {
        let columns = columns.iter().map(|&column| column.to_owned()).collect();
        Self { name: name.to_owned(), columns, rows: rows.iter().map(cells).collect() }
    }

    /// `NAME.csv`.
    #[must_use]
    pub fn file(&self) -> String {
        format!("{}.csv", self.name)
    }

    /// The number of a column.
    #[must_use]
    pub fn column(&self, name: &str) -> Option<usize> {
        self.columns.iter().position(|known| known == name)
    }

    /// A column's cells as numbers; `None` when there is no such column, or a cell is no number.
    #[must_use]
    pub fn numbers(&self, name: &str) -> Option<Vec<f64>> {
        let column = self.column(name)?;
        self.rows.iter().map(|row| row.get(column)?.number()).collect()
    }

    /// The whole table as CSV.
    pub fn text(&self) -> Result<String, RecordError> {
        let mut table = Table::in_memory::<&str, _>(&[], &self.columns)?;
        for row in &self.rows {
            row.iter().try_for_each(|cell| table.cell(cell))?;
            table.end_row()?;
        }
        table.into_text()
    }

    /// Every number can stand in a record, every row is as wide as the header, every column has a name of its own, and
    /// the table that of a file.
    pub(crate) fn check(&self) -> Result<(), RecordError> {
        let file = self.file();
        if self.name.is_empty() || !is_plain(&file) {
            return Err(RecordError::table_name(&self.name));
        }
        let names = self.columns.iter().map(String::as_str);
        check_names(&file, &KEY_COLUMNS.into_iter().chain(names).collect::<Vec<_>>())?;
        let expected = self.columns.len();
        for (round, row) in (0..).zip(&self.rows) {
            if row.len() != expected {
                return Err(RecordError::width(&file, round, expected, row.len()));
            }
            let names = self.columns.iter().map(String::as_str);
            let floats = row.iter().map(|cell| if let Cell::Float(value) = cell { Some(*value) } else { None });
            check_finite(&file, round, names.zip(floats))?;
        }
        Ok(())
    }
}

/// One row of a table, by the names of its columns.
pub(crate) struct RowCells<'a> {
    table: &'a RunTable,
    cells: &'a [Cell],
}

impl RowCells<'_> {
    fn cell(&self, column: &str) -> Option<&Cell> {
        self.cells.get(self.table.column(column)?)
    }

    /// A text; a missing one is empty.
    pub(crate) fn text(&self, column: &str) -> Option<String> {
        Some(self.cell(column)?.to_string())
    }

    pub(crate) fn whole(&self, column: &str) -> Option<u64> {
        self.cell(column)?.whole()
    }

    pub(crate) fn number(&self, column: &str) -> Option<f64> {
        self.cell(column)?.number()
    }

    pub(crate) fn nanoseconds(&self, column: &str) -> Option<u64> {
        if let Cell::Nanoseconds(time_ns) = *self.cell(column)? { Some(time_ns) } else { None }
    }
}

/// The rows of the table `name`; none where there is no such table, or it has a row that cannot be read.
pub(crate) fn rows<T>(tables: &[RunTable], name: &str, read: impl Fn(RowCells<'_>) -> Option<T>) -> Vec<T> {
    let Some(table) = tables.iter().find(|table| table.name == name) else { return Vec::new() };
    table.rows.iter().map(|cells| read(RowCells { table, cells })).collect::<Option<_>>().unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::Cell;

    /// `01` and `1` are two sites.
    #[test]
    fn names_of_digits_are_no_numbers() {
        assert_eq!(["1", "0", "1000"].map(Cell::parsed), [Cell::Whole(1), Cell::Whole(0), Cell::Whole(1000)]);
        assert_eq!(["0.5", "-0.5", "1e-9"].map(Cell::parsed), [Cell::Float(0.5), Cell::Float(-0.5), Cell::Float(1e-9)]);
        assert!(["01", "+1", "-07", "00.5", "x", "nan"].map(Cell::parsed).iter().all(|cell| cell.number().is_none()));
    }
}
