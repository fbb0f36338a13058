//! Data sets: a table of finite numbers, dense or sparse, with an optional response and optional groups.

use super::answers::{Answers, picked};
use super::sparse_rows::SparseRows;
use crate::{Examples, Response, Rows};
use fedbits_spec::so_many;
use thiserror::Error;

/// N examples of d finite numbers, with a response (a label, or a number) and a group each if the source has them.
///
/// Invariants, checked by [`DataSet::new`] and [`DataSet::sparse`]: d ≥ 1, 1 ≤ N ≤ 2³²−1, one name per column, one
/// response and one group per example if there are any, every number finite; the columns of a sparse row increase.
#[derive(Clone, Debug, PartialEq)]
pub struct DataSet {
    storage: Storage,
    /// Labels, or numbers to be predicted.
    answers: Answers,
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

/// Why a table is not a data set.
#[derive(Clone, Debug, Error, PartialEq)]
pub enum DataSetError {
    /// No column or no row.
    #[error("a data set needs at least one column and one example")]
    Empty,
    /// Row indices are 32-bit.
    #[error("{0} examples are too many: at most 4294967295 can be addressed")]
    TooMany(usize),
    /// The numbers do not fill whole rows.
    #[error("{numbers} numbers do not make rows of {dimension}")]
    Ragged {
        /// Numbers given.
        numbers: usize,
        /// Numbers per row.
        dimension: usize,
    },
    /// Labels or groups do not match the examples.
    #[error("{} for {}", so_many(.found, .what), so_many(.examples, "example"))]
    Count {
        /// "label" or "group".
        what: &'static str,
        /// How many there are.
        found: usize,
        /// How many there should be.
        examples: usize,
    },
    /// Offsets, columns and numbers do not make sparse rows.
    #[error("entries make no sparse rows: {0}")]
    Entries(&'static str),
    /// What needs all numbers got sparse rows.
    #[error("the examples are kept without their zeros: expected rows with all numbers")]
    Sparse,
    /// A number is infinite or not a number.
    #[error("example {example} (counted from 0) has {value} in column `{column}`: expected finite numbers")]
    NotFinite {
        /// Zero-based row.
        example: usize,
        /// Name of the column.
        column: String,
        /// The value.
        value: f64,
    },
    /// A logarithm of what has none.
    #[error("logarithm: example {example} (counted from 0) has {value} in column `{column}`: expected numbers above 0")]
    NoLogarithm {
        /// Zero-based row.
        example: usize,
        /// Name of the column.
        column: String,
        /// The value.
        value: f64,
    },
    /// A row of no client is to be standardized within its client.
    #[error("the data were standardized within each client, and further rows belong to none")]
    WithinClients,
    /// Two data sets to be joined differ in their columns or in what they have.
    #[error("data sets with different {0} cannot be joined")]
    Different(&'static str),
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
        Self::of_rows(columns, rows, Answers::of(labels), groups, None)
    }

    fn of_rows(
        columns: Vec<String>,
        rows: Vec<f64>,
        answers: Answers,
        groups: Option<Vec<u32>>,
        places: Option<Box<[usize]>>,
    ) -> Result<Self, DataSetError> {
        let dimension = columns.len();
        if dimension == 0 || rows.is_empty() {
            return Err(DataSetError::Empty);
        }
        if !rows.len().is_multiple_of(dimension) {
            return Err(DataSetError::Ragged { numbers: rows.len(), dimension });
        }
        Self { storage: Storage::Dense(rows), answers, groups, columns, places }.checked()
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
            return Err(DataSetError::Empty);
        }
        let rows = SparseRows { offsets, indices, values };
        rows.check(columns.len()).map_err(DataSetError::Entries)?;
        let (storage, answers) = (Storage::Sparse(Box::new(rows)), Answers::of(labels));
        Self { storage, answers, groups: None, columns, places: None }.checked()
    }

    /// Whether all else fits the numbers.
    fn checked(self) -> Result<Self, DataSetError> {
        let examples = self.len();
        if u32::try_from(examples).is_err() {
            return Err(DataSetError::TooMany(examples));
        }
        let (what, found) = match &self.answers {
            Answers::None => ("label", examples),
            Answers::Classes(labels) => ("label", labels.len()),
            Answers::Numbers(targets) => ("target", targets.len()),
        };
        for (what, found) in [(what, found), ("group", self.groups.as_ref().map_or(examples, Vec::len))] {
            if found != examples {
                return Err(DataSetError::Count { what, found, examples });
            }
        }
        let wrong = |example, column: usize, value: f64| (!value.is_finite()).then_some((example, column, value));
        if let Some((example, column, value)) = self.find_map(wrong) {
            return Err(DataSetError::NotFinite { example, column: self.columns[column].clone(), value });
        }
        if let Answers::Numbers(targets) = &self.answers
            && let Some(example) = targets.iter().position(|value| !value.is_finite())
        {
            let column = "target".to_owned();
            return Err(DataSetError::NotFinite { example, column, value: targets[example] });
        }
        Ok(self)
    }

    /// The same with a number per example that is to be predicted, in place of labels.
    ///
    /// # Errors
    /// [`DataSetError::Count`], [`DataSetError::NotFinite`].
    pub fn with_targets(self, targets: Vec<f64>) -> Result<Self, DataSetError> {
        Self { answers: Answers::Numbers(targets), ..self }.checked()
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
        let groups = self.groups.as_ref().map_or(0, |groups| size_of_val(&groups[..]));
        numbers + (self.answers.bytes() + groups) as u64
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
        if self.is_sparse() { Err(DataSetError::Sparse) } else { Ok(()) }
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
        self.answers.response()
    }

    /// Zero-based class of every example.
    pub fn labels(&self) -> Option<&[u32]> {
        if let Answers::Classes(labels) = &self.answers { Some(labels) } else { None }
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
    /// [`DataSetError::Empty`] without indices.
    ///
    /// # Panics
    /// If an index is not below [`DataSet::len`].
    pub fn select(&self, indices: &[u32]) -> Result<Self, DataSetError> {
        if indices.is_empty() {
            return Err(DataSetError::Empty);
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
        let (answers, columns, places) = (self.answers.select(indices), self.columns.clone(), self.places.clone());
        let groups = self.groups.as_ref().map(|groups| picked(groups, indices));
        Self { storage, answers, groups, columns, places }.checked()
    }

    /// This data set followed by `other` (same columns and storage; both or neither with labels, with numbers to be
    /// predicted, and with groups).
    ///
    /// # Errors
    /// [`DataSetError::Different`] names what differs; [`DataSetError::TooMany`].
    pub fn append(mut self, other: &Self) -> Result<Self, DataSetError> {
        if self.columns != other.columns {
            return Err(DataSetError::Different("columns"));
        }
        if !self.answers.append(&other.answers) {
            return Err(DataSetError::Different("labels"));
        }
        match (&mut self.groups, &other.groups) {
            (Some(groups), Some(further)) => groups.extend_from_slice(further),
            (None, None) => {}
            _ => return Err(DataSetError::Different("groups")),
        }
        match (&mut self.storage, &other.storage) {
            (Storage::Dense(rows), Storage::Dense(further)) => rows.extend_from_slice(further),
            (Storage::Sparse(rows), Storage::Sparse(further)) => rows.append(further),
            _ => return Err(DataSetError::Different("ways to store zeros")),
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
        Self::of_rows(columns, rows, self.answers, self.groups, self.places)
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
        match &self.answers {
            Answers::Numbers(targets) => {
                hasher.update(&[2]);
                hash_words(&mut hasher, targets, |value| value.to_bits().to_le_bytes());
            }
            _ => hash_codes(&mut hasher, self.labels()),
        }
        hash_codes(&mut hasher, self.groups());
        *hasher.finalize().as_bytes()
    }
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
