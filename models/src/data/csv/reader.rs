//! A text file of rows, plain or packed: its header, its rows checked for their width, and cells with errors that name
//! file, line and column.

use super::blanks::Blanks;
use super::cells::{Cell, is_missing, is_numeric, text};
use super::layout::{Layout, Sample, Unclear};
use super::missing::DeclaredMissing;
use super::settings::Columns;
use crate::data::error::{ColumnHint, FileError, shown};
use crate::data::packed::{self, Lines};
use crate::data::parquet::is_parquet;
use crate::data::set::DataSetError;
use crate::data::source::Remarks;
use ::csv::{ByteRecord, Position, Reader, ReaderBuilder};
use fedbits_spec::laws::Column;
use fedbits_spec::{Caveat, so_many};
use std::collections::{BTreeMap, BTreeSet};
use std::io::{self, BufReader, Cursor, Read};
use std::path::{Path, PathBuf};

/// An open file. Blank lines are skipped; spaces around a cell are ignored.
pub struct Rows {
    head: Head,
    reader: Reader<Box<dyn Read>>,
    record: ByteRecord,
    /// The record is the first one, which [`Rows::read`] has not returned yet.
    is_first: bool,
    spanning: Spanning,
}

/// Rows of more than one line.
#[derive(Default)]
struct Spanning {
    rows: u64,
    first: Option<Position>,
}

/// What is known of a file before its rows.
struct Head {
    path: PathBuf,
    names: Option<Vec<String>>,
    width: usize,
    delimiter: u8,
    /// What else stands for missing values, where a user can say so.
    missing: Option<DeclaredMissing>,
}

/// A row of a file.
#[derive(Clone, Copy)]
pub struct Row<'a> {
    head: &'a Head,
    record: &'a ByteRecord,
}

impl Rows {
    /// Opens a file and reads its first row, the names if it has a header. What the layout leaves open is told by the
    /// first lines.
    ///
    /// # Errors
    /// When it cannot be read, is no text, has no rows, or has numbers for names; when the delimiter is not ASCII; when
    /// the first lines do not tell the layout.
    pub fn open(path: &Path, layout: &Layout<'_>) -> Result<Self, FileError> {
        let path = path.to_owned();
        let (sample, file) = opened(&path).map_err(FileError::io(&path))?;
        let unclear = |why| unclear(why, &path);
        let no_byte = |_| FileError::io(&path)(std::io::Error::other("the delimiter is no ASCII character"));
        // The text of such a file is made with names and commas.
        let is_made = is_parquet(&path);
        let delimiter = match layout.delimiter {
            _ if is_made => b',',
            Some(delimiter) => u8::try_from(delimiter).map_err(no_byte)?,
            None => sample.delimiter(layout).map_err(unclear)?,
        };
        let header = layout.header.filter(|_| !is_made).or(is_made.then_some(true));
        let header = header.map_or_else(|| sample.header(delimiter, layout).map_err(unclear), Ok)?;
        let file: Box<dyn Read> = Box::new(Blanks::new(Cursor::new(sample.bytes).chain(file).chain(END), delimiter));
        // Own length check: it can name the line. Own header handling: names and data come from one record type.
        let mut reader = ReaderBuilder::new().has_headers(false).flexible(true).delimiter(delimiter).from_reader(file);
        let mut record = ByteRecord::new();
        let mut names = None;
        if header && next(&mut reader, &mut record, (&path, delimiter))? {
            names = Some(record.iter().map(text).collect::<Vec<_>>());
        }
        if let Some(names) = names.as_ref().filter(|names| are_data(names) && !layout.is_in(names)) {
            return Err(FileError::NumbersForNames { path, first: names[0].clone() });
        }
        if !next(&mut reader, &mut record, (&path, delimiter))? {
            let expected = if header { "at least one row after the header" } else { "at least one row" };
            return Err(FileError::Empty { path, expected });
        }
        let width = names.as_ref().map_or(record.len(), Vec::len);
        Ok(Self {
            head: Head { path, names, width, delimiter, missing: layout.missing.clone() },
            reader,
            record,
            is_first: true,
            spanning: Spanning::default(),
        })
    }

    /// What the first lines told where the layout said nothing, for people; none where it said all.
    pub(super) fn recognized(&self, layout: &Layout<'_>) -> Option<String> {
        let is_made = is_parquet(&self.head.path);
        let header = (layout.header.is_none() && !is_made).then(|| match &self.head.names {
            Some(_) => "the first line holds names".to_owned(),
            None => "the first line holds data".to_owned(),
        });
        let delimiter = match self.head.delimiter {
            b' ' => "blanks".to_owned(),
            b'\t' => "tabulators".to_owned(),
            other => format!("`{}`", char::from(other)),
        };
        let unusual = layout.delimiter.is_none() && self.head.delimiter != b',';
        let found: Vec<String> =
            header.into_iter().chain(unusual.then(|| format!("{delimiter} separate the fields"))).collect();
        (!found.is_empty()).then(|| found.join(", "))
    }

    /// The next row; none at the end, where it remarks what is to be said of the file.
    ///
    /// # Errors
    /// When the file cannot be read, a quote is not closed, or the row has another number of fields than the first.
    pub fn read(&mut self, remarks: &Remarks) -> Result<Option<Row<'_>>, FileError> {
        let place = (self.head.path.as_path(), self.head.delimiter);
        if !std::mem::take(&mut self.is_first) && !next(&mut self.reader, &mut self.record, place)? {
            self.caveat().into_iter().for_each(|caveat| remarks.caveat(caveat));
            return Ok(None);
        }
        self.head.missing.iter().for_each(|missing| missing.note(&self.record));
        let (row, expected) = (Row { head: &self.head, record: &self.record }, self.head.width);
        if row.record.len() == expected {
            if row.record.as_slice().iter().any(|byte| b"\n\r".contains(byte)) {
                self.spanning.rows += 1;
                self.spanning.first.get_or_insert_with(|| row.record.position().cloned().unwrap_or_else(Position::new));
            }
            return Ok(Some(row));
        }
        let (path, line, found) = (self.head.path.clone(), self.head.line(row.record.position()), row.record.len());
        Err(FileError::Ragged { path, line, expected, found })
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

    /// Positions of columns.
    pub(super) fn find_all(&self, columns: &[Column]) -> Result<Vec<usize>, FileError> {
        columns.iter().map(|column| self.find(column)).collect()
    }

    /// Positions of the chosen columns, at least one and all different from each other and from those in use already.
    pub(super) fn select(&self, columns: &Columns, used: &[Option<usize>]) -> Result<Vec<usize>, FileError> {
        let chosen = match columns {
            Columns::All => (0..self.head.width).filter(|&index| !used.contains(&Some(index))).collect(),
            Columns::Columns(columns) => self.find_all(columns)?,
        };
        if chosen.is_empty() {
            return Err(FileError::NoColumns { path: self.path().to_owned() });
        }
        self.check_distinct(chosen.iter().chain(used.iter().flatten()).copied().collect())?;
        Ok(chosen)
    }

    /// An error when two of the columns are one.
    pub(super) fn check_distinct(&self, mut used: Vec<usize>) -> Result<(), FileError> {
        used.sort_unstable();
        match used.windows(2).find(|pair| pair[0] == pair[1]) {
            Some(pair) => Err(FileError::Twice { path: self.path().to_owned(), column: self.head.quoted(pair[0]) }),
            None => Ok(()),
        }
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
            if let Some(first) = places.insert(self.title(second), second) {
                let (path, name) = (self.path().to_owned(), self.title(second));
                return Err(FileError::SameName { path, name, first, second });
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
    /// [`FileError::Io`] beyond the limit of [`packed::limit`].
    pub fn room(&self, bytes: u64) -> Result<(), FileError> {
        packed::room(bytes).map_err(FileError::io(self.path()))
    }

    /// The error of a table that is no data set.
    pub(super) fn no_data_set(&self, source: DataSetError) -> FileError {
        FileError::DataSet { path: self.path().to_owned(), source }
    }
}

impl Head {
    fn find(&self, column: &Column) -> Result<usize, FileError> {
        let unknown = |column, hint| FileError::UnknownColumn { path: self.path.clone(), column, hint };
        match (column, &self.names) {
            (Column::Index(index), _) if *index < self.width => Ok(*index),
            (Column::Index(index), _) => {
                let there = format!("there are {}, numbered from 0", self.width);
                Err(unknown(index.to_string(), ColumnHint::Other(there)))
            }
            (Column::Name(name), None) => {
                let why = "the file is read without a header, use an index".to_owned();
                Err(unknown(format!("`{name}`"), ColumnHint::Other(why)))
            }
            (Column::Name(name), Some(names)) => {
                let found: Vec<usize> = (0..names.len()).filter(|&index| names[index] == *name).collect();
                match found[..] {
                    [index] => Ok(index),
                    [] => Err(unknown(format!("`{name}`"), nearest(name, names))),
                    _ => {
                        let (path, name) = (self.path.clone(), name.clone());
                        Err(FileError::Ambiguous { path, name, count: found.len() })
                    }
                }
            }
        }
    }

    /// A column in a message.
    fn quoted(&self, index: usize) -> String {
        self.names.as_ref().map_or_else(|| index.to_string(), |names| format!("`{}`", names[index]))
    }

    fn line(&self, position: Option<&Position>) -> u64 {
        line((&self.path, self.delimiter), position)
    }
}

/// The beginning of a file, and what follows it.
fn opened(path: &Path) -> io::Result<(Sample, Box<dyn Read>)> {
    let mut file = packed::text(path)?;
    Ok((Sample::read(&mut file)?, file))
}

/// What is read after the end of a file. The zero byte, which [`packed::text`] refuses, is a row of its own, unless a
/// quote is open.
const END: &[u8] = b"\n\0";

/// Reads the next row of the file with this path and delimiter; false at its end.
fn next(
    reader: &mut Reader<Box<dyn Read>>,
    record: &mut ByteRecord,
    (path, delimiter): (&Path, u8),
) -> Result<bool, FileError> {
    if !reader.read_byte_record(record).map_err(|error| FileError::io(path)(error.into()))? || record == &[b"\0"][..] {
        return Ok(false);
    }
    if record.iter().next_back().is_some_and(|cell| cell.ends_with(END)) {
        return Err(FileError::OpenQuote { path: path.to_owned(), line: line((path, delimiter), record.position()) });
    }
    Ok(true)
}

/// The line on which a record starts. The reader's own count stops before skipped blank lines, so count again: this
/// happens once, for a message. A file that cannot be read again keeps the reader's count.
fn line((path, delimiter): (&Path, u8), position: Option<&Position>) -> u64 {
    let Some(position) = position else { return 1 };
    let Ok((sample, file)) = opened(path) else {
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

impl Row<'_> {
    /// The number of its cells.
    pub fn width(&self) -> usize {
        self.record.len()
    }

    /// The text of a cell without the spaces around it.
    pub fn text(&self, index: usize) -> String {
        text(&self.record[index])
    }

    /// The number of a cell, if it is a finite one.
    pub(super) fn finite(&self, index: usize) -> Option<f64> {
        let number = std::str::from_utf8(self.record[index].trim_ascii()).ok()?.parse::<f64>().ok()?;
        number.is_finite().then_some(number)
    }

    /// The finite number of a cell.
    ///
    /// # Errors
    /// [`FileError::Cell`].
    pub fn number(&self, index: usize) -> Result<f64, FileError> {
        let cell = self.record[index].trim_ascii();
        match std::str::from_utf8(cell).ok().and_then(|text| text.parse::<f64>().ok()) {
            Some(value) if value.is_finite() => Ok(value),
            Some(_) => Err(self.refuse(index, "a finite number")),
            None if self.head.missing.is_some() && !cell.is_empty() && expected_instead_of(cell) == "a number" => {
                Err(self.refuse(index, "a number, or a text of `missing_values`"))
            }
            None => Err(self.refuse(index, expected_instead_of(cell))),
        }
    }

    /// The finite number of a feature, which may be a text where factors are allowed.
    pub(super) fn feature(&self, index: usize) -> Result<f64, FileError> {
        let cell = self.record[index].trim_ascii();
        let is_word = Cell::of(&text(cell)) == Cell::Text && expected_instead_of(cell) == "a number";
        if is_word { Err(self.refuse(index, NO_FACTOR)) } else { self.number(index) }
    }

    /// The text of a cell that must not be empty.
    pub(super) fn code(&self, index: usize) -> Result<&str, FileError> {
        match std::str::from_utf8(self.record[index].trim_ascii()) {
            Ok(text) if !text.is_empty() && !self.is_declared(text) => Ok(text),
            _ => Err(self.refuse(index, "an integer or a text")),
        }
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
        self.head.missing.as_ref().is_some_and(|missing| missing.is(text))
    }

    /// The error of a cell that is not what was expected.
    pub fn refuse(&self, index: usize, expected: &str) -> FileError {
        let text = self.text(index);
        let found = if text.is_empty() { "an empty cell".to_owned() } else { format!("`{text}`") };
        let (path, line) = (self.head.path.clone(), self.head.line(self.record.position()));
        FileError::Cell { path, line, column: self.quoted(index), expected: expected.to_owned(), found }
    }

    /// A column, for messages.
    pub fn quoted(&self, index: usize) -> String {
        self.head.quoted(index)
    }

    /// File and line.
    pub fn place(&self) -> (PathBuf, u64) {
        (self.head.path.clone(), self.head.line(self.record.position()))
    }

    /// File and line, for messages.
    pub fn location(&self) -> String {
        format!("{}:{}", self.head.path.display(), self.head.line(self.record.position()))
    }

    /// Position of the row in the file, for [`Rows::line`].
    pub(super) fn position(&self) -> Option<Position> {
        self.record.position().cloned()
    }
}

/// The error of a layout that the first lines do not tell.
fn unclear(why: Unclear, path: &Path) -> FileError {
    let path = path.to_owned();
    match why {
        Unclear::Header(first) => FileError::Header { path, first },
        Unclear::Delimiter(found) => {
            let each: Vec<String> = found
                .iter()
                .map(|(delimiter, fields)| format!("{delimiter:?} ({})", so_many(fields, "field")))
                .collect();
            FileError::Delimiter { path, found: each.join(" or "), example: found[0].0 }
        }
    }
}

/// What is expected where a feature is a text.
const NO_FACTOR: &str = "a number (texts: `factors: OneHot`, or leave the column out of `columns`)";

/// Numbers alone are no names, unless they number the columns.
fn are_data(names: &[String]) -> bool {
    let numbers = !names.is_empty() && names.iter().all(|name| name.parse::<f64>().is_ok());
    let distinct: BTreeSet<&String> = names.iter().collect();
    numbers && (distinct.len() < names.len() || names.iter().any(|name| name.parse::<u64>().is_err()))
}

/// What a number should look like, for what is none: files come with other delimiters and other ways to write numbers.
fn expected_instead_of(cell: &[u8]) -> &'static str {
    if cell.iter().any(|byte| b";|\t".contains(byte)) {
        "a number (has the file another `delimiter`?)"
    } else if is_numeric(&text(cell)) {
        "a number with a decimal point and without separators of thousands"
    } else {
        "a number"
    }
}

/// The name that differs least, if any is near, else all names.
fn nearest(name: &str, names: &[String]) -> ColumnHint {
    let distance = |other: &String| strsim::damerau_levenshtein(&name.to_lowercase(), &other.to_lowercase());
    match names.iter().min_by_key(|other| distance(other)) {
        Some(other) if distance(other) <= name.chars().count().max(3) / 2 => {
            ColumnHint::Other(format!("did you mean `{other}`?"))
        }
        _ if names.iter().any(|name| name.parse::<f64>().is_ok()) => ColumnHint::FirstLine(shown(names, 0)),
        _ => ColumnHint::Other(format!("there are {}", shown(names, 0))),
    }
}
