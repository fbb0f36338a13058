//! Data sets: a table of finite numbers, dense or in compressed sparse rows, with an optional response and optional
//! groups.

use crate::{Examples, Response, Rows};
use fedbits_spec::so_many;
use std::ops::Range;
use thiserror::Error;

/// N examples of d finite numbers, with a response (a label, or a number) and a group each if the source has them.
///
/// Invariants, checked by [`DataSet::new`] and [`DataSet::sparse`]: d ≥ 1, 1 ≤ N ≤ 2³²−1, one name per column, one
/// response and one group per example if there are any, every number finite; the columns of a sparse row increase.
#[derive(Clone, Debug, PartialEq)]
pub struct DataSet {
    storage: Storage,
    labels: Option<Vec<u32>>,
    /// Numbers to be predicted, in place of labels.
    targets: Option<Vec<f64>>,
    groups: Option<Vec<u32>>,
    pub(super) columns: Vec<String>,
    /// Where each column stands in its file, from 0; none: as here.
    places: Option<Box<[usize]>>,
}

/// The numbers, with or without the zeros.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Storage {
    Dense(Vec<f64>),
    Sparse(Box<SparseRows>),
}

/// Why numbers are no data set, or cannot be drawn, divided or prepared: a text for people.
#[derive(Clone, Debug, Error, PartialEq)]
#[error("{0}")]
pub struct DataSetError(String);

impl DataSetError {
    /// With this text.
    pub fn new(text: impl Into<String>) -> Self {
        Self(text.into())
    }

    /// Two data sets to be joined differ in `what`.
    pub fn different(what: &str) -> Self {
        Self::new(format!("data sets with different {what} cannot be joined"))
    }

    fn empty() -> Self {
        Self::new("a data set needs at least one column and one example")
    }
}

impl DataSet {
    /// A data set of `rows` (row-major N × `columns.len()`), its `labels` and its `groups`.
    ///
    /// # Errors
    /// Every broken invariant of [`DataSet`].
    pub fn new(
        columns: Vec<String>,
        rows: Vec<f64>,
        labels: Option<Vec<u32>>,
        groups: Option<Vec<u32>>,
    ) -> Result<Self, DataSetError> {
        let storage = Storage::Dense(Vec::new());
        let empty = Self { storage, labels, targets: None, groups, columns: Vec::new(), places: None };
        empty.with_rows(columns, rows)
    }

    /// A data set of compressed sparse rows: row j has the numbers `values[at]` in the columns `indices[at]`, for `at`
    /// from `offsets[j]` to `offsets[j + 1]`, and 0 in the others.
    ///
    /// # Errors
    /// Every broken invariant of [`DataSet`].
    pub fn sparse(
        columns: Vec<String>,
        (offsets, indices, values): (Vec<usize>, Vec<u32>, Vec<f64>),
        labels: Option<Vec<u32>>,
    ) -> Result<Self, DataSetError> {
        if columns.is_empty() || offsets.len() < 2 {
            return Err(DataSetError::empty());
        }
        let rows = SparseRows { offsets, indices, values };
        let broken = |why| DataSetError::new(format!("entries make no sparse rows: {why}"));
        rows.check(columns.len()).map_err(broken)?;
        let storage = Storage::Sparse(Box::new(rows));
        Self { storage, labels, targets: None, groups: None, columns, places: None }.checked()
    }

    /// Whether all else fits the numbers.
    fn checked(self) -> Result<Self, DataSetError> {
        let examples = self.len();
        if u32::try_from(examples).is_err() {
            let text = format!("{examples} examples are too many: at most 4294967295 can be addressed");
            return Err(DataSetError::new(text));
        }
        let counts = [
            ("label", self.labels.as_ref().map(Vec::len)),
            ("target", self.targets.as_ref().map(Vec::len)),
            ("group", self.groups.as_ref().map(Vec::len)),
        ];
        for (what, found) in counts {
            if let Some(found) = found.filter(|&found| found != examples) {
                let (found, examples) = (so_many(found, what), so_many(examples, "example"));
                return Err(DataSetError::new(format!("{found} for {examples}")));
            }
        }
        let of_rows = self.find_map(|example, column, value| {
            (!value.is_finite()).then(|| (example, &self.columns[column][..], value))
        });
        let of_targets = || {
            let mut targets = self.targets.iter().flatten().enumerate();
            targets.find(|(_, value)| !value.is_finite()).map(|(example, &value)| (example, "target", value))
        };
        match of_rows.or_else(of_targets) {
            Some((example, column, value)) => Err(DataSetError::new(format!(
                "example {example} (counted from 0) has {value} in column `{column}`: expected finite numbers"
            ))),
            None => Ok(self),
        }
    }

    /// The same with a number per example that is to be predicted, in place of labels.
    ///
    /// # Errors
    /// When they are more or fewer than the examples, or one is not finite.
    pub fn with_targets(self, targets: Vec<f64>) -> Result<Self, DataSetError> {
        Self { labels: None, targets: Some(targets), ..self }.checked()
    }

    /// The same, where each column stands at one of these places of its file, counted from 0.
    pub(super) fn with_places(mut self, places: Vec<usize>) -> Self {
        let differ = places.iter().enumerate().any(|(j, &place)| j != place);
        self.places = differ.then(|| places.into_boxed_slice());
        self
    }

    /// d, numbers per example.
    pub fn dimension(&self) -> usize {
        self.columns.len()
    }

    /// N, number of examples (at least 1).
    #[expect(clippy::len_without_is_empty, reason = "a data set is never empty")]
    pub fn len(&self) -> usize {
        match &self.storage {
            Storage::Dense(rows) => rows.len() / self.dimension(),
            Storage::Sparse(rows) => rows.len(),
        }
    }

    /// Bytes of memory of the numbers, responses and groups.
    pub fn bytes(&self) -> u64 {
        let numbers = match &self.storage {
            Storage::Dense(rows) => size_of_val(&rows[..]) as u64,
            Storage::Sparse(rows) => rows.bytes(),
        };
        let codes = [&self.labels, &self.groups].into_iter().flatten().map(|codes| size_of_val(&codes[..]));
        let targets = self.targets.as_ref().map_or(0, |targets| size_of_val(&targets[..]));
        numbers + (codes.sum::<usize>() + targets) as u64
    }

    /// The numbers as they are stored.
    pub fn storage(&self) -> Rows<'_> {
        match &self.storage {
            Storage::Dense(rows) => Rows::Dense(rows),
            Storage::Sparse(rows) => {
                let SparseRows { offsets, indices, values } = &**rows;
                Rows::Sparse { offsets, columns: indices, values }
            }
        }
    }

    /// Are they kept without the zeros?
    pub fn is_sparse(&self) -> bool {
        matches!(self.storage, Storage::Sparse(_))
    }

    /// All numbers, row-major N × d.
    ///
    /// # Panics
    /// If the data are sparse, which only models get that take such ones: see [`DataSet::dense`].
    pub fn rows(&self) -> &[f64] {
        self.examples().rows()
    }

    /// Sparse rows are an error.
    pub(super) fn check_dense(&self) -> Result<(), DataSetError> {
        match self.is_sparse() {
            true => Err(DataSetError::new("the examples are kept without their zeros: expected rows with all numbers")),
            false => Ok(()),
        }
    }

    /// What `find` first finds in the numbers that are stored; it gets example, column and number.
    pub fn find_map<T>(&self, mut find: impl FnMut(usize, usize, f64) -> Option<T>) -> Option<T> {
        match &self.storage {
            Storage::Dense(rows) => {
                let rows = rows.chunks_exact(self.dimension()).enumerate();
                rows.into_iter()
                    .find_map(|(j, row)| row.iter().enumerate().find_map(|(column, &value)| find(j, column, value)))
            }
            Storage::Sparse(rows) => (0..rows.len()).find_map(|j| {
                let (columns, values) = rows.row(j);
                columns.iter().zip(values).find_map(|(&column, &value)| find(j, column as usize, value))
            }),
        }
    }

    /// What is to be predicted of every example.
    pub fn response(&self) -> Response<'_> {
        match (&self.labels, &self.targets) {
            (Some(labels), _) => Response::Classes(labels),
            (None, Some(targets)) => Response::Numbers(targets),
            (None, None) => Response::None,
        }
    }

    /// Zero-based class of every example.
    pub fn labels(&self) -> Option<&[u32]> {
        self.labels.as_deref()
    }

    /// Zero-based group of every example.
    pub fn groups(&self) -> Option<&[u32]> {
        self.groups.as_deref()
    }

    /// Names of the d columns.
    pub fn columns(&self) -> &[String] {
        &self.columns
    }

    /// Where a column stands in the file that the examples are from, counted from 0; what was made of several columns
    /// stands where it is here.
    pub fn place(&self, column: usize) -> usize {
        self.places.as_ref().map_or(column, |places| places[column])
    }

    /// The numbers as a model sees them, with their response.
    pub fn examples(&self) -> Examples<'_> {
        Examples::stored(self.storage(), self.dimension()).with_response(self.response())
    }

    /// The examples with these zero-based indices, in this order.
    ///
    /// # Errors
    /// Without indices.
    ///
    /// # Panics
    /// If an index is not below [`DataSet::len`].
    pub fn select(&self, indices: &[u32]) -> Result<Self, DataSetError> {
        if indices.is_empty() {
            return Err(DataSetError::empty());
        }
        let d = self.dimension();
        let storage = match &self.storage {
            Storage::Dense(rows) => {
                let mut chosen = Vec::with_capacity(indices.len() * d);
                indices.iter().for_each(|&index| chosen.extend_from_slice(&rows[index as usize * d..][..d]));
                Storage::Dense(chosen)
            }
            Storage::Sparse(rows) => Storage::Sparse(Box::new(rows.select(indices))),
        };
        let (columns, places) = (self.columns.clone(), self.places.clone());
        let [labels, groups] = [&self.labels, &self.groups].map(|codes| picked(codes, indices));
        Self { storage, labels, targets: picked(&self.targets, indices), groups, columns, places }.checked()
    }

    /// This data set followed by `other` (same columns and storage; both or neither with labels, with numbers to be
    /// predicted, and with groups).
    ///
    /// # Errors
    /// It names what differs; too many examples.
    pub fn append(mut self, other: &Self) -> Result<Self, DataSetError> {
        if self.columns != other.columns {
            return Err(DataSetError::different("columns"));
        }
        if !(extend(&mut self.labels, &other.labels) && extend(&mut self.targets, &other.targets)) {
            return Err(DataSetError::different("labels"));
        }
        if !extend(&mut self.groups, &other.groups) {
            return Err(DataSetError::different("groups"));
        }
        match (&mut self.storage, &other.storage) {
            (Storage::Dense(rows), Storage::Dense(further)) => rows.extend_from_slice(further),
            (Storage::Sparse(rows), Storage::Sparse(further)) => rows.append(further),
            _ => return Err(DataSetError::different("ways to store zeros")),
        }
        self.checked()
    }

    /// The same with groups numbered from 0 in their order, without gaps.
    pub(super) fn with_groups_renumbered(mut self) -> Self {
        let Some(groups) = &mut self.groups else { return self };
        let mut occurring = groups.clone();
        occurring.sort_unstable();
        occurring.dedup();
        groups.iter_mut().for_each(|group| *group = occurring.binary_search(group).unwrap_or(0) as u32);
        self
    }

    /// The numbers of dense rows, moved out to be changed and given to [`DataSet::with_rows`]; none of sparse ones.
    pub(super) fn take_rows(&mut self) -> Vec<f64> {
        if let Storage::Dense(rows) = &mut self.storage { std::mem::take(rows) } else { Vec::new() }
    }

    /// The same examples with other names of columns and dense numbers: for preprocessing, which keeps responses and
    /// groups in place. Where columns stand in their file is as it was.
    pub(crate) fn with_rows(self, columns: Vec<String>, rows: Vec<f64>) -> Result<Self, DataSetError> {
        let dimension = columns.len();
        if dimension == 0 || rows.is_empty() {
            return Err(DataSetError::empty());
        }
        if !rows.len().is_multiple_of(dimension) {
            return Err(DataSetError::new(format!("{} numbers do not make rows of {dimension}", rows.len())));
        }
        Self { storage: Storage::Dense(rows), columns, ..self }.checked()
    }

    /// The same numbers, stored in another way.
    pub(super) fn with_storage(self, storage: Storage) -> Self {
        Self { storage, ..self }
    }

    /// The rows, where they are sparse.
    pub(super) fn sparse_rows(&self) -> Option<&SparseRows> {
        if let Storage::Sparse(rows) = &self.storage { Some(&**rows) } else { None }
    }

    /// BLAKE3 of the little-endian bits of N, d, the numbers, the responses and the groups: the data digest of a
    /// manifest. Names and places of columns do not enter. Sparse rows have a digest of their own: that of `sparse`, N,
    /// d, and the ends, columns and numbers of entries in place of all numbers.
    pub fn digest(&self) -> [u8; 32] {
        let mut hasher = blake3::Hasher::new();
        if self.is_sparse() {
            hasher.update(b"sparse");
        }
        hash_words(&mut hasher, &[self.len() as u64, self.dimension() as u64], u64::to_le_bytes);
        match &self.storage {
            Storage::Dense(rows) => hash_words(&mut hasher, rows, |value| value.to_bits().to_le_bytes()),
            Storage::Sparse(rows) => {
                hash_words(&mut hasher, &rows.offsets[1..], |end| (end as u64).to_le_bytes());
                hash_words(&mut hasher, &rows.indices, u32::to_le_bytes);
                hash_words(&mut hasher, &rows.values, |value| value.to_bits().to_le_bytes());
            }
        }
        match &self.targets {
            Some(targets) => {
                hasher.update(&[2]);
                hash_words(&mut hasher, targets, |value| value.to_bits().to_le_bytes());
            }
            None => hash_codes(&mut hasher, self.labels()),
        }
        hash_codes(&mut hasher, self.groups());
        *hasher.finalize().as_bytes()
    }
}

/// The values with these indices.
fn picked<T: Copy>(values: &Option<Vec<T>>, indices: &[u32]) -> Option<Vec<T>> {
    values.as_ref().map(|values| indices.iter().map(|&index| values[index as usize]).collect())
}

/// Adds further values; false where only one of both has any.
fn extend<T: Copy>(values: &mut Option<Vec<T>>, further: &Option<Vec<T>>) -> bool {
    values.iter_mut().zip(further).for_each(|(values, further)| values.extend_from_slice(further));
    values.is_some() == further.is_some()
}

/// Whether there are codes, and these.
fn hash_codes(hasher: &mut blake3::Hasher, codes: Option<&[u32]>) {
    hasher.update(&[u8::from(codes.is_some())]);
    hash_words(hasher, codes.unwrap_or_default(), u32::to_le_bytes);
}

/// Feeds `values` to the hasher in large pieces: BLAKE3 is slow on small ones.
pub(crate) fn hash_words<T: Copy, const WIDTH: usize>(
    hasher: &mut blake3::Hasher,
    values: &[T],
    bytes: impl Fn(T) -> [u8; WIDTH],
) {
    let mut buffer = Vec::with_capacity(values.len().min(8192) * WIDTH);
    for piece in values.chunks(8192) {
        buffer.clear();
        buffer.extend(piece.iter().flat_map(|&value| bytes(value)));
        hasher.update(&buffer);
    }
}

/// The numbers of N rows that are given; the others are 0.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct SparseRows {
    /// N + 1 positions, the first 0: where the entries of each row begin, and those of the last end.
    pub(super) offsets: Vec<usize>,
    /// The column of each entry, increasing within a row.
    pub(super) indices: Vec<u32>,
    /// Its number.
    pub(super) values: Vec<f64>,
}

impl SparseRows {
    /// N.
    pub(super) fn len(&self) -> usize {
        self.offsets.len() - 1
    }

    /// Columns and numbers of the entries of a row.
    pub(super) fn row(&self, j: usize) -> (&[u32], &[f64]) {
        let range = self.entries(j);
        (&self.indices[range.clone()], &self.values[range])
    }

    fn entries(&self, j: usize) -> Range<usize> {
        self.offsets[j]..self.offsets[j + 1]
    }

    /// Bytes of memory.
    pub(super) fn bytes(&self) -> u64 {
        12 * self.values.len() as u64 + 8 * self.offsets.len() as u64
    }

    /// Do these make rows of `d` numbers?
    ///
    /// # Errors
    /// What is wrong with them.
    pub(super) fn check(&self, d: usize) -> Result<(), &'static str> {
        let Self { offsets, indices, values } = self;
        let all = offsets.first() == Some(&0) && offsets.last() == Some(&values.len()) && offsets.is_sorted();
        if !all || indices.len() != values.len() {
            return Err("the offsets do not divide columns and numbers into rows");
        }
        let is_row = |(columns, _): (&[u32], &[f64])| {
            columns.is_sorted_by(|one, next| one < next) && columns.last().is_none_or(|&last| (last as usize) < d)
        };
        match (0..self.len()).all(|j| is_row(self.row(j))) {
            true => Ok(()),
            false => Err("the columns of a row do not increase, or are not there"),
        }
    }

    /// The rows with these numbers, in this order.
    pub(super) fn select(&self, rows: &[u32]) -> Self {
        let entries = || rows.iter().map(|&j| self.entries(j as usize));
        let count = entries().map(|range| range.len()).sum();
        let mut chosen = Self {
            offsets: Vec::with_capacity(rows.len() + 1),
            indices: Vec::with_capacity(count),
            values: Vec::with_capacity(count),
        };
        chosen.offsets.push(0);
        for range in entries() {
            chosen.indices.extend_from_slice(&self.indices[range.clone()]);
            chosen.values.extend_from_slice(&self.values[range]);
            chosen.offsets.push(chosen.values.len());
        }
        chosen
    }

    /// Adds further rows.
    pub(super) fn append(&mut self, rows: &Self) {
        let before = self.values.len();
        self.offsets.extend(rows.offsets[1..].iter().map(|end| before + end));
        self.indices.extend_from_slice(&rows.indices);
        self.values.extend_from_slice(&rows.values);
    }
}
