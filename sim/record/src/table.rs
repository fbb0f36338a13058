//! One CSV table: exact text out, typed cells in. Knows lines and columns, not what they mean.

use crate::RecordError;
use crate::files::{Temporary, persist, temporary_in};
use crate::spreadsheet::{GUARD, is_formula, unguarded};
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
        check_names(&path, header)?;
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
    ///
    /// # Errors
    /// [`RecordError::Io`].
    pub fn in_memory<C: AsRef<str>, S: AsRef<str>>(comments: &[C], header: &[S]) -> Result<Self, RecordError> {
        let before: String = comments.iter().map(|line| format!("# {}\n", line.as_ref())).collect();
        let writer = csv::WriterBuilder::new().comment(Some(b'#')).from_writer(before.into_bytes());
        Self::with_header(PathBuf::new(), writer, header)
    }

    /// The whole table.
    ///
    /// # Errors
    /// [`RecordError::Io`].
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
    ///
    /// # Errors
    /// [`RecordError::Io`], also for a row whose number of cells is not that of the header.
    pub fn row(&mut self, cells: &[&dyn Display]) -> Result<(), RecordError> {
        cells.iter().try_for_each(|cell| self.cell(cell))?;
        self.end_row()
    }

    /// Writes the next cell of the row.
    ///
    /// # Errors
    /// [`RecordError::Io`].
    pub fn cell(&mut self, value: impl Display) -> Result<(), RecordError> {
        self.text.clear();
        write!(self.text, "{value}").map_err(|error| write_error(&self.path, error))?;
        if is_formula(&self.text) {
            self.text.insert(0, GUARD);
        }
        self.writer.write_field(&self.text).map_err(|error| write_error(&self.path, error))
    }

    /// Writes a whole number, or an empty cell.
    pub(crate) fn whole(&mut self, value: Option<u64>) -> Result<(), RecordError> {
        match value {
            Some(value) => self.cell(value),
            None => self.cell(""),
        }
    }

    /// Writes a [`Float`], which is finite (checked per row).
    pub(crate) fn float(&mut self, value: Option<f64>) -> Result<(), RecordError> {
        self.cell(Float(value))
    }

    /// Writes nanoseconds as exact decimal seconds.
    pub(crate) fn seconds(&mut self, time_ns: u64) -> Result<(), RecordError> {
        self.cell(seconds(time_ns))
    }

    /// Ends the row.
    ///
    /// # Errors
    /// [`RecordError::Io`], also for a row whose number of cells is not that of the header.
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

/// A header cell without a name, or two with the same, could not be read back.
fn check_names<S: AsRef<str>>(path: &Path, header: &[S]) -> Result<(), RecordError> {
    for (i, name) in header.iter().enumerate() {
        let name = name.as_ref();
        if name.is_empty() || header[..i].iter().any(|earlier| earlier.as_ref() == name) {
            return Err(RecordError::ColumnName { path: path.to_path_buf(), name: name.to_owned() });
        }
    }
    Ok(())
}

/// The cells of one row, taken from left to right.
pub(crate) struct Cells<'a> {
    path: &'a Path,
    header: &'a csv::StringRecord,
    record: &'a csv::StringRecord,
    next: usize,
}

impl Cells<'_> {
    /// The next cell as text.
    pub(crate) fn text(&mut self) -> Result<String, RecordError> {
        self.parse("text", |text| Some(unguarded(text).to_owned()))
    }

    /// The next cell as a whole number.
    pub(crate) fn whole(&mut self) -> Result<u64, RecordError> {
        self.parse("a whole number", |text| text.parse().ok())
    }

    /// The next cell as a whole number, missing when empty.
    pub(crate) fn optional_whole(&mut self) -> Result<Option<u64>, RecordError> {
        self.parse("a whole number or nothing", |text| match text {
            "" => Some(None),
            _ => text.parse().ok().map(Some),
        })
    }

    /// The next cell as a finite number, missing when empty.
    pub(crate) fn float(&mut self) -> Result<Option<f64>, RecordError> {
        self.parse("a finite number or nothing", |text| match text {
            "" => Some(None),
            _ => finite(text).map(Some),
        })
    }

    /// The next cell as a finite number that must be there.
    pub(crate) fn present_float(&mut self) -> Result<f64, RecordError> {
        self.parse("a finite number", finite)
    }

    /// The next cell as decimal seconds, in nanoseconds.
    pub(crate) fn seconds(&mut self) -> Result<u64, RecordError> {
        self.parse("seconds with at most nine decimals", parse_seconds)
    }

    /// The next cell through `read`; `expected` says what should have stood there.
    pub(crate) fn parse<T>(
        &mut self,
        expected: &'static str,
        read: impl FnOnce(&str) -> Option<T>,
    ) -> Result<T, RecordError> {
        let index = self.next;
        self.next += 1;
        let text = self.record.get(index).unwrap_or_default();
        read(text).ok_or_else(|| RecordError::Cell {
            path: self.path.to_path_buf(),
            line: line_of(self.record),
            column: 1 + self.record.iter().take(index).map(|cell| written_length(cell) + 1).sum::<u64>(),
            name: self.header.get(index).unwrap_or_default().to_owned(),
            expected,
            found: text.to_owned(),
        })
    }
}

fn finite(text: &str) -> Option<f64> {
    text.parse().ok().filter(|value: &f64| value.is_finite())
}

/// Decimal seconds with at most nine decimals, in nanoseconds.
pub(crate) fn parse_seconds(text: &str) -> Option<u64> {
    let (whole, fraction) = text.split_once('.').unwrap_or((text, "0"));
    let digits = |part: &str| !part.is_empty() && part.bytes().all(|byte| byte.is_ascii_digit());
    if !digits(whole) || !digits(fraction) || fraction.len() > 9 {
        return None;
    }
    let nanoseconds: u64 = format!("{fraction:0<9}").parse().ok()?;
    whole.parse::<u64>().ok()?.checked_mul(NANOSECONDS)?.checked_add(nanoseconds)
}

/// Bytes the cell takes in the file; quoted where the writer quotes.
fn written_length(cell: &str) -> u64 {
    let quotes = cell.matches('"').count();
    let quoted = quotes > 0 || cell.contains([',', '\n', '\r']);
    (cell.len() + quotes + if quoted { 2 } else { 0 }) as u64
}

fn line_of(record: &csv::StringRecord) -> u64 {
    record.position().map_or(1, csv::Position::line)
}

/// A whole table in memory: its header, and a row function applied to every line.
pub(crate) struct TableReader {
    path: PathBuf,
    header: csv::StringRecord,
    records: csv::Reader<std::io::BufReader<std::fs::File>>,
}

impl TableReader {
    /// Opens a table and reads its header.
    pub(crate) fn open(directory: &Path, name: &str) -> Result<Self, RecordError> {
        let path = directory.join(name);
        let file = fedbits_spec::files::open(&path).map_err(|source| RecordError::io(&path, source))?;
        let mut records = csv::ReaderBuilder::new().flexible(true).from_reader(std::io::BufReader::new(file));
        let header = records.headers().map_err(|error| read_error(&path, &error))?.clone();
        Ok(Self { path, header, records })
    }

    /// The names after the `fixed` ones, which the header must start with.
    pub(crate) fn further_columns(&self, fixed: &[&str]) -> Result<Vec<String>, RecordError> {
        let found: Vec<&str> = self.header.iter().collect();
        if found.len() < fixed.len() || found[..fixed.len()] != *fixed {
            return Err(self.header_error(&fixed.join(",")));
        }
        Ok(found[fixed.len()..].iter().map(|&name| unguarded(name).to_owned()).collect())
    }

    /// The error that the header is not `expected`.
    pub(crate) fn header_error(&self, expected: &str) -> RecordError {
        let found = self.header.iter().collect::<Vec<_>>().join(",");
        RecordError::Header { path: self.path.clone(), expected: expected.to_owned(), found }
    }

    /// Reads all rows.
    pub(crate) fn rows<T>(
        self,
        mut read: impl FnMut(&mut Cells) -> Result<T, RecordError>,
    ) -> Result<Vec<T>, RecordError> {
        let mut rows = Vec::new();
        self.each(|cells| {
            rows.push(read(cells)?);
            Ok(())
        })?;
        Ok(rows)
    }

    /// Goes through all rows.
    pub(crate) fn each(
        mut self,
        mut read: impl FnMut(&mut Cells) -> Result<(), RecordError>,
    ) -> Result<(), RecordError> {
        let mut record = csv::StringRecord::new();
        while self.records.read_record(&mut record).map_err(|error| read_error(&self.path, &error))? {
            if record.len() != self.header.len() {
                let (line, expected, found) = (line_of(&record), self.header.len(), record.len());
                return Err(RecordError::Width { path: self.path, line, expected, found });
            }
            read(&mut Cells { path: &self.path, header: &self.header, record: &record, next: 0 })?;
        }
        Ok(())
    }
}

fn read_error(path: &Path, error: &csv::Error) -> RecordError {
    match error.kind() {
        csv::ErrorKind::Io(source) => RecordError::io(path, std::io::Error::new(source.kind(), source.to_string())),
        _ => RecordError::Syntax {
            path: path.to_path_buf(),
            line: error.position().map_or(1, csv::Position::line),
            column: 1,
            message: error.to_string(),
        },
    }
}

#[cfg(test)]
mod tests {
    use super::{Float, Table};

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
}
