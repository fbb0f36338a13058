//! Tables of runs as Arrow data: pandas, polars, DuckDB and others take them without copies.

use std::path::PathBuf;
use std::sync::Arc;

use arrow_array::cast::AsArray;
use arrow_array::ffi_stream::FFI_ArrowArrayStream;
use arrow_array::types::{Float64Type, Int64Type, UInt64Type};
use arrow_array::{
    Array, ArrayRef, BooleanArray, Float64Array, Int64Array, RecordBatch, RecordBatchIterator, StringArray, UInt64Array,
};
use arrow_buffer::NullBuffer;
use arrow_schema::{Field, Schema};
use fedbits_record::results::TidyTable;
use fedbits_record::{Cell, ColumnKind};
use fedbits_spec::so_many;
use numpy::PyArray1;
use pyo3::exceptions::PyKeyError;
use pyo3::prelude::*;
use pyo3::types::{PyCapsule, PyDict};
use serde_json::Value;

use crate::caveats::{CaveatRow, caveat_rows};
use crate::error::{FedbitsError, raised};

/// A table with named columns: whole numbers, numbers, truth values or texts. Missing values are null; missing numbers
/// are NaN below it.
#[pyclass(module = "fedbits._fedbits")]
pub(crate) struct Frame {
    batch: RecordBatch,
}

#[pymethods]
impl Frame {
    /// Names of the columns.
    #[getter]
    fn columns(&self) -> Vec<String> {
        self.batch.schema().fields().iter().map(|field| field.name().clone()).collect()
    }

    fn __len__(&self) -> usize {
        self.batch.num_rows()
    }

    fn __repr__(&self) -> String {
        format!("<fedbits table: {} of {}>", so_many(self.batch.num_rows(), "row"), self.columns().join(", "))
    }

    /// A column as an array of NumPy, or a list of texts.
    fn __getitem__<'py>(&self, py: Python<'py>, name: &str) -> PyResult<Bound<'py, PyAny>> {
        let found = self.to_dict(py)?.get_item(name)?;
        found.ok_or_else(|| PyKeyError::new_err(format!("no column `{name}`: there are {}", self.columns().join(", "))))
    }

    /// The table as an Arrow stream (the Arrow PyCapsule interface); the requested schema is not looked at.
    #[pyo3(signature = (requested_schema=None))]
    fn __arrow_c_stream__<'py>(
        &self,
        py: Python<'py>,
        requested_schema: Option<Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyCapsule>> {
        drop(requested_schema);
        let reader = RecordBatchIterator::new([Ok(self.batch.clone())], self.batch.schema());
        let stream = FFI_ArrowArrayStream::new(Box::new(reader));
        PyCapsule::new_with_value(py, stream, c"arrow_array_stream")
    }

    /// The columns as arrays of NumPy, texts as lists: numbers that are missing are NaN.
    fn to_dict<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        dictionary(py, self.batch.clone())
    }

    /// The same, with the memory of the numbers: the table is empty then. What others have of it is copied.
    fn take_dict<'py>(&mut self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let empty = RecordBatch::new_empty(Arc::new(Schema::empty()));
        dictionary(py, std::mem::replace(&mut self.batch, empty))
    }
}

/// The columns of a table as arrays of NumPy and lists. Memory that nobody else has is taken over.
fn dictionary(py: Python<'_>, batch: RecordBatch) -> PyResult<Bound<'_, PyDict>> {
    let all = PyDict::new(py);
    let (schema, columns, _) = batch.into_parts();
    for (field, column) in schema.fields().iter().zip(columns) {
        let name = field.name();
        if let Some(whole) = column.as_primitive_opt::<Int64Type>().cloned() {
            drop(column);
            all.set_item(name, PyArray1::from_vec(py, whole.into_parts().1.into()))?;
        } else if let Some(whole) = column.as_primitive_opt::<UInt64Type>().cloned() {
            drop(column);
            all.set_item(name, PyArray1::from_vec(py, whole.into_parts().1.into()))?;
        } else if let Some(numbers) = column.as_primitive_opt::<Float64Type>().cloned() {
            drop(column);
            all.set_item(name, PyArray1::from_vec(py, numbers.into_parts().1.into()))?;
        } else if let Some(truths) = column.as_boolean_opt() {
            let known: Option<Vec<bool>> = truths.iter().collect();
            match known {
                Some(known) => all.set_item(name, PyArray1::from_vec(py, known))?,
                None => all.set_item(name, truths.iter().collect::<Vec<_>>())?,
            }
        } else if let Some(texts) = column.as_string_opt::<i32>() {
            all.set_item(name, texts.iter().collect::<Vec<_>>())?;
        }
    }
    Ok(all)
}

impl Frame {
    pub(crate) fn of_table(table: TidyTable) -> PyResult<Self> {
        let TidyTable { columns, mut rows } = table;
        let array = |(place, (name, kind)): (usize, (String, ColumnKind))| {
            let cells: Vec<Cell> = rows.iter_mut().map(|row| std::mem::take(&mut row[place])).collect();
            (name, array(kind, &cells))
        };
        Self::of_columns(columns.into_iter().enumerate().map(array).collect())
    }

    /// A table of JSON values, one per row and column.
    fn of_values(columns: Vec<String>, rows: &[Vec<Value>]) -> PyResult<Self> {
        let array = |(place, name)| (name, values(rows.iter().map(|row| &row[place])));
        Self::of_columns(columns.into_iter().enumerate().map(array).collect())
    }

    fn of_columns(columns: Vec<(String, ArrayRef)>) -> PyResult<Self> {
        let field = |(name, column): &(String, ArrayRef)| Field::new(name, column.data_type().clone(), true);
        let schema = Schema::new(columns.iter().map(field).collect::<Vec<_>>());
        let batch = RecordBatch::try_new(Arc::new(schema), columns.into_iter().map(|(_, column)| column).collect());
        batch.map(|batch| Self { batch }).map_err(|error| FedbitsError::new_err(error.to_string()))
    }
}

/// A column of cells. One of whole numbers has no missing cell, for which NumPy has no such number; else it is one of
/// other numbers.
fn array(kind: ColumnKind, cells: &[Cell]) -> ArrayRef {
    match kind {
        ColumnKind::Text => {
            let text = |cell: &Cell| (*cell != Cell::Missing).then(|| cell.to_string());
            Arc::new(cells.iter().map(text).collect::<StringArray>())
        }
        ColumnKind::Whole if let Some(whole) = cells.iter().map(Cell::whole).collect::<Option<Vec<u64>>>() => {
            let signed: Option<Vec<i64>> = whole.iter().map(|&value| value.try_into().ok()).collect();
            // Seeds have 64 bits.
            signed.map_or_else(
                || Arc::new(UInt64Array::from(whole)) as ArrayRef,
                |signed| Arc::new(Int64Array::from(signed)),
            )
        }
        ColumnKind::Whole | ColumnKind::Float => {
            // NumPy knows no nulls: what lies below them is NaN, so that it can have the same memory.
            let numbers: Vec<Option<f64>> = cells.iter().map(Cell::number).collect();
            let there: NullBuffer = numbers.iter().map(Option::is_some).collect();
            let numbers: Vec<f64> = numbers.into_iter().map(|value| value.unwrap_or(f64::NAN)).collect();
            Arc::new(Float64Array::new(numbers.into(), (there.null_count() > 0).then_some(there)))
        }
    }
}

/// A column of JSON values: truth values, or cells.
fn values<'v>(values: impl Iterator<Item = &'v Value> + Clone) -> ArrayRef {
    if values.clone().any(Value::is_boolean) && values.clone().all(|value| value.is_boolean() || value.is_null()) {
        return Arc::new(values.map(Value::as_bool).collect::<BooleanArray>());
    }
    let cell = |value: &Value| match value {
        Value::Null => Cell::Missing,
        Value::Number(number) => number.as_u64().map_or_else(|| number.as_f64().into(), Cell::from),
        Value::String(text) => Cell::from(text),
        nested => Cell::from(nested.to_string()),
    };
    let cells: Vec<Cell> = values.map(cell).collect();
    let kind = cells.iter().filter_map(Cell::kind).reduce(ColumnKind::or);
    array(kind.unwrap_or(ColumnKind::Float), &cells)
}

/// A table of rows in JSON, as typed as JSON is.
#[pyfunction]
pub(crate) fn table_of_json(columns: Vec<String>, rows: &str) -> PyResult<Frame> {
    let rows: Vec<Vec<Value>> =
        serde_json::from_str(rows).map_err(|error| FedbitsError::new_err(format!("the rows: {error}")))?;
    Frame::of_values(columns, &rows)
}

/// The comparison of the arms of runs, and what must be known before it is trusted.
#[pyfunction]
pub(crate) fn compare(py: Python<'_>, directories: Vec<PathBuf>) -> PyResult<(Frame, Vec<CaveatRow>)> {
    let compared = py.detach(|| fedbits::comparison(&directories)).map_err(|error| raised(py, error))?;
    Ok((Frame::of_values(compared.columns, &compared.rows)?, caveat_rows(&compared.caveats)))
}
