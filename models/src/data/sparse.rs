//! Data sets without their zeros, with all of them, and hashed ones.

use super::set::{SparseRows, Storage};
use super::{DataSet, DataSetError, MemoryLimit};
use fedbits_spec::so_many;

impl DataSet {
    /// The percentage of numbers that are stored.
    pub fn share(&self) -> f64 {
        let stored = self.sparse_rows().map_or(self.len() * self.dimension(), |rows| rows.values.len());
        100.0 * stored as f64 / (self.len() as f64 * self.dimension() as f64)
    }

    /// The same without storing zeros.
    #[must_use]
    pub fn sparsified(&self) -> Self {
        let (mut offsets, mut indices, mut values) = (vec![0; self.len() + 1], Vec::new(), Vec::new());
        self.find_map(|example, column, value| {
            if value != 0.0 {
                indices.push(column as u32);
                values.push(value);
            }
            offsets[example + 1] = values.len();
            None::<()>
        });
        // Sparse rows without entries end where those before them do.
        (1..offsets.len()).for_each(|at| offsets[at] = offsets[at].max(offsets[at - 1]));
        self.clone().with_storage(Storage::Sparse(Box::new(SparseRows { offsets, indices, values })))
    }

    /// The table with all zeros.
    ///
    /// # Errors
    /// When it would take more memory than there is, before any is taken.
    pub fn dense(self, limit: MemoryLimit) -> Result<Self, DataSetError> {
        let Some(sparse) = self.sparse_rows() else { return Ok(self) };
        let (examples, features) = (self.len(), self.dimension());
        let bytes = (8 * examples as u64).saturating_mul(features as u64);
        let all = bytes.saturating_add(self.bytes());
        if limit.allows_columns(all, features).is_err() {
            return Err(DataSetError::new(format!(
                "{} of {}, of which {:.2} % are not 0, take {:.1} GB as a table with all zeros, and {:.1} GB can be \
                 had",
                so_many(examples, "example"),
                so_many(features, "number"),
                self.share(),
                bytes as f64 / 1e9,
                limit.bytes() as f64 / 1e9
            )));
        }
        let mut rows = vec![0.0; examples * features];
        for (j, row) in rows.chunks_exact_mut(features).enumerate() {
            let (columns, values) = sparse.row(j);
            columns.iter().zip(values).for_each(|(&column, &value)| row[column as usize] = value);
        }
        Ok(self.with_storage(Storage::Dense(rows)))
    }

    /// The examples with each column added, with a random sign, to one of `buckets` (feature hashing: Weinberger et
    /// al., Feature hashing for large scale multitask learning, ICML 2009). Scalar products are the same in
    /// expectation, and nothing is learnt from the data.
    ///
    /// # Errors
    /// More memory than allowed; numbers whose sums overflow.
    pub fn hashed(self, buckets: usize, limit: MemoryLimit) -> Result<Self, DataSetError> {
        let bytes = 8 * self.len() as u64 * buckets as u64 + self.bytes();
        limit.allows_columns(bytes, buckets).map_err(|error| DataSetError::new(error.to_string()))?;
        let mut rows = vec![0.0; self.len() * buckets];
        self.find_map(|example, column, value| {
            let hash = scrambled(column as u64);
            let bucket = (hash >> 1) % buckets as u64;
            rows[example * buckets + bucket as usize] += if hash & 1 == 0 { value } else { -value };
            None::<()>
        });
        let columns = (0..buckets).map(|bucket| format!("hash {bucket}")).collect();
        Ok(self.with_rows(columns, rows)?.with_places(Vec::new()))
    }
}

/// A column's hash: the finalizer of SplitMix64.
fn scrambled(column: u64) -> u64 {
    let mut z = (column + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    z = (z ^ z >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ z >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ z >> 31
}
