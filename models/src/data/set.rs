//! Data sets: a table of finite numbers with optional labels and groups.

use crate::{Examples, Response};
use fedbits_spec::so_many;
use thiserror::Error;

/// N examples of d finite numbers, with a label and a group each if the source has them.
///
/// Invariants, checked by [`DataSet::new`]: d ≥ 1, 1 ≤ N ≤ 2³²−1, one name per column, one label and one group per
/// example if there are any, every number finite.
#[derive(Clone, Debug, PartialEq)]
pub struct DataSet {
    dimension: usize,
    pub(super) rows: Vec<f64>,
    labels: Option<Vec<u32>>,
    groups: Option<Vec<u32>>,
    pub(super) columns: Vec<String>,
    /// Where each column stands in its file, from 0; none: as here.
    places: Option<Box<[usize]>>,
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
        let dimension = columns.len();
        if dimension == 0 || rows.is_empty() {
            return Err(DataSetError::Empty);
        }
        if !rows.len().is_multiple_of(dimension) {
            return Err(DataSetError::Ragged { numbers: rows.len(), dimension });
        }
        let examples = rows.len() / dimension;
        if u32::try_from(examples).is_err() {
            return Err(DataSetError::TooMany(examples));
        }
        for (what, codes) in [("label", &labels), ("group", &groups)] {
            if let Some(codes) = codes.as_ref().filter(|codes| codes.len() != examples) {
                return Err(DataSetError::Count { what, found: codes.len(), examples });
            }
        }
        if let Some(position) = rows.iter().position(|value| !value.is_finite()) {
            let (example, column) = (position / dimension, columns[position % dimension].clone());
            return Err(DataSetError::NotFinite { example, column, value: rows[position] });
        }
        Ok(Self { dimension, rows, labels, groups, columns, places: None })
    }

    /// The same, where each column stands at one of these places of its file, counted from 0.
    pub(super) fn with_places(mut self, places: Vec<usize>) -> Self {
        let differ = places.iter().enumerate().any(|(j, &place)| j != place);
        self.places = differ.then(|| places.into_boxed_slice());
        self
    }

    /// d, numbers per example.
    pub fn dimension(&self) -> usize {
        self.dimension
    }

    /// N, number of examples (at least 1).
    #[expect(clippy::len_without_is_empty, reason = "a data set is never empty")]
    pub fn len(&self) -> usize {
        self.rows.len() / self.dimension
    }

    /// Bytes of memory of the numbers, labels and groups.
    pub fn bytes(&self) -> u64 {
        let codes = |codes: &Option<Vec<u32>>| codes.as_ref().map_or(0, |codes| size_of_val(&codes[..]));
        (size_of_val(&self.rows[..]) + codes(&self.labels) + codes(&self.groups)) as u64
    }

    /// All numbers, row-major N × d.
    pub fn rows(&self) -> &[f64] {
        &self.rows
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

    /// The numbers as a model sees them, with the labels as their response.
    pub fn examples(&self) -> Examples<'_> {
        let response = self.labels.as_deref().map_or(Response::None, Response::Classes);
        Examples::new(&self.rows, self.dimension).with_response(response)
    }

    /// The examples with these zero-based indices, in this order.
    ///
    /// # Errors
    /// [`DataSetError::Empty`] without indices.
    ///
    /// # Panics
    /// If an index is not below [`DataSet::len`].
    pub fn select(&self, indices: &[u32]) -> Result<Self, DataSetError> {
        let d = self.dimension;
        let mut rows = Vec::with_capacity(indices.len() * d);
        for &index in indices {
            rows.extend_from_slice(&self.rows[index as usize * d..][..d]);
        }
        let pick = |codes: &Vec<u32>| indices.iter().map(|&index| codes[index as usize]).collect();
        let (labels, groups) = (self.labels.as_ref().map(pick), self.groups.as_ref().map(pick));
        Ok(Self { places: self.places.clone(), ..Self::new(self.columns.clone(), rows, labels, groups)? })
    }

    /// This data set followed by `other` (same columns; both or neither with labels, and with groups).
    ///
    /// # Errors
    /// [`DataSetError::Different`] names what differs; [`DataSetError::TooMany`].
    pub fn append(mut self, other: &Self) -> Result<Self, DataSetError> {
        if self.columns != other.columns {
            return Err(DataSetError::Different("columns"));
        }
        for (what, mine, theirs) in
            [("labels", &mut self.labels, &other.labels), ("groups", &mut self.groups, &other.groups)]
        {
            match (mine, theirs) {
                (Some(mine), Some(theirs)) => mine.extend_from_slice(theirs),
                (None, None) => {}
                _ => return Err(DataSetError::Different(what)),
            }
        }
        self.rows.extend_from_slice(&other.rows);
        Ok(Self { places: self.places, ..Self::new(self.columns, self.rows, self.labels, self.groups)? })
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

    /// The same examples with other names of columns and numbers: for preprocessing, which keeps labels and groups in
    /// place. Where columns stand in their file is as it was.
    pub(super) fn with_rows(self, columns: Vec<String>, rows: Vec<f64>) -> Result<Self, DataSetError> {
        Ok(Self { places: self.places, ..Self::new(columns, rows, self.labels, self.groups)? })
    }

    /// BLAKE3 of the little-endian bits of N, d, the numbers, the labels and the groups: the data digest of a manifest.
    /// Names and places of columns do not enter.
    pub fn digest(&self) -> [u8; 32] {
        let mut hasher = blake3::Hasher::new();
        hasher.update(&(self.len() as u64).to_le_bytes());
        hasher.update(&(self.dimension as u64).to_le_bytes());
        hash_words(&mut hasher, &self.rows, |value| value.to_bits().to_le_bytes());
        for codes in [&self.labels, &self.groups] {
            hasher.update(&[u8::from(codes.is_some())]);
            hash_words(&mut hasher, codes.as_deref().unwrap_or_default(), |code| code.to_le_bytes());
        }
        *hasher.finalize().as_bytes()
    }
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
