//! Examples in the format of LIBSVM: per line a label and the numbers that are not 0, `label index:value index:value
//! …`, indices increasing; `#` begins a comment. The number of a query, `qid:number` behind the label, is passed over.
//!
//! Indices count from 1, or from 0 where one of them is 0. Labels are numbers, `+1` and `1.0` the same, in the order of
//! those of text files.

use super::codes::{Codes, name_of};
use super::packed;
use super::{
    Coding, DataKind, DataSet, DataSource, FileError, MemoryLimit, Observations, ReadError, Reading, Remarks,
    SourceFacts,
};
use fedbits_spec::range::{FileName, whole};
use fedbits_spec::{Described, so_many};
use serde::{Deserialize, Serialize};
use std::path::Path;

/// LIBSVM format (`label index:value …` per line), plain, gzip or zstd.
#[derive(Clone, Debug, Described, Deserialize, PartialEq, Serialize)]
#[serde(deny_unknown_fields, rename = "LibSvm")]
pub struct LibSvmFile {
    /// File name.
    #[range(FileName)]
    pub path: String,
    /// d. Default: the largest index in the file.
    #[serde(default)]
    #[range(whole(1, 1_000_000_000))]
    pub features: Option<usize>,
    /// Columns for feature hashing with random signs. Default: no hashing.
    #[serde(default)]
    #[range(whole(1, 1_000_000))]
    pub hash: Option<usize>,
}

impl DataSource for LibSvmFile {
    fn facts(&self) -> SourceFacts {
        SourceFacts { is_labelled: true, ..SourceFacts::read(DataKind::Examples, self.hash.or(self.features)) }
    }

    fn files(&self) -> Vec<&str> {
        vec![&self.path]
    }

    fn read(&self, with: &Reading<'_>) -> Result<Observations, ReadError> {
        let path = &with.files[0];
        let sparse = read_lib_svm(path, self.features, with.remarks, with.limit)?;
        let Some(buckets) = self.hash else { return Ok(Observations::Examples(sparse)) };
        let hashed = sparse.hashed(buckets, with.limit);
        Ok(Observations::Examples(hashed.map_err(|error| FileError::whole(path, error.to_string(), ""))?))
    }

    fn examples() -> Vec<Self> {
        vec![Self { path: "examples.svm".to_owned(), features: None, hash: None }]
    }
}

/// The numbers of a file that are not 0, while it is read.
#[derive(Default)]
struct SparseLines {
    labels: Codes,
    /// Where the entries of each example end.
    ends: Vec<usize>,
    indices: Vec<u32>,
    values: Vec<f64>,
    /// Is there an index 0?
    from_0: bool,
    /// The largest index, and where it stands: line and cell.
    largest: Option<(u32, u64, String)>,
    /// Examples that belong to a query.
    queried: u64,
}

/// Reads a file; `features` is d, where it is known.
///
/// # Errors
/// [`FileError`] names file, line and entry and says what was expected; more entries than there is memory for.
pub fn read_lib_svm(
    path: &Path,
    features: Option<usize>,
    remarks: &Remarks,
    limit: MemoryLimit,
) -> Result<DataSet, FileError> {
    let mut entries = SparseLines::default();
    for (line, text) in packed::lines(path, limit)? {
        entries.read(path, line, text?.split('#').next().unwrap_or_default())?;
        let bytes = 12 * entries.values.capacity() + 8 * entries.ends.capacity();
        limit.allows(bytes as u64 + entries.labels.bytes()).map_err(FileError::io(path))?;
    }
    entries.finish(path, features, remarks, limit)
}

/// A label is a finite number: `+1`, `1` and `1.0` are one class.
fn class(label: &str) -> Option<String> {
    label.parse::<f64>().ok().filter(|number| number.is_finite()).map(name_of)
}

impl SparseLines {
    fn read(&mut self, path: &Path, line: u64, text: &str) -> Result<(), FileError> {
        let wrong = |entry: usize, expected: String, found: &str| {
            Err(FileError::content(path, expected, format!("`{found}`")).at(line).column(entry))
        };
        let mut cells = text.split_ascii_whitespace();
        let Some(label) = cells.next() else { return Ok(()) };
        let Some(class) = class(label) else {
            return wrong(0, "a finite number as label, and then `index:value` …".to_owned(), label);
        };
        self.labels.push(&class);
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
            self.from_0 |= index == 0;
            if self.largest.as_ref().is_none_or(|(largest, ..)| index > *largest) {
                self.largest = Some((index, line, cell.to_owned()));
            }
            self.indices.push(index);
            self.values.push(value);
        }
        self.ends.push(self.values.len());
        Ok(())
    }

    fn finish(
        mut self,
        path: &Path,
        features: Option<usize>,
        remarks: &Remarks,
        limit: MemoryLimit,
    ) -> Result<DataSet, FileError> {
        let first = usize::from(!self.from_0);
        let largest = self.largest.as_ref().map_or(0, |(index, ..)| *index as usize + 1 - first);
        let d = features.unwrap_or(largest);
        if self.ends.is_empty() || d == 0 {
            return Err(FileError::empty(path, "examples with at least one number"));
        }
        if let Some((index, line, cell)) = self.largest.filter(|_| largest > d) {
            let expected = format!("an index from {first} to {}, as `features` says", d - 1 + first);
            return Err(FileError::content(path, expected, format!("`{cell}`")).at(line).column(index));
        }
        limit.allows_columns(12 * self.values.len() as u64, d).map_err(FileError::io(path))?;
        self.indices.iter_mut().for_each(|index| *index -= first as u32);
        if self.queried > 0 {
            remarks.note(format!("the queries (`qid:`) of {} are not used", so_many(self.queried, "example")));
        }
        let columns = (first..d + first).map(|index| format!("feature {index}")).collect();
        let (classes, labels) = self.labels.finish();
        remarks.code(Coding { classes, ..Coding::default() });
        let Self { ends, indices, values, .. } = self;
        let offsets = [0].into_iter().chain(ends).collect();
        let sparse = DataSet::sparse(columns, (offsets, indices, values), Some(labels));
        let sparse = sparse.map_err(FileError::no_data_set(path))?;
        remarks.note(format!(
            "{} of {}, indices from {first}; {:.1} % of the numbers are given",
            so_many(sparse.len(), "example"),
            so_many(d, "feature"),
            sparse.share()
        ));
        Ok(sparse)
    }
}
