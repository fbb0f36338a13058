//! A row of a table: its cells as numbers and texts, with errors that name file, line and column.

use super::blanks::Blanks;
use super::cells::{is_missing, is_numeric};
use super::layout::Sample;
use super::missing::DeclaredMissing;
use super::schema::Role;
use crate::data::error::shown;
use crate::data::packed::Lines;
use crate::data::{FileError, MemoryLimit};
use ::csv::{ByteRecord, Position, Reader};
use fedbits_spec::laws::Column;
use std::borrow::Cow;
use std::collections::BTreeSet;
use std::io::{self, BufReader, Cursor, Read};
use std::path::{Path, PathBuf};

/// What is known of a file before its rows.
pub(super) struct Head {
    pub(super) path: PathBuf,
    pub(super) names: Option<Vec<String>>,
    pub(super) width: usize,
    pub(super) delimiter: u8,
    /// Whether cells know what they hold, as those of Parquet do.
    pub(super) is_typed: bool,
    /// Where the columns of each role stand.
    pub(super) places: Vec<(Role, usize)>,
    /// What else stands for missing values, where a user can say so.
    pub(super) missing: Option<DeclaredMissing>,
    pub(super) limit: MemoryLimit,
}

/// Where rows come from, and the cells of the last one.
pub(super) enum RowSource {
    Text { reader: Reader<Box<dyn Read>>, record: ByteRecord },
    Parquet { rows: Box<dyn Iterator<Item = io::Result<Vec<Cell<'static>>>>>, cells: Vec<Cell<'static>>, row: u64 },
}

/// A row of a file.
#[derive(Clone, Copy)]
pub struct Row<'a> {
    pub(super) head: &'a Head,
    pub(super) cells: &'a RowSource,
}

impl Head {
    pub(super) fn find(&self, column: &Column) -> Result<usize, FileError> {
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

    /// A column in a message.
    pub(super) fn quoted(&self, index: usize) -> String {
        self.names.as_ref().map_or_else(|| index.to_string(), |names| format!("`{}`", names[index]))
    }

    pub(super) fn line(&self, position: Option<&Position>) -> u64 {
        match position {
            Some(position) if self.is_typed => position.line(),
            position => line((&self.path, self.delimiter), position),
        }
    }
}

/// The line on which a record starts. The reader's own count stops before skipped blank lines, so count again: this
/// happens once, for a message. A file that cannot be read again keeps the reader's count.
pub(super) fn line((path, delimiter): (&Path, u8), position: Option<&Position>) -> u64 {
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

impl<'a> Row<'a> {
    /// The number of its cells.
    pub fn width(&self) -> usize {
        match self.cells {
            RowSource::Text { record, .. } => record.len(),
            RowSource::Parquet { cells, .. } => cells.len(),
        }
    }

    fn cell(&self, index: usize) -> Cell<'a> {
        match self.cells {
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
            None if self.head.missing.is_some() && !cell.is_empty() && expected_instead_of(&cell) == "a number" => {
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
        self.head.missing.as_ref().is_some_and(|missing| missing.is(text))
    }

    /// The error of a cell that is not what was expected.
    pub fn refuse(&self, index: usize, expected: &str) -> FileError {
        let text = self.text(index);
        let found = if text.is_empty() { "an empty cell".to_owned() } else { format!("`{text}`") };
        FileError::content(&self.head.path, expected, found).at(self.line()).column(self.quoted(index))
    }

    /// A column, for messages.
    pub fn quoted(&self, index: usize) -> String {
        self.head.quoted(index)
    }

    /// Its line in the file.
    pub fn line(&self) -> u64 {
        self.head.line(self.position().as_ref())
    }

    /// File and line, for messages.
    pub fn location(&self) -> String {
        format!("{}:{}", self.head.path.display(), self.line())
    }

    /// Position of the row in the file, for [`Rows::line`].
    pub(super) fn position(&self) -> Option<Position> {
        match self.cells {
            RowSource::Text { record, .. } => record.position().cloned(),
            RowSource::Parquet { row, .. } => {
                let mut position = Position::new();
                position.set_line(row + 1);
                Some(position)
            }
        }
    }
}

/// A cell: a number, or a text without the blanks around it, which is empty where there is nothing.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Cell<'a> {
    #[cfg_attr(not(feature = "parquet"), expect(dead_code, reason = "only Parquet files have such cells"))]
    Number(f64),
    Text(Cow<'a, str>),
}

impl<'a> Cell<'a> {
    /// The number that it is, or that stands there, finite or not.
    fn number(&self) -> Option<f64> {
        match self {
            Self::Number(number) => Some(*number),
            Self::Text(text) => text.parse().ok(),
        }
    }

    /// What stands there; numbers so that they are read back as the same.
    pub(super) fn text(self) -> Cow<'a, str> {
        match self {
            Self::Number(number) => Cow::Owned(number.to_string()),
            Self::Text(text) => text,
        }
    }
}

/// What is expected where a feature is a text.
const NO_FACTOR: &str = "a number (texts: `factors: OneHot`, or leave the column out of `columns`)";

/// Numbers alone are no names, unless they number the columns.
pub(super) fn are_data(names: &[String]) -> bool {
    let numbers = !names.is_empty() && names.iter().all(|name| name.parse::<f64>().is_ok());
    let distinct: BTreeSet<&String> = names.iter().collect();
    numbers && (distinct.len() < names.len() || names.iter().any(|name| name.parse::<u64>().is_err()))
}

/// What a number should look like, for what is none: files come with other delimiters and other ways to write numbers.
fn expected_instead_of(cell: &str) -> &'static str {
    if cell.contains([';', '|', '\t']) {
        "a number (has the file another `delimiter`?)"
    } else if is_numeric(cell) {
        "a number with a decimal point and without separators of thousands"
    } else {
        "a number"
    }
}

/// The name that differs least, if any is near, else all names; and advice where they are numbers.
fn instead(name: &str, names: &[String]) -> (String, &'static str) {
    let distance = |candidate: &String| strsim::damerau_levenshtein(&name.to_lowercase(), &candidate.to_lowercase());
    let near = names.iter().min_by_key(|candidate| distance(candidate));
    if let Some(near) = near.filter(|near| distance(near) <= name.chars().count().max(3) / 2) {
        return (format!("did you mean `{near}`?"), "");
    }
    if names.iter().any(|name| name.parse::<f64>().is_ok()) {
        let hint = format!("expected a first line with the names of the columns, found {}", shown(names, 0));
        return (hint, "columns of a file without names are known by their positions from 0");
    }
    (format!("there are {}", shown(names, 0)), "")
}
