//! Tables that a run leaves at its end beside the common ones: `NAME.csv`, cells as text. It knows none of them.

use std::io::Write;
use std::path::Path;

use crate::RecordError;
use crate::files::is_there;
use crate::table::{FileTable, Table, TableReader, parse_seconds};

/// A table with its name, without ending.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct ExtraTable {
    /// File name without ending.
    pub name: String,
    /// Names of its columns.
    pub columns: Vec<String>,
    /// Rows, one cell per column.
    pub rows: Vec<Vec<String>>,
}

impl ExtraTable {
    /// A table with the cells of each of `rows`.
    pub(crate) fn of<T>(name: &str, columns: &[&str], rows: &[T], cells: impl Fn(&T) -> Vec<String>) -> Self {
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
        self.columns.iter().position(|own| own == name)
    }

    /// A column's cells as numbers; `None` when there is no such column, or a cell is no finite number.
    #[must_use]
    pub fn numbers(&self, name: &str) -> Option<Vec<f64>> {
        let column = self.column(name)?;
        let number = |row: &Vec<String>| row.get(column)?.parse().ok().filter(|value: &f64| value.is_finite());
        self.rows.iter().map(number).collect()
    }

    /// The whole table as text.
    ///
    /// # Errors
    /// [`RecordError`] for rows that are not as wide as the header.
    pub fn text(&self) -> Result<String, RecordError> {
        let mut table = Table::in_memory::<&str, _>(&[], &self.columns)?;
        self.fill(&mut table)?;
        table.into_text()
    }

    /// Writes the table under a temporary name.
    pub(crate) fn write(&self, directory: &Path) -> Result<FileTable, RecordError> {
        let mut table = FileTable::create(directory, &self.file(), &self.columns)?;
        self.fill(&mut table)?;
        Ok(table)
    }

    fn fill<W: Write>(&self, table: &mut Table<W>) -> Result<(), RecordError> {
        for row in &self.rows {
            row.iter().try_for_each(|cell| table.cell(cell))?;
            table.end_row()?;
        }
        Ok(())
    }

    /// Reads the table `name` of a record; none when it is not there.
    ///
    /// # Errors
    /// [`RecordError`] when the file cannot be read.
    pub fn read(directory: &Path, name: &str) -> Result<Option<Self>, RecordError> {
        let file = format!("{name}.csv");
        if !is_there(&directory.join(&file))? {
            return Ok(None);
        }
        let reader = TableReader::open(directory, &file)?;
        let columns = reader.further_columns(&[])?;
        let width = columns.len();
        let rows = reader.rows(|cells| (0..width).map(|_| cells.text()).collect::<Result<Vec<_>, _>>())?;
        Ok(Some(Self { name: name.to_owned(), columns, rows }))
    }
}

/// One row of a table, by the names of its columns.
pub(crate) struct ExtraCells<'a> {
    table: &'a ExtraTable,
    cells: &'a [String],
}

impl ExtraCells<'_> {
    pub(crate) fn text(&self, column: &str) -> Option<String> {
        self.cells.get(self.table.column(column)?).cloned()
    }

    pub(crate) fn number(&self, column: &str) -> Option<u64> {
        self.text(column)?.parse().ok()
    }

    /// Decimal seconds, in nanoseconds.
    pub(crate) fn seconds(&self, column: &str) -> Option<u64> {
        parse_seconds(&self.text(column)?)
    }
}

/// The rows of the table `name`; none where there is no such table, or it has a row that cannot be read.
pub(crate) fn rows<T>(tables: &[ExtraTable], name: &str, read: impl Fn(ExtraCells<'_>) -> Option<T>) -> Vec<T> {
    let Some(table) = tables.iter().find(|table| table.name == name) else { return Vec::new() };
    table.rows.iter().map(|cells| read(ExtraCells { table, cells })).collect::<Option<_>>().unwrap_or_default()
}
