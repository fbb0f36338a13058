//! Named components per recorded round: the path of θ or of Ŝ.

use crate::RecordError;
use crate::round::check_finite;
use crate::table::{Cells, FileTable};
use std::path::Path;

/// The components of one recorded round.
#[derive(Debug, Clone, PartialEq)]
pub struct SeriesRow {
    /// Number of the round.
    pub round: u64,
    /// One value per name of the [`Series`].
    pub values: Vec<f64>,
}

/// A table `round,<names…>`.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Series {
    /// Names of the components.
    pub names: Vec<String>,
    /// Rows in the order they were recorded.
    pub rows: Vec<SeriesRow>,
}

impl SeriesRow {
    pub(crate) fn write(round: u64, values: &[f64], table: &mut FileTable) -> Result<(), RecordError> {
        table.cell(round)?;
        for &value in values {
            table.float(Some(value))?;
        }
        table.end_row()
    }

    pub(crate) fn read(cells: &mut Cells, components: usize) -> Result<Self, RecordError> {
        let round = cells.whole()?;
        let values = (0..components).map(|_| cells.present_float()).collect::<Result<_, _>>()?;
        Ok(Self { round, values })
    }
}

/// As many finite values as there are names.
pub(crate) fn check(path: &Path, round: u64, names: &[String], values: &[f64]) -> Result<(), RecordError> {
    let (expected, given) = (names.len(), values.len());
    if given != expected {
        return Err(RecordError::Values { path: path.to_path_buf(), round, expected, given });
    }
    check_finite(path, round, names.iter().map(String::as_str).zip(values.iter().copied().map(Some)))
}
