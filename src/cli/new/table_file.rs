//! A table of a user's: its delimiter, its header, and what stands in its columns.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use fedbits_models::data::csv::{Columns, Layout, Row, Rows};
use fedbits_models::data::{FileError, Remarks};

/// Rows that are looked at; of longer tables the first.
pub(super) const ROWS: u64 = 200_000;
/// Different values of a column that are told apart.
const DISTINCT: usize = 1_000;

/// What a table holds.
#[derive(Debug)]
pub(super) struct TableFile {
    pub(super) delimiter: char,
    pub(super) header: bool,
    pub(super) columns: Vec<ColumnFacts>,
    pub(super) rows: u64,
    /// Files that were looked at.
    pub(super) files: u64,
    /// Whether there are more rows than were looked at.
    pub(super) cut: bool,
}

/// What stands in a column.
#[derive(Clone, Debug, Default)]
pub(super) struct ColumnFacts {
    pub(super) name: String,
    /// Its position, from 0.
    pub(super) index: usize,
    /// Cells that are finite numbers, whole numbers, and empty or marked as missing.
    pub(super) numbers: u64,
    pub(super) integers: u64,
    pub(super) missing: u64,
    /// Of the missing ones those that are empty, and the first that says so by a word: a class or a client may be
    /// called like that.
    pub(super) empty: u64,
    pub(super) mark: Option<String>,
    /// Of the numbers: their mean, and the sum of squares around it.
    pub(super) mean: f64,
    squares: f64,
    /// The first cell that is neither a number nor missing, and where it is.
    pub(super) first_text: Option<(String, String)>,
    /// The same of a number that is infinite or too large.
    pub(super) first_infinite: Option<(String, String)>,
    /// How often each value stands there; none when there are too many.
    pub(super) values: Option<BTreeMap<String, u64>>,
    /// Whether each value is the one before and one more, as in a column that numbers the rows, or begins a file as the
    /// first value began the first.
    pub(super) counts_up: bool,
    first: Option<f64>,
    last: Option<f64>,
}

impl ColumnFacts {
    fn new(index: usize, name: String) -> Self {
        Self { index, name, values: Some(BTreeMap::new()), counts_up: true, ..Self::default() }
    }

    fn note(&mut self, row: &Row<'_>, begins_file: bool) {
        if row.is_missing(self.index) {
            self.missing += 1;
            self.counts_up = false;
            match row.text(self.index) {
                empty if empty.is_empty() => self.empty += 1,
                mark => _ = self.mark.get_or_insert(mark),
            }
            return;
        }
        let cell = row.text(self.index);
        let parsed = cell.parse::<f64>().ok();
        let number = parsed.filter(|value| value.is_finite());
        if let Some(value) = number {
            self.numbers += 1;
            let before = value - self.mean;
            self.mean += before / self.numbers as f64;
            self.squares += before * (value - self.mean);
        }
        self.integers += u64::from(number.is_some_and(|value| libm::trunc(value) == value));
        self.counts_up &= match (number, self.last) {
            (Some(value), Some(last)) => value == last + 1.0 || begins_file && Some(value) == self.first,
            (value, None) => value.is_some(),
            (None, Some(_)) => false,
        };
        self.first = self.first.or(number);
        self.last = number;
        if number.is_none() {
            let first = if parsed.is_some() { &mut self.first_infinite } else { &mut self.first_text };
            first.get_or_insert_with(|| (row.location(), shortened(&cell)));
        }
        if let Some(values) = &mut self.values {
            *values.entry(cell).or_default() += 1;
        }
        self.values = self.values.take().filter(|values| values.len() <= DISTINCT);
    }

    /// The standard deviation of its numbers; 0 without any.
    pub(super) fn deviation(&self) -> f64 {
        (self.squares / self.numbers.max(1) as f64).sqrt()
    }

    /// What it is called in messages.
    pub(super) fn title(&self) -> String {
        if self.name.is_empty() { format!("column {}", self.index) } else { self.name.clone() }
    }

    /// Whether it holds names or whole numbers, in most of these rows: what classes and clients are written as.
    pub(super) fn is_code(&self, rows: u64) -> bool {
        2 * self.missing <= rows
            && self.first_infinite.is_none()
            && (self.first_text.is_some() || self.integers == self.numbers)
    }

    /// The number of different values, where it was counted.
    pub(super) fn distinct(&self) -> Option<usize> {
        self.values.as_ref().map(BTreeMap::len)
    }
}

/// Looks at tables with the same columns; `header` and `delimiter` are recognized where nothing is said.
///
/// # Errors
/// A file that cannot be read, is no text, has rows of different lengths, or whose first lines do not tell its layout;
/// a file with other columns than the first.
pub(super) fn look(paths: &[PathBuf], header: Option<bool>, delimiter: Option<char>) -> Result<TableFile, FileError> {
    let mut table: Option<TableFile> = None;
    for path in paths {
        let mut file = Rows::open(path, &Layout::new(header, delimiter).choice(&Columns::All))?;
        let titles: Vec<String> = (0..file.width()).map(|index| file.title(index)).collect();
        let table = table.get_or_insert_with(|| TableFile::new(&file, &titles));
        let expected: Vec<String> = table.columns.iter().map(|column| column.name.clone()).collect();
        if titles != expected {
            return Err(FileError::other_columns(path, &paths[0], &expected, &titles));
        }
        table.note(&mut file)?;
    }
    let nothing = || FileError::Empty { path: paths.first().cloned().unwrap_or_default(), expected: "a table" };
    table.ok_or_else(nothing)
}

impl TableFile {
    fn new(file: &Rows, titles: &[String]) -> Self {
        let columns = titles.iter().enumerate().map(|(index, title)| ColumnFacts::new(index, title.clone())).collect();
        Self { delimiter: file.delimiter(), header: file.has_header(), columns, rows: 0, files: 0, cut: false }
    }

    fn note(&mut self, file: &mut Rows) -> Result<(), FileError> {
        let before = self.rows;
        self.files += 1;
        while let Some(row) = file.read(&Remarks::default())? {
            if self.rows >= ROWS {
                self.cut = true;
                break;
            }
            self.rows += 1;
            let begins_file = self.rows == before + 1;
            self.columns.iter_mut().for_each(|column| column.note(&row, begins_file));
        }
        Ok(())
    }
}

/// Whether no two rows have the same in two columns.
pub(super) fn tells_apart(path: &Path, table: &TableFile, (one, other): (usize, usize)) -> bool {
    let layout = Layout::new(Some(table.header), Some(table.delimiter)).choice(&Columns::All);
    let Ok(mut file) = Rows::open(path, &layout) else { return false };
    let mut seen = BTreeSet::new();
    for _ in 0..table.rows {
        match file.read(&Remarks::default()) {
            Ok(Some(row)) if seen.insert((row.text(one), row.text(other))) => {}
            _ => return false,
        }
    }
    true
}

/// The beginning of a cell, for messages.
fn shortened(cell: &str) -> String {
    const SHOWN: usize = 30;
    if cell.chars().count() <= SHOWN { cell.to_owned() } else { cell.chars().take(SHOWN).chain(['…']).collect() }
}
