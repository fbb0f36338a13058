//! The examples of one or several text files while they are read: numbers, levels of factors, labels, groups, and what
//! is missing.

use super::cells::{differ_in_case, is_index, is_missing, is_numeric, said_of_names};
use super::factors::{Factors, MOST_LEVELS, Used, bytes_per_row, expand, input};
use super::file::CsvFile;
use super::missing::{DeclaredMissing, Filling, Gaps, MissingValues};
use super::reader::{Row, Rows};
use super::schema::{Columns, Role};
use crate::data::codes::Codes;
use crate::data::{Coding, DataSet, FileError, FileErrorKind, Input, MemoryLimit, Remarks};
use fedbits_spec::{Caveat, so_many};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

pub(super) struct Table<'a> {
    options: &'a CsvFile,
    titles: Vec<String>,
    /// Where these columns stand in the first file.
    places: Vec<usize>,
    used: Vec<Used>,
    rows: Vec<f64>,
    labels: Codes,
    groups: Codes,
    gaps: Gaps,
    missing: DeclaredMissing,
    /// Where the examples of each file begin among those of all.
    files: Vec<usize>,
    /// The first file, and the columns that it has in all.
    first: PathBuf,
    limit: MemoryLimit,
}

/// Says which of so many examples, in these groups, are held out.
pub(super) type HeldOut<'a> = dyn Fn(usize, Option<&[u32]>) -> Vec<bool> + 'a;

/// Positions of the columns of one file.
struct Positions {
    numbers: Vec<usize>,
    label: Option<usize>,
    client: Option<usize>,
}

impl<'a> Table<'a> {
    pub(super) fn new(options: &'a CsvFile, first: &Path, limit: MemoryLimit) -> Self {
        Self {
            options,
            titles: Vec::new(),
            places: Vec::new(),
            used: Vec::new(),
            rows: Vec::new(),
            labels: Codes::default(),
            groups: Codes::default(),
            gaps: Gaps::default(),
            missing: DeclaredMissing::new(&options.missing_values),
            files: Vec::new(),
            first: first.to_owned(),
            limit,
        }
    }

    /// Reads one more file; of several, each is a group of its name. The number of its examples.
    pub(super) fn read(&mut self, path: &Path, group: Option<&str>, remarks: &Remarks) -> Result<usize, FileError> {
        let schema = self.options.schema().missing(&self.missing).within(self.limit);
        let mut file = Rows::open(path, &schema)?;
        if path == self.first {
            file.recognized(&schema).into_iter().for_each(|note| remarks.note(note));
        }
        let [label, client] = [Role::Response, Role::Client].map(|role| file.place(role));
        let positions = Positions { numbers: file.places(Role::Feature), label, client };
        let titles: Vec<String> = positions.numbers.iter().map(|&index| file.title(index)).collect();
        if self.titles.is_empty() {
            (self.used, self.titles, self.places) =
                (vec![Used::Unknown; titles.len()], titles, positions.numbers.clone());
        } else if titles != self.titles {
            return Err(FileError::other_columns(path, &self.first, &self.titles, &titles));
        }
        let before = self.rows.len();
        self.files.push(before / self.used.len().max(1));
        file.each(remarks, |row| {
            self.read_row(row, &positions, group)?;
            let examples = self.rows.len() as u64 / self.used.len() as u64;
            let expanded =
                if self.is_expanded() { examples * bytes_per_row(&self.used, self.options.factors) } else { 0 };
            Ok(8 * self.rows.capacity() as u64 + expanded + self.labels.bytes() + self.groups.bytes())
        })?;
        Ok((self.rows.len() - before) / self.used.len())
    }

    fn is_expanded(&self) -> bool {
        self.used.iter().any(|column| matches!(column, Used::Factor(_)))
    }

    fn read_row(&mut self, row: Row<'_>, at: &Positions, group: Option<&str>) -> Result<(), FileError> {
        // A label or a client may be called `NA`; without a text there is none.
        let nameless = [at.label, at.client].into_iter().flatten().find(|&index| row.is_nameless(index));
        let mut gaps: Vec<usize> = nameless.into_iter().collect();
        let (options, before) = (self.options, self.rows.len());
        // What is in a row that is left out is no level of a factor.
        if options.missing == MissingValues::Drop && options.factors != Factors::Refuse {
            gaps.extend(at.numbers.iter().filter(|&&index| row.is_missing(index)));
        }
        if gaps.is_empty() || options.missing == MissingValues::Error {
            for (place, &index) in at.numbers.iter().enumerate() {
                let value = self.value(row, place, index)?;
                gaps.extend(value.is_none().then_some(index));
                self.rows.push(value.unwrap_or(f64::NAN));
            }
        }
        if let Some(&first) = gaps.first() {
            self.note_gaps(row, first, gaps.len() as u64);
            self.gaps.nameless |= nameless.is_some();
            if options.missing == MissingValues::Drop {
                let client = at.client.filter(|&index| !row.is_nameless(index));
                let client = client.map(|index| row.text(index).into_owned());
                self.gaps.clients.extend(client.or(group.map(str::to_owned)));
                self.rows.truncate(before);
                return Ok(());
            }
            if let (MissingValues::Impute(_), Some(index)) = (options.missing, nameless) {
                let expected = "a text (labels and clients are not imputed: `missing: Drop` leaves the row out)";
                return Err(row.refuse(index, expected));
            }
        }
        let client = at.client.map(|index| row.text(index));
        at.label.into_iter().for_each(|index| self.labels.push(&row.text(index)));
        client.as_deref().or(group).into_iter().for_each(|name| self.groups.push(name));
        Ok(())
    }

    fn note_gaps(&mut self, row: Row<'_>, first: usize, cells: u64) {
        self.gaps.cells += cells;
        self.gaps.rows += 1;
        self.gaps.first.get_or_insert_with(|| row.refuse(first, ""));
    }

    /// The number of a cell, of a factor that of its level; none where it is missing.
    fn value(&mut self, row: Row<'_>, place: usize, index: usize) -> Result<Option<f64>, FileError> {
        let (options, used) = (self.options, &mut self.used[place]);
        if !options.missing_values.is_empty() && row.is_missing(index) {
            return Ok(None);
        }
        if !matches!(used, Used::Factor(_))
            && let Some(number) = row.finite(index)
        {
            *used = Used::Numbers;
            return Ok(Some(number));
        }
        let text = row.text(index).into_owned();
        if is_missing(&text) {
            return Ok(None);
        }
        let is_numeric = || is_numeric(&text);
        if matches!(used, Used::Unknown) && options.factors != Factors::Refuse && !is_numeric() {
            *used = Used::Factor(BTreeMap::new());
        }
        let Used::Factor(levels) = used else {
            let number = if matches!(used, Used::Unknown) { row.feature(index) } else { row.number(index) };
            return number.map(Some);
        };
        if !levels.contains_key(&text) && is_numeric() {
            return Err(row.refuse(index, "a text, as in the rows before: numbers and texts do not form a factor"));
        }
        let next = levels.len() as u32;
        let level = *levels.entry(text).or_insert(next);
        if levels.len() > MOST_LEVELS {
            let expected = format!("a column of numbers, or of at most {MOST_LEVELS} different texts");
            return Err(row.refuse(index, &expected));
        }
        Ok(Some(f64::from(level)))
    }

    /// Were rows of this client left out?
    pub(super) fn has_left_out_rows_of(&self, client: &str) -> bool {
        self.gaps.clients.contains(client)
    }

    /// The data set, and what was done to make it.
    pub(super) fn finish(mut self, remarks: &Remarks, held_out: &HeldOut<'_>) -> Result<DataSet, FileError> {
        self.missing.all_occurred(&self.first)?;
        let has_groups = self.options.client.is_some() || self.options.is_pattern();
        let groups = has_groups.then(|| std::mem::take(&mut self.groups).finish());
        if let Some((names, groups)) = &groups {
            let caveats = said_of_names(("a client", "clients"), names, groups.iter().copied(), "rows");
            caveats.chain(self.gaps.lost(names)).for_each(|caveat| remarks.caveat(caveat));
        }
        let (clients, groups) = groups.map_or_else(Default::default, |(names, groups)| (names, Some(groups)));
        let fills = self.fills(groups.as_deref(), held_out);
        let left_out = if self.options.missing == MissingValues::Drop { self.gaps.rows } else { 0 };
        self.close_gaps(&fills, remarks)?;
        let path = self.first.clone();
        if self.rows.is_empty() {
            return Err(FileError::empty(&path, "at least one row without a missing value"));
        }
        self.counters(left_out).into_iter().for_each(|caveat| remarks.caveat(caveat));
        let (inputs, places) = (self.inputs(&fills), self.places());
        let (columns, rows) = if self.is_expanded() {
            self.note_factors(remarks);
            expand(&self.titles, &self.rows, &self.used, self.options.factors)
        } else {
            (self.titles, self.rows)
        };
        if columns.is_empty() {
            return Err(FileError::whole(&path, "no column is left for the numbers of an example", ""));
        }
        let (classes, labels) = self.labels.finish();
        let caveats = said_of_names(("a class", "classes"), &classes, labels.iter().copied(), "rows");
        caveats.for_each(|caveat| remarks.caveat(caveat));
        let labels = self.options.label.as_ref().map(|_| labels);
        let missing_values = self.options.missing_values.clone();
        remarks.code(Coding { inputs, missing_values, classes, clients, ..Coding::default() });
        let data = DataSet::new(columns, rows, labels, groups);
        data.map(|data| data.with_places(places)).map_err(FileError::no_data_set(&path))
    }

    /// Where each column of the data stands in the file: those of a factor all where it does.
    fn places(&self) -> Vec<usize> {
        let columns = self.places.iter().zip(&self.used);
        columns.flat_map(|(&place, used)| std::iter::repeat_n(place, used.width(self.options.factors))).collect()
    }

    /// Features that only number the rows, as programs write them beside a table: they count, over all files or in each
    /// of them, with gaps where rows were left out; or they are called as programs call them.
    fn counters(&self, left_out: u64) -> Vec<Caveat> {
        if self.options.columns != Columns::All {
            return Vec::new();
        }
        let d = self.used.len();
        let rows = self.rows.len() / d.max(1);
        let ends = || self.files.iter().skip(1).copied().chain([rows]);
        let is_counter = |place: &usize| {
            let column = |from: usize, to: usize| self.rows[d * from..d * to].iter().skip(*place).step_by(d).copied();
            let each = || self.files.iter().zip(ends()).map(|(&from, to)| column(from, to));
            // In files of one row or two anything may count by chance.
            let is_enough = rows > 2 * self.files.len();
            is_enough && (counts(column(0, rows), left_out) || each().all(|file| counts(file, left_out)))
                || rows > 2 && is_index(&self.titles[*place]) && each().all(are_different)
        };
        let caveat = |place: usize| Caveat::Counter { feature: self.titles[place].clone() };
        (0..d).filter(is_counter).map(caveat).collect()
    }

    fn note_factors(&self, remarks: &Remarks) {
        for (title, column) in self.titles.iter().zip(&self.used) {
            let (Used::Factor(levels), factors) = (column, self.options.factors) else { continue };
            let names: Vec<String> = levels.keys().cloned().collect();
            differ_in_case("levels", &names).into_iter().for_each(|caveat| remarks.caveat(caveat));
            let first = names.first().map_or("", String::as_str);
            let (columns, what) = match factors {
                Factors::Treatment => (levels.len() - 1, format!("`{first}` is 0 in all of them")),
                _ => (levels.len(), "which sum to 1".to_owned()),
            };
            remarks.note(format!(
                "`{title}`: a column of 0 and 1 for {columns} of {}, {what}",
                so_many(levels.len(), "level")
            ));
        }
    }

    /// The columns of the file, where they are not those of the data, or something stands for missing values.
    fn inputs(&self, fills: &[Option<f64>]) -> Vec<Input> {
        if !self.is_expanded() && fills.iter().all(Option::is_none) {
            return Vec::new();
        }
        let columns = self.titles.iter().zip(&self.used).zip(fills);
        columns.map(|((title, used), &fill)| input(title, used, fill, self.options.factors)).collect()
    }

    /// What stands for missing values of each column, by the values of examples that are not held out.
    fn fills(&self, groups: Option<&[u32]>, held_out: &HeldOut<'_>) -> Vec<Option<f64>> {
        let MissingValues::Impute(filling) = self.options.missing else { return vec![None; self.used.len()] };
        let held_out = held_out(self.rows.len().checked_div(self.used.len()).unwrap_or(0), groups);
        let fill = |(place, column): (usize, &Used)| {
            let values = self.rows.iter().skip(place).step_by(self.used.len()).zip(&held_out);
            let there = values.filter(|(value, held_out)| !value.is_nan() && !**held_out);
            let there = there.map(|(value, _)| *value).collect();
            match column {
                Used::Factor(_) if filling != Filling::Mode => None,
                Used::Factor(levels) => most_frequent(levels, there),
                _ => filling.of(there),
            }
        };
        self.used.iter().enumerate().map(fill).collect()
    }

    /// Refuses, leaves out or fills in what is missing.
    fn close_gaps(&mut self, fills: &[Option<f64>], remarks: &Remarks) -> Result<(), FileError> {
        let Gaps { first, cells, rows, nameless, .. } = std::mem::take(&mut self.gaps);
        let Some(first) = first else { return Ok(()) };
        let examples = self.rows.len() as u64 / self.used.len() as u64;
        let of_rows = |rows, all| format!("{rows} of {}", so_many(all, "row"));
        match self.options.missing {
            MissingValues::Error => {
                let shown = if first.found.starts_with('`') { format!(" ({})", first.found) } else { String::new() };
                let all = of_rows(rows, examples);
                let found = format!("a value is missing{shown}; such cells: {cells}, in {all}");
                let impute = if nameless { "" } else { " or `missing: Impute(Mean | Median | Mode)`" };
                let expected = format!("`missing: Drop`{impute}, or a file without gaps");
                Err(FileError { kind: FileErrorKind::Whole, found, expected, ..first })
            }
            MissingValues::Drop => {
                let all = of_rows(rows, rows + examples);
                let were = if rows == 1 { "was" } else { "were" };
                remarks.caveat(Caveat::ValuesMissing { rows: format!("{all} {were}") });
                Ok(())
            }
            MissingValues::Impute(filling) => {
                self.fill(fills, &first.path)?;
                remarks.caveat(Caveat::ValuesImputed {
                    values: so_many(cells, "missing value"),
                    rows: of_rows(rows, examples),
                    filling: filling.name().to_owned(),
                });
                Ok(())
            }
        }
    }

    fn fill(&mut self, fills: &[Option<f64>], path: &Path) -> Result<(), FileError> {
        let d = self.used.len();
        for (place, (column, fill)) in self.used.iter().zip(fills).enumerate() {
            let mut gaps = self.rows.iter_mut().skip(place).step_by(d).filter(|value| value.is_nan()).peekable();
            if gaps.peek().is_none() {
                continue;
            }
            let Some(number) = *fill else {
                let title = format!("`{}`", self.titles[place]);
                return Err(match column {
                    Used::Factor(_) => FileError::whole(
                        path,
                        format!("column {title} is a factor, of which values are missing"),
                        "`missing: Impute(Mode)` or `missing: Drop`",
                    ),
                    _ => FileError::whole(path, format!("column {title} has no value at all"), "other `columns`"),
                });
            };
            gaps.for_each(|value| *value = number);
        }
        Ok(())
    }
}

/// Whether numbers count from 0 or 1, with gaps where as many rows were left out.
fn counts(mut numbers: impl ExactSizeIterator<Item = f64>, left_out: u64) -> bool {
    let most = (numbers.len() as u64 + left_out) as f64;
    let Some(first) = numbers.next() else { return true };
    let mut last = first;
    let rises = |next: f64| {
        let step = next - std::mem::replace(&mut last, next);
        step >= 1.0 && step.fract() == 0.0 && next - first < most
    };
    first.fract() == 0.0 && (0.0..=1.0 + left_out as f64).contains(&first) && numbers.all(rises)
}

/// Whether these are whole numbers, and no two of them the same.
fn are_different(numbers: impl Iterator<Item = f64>) -> bool {
    let mut sorted: Vec<f64> = numbers.collect();
    sorted.sort_by(f64::total_cmp);
    sorted.iter().all(|number| number.fract() == 0.0) && sorted.windows(2).all(|pair| pair[0] < pair[1])
}

/// The most frequent level, the first in the alphabet of several.
fn most_frequent(levels: &BTreeMap<String, u32>, numbers: Vec<f64>) -> Option<f64> {
    let mut counts = vec![0_u64; levels.len()];
    numbers.iter().for_each(|&number| counts[number as usize] += 1);
    let most = levels
        .values()
        .reduce(|most, level| if counts[*level as usize] > counts[*most as usize] { level } else { most });
    most.map(|&level| f64::from(level))
}
