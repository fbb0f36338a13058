//! The table beside a figure, as CSV.

use fedbits_record::{Float, RecordError, Table};

/// A tidy table without the comments that stand before it.
pub(crate) struct FigureRows(String);

/// A row of texts, of what can be written as one.
macro_rules! cells {
    ($($cell:expr),* $(,)?) => { vec![$($cell.to_string()),*] };
}
pub(crate) use cells;

impl FigureRows {
    /// Of a header, and rows of as many cells.
    pub(crate) fn new<S: AsRef<str>>(
        header: &[S],
        rows: impl IntoIterator<Item = Vec<String>>,
    ) -> Result<Self, RecordError> {
        let mut table = Table::in_memory::<&str, _>(&[], header)?;
        for row in rows {
            row.iter().try_for_each(|cell| table.cell(cell))?;
            table.end_row()?;
        }
        table.into_text().map(Self)
    }

    /// The file; `comments` stand before its header, one to a line.
    pub(crate) fn csv(&self, comments: &[String]) -> String {
        comments.iter().map(|line| format!("# {line}\n")).collect::<String>() + &self.0
    }
}

/// A number as a cell; none is an empty one.
pub(crate) fn number(value: impl Into<Option<f64>>) -> String {
    Float(value.into()).to_string()
}
