//! Which field of a row is what, and rows checked against it: all that can be wrong in a row is found here.
//!
//! It must not know how the file was opened.

use super::{Column, Columns, CsvError, CsvOptions, Table};
use ::csv::ByteRecord;
use std::io::{BufReader, Read};
use std::path::Path;

/// The text of a cell without the spaces around it.
pub(super) fn cell_text(cell: &[u8]) -> String {
    String::from_utf8_lossy(cell.trim_ascii()).into_owned()
}

/// Which field is what.
pub(super) struct Layout<'a> {
    path: &'a Path,
    names: Option<Vec<String>>,
    width: usize,
    pub(super) numbers: Vec<usize>,
    pub(super) label: Option<usize>,
    pub(super) client: Option<usize>,
}

impl<'a> Layout<'a> {
    pub(super) fn new(
        path: &'a Path,
        options: &CsvOptions,
        names: Option<Vec<String>>,
        width: usize,
    ) -> Result<Self, CsvError> {
        let mut layout = Self { path, names, width, numbers: Vec::new(), label: None, client: None };
        layout.label = options.label.as_ref().map(|column| layout.find(column)).transpose()?;
        layout.client = options.client.as_ref().map(|column| layout.find(column)).transpose()?;
        let taken = [layout.label, layout.client];
        layout.numbers = match &options.columns {
            Columns::AllOthers => (0..width).filter(|&index| !taken.contains(&Some(index))).collect(),
            Columns::These(columns) => columns.iter().map(|column| layout.find(column)).collect::<Result<_, _>>()?,
        };
        if layout.numbers.is_empty() {
            return Err(CsvError::NoColumns { path: path.to_owned() });
        }
        layout.check_distinct(layout.numbers.iter().copied().chain(layout.label).chain(layout.client).collect())?;
        Ok(layout)
    }

    /// An error when two of the fields are one.
    pub(super) fn check_distinct(&self, mut used: Vec<usize>) -> Result<(), CsvError> {
        used.sort_unstable();
        match used.windows(2).find(|pair| pair[0] == pair[1]) {
            Some(pair) => Err(CsvError::Twice { path: self.path.to_owned(), column: self.quoted(pair[0]) }),
            None => Ok(()),
        }
    }

    pub(super) fn find(&self, column: &Column) -> Result<usize, CsvError> {
        let unknown = |column, hint| CsvError::UnknownColumn { path: self.path.to_owned(), column, hint };
        match (column, &self.names) {
            (Column::Index(index), _) if *index < self.width => Ok(*index),
            (Column::Index(index), _) => {
                Err(unknown(index.to_string(), format!(": there are {}, numbered from 0", self.width)))
            }
            (Column::Name(name), None) => {
                Err(unknown(format!("`{name}`"), ": the file is read without a header, use an index".to_owned()))
            }
            (Column::Name(name), Some(names)) => {
                let found: Vec<usize> = (0..names.len()).filter(|&index| names[index] == *name).collect();
                match found[..] {
                    [index] => Ok(index),
                    [] => Err(unknown(format!("`{name}`"), nearest(name, names))),
                    _ => {
                        let (path, name) = (self.path.to_owned(), name.clone());
                        Err(CsvError::Ambiguous { path, name, count: found.len() })
                    }
                }
            }
        }
    }

    /// Name of a column in the data set.
    pub(super) fn title(&self, index: usize) -> String {
        self.names.as_ref().map_or_else(|| format!("column {index}"), |names| names[index].clone())
    }

    /// A column in a message.
    fn quoted(&self, index: usize) -> String {
        self.names.as_ref().map_or_else(|| index.to_string(), |names| format!("`{}`", names[index]))
    }

    pub(super) fn read_row(&self, record: &ByteRecord, table: &mut Table) -> Result<(), CsvError> {
        self.check_width(record)?;
        for &index in &self.numbers {
            table.rows.push(self.number(record, index)?);
        }
        for (column, codes) in [(self.label, &mut table.labels), (self.client, &mut table.clients)] {
            if let Some(index) = column {
                codes.push(self.code(record, index)?);
            }
        }
        Ok(())
    }

    pub(super) fn path(&self) -> &Path {
        self.path
    }

    pub(super) fn check_width(&self, record: &ByteRecord) -> Result<(), CsvError> {
        if record.len() == self.width {
            return Ok(());
        }
        let (line, path) = (self.line(record), self.path.to_owned());
        Err(CsvError::Ragged { path, line, expected: self.width, found: record.len() })
    }

    pub(super) fn number(&self, record: &ByteRecord, index: usize) -> Result<f64, CsvError> {
        let cell = record[index].trim_ascii();
        match std::str::from_utf8(cell).ok().and_then(|text| text.parse::<f64>().ok()) {
            Some(value) if value.is_finite() => Ok(value),
            Some(_) => Err(self.cell(record, index, "a finite number")),
            None => Err(self.cell(record, index, expected_instead_of(cell))),
        }
    }

    pub(super) fn code<'r>(&self, record: &'r ByteRecord, index: usize) -> Result<&'r str, CsvError> {
        match std::str::from_utf8(record[index].trim_ascii()) {
            Ok(text) if !text.is_empty() => Ok(text),
            _ => Err(self.cell(record, index, "an integer or a text")),
        }
    }

    pub(super) fn cell(&self, record: &ByteRecord, index: usize, expected: &'static str) -> CsvError {
        let text = cell_text(&record[index]);
        let found = if text.is_empty() { "an empty cell".to_owned() } else { format!("`{text}`") };
        let (line, path, column) = (self.line(record), self.path.to_owned(), self.quoted(index));
        CsvError::Cell { path, line, column, expected, found }
    }

    /// The line on which a record starts. The reader's own count stops before skipped blank lines, so count again: this
    /// happens once, for a message. A file that cannot be read again keeps the reader's count.
    pub(super) fn line(&self, record: &ByteRecord) -> u64 {
        let Some(position) = record.position() else { return 1 };
        let Ok(mut file) = super::text(self.path) else {
            return position.line();
        };
        let mut before = Vec::new();
        if file.by_ref().take(position.byte()).read_to_end(&mut before).is_err() {
            return position.line();
        }
        let blank =
            BufReader::new(file).bytes().map_while(Result::ok).take_while(|&byte| byte == b'\n' || byte == b'\r');
        1 + before.into_iter().chain(blank).filter(|&byte| byte == b'\n').count() as u64
    }
}

/// What a number should look like, for what is none: files come with other delimiters and other ways to write numbers.
fn expected_instead_of(cell: &[u8]) -> &'static str {
    if cell.iter().any(|byte| b";|\t".contains(byte)) {
        "a number (has the file another `delimiter`?)"
    } else if cell.contains(&b',') {
        "a number with a decimal point and without separators of thousands"
    } else {
        "a number"
    }
}

/// The name that differs least, if any is near, else all names.
fn nearest(name: &str, names: &[String]) -> String {
    let distance = |other: &String| strsim::damerau_levenshtein(&name.to_lowercase(), &other.to_lowercase());
    match names.iter().min_by_key(|other| distance(other)) {
        Some(other) if distance(other) <= name.chars().count().max(3) / 2 => format!(": did you mean `{other}`?"),
        _ => format!(": there are `{}`", names.join("`, `")),
    }
}
