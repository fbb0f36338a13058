//! The numbers of examples as they are stored, and the two products of a gradient: aᵀ x and out + c a.
//!
//! A product aᵀ x is summed in eight lanes, column k in lane k mod 8, in the order of columns, and the lanes are added
//! by halves. The numbers that are not given add ±0 to a sum that is never −0: rows give the same bits whether their
//! zeros are stored or not, as long as x and c are finite.

use fedbits_numerics::lanes::{LANES, sum_by_halves};

/// The numbers of N examples.
#[derive(Clone, Copy, Debug)]
pub enum Rows<'a> {
    /// All numbers, row-major.
    Dense(&'a [f64]),
    /// Compressed sparse rows: the numbers that are given. The others are 0.
    Sparse {
        /// N + 1 positions, none below the one before: row j has the entries from `offsets[j]` to `offsets[j + 1]`.
        offsets: &'a [usize],
        /// The column of each entry, increasing within a row.
        columns: &'a [u32],
        /// The number of each entry.
        values: &'a [f64],
    },
}

/// The numbers of one example.
#[derive(Clone, Copy, Debug)]
pub enum Row<'a> {
    /// All d of them.
    Dense(&'a [f64]),
    /// Those that are given: columns, increasing, and as many numbers. The others are 0.
    Sparse(&'a [u32], &'a [f64]),
}

impl<'a> Rows<'a> {
    /// Row `j` of rows with d numbers each.
    ///
    /// # Panics
    /// If there is no such row.
    #[inline]
    pub fn row(self, j: usize, d: usize) -> Row<'a> {
        match self {
            Self::Dense(rows) => Row::Dense(&rows[j * d..][..d]),
            Self::Sparse { offsets, columns, values } => {
                let entries = offsets[j]..offsets[j + 1];
                Row::Sparse(&columns[entries.clone()], &values[entries])
            }
        }
    }
}

impl Row<'_> {
    /// aᵀ x.
    ///
    /// ```
    /// use fedbits_models::Row;
    ///
    /// let x = [2.0, 3.0, 5.0];
    /// assert_eq!(Row::Dense(&[1.0, 0.0, 4.0]).dot(&x), 22.0);
    /// assert_eq!(Row::Sparse(&[0, 2], &[1.0, 4.0]).dot(&x), 22.0);
    /// ```
    ///
    /// # Panics
    /// If an entry has no column in `x`.
    #[inline]
    pub fn dot(self, x: &[f64]) -> f64 {
        // One sum alone would wait for each of its additions.
        let mut lanes = [0.0; LANES];
        match self {
            Self::Dense(row) => {
                for (row, x) in row.chunks(LANES).zip(x.chunks(LANES)) {
                    lanes.iter_mut().zip(row).zip(x).for_each(|((sum, a), x)| *sum += a * x);
                }
            }
            Self::Sparse(columns, values) => {
                for (&column, a) in columns.iter().zip(values) {
                    lanes[column as usize % LANES] += a * x[column as usize];
                }
            }
        }
        sum_by_halves(lanes)
    }

    /// Adds c a to `out`, of which no number may be −0.
    ///
    /// # Panics
    /// If an entry has no column in `out`.
    #[inline]
    pub fn add_scaled(self, c: f64, out: &mut [f64]) {
        match self {
            Self::Dense(row) => out.iter_mut().zip(row).for_each(|(out, a)| *out += c * a),
            Self::Sparse(columns, values) => {
                columns.iter().zip(values).for_each(|(&column, a)| out[column as usize] += c * a);
            }
        }
    }

    /// Hands each number that is stored over, with its column.
    #[inline]
    pub fn for_each(self, mut each: impl FnMut(usize, f64)) {
        match self {
            Self::Dense(row) => row.iter().enumerate().for_each(|(column, &a)| each(column, a)),
            Self::Sparse(columns, values) => {
                columns.iter().zip(values).for_each(|(&column, &a)| each(column as usize, a));
            }
        }
    }
}
