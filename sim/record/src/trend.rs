//! The rows of `trend.csv`: what a fitted matrix of sites × times says about every time.

use crate::RecordError;
use crate::table::{Cells, Table};

/// Header of `trend.csv`.
pub(crate) const TREND_COLUMNS: [&str; 4] = ["time", "estimated_total", "observed", "missing"];

/// One time.
#[derive(Debug, Clone, PartialEq)]
pub struct TrendRow {
    /// Its name in the data.
    pub time: String,
    /// Sum over sites of the estimated values.
    pub estimated_total: f64,
    /// Sites with an observation at that time.
    pub observed: u64,
    /// Sites without one.
    pub missing: u64,
}

impl TrendRow {
    pub(crate) fn write(&self, table: &mut Table) -> Result<(), RecordError> {
        table.cell(&self.time)?;
        table.float(Some(self.estimated_total))?;
        table.cell(self.observed)?;
        table.cell(self.missing)?;
        table.end_row()
    }

    pub(crate) fn read(cells: &mut Cells) -> Result<Self, RecordError> {
        Ok(Self {
            time: cells.text()?,
            estimated_total: cells.present_float()?,
            observed: cells.whole()?,
            missing: cells.whole()?,
        })
    }
}
