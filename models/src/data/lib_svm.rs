//! Examples in the format of LIBSVM: per line a label and the numbers that are not 0, `label index:value index:value
//! …`, indices increasing; `#` begins a comment. The number of a query, `qid:number` behind the label, is passed over.
//!
//! Indices count from 1, or from 0 where one of them is 0. Labels are numbers, `+1` and `1.0` the same, in the order of
//! those of text files.

use std::io::{BufRead, BufReader};
use std::path::Path;

use fedbits_spec::range::{FileName, whole};
use fedbits_spec::{Described, so_many};
use serde::{Deserialize, Serialize};

use super::codes::{Codes, name_of};
use super::coding::Coding;
use super::error::FileError;
use super::observations::{DataKind, Observations};
use super::packed;
use super::set::DataSet;
use super::source::{DataSource, ReadError, Reading, Remarks};

/// Examples in the format of LIBSVM (`label index:value …` per line), plain, gzip or zstd. They become a table with all
/// zeros, which must fit into memory.
#[derive(Clone, Debug, Described, Deserialize, PartialEq, Serialize)]
#[serde(deny_unknown_fields, rename = "LibSvm")]
pub struct LibSvmFile {
    /// File name, looked up beside the scenario, then in the data directories.
    #[range(FileName)]
    pub path: String,
    /// d, the number of features; none: the largest index that occurs.
    #[serde(default)]
    #[range(whole(1, 1_000_000_000))]
    pub features: Option<usize>,
}

impl DataSource for LibSvmFile {
    fn kind(&self) -> DataKind {
        DataKind::Examples
    }

    fn files(&self) -> Vec<&str> {
        vec![&self.path]
    }

    fn features(&self) -> Option<usize> {
        self.features
    }

    fn is_labelled(&self) -> bool {
        true
    }

    fn read(&self, with: &Reading<'_>) -> Result<Observations, ReadError> {
        Ok(Observations::Examples(read_lib_svm(&with.files[0], self.features, with.remarks)?))
    }

    fn examples() -> Vec<Self> {
        vec![Self { path: "examples.svm".to_owned(), features: None }]
    }
}

/// The numbers of a file that are not 0.
#[derive(Default)]
struct Sparse {
    labels: Codes,
    /// Where each example begins among the entries, and the line that it stands on.
    starts: Vec<(usize, u64)>,
    /// Index and value.
    entries: Vec<(u32, f64)>,
    /// Examples that belong to a query.
    queried: u64,
}

/// Reads a file; `features` is d, where it is known.
///
/// # Errors
/// [`FileError`] names file, line and entry and says what was expected; more zeros than there is memory for.
pub fn read_lib_svm(path: &Path, features: Option<usize>, remarks: &Remarks) -> Result<DataSet, FileError> {
    let mut sparse = Sparse::default();
    let file = packed::text(path).map_err(FileError::io(path))?;
    for (index, line) in BufReader::new(file).lines().enumerate() {
        let line = line.map_err(FileError::io(path))?;
        let line_number = index as u64 + 1;
        sparse.read(path, line_number, line.split('#').next().unwrap_or_default())?;
        let bytes = 16 * sparse.entries.capacity() + 24 * sparse.starts.capacity();
        packed::room(bytes as u64 + sparse.labels.bytes()).map_err(FileError::io(path))?;
    }
    sparse.finish(path, features, remarks)
}

/// A label is a finite number: `+1`, `1` and `1.0` are one class.
fn class(label: &str) -> Option<String> {
    label.parse::<f64>().ok().filter(|number| number.is_finite()).map(name_of)
}

impl Sparse {
    fn read(&mut self, path: &Path, line: u64, text: &str) -> Result<(), FileError> {
        let wrong = |entry: usize, expected: String, found: &str| {
            let (path, column) = (path.to_owned(), entry.to_string());
            Err(FileError::Cell { path, line, column, expected, found: format!("`{found}`") })
        };
        let mut cells = text.split_ascii_whitespace();
        let Some(label) = cells.next() else { return Ok(()) };
        let Some(class) = class(label) else {
            return wrong(0, "a finite number as label, and then `index:value` …".to_owned(), label);
        };
        self.labels.push(&class);
        self.starts.push((self.entries.len(), line));
        let mut before = None;
        for (place, cell) in cells.enumerate() {
            let query = cell.strip_prefix("qid:").filter(|_| place == 0);
            if query.is_some_and(|query| query.parse::<i64>().is_ok()) {
                self.queried += 1;
                continue;
            }
            let parsed =
                cell.split_once(':').map(|(index, value)| (index.parse::<u32>().ok(), value.parse::<f64>().ok()));
            let Some((Some(index), Some(value))) = parsed.filter(|(_, value)| value.is_none_or(f64::is_finite)) else {
                return wrong(place + 1, "`index:value`, a whole number and a finite one".to_owned(), cell);
            };
            if before.is_some_and(|before| index <= before) {
                return wrong(place + 1, format!("indices that increase, here above {}", before.unwrap_or(0)), cell);
            }
            before = Some(index);
            self.entries.push((index, value));
        }
        Ok(())
    }

    /// The table with all zeros.
    fn finish(self, path: &Path, features: Option<usize>, remarks: &Remarks) -> Result<DataSet, FileError> {
        let first = usize::from(self.entries.iter().all(|&(index, _)| index > 0));
        let largest = self.entries.iter().map(|&(index, _)| index as usize + 1 - first).max().unwrap_or(0);
        let d = features.unwrap_or(largest);
        let n = self.starts.len();
        if n == 0 || d == 0 {
            return Err(FileError::Empty { path: path.to_owned(), expected: "examples with at least one number" });
        }
        let ends = self.starts.iter().skip(1).map(|&(start, _)| start).chain([self.entries.len()]);
        let dense = 8 * n as u64 * d as u64;
        let bytes = dense.saturating_add(16 * self.entries.len() as u64);
        packed::room_for_columns(bytes, d).map_err(FileError::io(path))?;
        let mut rows = vec![0.0; n * d];
        for (row, (&(start, line), end)) in rows.chunks_exact_mut(d).zip(self.starts.iter().zip(ends)) {
            for &(index, value) in &self.entries[start..end] {
                let Some(number) = row.get_mut(index as usize - first) else {
                    let expected = format!("an index from {first} to {}, as `features` says", d - 1 + first);
                    let (path, column, found) = (path.to_owned(), index.to_string(), format!("`{index}:{value}`"));
                    return Err(FileError::Cell { path, line, column, expected, found });
                };
                *number = value;
            }
        }
        if self.queried > 0 {
            remarks.note(format!("the queries (`qid:`) of {} are not used", so_many(self.queried, "example")));
        }
        let share = 100.0 * self.entries.len() as f64 / (n as f64 * d as f64);
        remarks.note(format!(
            "{} of {}, indices from {first}; {share:.1} % of the numbers are given",
            so_many(n, "example"),
            so_many(d, "feature")
        ));
        let columns = (first..d + first).map(|index| format!("feature {index}")).collect();
        let (classes, labels) = self.labels.finish();
        remarks.code(Coding { classes, ..Coding::default() });
        DataSet::new(columns, rows, Some(labels), None)
            .map_err(|source| FileError::DataSet { path: path.to_owned(), source })
    }
}
