//! Rows of which few numbers are not 0, as data sets keep them: compressed sparse rows.

use std::ops::Range;

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
