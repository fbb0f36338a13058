//! The one reader of tables: their header, the columns of each role, their rows checked for their width, and cells with
//! errors that name file, line and column. Rows of Parquet count as lines below a line of names.

use super::blanks::Blanks;
use super::cells::{Cell, are_data, expected_instead_of, instead, is_missing, text};
use super::layout::Sample;
use super::missing::DeclaredMissing;
use super::parquet::{self, is_parquet};
use super::schema::{Role, TableSchema};
use crate::data::packed::Lines;
use crate::data::{FileError, MemoryLimit, Remarks};
use ::csv::{ByteRecord, Position, Reader, ReaderBuilder};
use fedbits_spec::Caveat;
use fedbits_spec::laws::Column;
use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};
use std::io::{self, BufReader, Cursor, Read};
use std::path::{Path, PathBuf};

/// An open table: a text file, plain or packed, or a Parquet file. Blank lines are skipped; spaces around a cell are
/// ignored.
pub struct Rows {
    path: PathBuf,
    names: Option<Vec<String>>,
    width: usize,
    delimiter: u8,
    /// Where the columns of each role stand.
    places: Vec<(Role, usize)>,
    /// What else stands for missing values, where a user can say so.
    missing: Option<DeclaredMissing>,
    limit: MemoryLimit,
    cells: RowSource,
    /// The cells are those of the first row, which [`Rows::read`] has not returned yet.
    is_first: bool,
    spanning: Spanning,
}

/// Where rows come from, and the cells of the last one.
enum RowSource {
    Text { reader: Reader<Box<dyn Read>>, record: ByteRecord },
    Parquet { rows: Box<dyn Iterator<Item = io::Result<Vec<Cell<'static>>>>>, cells: Vec<Cell<'static>>, row: u64 },
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
            rows.width = record.len();
        }
        let places = schema.places(rows.width(), |column| rows.find(column))?;
        if schema.wants(Role::Feature) && places.iter().all(|(role, _)| *role != Role::Feature) {
            return Err(FileError::whole(path, "no column is left for the numbers of an example", ""));
        }
        let mut used = BTreeSet::new();
        let mut unshared = places.iter().filter(|(role, _)| !role.is_shared());
        if let Some((_, twice)) = unshared.find(|(_, place)| !used.insert(*place)) {
            return Err(FileError::whole(path, format!("column {} is used twice", rows.quoted(*twice)), ""));
        }
        rows.places = places;
        Ok(rows)
    }

    fn with(
        path: &Path,
        schema: &TableSchema<'_>,
        delimiter: u8,
        names: Option<Vec<String>>,
        cells: RowSource,
    ) -> Self {
        Self {
            path: path.to_owned(),
            width: names.as_ref().map_or(0, Vec::len),
            names,
            delimiter,
            places: Vec::new(),
            missing: schema.missing.clone(),
            limit: schema.limit,
            cells,
            is_first: false,
            spanning: Spanning::default(),
        }
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
            (rows.width, rows.names) = (names.len(), Some(names));
        }
        Ok(rows)
    }

    /// What the first lines told where the schema said nothing, for people; none where it said all.
    pub(super) fn recognized(&self, schema: &TableSchema<'_>) -> Option<String> {
        if self.is_typed() {
            return None;
        }
        let header = schema.header.is_none().then(|| match &self.names {
            Some(_) => "the first line holds names".to_owned(),
            None => "the first line holds data".to_owned(),
        });
        let delimiter = match self.delimiter {
            b' ' => "blanks".to_owned(),
            b'\t' => "tabulators".to_owned(),
            other => format!("`{}`", char::from(other)),
        };
        let unusual = schema.delimiter.is_none() && self.delimiter != b',';
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
        let row = Row(self);
        self.missing.iter().for_each(|missing| missing.note((0..row.width()).map(|index| row.text(index))));
        if let RowSource::Text { record, .. } = &self.cells {
            if record.len() != self.width {
                // As many as the first row has, which may be none of the table where it is one.
                let expected = match self.width {
                    1 => "1 field, as in the first row (comments and titles above a table are not skipped)".to_owned(),
                    many => format!("{many} fields"),
                };
                let line = self.line(record.position());
                return Err(FileError::content(self.path(), expected, record.len().to_string()).at(line));
            }
            if record.as_slice().iter().any(|byte| b"\n\r".contains(byte)) {
                self.spanning.rows += 1;
                self.spanning.first.get_or_insert_with(|| record.position().cloned().unwrap_or_else(Position::new));
            }
        }
        Ok(Some(Row(self)))
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
        let (path, delimiter) = (&self.path, self.delimiter);
        match &mut self.cells {
            RowSource::Text { reader, record } => {
                let more = reader.read_byte_record(record).map_err(|error| FileError::io(path)(error.into()))?;
                if !more || record == &[b"\0"][..] {
                    return Ok(false);
                }
                if record.iter().next_back().is_some_and(|cell| cell.ends_with(END)) {
                    let found = "a double quote begins a cell in this row, and is closed nowhere after it";
                    return Err(FileError::whole(path, found, "").at(line((path, delimiter), record.position())));
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
        let (rows, line) = (self.spanning.rows, self.line(Some(self.spanning.first.as_ref()?)));
        let place = format!("{}:{line}", self.path.display());
        Some(Caveat::LineBreaks { rows: rows.to_string(), place })
    }

    /// The file.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Position of a column.
    ///
    /// # Errors
    /// When there is no such column, or several.
    pub fn find(&self, column: &Column) -> Result<usize, FileError> {
        let unknown = |column: String, hint| FileError::unknown_column(&self.path, &column, hint);
        match (column, &self.names) {
            (Column::Index(index), _) if *index < self.width => Ok(*index),
            (Column::Index(index), _) => {
                Err(unknown(index.to_string(), format!("there are {}, numbered from 0", self.width)))
            }
            (Column::Name(name), None) => {
                Err(unknown(format!("`{name}`"), "the file is read without a header, use an index".to_owned()))
            }
            (Column::Name(name), Some(names)) => {
                let found: Vec<usize> = (0..names.len()).filter(|&index| names[index] == *name).collect();
                match found[..] {
                    [index] => Ok(index),
                    [] => {
                        let (hint, advice) = instead(name, names);
                        Err(unknown(format!("`{name}`"), hint).advise(advice))
                    }
                    _ => {
                        let text = format!("the header has {} columns `{name}`", found.len());
                        Err(FileError::whole(&self.path, text, "one").advise("its position from 0"))
                    }
                }
            }
        }
    }

    /// Positions of the columns with this role, in the order of the schema.
    pub fn places(&self, role: Role) -> Vec<usize> {
        self.places.iter().filter(|(assigned, _)| *assigned == role).map(|&(_, place)| place).collect()
    }

    /// Position of the first column with this role.
    pub fn place(&self, role: Role) -> Option<usize> {
        self.places(role).first().copied()
    }

    /// Whether the first line held names.
    pub fn has_header(&self) -> bool {
        self.names.is_some()
    }

    /// What separates the fields.
    pub fn delimiter(&self) -> char {
        char::from(self.delimiter)
    }

    /// The number of columns.
    pub fn width(&self) -> usize {
        self.width
    }

    /// Name of a column.
    pub fn title(&self, index: usize) -> String {
        self.names.as_ref().map_or_else(|| format!("column {index}"), |names| names[index].clone())
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

    /// A column in a message.
    pub(super) fn quoted(&self, index: usize) -> String {
        self.names.as_ref().map_or_else(|| index.to_string(), |names| format!("`{}`", names[index]))
    }

    /// Line of a row that was read before.
    pub(super) fn line(&self, position: Option<&Position>) -> u64 {
        match position {
            Some(position) if self.is_typed() => position.line(),
            position => line((&self.path, self.delimiter), position),
        }
    }

    /// Do cells know what they hold, as those of Parquet do?
    fn is_typed(&self) -> bool {
        matches!(self.cells, RowSource::Parquet { .. })
    }

    /// An error unless this many bytes of memory may be taken by what was read.
    ///
    /// # Errors
    /// Beyond the limit of the schema.
    pub fn room(&self, bytes: u64) -> Result<(), FileError> {
        self.limit.allows(bytes).map_err(FileError::io(self.path()))
    }
}

/// A row of a file.
#[derive(Clone, Copy)]
pub struct Row<'a>(&'a Rows);

impl<'a> Row<'a> {
    /// The number of its cells.
    pub fn width(&self) -> usize {
        match &self.0.cells {
            RowSource::Text { record, .. } => record.len(),
            RowSource::Parquet { cells, .. } => cells.len(),
        }
    }

    fn cell(&self, index: usize) -> Cell<'a> {
        match &self.0.cells {
            RowSource::Text { record, .. } => {
                Cell::Text(Cow::Borrowed(std::str::from_utf8(record[index].trim_ascii()).unwrap_or_default()))
            }
            RowSource::Parquet { cells, .. } => match &cells[index] {
                Cell::Number(number) => Cell::Number(*number),
                Cell::Text(text) => Cell::Text(Cow::Borrowed(text)),
            },
        }
    }

    /// The text of a cell without the blanks around it.
    pub fn text(&self, index: usize) -> Cow<'a, str> {
        self.cell(index).text()
    }

    /// The number of a cell, if it is a finite one.
    pub(super) fn finite(&self, index: usize) -> Option<f64> {
        self.cell(index).number().filter(|number| number.is_finite())
    }

    /// The finite number of a cell.
    ///
    /// # Errors
    /// When there is none.
    pub fn number(&self, index: usize) -> Result<f64, FileError> {
        let (cell, number) = (self.text(index), self.cell(index).number());
        match number {
            Some(value) if value.is_finite() => Ok(value),
            Some(_) => Err(self.refuse(index, "a finite number")),
            None if self.0.missing.is_some() && !cell.is_empty() && expected_instead_of(&cell) == "a number" => {
                Err(self.refuse(index, "a number, or a text of `missing_values`"))
            }
            None => Err(self.refuse(index, expected_instead_of(&cell))),
        }
    }

    /// The finite number of a feature, which may be a text where factors are allowed.
    pub(super) fn feature(&self, index: usize) -> Result<f64, FileError> {
        let cell = self.text(index);
        let is_number = is_missing(&cell) || self.cell(index).number().is_some();
        let is_word = !is_number && expected_instead_of(&cell) == "a number";
        if is_word { Err(self.refuse(index, NO_FACTOR)) } else { self.number(index) }
    }

    /// The text of a cell that must not be empty.
    pub(super) fn code(&self, index: usize) -> Result<Cow<'a, str>, FileError> {
        if self.is_nameless(index) { Err(self.refuse(index, "an integer or a text")) } else { Ok(self.text(index)) }
    }

    /// Whether a cell says that there is no value: it is empty, `NA` or alike, or the user says so.
    pub fn is_missing(&self, index: usize) -> bool {
        let text = self.text(index);
        is_missing(&text) || self.is_declared(&text)
    }

    /// The same of a class or a client, which may be called `NA`.
    pub fn is_nameless(&self, index: usize) -> bool {
        let text = self.text(index);
        text.is_empty() || self.is_declared(&text)
    }

    fn is_declared(&self, text: &str) -> bool {
        self.0.missing.as_ref().is_some_and(|missing| missing.is(text))
    }

    /// The error of a cell that is not what was expected.
    pub fn refuse(&self, index: usize, expected: &str) -> FileError {
        let text = self.text(index);
        let found = if text.is_empty() { "an empty cell".to_owned() } else { format!("`{text}`") };
        FileError::content(&self.0.path, expected, found).at(self.line()).column(self.quoted(index))
    }

    /// A column, for messages.
    pub fn quoted(&self, index: usize) -> String {
        self.0.quoted(index)
    }

    /// Its line in the file.
    pub fn line(&self) -> u64 {
        self.0.line(self.position().as_ref())
    }

    /// File and line, for messages.
    pub fn location(&self) -> String {
        format!("{}:{}", self.0.path.display(), self.line())
    }

    /// Position of the row in the file, for [`Rows::line`].
    pub(super) fn position(&self) -> Option<Position> {
        match &self.0.cells {
            RowSource::Text { record, .. } => record.position().cloned(),
            RowSource::Parquet { row, .. } => {
                let mut position = Position::new();
                position.set_line(row + 1);
                Some(position)
            }
        }
    }
}

/// What is expected where a feature is a text.
const NO_FACTOR: &str = "a number (texts: `factors: OneHot`, or leave the column out of `columns`)";

/// What is read after the end of a file. The zero byte, which [`packed::text`] refuses, is a row of its own, unless a
/// quote is open.
const END: &[u8] = b"\n\0";

/// The line on which a record starts. The reader's own count stops before skipped blank lines, so count again: this
/// happens once, for a message. A file that cannot be read again keeps the reader's count.
fn line((path, delimiter): (&Path, u8), position: Option<&Position>) -> u64 {
    let Some(position) = position else { return 1 };
    let Ok((sample, file)) = Sample::open(path, MemoryLimit::default()) else {
        return position.line();
    };
    let mut file = Blanks::new(Cursor::new(sample.bytes).chain(file), delimiter);
    let mut before = Vec::new();
    if file.by_ref().take(position.byte()).read_to_end(&mut before).is_err() {
        return position.line();
    }
    let blank = BufReader::new(file).bytes().map_while(Result::ok).take_while(|byte| b"\n\r".contains(byte));
    before.extend(blank);
    let mut lines = Lines::default();
    lines.pass(&before);
    1 + lines.ended as u64
}
