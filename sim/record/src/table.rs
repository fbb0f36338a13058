//! One CSV table: exact text out. Knows lines and columns, not what they mean.
//!
//! Names come from the user or from his data, and opening a table must not compute, or send, what a name says. A text
//! that a spreadsheet would take for a formula is written behind an apostrophe, which spreadsheets understand and the
//! readers of this crate take away again. Numbers stay as they are.

use crate::RecordError;
use crate::files::{Temporary, persist, temporary_in};
use std::collections::BTreeSet;
use std::fmt::{self, Display, Write as _};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

/// A table being written: a header, then rows of as many cells. A cell that a spreadsheet would take for a formula gets
/// an apostrophe.
///
/// ```
/// use fedbits_record::{Float, Table};
/// let mut table = Table::in_memory(&["two runs"], &["arm", "bits"])?;
/// table.row(&[&"a, b", &Float(Some(0.5))])?;
/// assert_eq!(table.into_text()?, "# two runs\narm,bits\n\"a, b\",0.5\n");
/// # Ok::<(), fedbits_record::RecordError>(())
/// ```
pub struct Table<W: Write> {
    path: PathBuf,
    writer: csv::Writer<W>,
    /// The cell being formatted; kept so that a row allocates nothing.
    text: String,
}

/// A table under a temporary name.
pub(crate) type FileTable = Table<Temporary>;

/// A number in a cell: the shortest decimal that reads back to the same bits; an empty cell for none.
#[derive(Debug, Clone, Copy)]
pub struct Float(pub Option<f64>);

impl Display for Float {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.map_or(Ok(()), |value| write!(f, "{value:?}"))
    }
}

impl FileTable {
    /// Opens a temporary file in `directory` for the table `name` and writes its header.
    pub(crate) fn create<S: AsRef<str>>(directory: &Path, name: &str, header: &[S]) -> Result<Self, RecordError> {
        let path = directory.join(name);
        check_names(&path.display().to_string(), header)?;
        Self::with_header(path, csv::Writer::from_writer(temporary_in(directory)?), header)
    }

    /// Puts the table on disk under its name, which it returns.
    pub(crate) fn finish(self) -> Result<String, RecordError> {
        let (path, file) = self.into_inner()?;
        persist(file, &path)?;
        Ok(path.file_name().unwrap_or_default().to_string_lossy().into_owned())
    }
}

impl Table<Vec<u8>> {
    /// A table in memory; `comments` stand before its header, one to a line.
    pub fn in_memory<C: AsRef<str>, S: AsRef<str>>(comments: &[C], header: &[S]) -> Result<Self, RecordError> {
        let before: String = comments.iter().map(|line| format!("# {}\n", line.as_ref())).collect();
        let writer = csv::WriterBuilder::new().comment(Some(b'#')).from_writer(before.into_bytes());
        Self::with_header(PathBuf::new(), writer, header)
    }

    /// The whole table.
    pub fn into_text(self) -> Result<String, RecordError> {
        let (path, bytes) = self.into_inner()?;
        String::from_utf8(bytes).map_err(|error| RecordError::io(&path, io::Error::other(error)))
    }
}

impl<W: Write> Table<W> {
    fn with_header<S: AsRef<str>>(path: PathBuf, writer: csv::Writer<W>, header: &[S]) -> Result<Self, RecordError> {
        let mut table = Self { path, writer, text: String::new() };
        header.iter().try_for_each(|name| table.cell(name.as_ref()))?;
        table.end_row()?;
        Ok(table)
    }

    /// Writes a row of these cells.
    pub fn row(&mut self, cells: &[&dyn Display]) -> Result<(), RecordError> {
        cells.iter().try_for_each(|cell| self.cell(cell))?;
        self.end_row()
    }

    /// Writes the next cell of the row.
    pub fn cell(&mut self, value: impl Display) -> Result<(), RecordError> {
        self.text.clear();
        write!(self.text, "{value}").map_err(|error| write_error(&self.path, error))?;
        if is_formula(&self.text) {
            self.text.insert(0, GUARD);
        }
        self.writer.write_field(&self.text).map_err(|error| write_error(&self.path, error))
    }

    /// Ends the row.
    pub fn end_row(&mut self) -> Result<(), RecordError> {
        self.writer.write_record(None::<&[u8]>).map_err(|error| write_error(&self.path, error))
    }

    fn into_inner(self) -> Result<(PathBuf, W), RecordError> {
        let Self { path, writer, .. } = self;
        match writer.into_inner() {
            Ok(inner) => Ok((path, inner)),
            Err(refused) => Err(RecordError::io(&path, io::Error::from(refused.error().kind()))),
        }
    }
}

const NANOSECONDS: u64 = 1_000_000_000;

/// Nanoseconds as exact decimal seconds.
pub(crate) fn seconds(time_ns: u64) -> String {
    format!("{}.{:09}", time_ns / NANOSECONDS, time_ns % NANOSECONDS)
}

fn write_error(path: &Path, error: impl std::error::Error + Send + Sync + 'static) -> RecordError {
    RecordError::io(path, io::Error::other(error))
}

/// The first value that is NaN or infinite is an error.
pub(crate) fn check_finite<'a>(
    table: &str,
    round: u64,
    values: impl IntoIterator<Item = (&'a str, Option<f64>)>,
) -> Result<(), RecordError> {
    for (name, value) in values {
        if let Some(value) = value.filter(|value| !value.is_finite()) {
            let found = format!("{table}: round {round}: `{name}` is {value}, which no record may hold");
            return Err(RecordError::Table(found));
        }
    }
    Ok(())
}

/// A header cell without a name, or two with the same, could not be read back.
pub(crate) fn check_names<S: AsRef<str>>(table: &str, header: &[S]) -> Result<(), RecordError> {
    let mut names = BTreeSet::new();
    for name in header.iter().map(AsRef::as_ref) {
        if name.is_empty() || !names.insert(name) {
            return Err(RecordError::Table(format!("{table}: the column name `{name}` is empty or stands twice")));
        }
    }
    Ok(())
}

/// What stands before a text that begins like a formula.
const GUARD: char = '\'';

/// A text as it stands in a CSV cell.
#[must_use]
pub fn guarded(text: String) -> String {
    if is_formula(&text) { format!("{GUARD}{text}") } else { text }
}

/// The text that was written as `cell`.
#[must_use]
pub fn unguarded(cell: &str) -> &str {
    cell.strip_prefix(GUARD).filter(|text| is_formula(text)).unwrap_or(cell)
}

/// Whether a spreadsheet would take a text for a formula (OWASP, "CSV injection"), or for one behind apostrophes.
fn is_formula(text: &str) -> bool {
    let text = text.trim_start_matches(GUARD);
    let number = || text.parse::<f64>().is_ok_and(f64::is_finite);
    text.starts_with(['=', '+', '-', '@', '\t', '\r', '\n', '＝', '＋', '－', '＠']) && !number()
}

#[cfg(test)]
mod tests {
    use super::{Float, Table, guarded, unguarded};

    /// Comments stay as they are; a cell that begins like one is quoted, and one that begins like a formula has an
    /// apostrophe.
    #[test]
    fn tables_in_memory() {
        let mut table = Table::in_memory(&["=comment, \"as it is\""], &["arm", "=x"]).unwrap();
        table.row(&[&"@a, \"b\"", &Float(Some(-1.5))]).unwrap();
        table.row(&[&"-c\n=d", &"'e"]).unwrap();
        table.row(&[&"#f", &Float(None)]).unwrap();
        assert!(table.row(&[&"one cell"]).is_err());
        let expected = "# =comment, \"as it is\"\narm,'=x\n\"'@a, \"\"b\"\"\",-1.5\n\"'-c\n=d\",'e\n\"#f\",\n";
        assert!(table.into_text().unwrap().starts_with(expected));
    }

    #[test]
    fn formulas_get_an_apostrophe_and_numbers_do_not() {
        for text in
            ["=1+1", "+A1", "-A1", "@SUM(A1)", "\t=1", "\r=1", "-1 / all", "-inf", "--1", "＝1", "'=1", "''@a", "-"]
        {
            assert_eq!(guarded(text.to_owned()), format!("'{text}"));
            assert_eq!(unguarded(&guarded(text.to_owned())), text);
        }
        for text in ["", "a=b", "-1", "-1.5e-300", "+5", "'tis", "'-1", "1-1", " =1", "–1"] {
            assert_eq!(guarded(text.to_owned()), text);
            assert_eq!(unguarded(text), text);
        }
    }
}
