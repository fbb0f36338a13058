//! A table of a user's: its delimiter, its header, what stands in its columns, and how the names of these are listed.

use fedbits_models::data::csv::{Columns, DeclaredMissing, Role, Row, Rows, TableSchema, is_numeric};
use fedbits_models::data::{FileError, Remarks};
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

/// Rows that are looked at; of longer tables the first.
pub(super) const ROWS: u64 = 200_000;
/// Different values of a column that are told apart.
const DISTINCT: usize = 1_000;

/// Different texts among numbers that are told apart.
pub(super) const ODD_TEXTS: usize = 4;
/// What is written for missing values where there is nothing but numbers.
const CODES: [f64; 6] = [-9.0, -99.0, -999.0, -9999.0, -99999.0, -999999.0];

#[derive(Debug)]
pub(super) struct TableFile {
    pub(super) delimiter: char,
    pub(super) header: bool,
    /// Texts that stand for missing values, as the user says.
    pub(super) missing_values: Vec<String>,
    pub(super) columns: Vec<ColumnFacts>,
    pub(super) rows: u64,
    pub(super) files: u64,
    pub(super) cut: bool,
    /// Names that several columns have.
    repeated: BTreeSet<String>,
}

#[derive(Clone, Debug, Default)]
pub(super) struct ColumnFacts {
    pub(super) name: String,
    /// Its position, from 0.
    pub(super) index: usize,
    /// Cells that are finite numbers, whole numbers, and empty or marked as missing.
    pub(super) numbers: u64,
    pub(super) integers: u64,
    pub(super) missing: u64,
    /// Of the missing ones those that are empty or declared, and the first that says so by a word: a class or a client
    /// may be called like that.
    pub(super) empty: u64,
    pub(super) mark: Option<String>,
    /// Of the numbers: their mean, and the sum of squares around it.
    pub(super) mean: f64,
    squares: f64,
    /// The first cell that is neither a finite number nor missing, and where it is.
    pub(super) first_odd: Option<(String, String)>,
    /// How many of these there are, and of them those that are numbers with a decimal comma or separators of thousands.
    pub(super) odd: u64,
    pub(super) written: u64,
    pub(super) odd_texts: BTreeSet<String>,
    /// Whether one of them is an infinite number, or one that is too large.
    infinite: bool,
    /// Numbers below 0, and of them those that often stand for missing values, with the first of them.
    pub(super) negative: u64,
    pub(super) coded: u64,
    pub(super) code: Option<String>,
    /// How often each value stands there; none when there are too many.
    pub(super) values: Option<BTreeMap<String, u64>>,
    /// Whether each value is the one before and one more, as in a column that numbers the rows, or begins a file as the
    /// first value began the first.
    pub(super) counts_up: bool,
    first: Option<f64>,
    last: Option<f64>,
    /// Whether the user says that it is not used.
    pub(super) left_out: bool,
}

impl ColumnFacts {
    fn new(index: usize, name: String) -> Self {
        Self { index, name, values: Some(BTreeMap::new()), counts_up: true, ..Self::default() }
    }

    fn note(&mut self, row: &Row<'_>, begins_file: bool) {
        if row.is_missing(self.index) {
            self.missing += 1;
            self.counts_up = false;
            if row.is_nameless(self.index) {
                self.empty += 1;
            } else {
                self.mark.get_or_insert_with(|| row.text(self.index).into_owned());
            }
            return;
        }
        let cell = row.text(self.index).into_owned();
        let parsed = cell.parse::<f64>().ok();
        let number = parsed.filter(|value| value.is_finite());
        if let Some(value) = number {
            self.numbers += 1;
            let before = value - self.mean;
            self.mean += before / self.numbers as f64;
            self.squares += before * (value - self.mean);
            self.negative += u64::from(value < 0.0);
            if CODES.contains(&value) {
                self.coded += 1;
                self.code.get_or_insert_with(|| cell.clone());
            }
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
            self.first_odd.get_or_insert_with(|| (row.location(), shortened(&cell)));
            self.infinite |= parsed.is_some();
            self.odd += 1;
            self.written += u64::from(is_numeric(&cell) && parsed.is_none());
            if self.odd_texts.len() < ODD_TEXTS {
                self.odd_texts.insert(cell.clone());
            }
        }
        if let Some(values) = &mut self.values {
            *values.entry(cell).or_default() += 1;
        }
        // Fractions name neither classes nor clients: it only counts whether there are several.
        let is_measured = self.odd == 0 && self.integers < self.numbers;
        let most = if is_measured { 2 } else { DISTINCT };
        self.values = self.values.take().filter(|values| values.len() <= most);
    }

    /// The standard deviation of its numbers; 0 without any.
    pub(super) fn deviation(&self) -> f64 {
        (self.squares / self.numbers.max(1) as f64).sqrt()
    }

    pub(super) fn title(&self) -> String {
        if self.name.is_empty() { format!("column {}", self.index) } else { self.name.clone() }
    }

    /// Whether it holds names or whole numbers, in most of these rows: what classes and clients are written as.
    pub(super) fn is_code(&self, rows: u64) -> bool {
        2 * self.missing <= rows && !self.infinite && (self.odd > 0 || self.integers == self.numbers)
    }

    /// Whether it has several values, at most so many, each in two rows on average.
    pub(super) fn comes_back(&self, rows: u64, most: usize) -> bool {
        self.distinct().is_some_and(|count| (2..=most).contains(&count) && 2 * count as u64 <= rows)
    }

    /// The number of different values, where it was counted.
    pub(super) fn distinct(&self) -> Option<usize> {
        self.values.as_ref().map(BTreeMap::len)
    }
}

/// Looks at tables with the same columns; `header` and `delimiter` are recognized where nothing is said. `missing` has
/// texts that stand for missing values.
pub(super) fn look(
    paths: &[PathBuf],
    (header, delimiter): (Option<bool>, Option<char>),
    missing: &[String],
) -> Result<TableFile, FileError> {
    let mut table: Option<TableFile> = None;
    let declared = DeclaredMissing::new(missing);
    for path in paths {
        let schema = every_column(header, delimiter).missing(&declared);
        let mut file = Rows::open(path, &schema)?;
        let titles: Vec<String> = (0..file.width()).map(|index| file.title(index)).collect();
        let table = table.get_or_insert_with(|| TableFile::new(&file, &titles, missing));
        let expected: Vec<String> = table.columns.iter().map(|column| column.name.clone()).collect();
        if titles != expected {
            return Err(FileError::other_columns(path, &paths[0], &expected, &titles));
        }
        table.note(&mut file)?;
    }
    let first = paths.first().cloned().unwrap_or_default();
    let table = table.ok_or_else(|| FileError::empty(&first, "a table"))?;
    if !table.cut {
        declared.all_occurred(&first)?;
    }
    Ok(table)
}

impl TableFile {
    pub(super) fn usable(&self) -> impl Iterator<Item = &ColumnFacts> + Clone {
        self.columns.iter().filter(|column| !column.left_out)
    }

    fn new(file: &Rows, titles: &[String], missing: &[String]) -> Self {
        let columns = titles.iter().enumerate().map(|(index, title)| ColumnFacts::new(index, title.clone())).collect();
        let mut seen = BTreeSet::new();
        let repeated = titles.iter().filter(|title| !seen.insert(*title)).cloned().collect();
        let (delimiter, header, missing_values) = (file.delimiter(), file.has_header(), missing.to_vec());
        Self { delimiter, header, missing_values, columns, rows: 0, files: 0, cut: false, repeated }
    }

    /// Whether the name of a column tells it from all others.
    pub(super) fn is_unique(&self, index: usize) -> bool {
        !self.repeated.contains(&self.columns[index].name)
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
pub(super) fn tells_apart(path: &Path, table: &TableFile, (first, second): (usize, usize)) -> bool {
    let schema = every_column(Some(table.header), Some(table.delimiter));
    let Ok(mut file) = Rows::open(path, &schema) else { return false };
    let mut seen = BTreeSet::new();
    for _ in 0..table.rows {
        match file.read(&Remarks::default()) {
            Ok(Some(row)) if seen.insert((row.text(first).into_owned(), row.text(second).into_owned())) => {}
            _ => return false,
        }
    }
    true
}

/// A table of which every column may hold numbers.
fn every_column(header: Option<bool>, delimiter: Option<char>) -> TableSchema<'static> {
    TableSchema::new(header, delimiter).choice(Role::Feature, "columns", &Columns::All)
}

/// The beginning of a cell, for messages.
fn shortened(cell: &str) -> String {
    const SHOWN: usize = 30;
    if cell.chars().count() <= SHOWN { cell.to_owned() } else { cell.chars().take(SHOWN).chain(['…']).collect() }
}

/// A name as a list of names holds it.
pub(super) fn quoted(name: &str) -> String {
    let plain = name.trim() == name && !name.contains([',', '"']);
    if plain { name.to_owned() } else { format!("\"{}\"", name.replace('\\', "\\\\").replace('"', "\"\"")) }
}

/// Names divided by commas; those in double quotes may hold commas, and quotes twice as in CSV or behind a backslash
/// as in RON.
pub(super) fn names(answer: &str) -> Vec<String> {
    let mut names = vec![(String::new(), false)];
    let (mut characters, mut within) = (answer.chars().peekable(), false);
    while let Some(character) = characters.next() {
        let (name, is_quoted) = names.last_mut().expect("it begins with one name");
        match character {
            '"' if within => match characters.next_if_eq(&'"') {
                Some(quote) => name.push(quote),
                None => within = false,
            },
            '\\' if within => name.push(characters.next_if(|next| "\"\\".contains(*next)).unwrap_or(character)),
            _ if within => name.push(character),
            '"' if name.trim().is_empty() => {
                name.clear();
                (within, *is_quoted) = (true, true);
            }
            ',' => names.push((String::new(), false)),
            blank if *is_quoted && blank.is_whitespace() => {}
            letter => name.push(letter),
        }
    }
    names.into_iter().map(|(name, is_quoted)| if is_quoted { name } else { name.trim().to_owned() }).collect()
}

#[cfg(test)]
mod tests {
    use super::{names, quoted};

    #[test]
    fn names_with_commas_are_read_as_they_are_shown() {
        assert_eq!(names("a, b c ,d"), ["a", "b c", "d"]);
        let odd = ["Length, cm", "a \"b\"", " edge ", "plain", "back\\slash"];
        let shown: Vec<String> = odd.iter().map(|name| quoted(name)).collect();
        assert_eq!(names(&shown.join(", ")), odd);
        // As RON has it.
        assert_eq!(names(r#""a \"b\"", "x, y""#), ["a \"b\"", "x, y"]);
    }
}
