//! Examples of which few numbers are not 0: compressed sparse rows, with labels.

use fedbits_spec::so_many;
use thiserror::Error;

use super::packed::MemoryLimit;
use super::set::{DataSet, DataSetError, hash_words};

/// N examples of d numbers, of which those that are not given are 0.
///
/// Invariants: N ≥ 1, d ≥ 1, one label per example; the columns of a row increase and are below d, and all numbers are
/// finite.
#[derive(Clone, Debug, PartialEq)]
pub struct SparseSet {
    /// Names of the d columns.
    pub(super) columns: Vec<String>,
    /// Where the entries of each row end.
    pub(super) ends: Vec<usize>,
    /// Column and value of each entry, row by row.
    pub(super) indices: Vec<u32>,
    pub(super) values: Vec<f64>,
    pub(super) labels: Vec<u32>,
}

/// Rows with all zeros would take more memory than there is.
#[derive(Clone, Debug, Error, PartialEq)]
#[error(
    "{} of {}, of which {share:.2} % are not 0, take {:.1} GB as a table with all zeros, and {:.1} GB can be had",
    so_many(.examples, "example"), so_many(.features, "number"), *.bytes as f64 / 1e9, *.most as f64 / 1e9
)]
pub struct TooManyZeros {
    /// N.
    pub examples: usize,
    /// d.
    pub features: usize,
    /// The percentage of numbers that are given.
    pub share: f64,
    /// Bytes of all numbers.
    pub bytes: u64,
    /// Bytes that they may take.
    pub most: u64,
}

impl SparseSet {
    /// N.
    #[expect(clippy::len_without_is_empty, reason = "a data set is never empty")]
    pub fn len(&self) -> usize {
        self.ends.len()
    }

    /// d.
    pub fn dimension(&self) -> usize {
        self.columns.len()
    }

    /// Names of the d columns.
    pub fn columns(&self) -> &[String] {
        &self.columns
    }

    /// Zero-based class of every example.
    pub fn labels(&self) -> &[u32] {
        &self.labels
    }

    /// The entries of an example: columns, increasing, and the numbers in them.
    ///
    /// # Panics
    /// If there is no such example.
    pub fn row(&self, example: usize) -> (&[u32], &[f64]) {
        let start = if example == 0 { 0 } else { self.ends[example - 1] };
        let range = start..self.ends[example];
        (&self.indices[range.clone()], &self.values[range])
    }

    /// The entries of all examples, in order.
    pub fn rows(&self) -> impl Iterator<Item = (&[u32], &[f64])> {
        (0..self.len()).map(|example| self.row(example))
    }

    /// Writes all d numbers of an example.
    ///
    /// # Panics
    /// If there is no such example, or `into` has fewer than d numbers.
    pub fn expand(&self, example: usize, into: &mut [f64]) {
        into.fill(0.0);
        let (columns, values) = self.row(example);
        columns.iter().zip(values).for_each(|(&column, &value)| into[column as usize] = value);
    }

    /// The percentage of numbers that are given.
    pub fn share(&self) -> f64 {
        100.0 * self.values.len() as f64 / (self.len() as f64 * self.dimension() as f64)
    }

    /// Bytes of memory of entries and labels.
    pub fn bytes(&self) -> u64 {
        12 * self.values.len() as u64 + 12 * self.len() as u64
    }

    /// The table with all zeros.
    ///
    /// # Errors
    /// [`TooManyZeros`], before any memory is taken.
    pub fn dense(self, limit: MemoryLimit) -> Result<DataSet, TooManyZeros> {
        let (examples, features, share) = (self.len(), self.dimension(), self.share());
        let bytes = 8 * examples as u64 * features as u64;
        let all = bytes.saturating_add(self.bytes());
        if limit.allows_columns(all, features).is_err() {
            return Err(TooManyZeros { examples, features, share, bytes, most: limit.bytes() });
        }
        let mut rows = vec![0.0; examples * features];
        rows.chunks_exact_mut(features).enumerate().for_each(|(example, row)| self.expand(example, row));
        let data = DataSet::new(self.columns, rows, Some(self.labels), None);
        Ok(data.expect("the invariants are those of a data set"))
    }

    /// The examples with each column added, with a random sign, to one of `buckets` (feature hashing: Weinberger et
    /// al., Feature hashing for large scale multitask learning, ICML 2009). Scalar products are the same in
    /// expectation, and nothing is learnt from the data.
    ///
    /// # Errors
    /// More memory than allowed; numbers whose sums overflow.
    pub fn hashed(self, buckets: usize, limit: MemoryLimit) -> Result<DataSet, HashError> {
        limit.allows_columns(8 * self.len() as u64 * buckets as u64 + self.bytes(), buckets)?;
        let mut rows = vec![0.0; self.len() * buckets];
        for (row, (columns, values)) in rows.chunks_exact_mut(buckets).zip(self.rows()) {
            for (&column, &value) in columns.iter().zip(values) {
                let hash = scrambled(column);
                let bucket = (hash >> 1) % buckets as u64;
                row[bucket as usize] += if hash & 1 == 0 { value } else { -value };
            }
        }
        let columns = (0..buckets).map(|bucket| format!("hash {bucket}")).collect();
        Ok(DataSet::new(columns, rows, Some(self.labels), None)?)
    }

    /// BLAKE3 of the little-endian bits of N, d, the ends of rows, columns, numbers and labels. Names do not enter.
    pub fn digest(&self) -> [u8; 32] {
        let mut hasher = blake3::Hasher::new();
        hash_words(&mut hasher, &[self.len() as u64, self.dimension() as u64], u64::to_le_bytes);
        hash_words(&mut hasher, &self.ends, |end| (end as u64).to_le_bytes());
        hash_words(&mut hasher, &self.indices, u32::to_le_bytes);
        hash_words(&mut hasher, &self.values, |value| value.to_bits().to_le_bytes());
        hash_words(&mut hasher, &self.labels, u32::to_le_bytes);
        *hasher.finalize().as_bytes()
    }
}

/// Why features cannot be hashed.
#[derive(Debug, Error)]
pub enum HashError {
    /// More memory than there is.
    #[error(transparent)]
    Memory(#[from] std::io::Error),
    /// A sum overflows.
    #[error(transparent)]
    DataSet(#[from] DataSetError),
}

/// A column's hash: the finalizer of SplitMix64.
fn scrambled(column: u32) -> u64 {
    let mut z = (u64::from(column) + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    z = (z ^ z >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ z >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ z >> 31
}
