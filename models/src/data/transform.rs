//! A fitted step of preparation: what it does to a row is known, so that it can be done to further data.

use super::pca::Pca;
use super::{DataSet, DataSetError};
use serde::{Deserialize, Serialize};

/// What a fitted step does to every row.
#[derive(Clone, Debug, Deserialize, PartialEq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Transform {
    /// Only these columns are kept, counted from 0, increasing.
    Keep {
        /// Which.
        columns: Vec<usize>,
    },
    /// (y − mean) ÷ scale in every column.
    Affine {
        /// A mean per column, in the unit of the column.
        means: Vec<f64>,
        /// A scale per column, in the unit of the column.
        scales: Vec<f64>,
    },
    /// The natural logarithm of these columns, counted from 0, increasing.
    Log {
        /// Which.
        columns: Vec<usize>,
    },
    /// Standardized within each client: what it does to a row depends on whose it is.
    WithinClients,
    /// Scores of principal components.
    Project(Pca),
}

impl Transform {
    /// Columns that it gives of so many.
    pub fn gives(&self, before: usize) -> usize {
        match self {
            Self::Keep { columns } => columns.len(),
            Self::Affine { .. } | Self::Log { .. } | Self::WithinClients => before,
            Self::Project(pca) => pca.components(),
        }
    }

    /// The data after the step.
    ///
    /// # Errors
    /// When a number overflows or has no logarithm; always of sparse rows, and where clients are standardized each for
    /// itself.
    ///
    /// # Panics
    /// When the data have fewer columns than those that it was fitted to.
    pub fn apply(&self, mut data: DataSet) -> Result<DataSet, DataSetError> {
        data.check_dense()?;
        match self {
            Self::Keep { columns } => {
                let d = data.dimension();
                let names = columns.iter().map(|&j| data.columns[j].clone()).collect();
                let places = columns.iter().map(|&j| data.place(j)).collect();
                let rows = compacted(data.take_rows(), d, columns);
                Ok(data.with_rows(names, rows)?.with_places(places))
            }
            Self::Affine { means, scales } => shift_and_scale(data, means, scales),
            Self::Log { columns } => logarithms(data, columns),
            Self::WithinClients => Err(of_no_client()),
            Self::Project(pca) => {
                let names = (1..=pca.components()).map(|c| format!("pc{c}")).collect();
                let rows = pca.project(data.examples());
                Ok(data.with_rows(names, rows)?.with_places(Vec::new()))
            }
        }
    }
}

/// A row of no client is to be standardized within its client.
pub(super) fn of_no_client() -> DataSetError {
    DataSetError::new("the data were standardized within each client, and further rows belong to none")
}

/// Only the columns `kept` (increasing), moved to the front in place: a second copy of a large table is not affordable.
fn compacted(mut rows: Vec<f64>, d: usize, kept: &[usize]) -> Vec<f64> {
    let mut end = 0;
    for start in (0..rows.len()).step_by(d) {
        for &j in kept {
            rows[end] = rows[start + j];
            end += 1;
        }
    }
    rows.truncate(end);
    rows
}

/// Are these columns above 0 in every example?
pub(super) fn have_logarithms(data: &DataSet, columns: &[usize]) -> Result<(), DataSetError> {
    data.check_dense()?;
    for (example, row) in data.rows().chunks_exact(data.dimension()).enumerate() {
        if let Some(&j) = columns.iter().find(|&&j| row[j] <= 0.0) {
            let (value, column) = (row[j], &data.columns()[j]);
            return Err(DataSetError::new(format!(
                "logarithm: example {example} (counted from 0) has {value} in column `{column}`: expected \
                 numbers above 0"
            )));
        }
    }
    Ok(())
}

fn logarithms(mut data: DataSet, columns: &[usize]) -> Result<DataSet, DataSetError> {
    have_logarithms(&data, columns)?;
    let d = data.dimension();
    let (names, mut rows) = (std::mem::take(&mut data.columns), data.take_rows());
    for row in rows.chunks_exact_mut(d) {
        columns.iter().for_each(|&j| row[j] = libm::log(row[j]));
    }
    data.with_rows(names, rows)
}

/// (y − mean) / scale in every column. A scale that underflowed to 0 ends as a typed error: the result is not finite.
fn shift_and_scale(mut data: DataSet, means: &[f64], scales: &[f64]) -> Result<DataSet, DataSetError> {
    let (columns, mut rows) = (std::mem::take(&mut data.columns), data.take_rows());
    for row in rows.chunks_exact_mut(means.len()) {
        for ((value, &mean), &scale) in row.iter_mut().zip(means).zip(scales) {
            *value = (*value - mean) / scale;
        }
    }
    data.with_rows(columns, rows)
}
