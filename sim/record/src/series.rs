//! Named components per recorded round: the path of θ or of Ŝ.

use crate::table::check_finite;
use crate::{Cell, RecordError, RunTable};
use serde::{Deserialize, Serialize};

/// The components of one recorded round.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct SeriesRow {
    /// Number of the round.
    pub round: u64,
    /// One value per name of the [`Series`].
    pub values: Vec<f64>,
}

/// A table `round,<names…>`.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct Series {
    /// Names of the components.
    pub names: Vec<String>,
    /// Rows in the order they were recorded.
    pub rows: Vec<SeriesRow>,
}

impl Series {
    pub(crate) fn table(&self, name: &str) -> RunTable {
        let columns = ["round"].into_iter().chain(self.names.iter().map(String::as_str)).map(str::to_owned).collect();
        let cells = |row: &SeriesRow| {
            [Cell::Whole(row.round)].into_iter().chain(row.values.iter().map(|&value| Cell::Float(value))).collect()
        };
        RunTable { name: name.to_owned(), columns, rows: self.rows.iter().map(cells).collect() }
    }
}

/// As many finite values as there are names.
pub(crate) fn check(table: &str, round: u64, names: &[String], values: &[f64]) -> Result<(), RecordError> {
    if values.len() != names.len() {
        return Err(RecordError::width(table, round, names.len(), values.len()));
    }
    check_finite(table, round, names.iter().map(String::as_str).zip(values.iter().copied().map(Some)))
}
