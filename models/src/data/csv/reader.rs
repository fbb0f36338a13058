//! The one reader of tables: their header, the columns of each role, their rows checked for their width, and cells with
//! errors that name file, line and column. Rows of Parquet count as lines below a line of names.

use super::blanks::Blanks;
use super::cells::text;
use super::layout::Sample;
use super::parquet::{self, is_parquet};
use super::row::{Head, Row, RowSource, are_data, line};
use super::schema::{Role, TableSchema};
use crate::data::{FileError, Remarks};
use ::csv::{ByteRecord, Position, ReaderBuilder};
use fedbits_spec::Caveat;
use fedbits_spec::laws::Column;
use std::collections::{BTreeMap, BTreeSet};
use std::io::{self, Cursor, Read};
use std::path::Path;

/// An open table: a text file, plain or packed, or a Parquet file. Blank lines are skipped; spaces around a cell are
/// ignored.
pub struct Rows {
    head: Head,
    cells: RowSource,
    /// The cells are those of the first row, which [`Rows::read`] has not returned yet.
    is_first: bool,
    spanning: Spanning,
}

/// Rows of more than one line.
#[derive(Default)]
struct Spanning {
    rows: u64,
    first: Option<Position>,
}

impl Rows {
    /// Opens a file, reads its first row, the names if it has a header, and finds the columns of the schema. What the
    /// schema leaves open is told by the first lines.
    ///
    /// # Errors
    /// When it cannot be read, is no text, has no rows, or has numbers for names; when the delimiter is not ASCII; when
    /// the first lines do not tell the layout; when a column is not there, or has two roles.
    pub fn open(path: &Path, schema: &TableSchema<'_>) -> Result<Self, FileError> {
        let mut rows = if is_parquet(path) { Self::parquet(path, schema)? } else { Self::text(path, schema)? };
        rows.is_first = true;
        if !rows.next()? {
            let has_names = rows.has_header();
            let expected = if has_names { "at least one row after the header" } else { "at least one row" };
            return Err(FileError::empty(path, expected));
        }
        if let RowSource::Text { record, .. } = &rows.cells
            && !rows.has_header()
        {
            rows.head.width = record.len();
        }
        let places = schema.places(rows.width(), |column| rows.find(column))?;
        if schema.wants(Role::Feature) && places.iter().all(|(role, _)| *role != Role::Feature) {
            return Err(FileError::whole(path, "no column is left for the numbers of an example", ""));
        }
        let mut used = BTreeSet::new();
        let mut unshared = places.iter().filter(|(role, _)| !role.is_shared());
        if let Some((_, twice)) = unshared.find(|(_, place)| !used.insert(*place)) {
            return Err(FileError::whole(path, format!("column {} is used twice", rows.head.quoted(*twice)), ""));
        }
        rows.head.places = places;
        Ok(rows)
    }

    fn with(
        path: &Path,
        schema: &TableSchema<'_>,
        delimiter: u8,
        names: Option<Vec<String>>,
        cells: RowSource,
    ) -> Self {
        let (width, places) = (names.as_ref().map_or(0, Vec::len), Vec::new());
        let (missing, limit) = (schema.missing.clone(), schema.limit);
        let (path, is_typed) = (path.to_owned(), matches!(cells, RowSource::Parquet { .. }));
        let head = Head { path, names, width, delimiter, is_typed, places, missing, limit };
        Self { head, cells, is_first: false, spanning: Spanning::default() }
    }

    fn parquet(path: &Path, schema: &TableSchema<'_>) -> Result<Self, FileError> {
        let (names, rows) = parquet::open(path).map_err(FileError::io(path))?;
        let cells = RowSource::Parquet { rows, cells: Vec::new(), row: 0 };
        Ok(Self::with(path, schema, b',', Some(names), cells))
    }

    fn text(path: &Path, schema: &TableSchema<'_>) -> Result<Self, FileError> {
        let (sample, file) = Sample::open(path, schema.limit).map_err(FileError::io(path))?;
        let no_byte = |_| FileError::io(path)(io::Error::other("the delimiter is not an ASCII character"));
        let delimiter = match schema.delimiter {
            Some(delimiter) => u8::try_from(delimiter).map_err(no_byte)?,
            None => sample.delimiter(schema)?,
        };
        let header = schema.header.map_or_else(|| sample.header(delimiter, schema), Ok)?;
        let file: Box<dyn Read> = Box::new(Blanks::new(Cursor::new(sample.bytes).chain(file).chain(END), delimiter));
        // Own length check: it can name the line. Own header handling: names and data come from one record type.
        let reader = ReaderBuilder::new().has_headers(false).flexible(true).delimiter(delimiter).from_reader(file);
        let mut rows = Self::with(path, schema, delimiter, None, RowSource::Text { reader, record: ByteRecord::new() });
        if header {
            let has_names = rows.next()?;
            let RowSource::Text { record, .. } = &rows.cells else { return Ok(rows) };
            let names: Vec<String> = record.iter().filter(|_| has_names).map(text).collect();
            if are_data(&names) && !schema.is_in(&names) {
                return Err(FileError::numbers_for_names(path, &names[0]));
            }
            (rows.head.width, rows.head.names) = (names.len(), Some(names));
        }
        Ok(rows)
    }

    /// What the first lines told where the schema said nothing, for people; none where it said all.
    pub(super) fn recognized(&self, schema: &TableSchema<'_>) -> Option<String> {
        if self.head.is_typed {
            return None;
        }
        let header = schema.header.is_none().then(|| match &self.head.names {
            Some(_) => "the first line holds names".to_owned(),
            None => "the first line holds data".to_owned(),
        });
        let delimiter = match self.head.delimiter {
            b' ' => "blanks".to_owned(),
            b'\t' => "tabulators".to_owned(),
            other => format!("`{}`", char::from(other)),
        };
        let unusual = schema.delimiter.is_none() && self.head.delimiter != b',';
        let found: Vec<String> =
            header.into_iter().chain(unusual.then(|| format!("{delimiter} separate the fields"))).collect();
        (!found.is_empty()).then(|| found.join(", "))
    }

    /// The next row; none at the end, where it remarks what is to be said of the file.
    ///
    /// # Errors
    /// When the file cannot be read, a quote is not closed, or the row has another number of fields than the first.
    pub fn read(&mut self, remarks: &Remarks) -> Result<Option<Row<'_>>, FileError> {
        if !std::mem::take(&mut self.is_first) && !self.next()? {
            self.caveat().into_iter().for_each(|caveat| remarks.caveat(caveat));
            return Ok(None);
        }
        let row = Row { head: &self.head, cells: &self.cells };
        self.head.missing.iter().for_each(|missing| missing.note((0..row.width()).map(|index| row.text(index))));
        if let RowSource::Text { record, .. } = &self.cells {
            if record.len() != self.head.width {
                // As many as the first row has, which may be none of the table where it is one.
                let expected = match self.head.width {
                    1 => "1 field, as in the first row (comments and titles above a table are not skipped)".to_owned(),
                    many => format!("{many} fields"),
                };
                let line = self.head.line(record.position());
                return Err(FileError::content(self.path(), expected, record.len().to_string()).at(line));
            }
            if record.as_slice().iter().any(|byte| b"\n\r".contains(byte)) {
                self.spanning.rows += 1;
                self.spanning.first.get_or_insert_with(|| record.position().cloned().unwrap_or_else(Position::new));
            }
        }
        Ok(Some(row))
    }

    /// Gives every row to `take`, which says how many bytes of memory all that it keeps has.
    ///
    /// # Errors
    /// As for [`Rows::read`]; those of `take`; more memory than the schema allows.
    pub fn each(
        &mut self,
        remarks: &Remarks,
        mut take: impl FnMut(Row<'_>) -> Result<u64, FileError>,
    ) -> Result<(), FileError> {
        while let Some(row) = self.read(remarks)? {
            let bytes = take(row)?;
            self.room(bytes)?;
        }
        Ok(())
    }

    /// Reads the cells of the next row; false at the end.
    fn next(&mut self) -> Result<bool, FileError> {
        let Head { path, delimiter, .. } = &self.head;
        match &mut self.cells {
            RowSource::Text { reader, record } => {
                let more = reader.read_byte_record(record).map_err(|error| FileError::io(path)(error.into()))?;
                if !more || record == &[b"\0"][..] {
                    return Ok(false);
                }
                if record.iter().next_back().is_some_and(|cell| cell.ends_with(END)) {
                    let found = "a double quote begins a cell in this row, and is closed nowhere after it";
                    return Err(FileError::whole(path, found, "").at(line((path, *delimiter), record.position())));
                }
                Ok(true)
            }
            RowSource::Parquet { rows, cells, row } => {
                let next = rows.next().transpose().map_err(FileError::io(path))?;
                *row += u64::from(next.is_some());
                Ok(next.map(|next| *cells = next).is_some())
            }
        }
    }

    /// What is to be said of rows of more than one line, which two stray double quotes make of many; none without.
    fn caveat(&self) -> Option<Caveat> {
        let (rows, line) = (self.spanning.rows, self.head.line(Some(self.spanning.first.as_ref()?)));
        let place = format!("{}:{line}", self.head.path.display());
        Some(Caveat::LineBreaks { rows: rows.to_string(), place })
    }

    /// The file.
    pub fn path(&self) -> &Path {
        &self.head.path
    }

    /// Position of a column.
    ///
    /// # Errors
    /// When there is no such column, or several.
    pub fn find(&self, column: &Column) -> Result<usize, FileError> {
        self.head.find(column)
    }

    /// Positions of the columns with this role, in the order of the schema.
    pub fn places(&self, role: Role) -> Vec<usize> {
        self.head.places.iter().filter(|(assigned, _)| *assigned == role).map(|&(_, place)| place).collect()
    }

    /// Position of the first column with this role.
    pub fn place(&self, role: Role) -> Option<usize> {
        self.places(role).first().copied()
    }

    /// Whether the first line held names.
    pub fn has_header(&self) -> bool {
        self.head.names.is_some()
    }

    /// What separates the fields.
    pub fn delimiter(&self) -> char {
        char::from(self.head.delimiter)
    }

    /// The number of columns.
    pub fn width(&self) -> usize {
        self.head.width
    }

    /// Name of a column.
    pub fn title(&self, index: usize) -> String {
        self.head.names.as_ref().map_or_else(|| format!("column {index}"), |names| names[index].clone())
    }

    /// Names of columns by which what stands in them is known.
    ///
    /// # Errors
    /// When two are the same.
    pub(super) fn distinct_titles(&self, columns: &[usize]) -> Result<Vec<String>, FileError> {
        let mut places = BTreeMap::new();
        for &second in columns {
            let name = self.title(second);
            if let Some(first) = places.insert(name.clone(), second) {
                let found = format!("columns {first} and {second} are both called `{name}`");
                return Err(FileError::whole(self.path(), found, "another name for each"));
            }
        }
        Ok(columns.iter().map(|&index| self.title(index)).collect())
    }

    /// Line of a row that was read before.
    pub(super) fn line(&self, position: Option<&Position>) -> u64 {
        self.head.line(position)
    }

    /// An error unless this many bytes of memory may be taken by what was read.
    ///
    /// # Errors
    /// Beyond the limit of the schema.
    pub fn room(&self, bytes: u64) -> Result<(), FileError> {
        self.head.limit.allows(bytes).map_err(FileError::io(self.path()))
    }
}

/// What is read after the end of a file. The zero byte, which [`packed::text`] refuses, is a row of its own, unless a
/// quote is open.
const END: &[u8] = b"\n\0";
