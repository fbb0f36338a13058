//! Tables of records as Arrow data: pandas, polars, DuckDB and others take them without copies.

use std::io::Read;
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
use fedbits_record::unguarded;
use fedbits_spec::so_many;
use numpy::PyArray1;
use pyo3::exceptions::{PyKeyError, PyOSError};
use pyo3::prelude::*;
use pyo3::types::{PyCapsule, PyDict};

use crate::error::{FedbitsError, raised};
use crate::play::{CaveatRow, caveat_rows};

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

/// A table of CSV text as columns of text, without the apostrophes before what looks like formulas.
#[derive(Default)]
struct Texts {
    names: Vec<String>,
    cells: Vec<Vec<String>>,
    /// What its file is called, without ending; nothing where it is the comparison of arms.
    table: String,
}

impl Texts {
    /// Adds the rows of a table, each after the cells of `before`; columns that one of them lacks are missing there.
    fn add<R: Read>(&mut self, mut reader: csv::Reader<R>, before: &[(String, String)]) -> Result<(), csv::Error> {
        let header = reader.headers()?.clone();
        let named = before.iter().map(|(name, _)| name.as_str()).chain(header.iter().map(unguarded));
        let rows = self.cells.first().map_or(0, Vec::len);
        let mut places = Vec::new();
        for name in named {
            let place = self.names.iter().position(|own| own == name).unwrap_or_else(|| {
                self.names.push(name.to_owned());
                self.cells.push(vec![String::new(); rows]);
                self.names.len() - 1
            });
            places.push(place);
        }
        for record in reader.records() {
            let record = record?;
            let cells = before.iter().map(|(_, cell)| cell.as_str()).chain(record.iter().map(unguarded));
            places.iter().zip(cells).for_each(|(&place, cell)| self.cells[place].push(cell.to_owned()));
            let longest = self.cells[places[0]].len();
            self.cells.iter_mut().for_each(|column| column.resize(longest, String::new()));
        }
        Ok(())
    }

    fn frame(self) -> Result<Frame, arrow_schema::ArrowError> {
        let columns = self.names.iter().zip(&self.cells).enumerate().map(|(place, (name, cells))| match name {
            // Without any the text is empty, and not missing.
            name if self.table == "results" && name == "caveats" => Arc::new(StringArray::from_iter_values(cells)),
            _ if self.is_name(place) => texts(cells),
            _ => column(cells),
        });
        let columns: Vec<ArrayRef> = columns.collect();
        let field = |(name, column): (&String, &ArrayRef)| Field::new(name, column.data_type().clone(), true);
        let fields: Vec<Field> = self.names.iter().zip(&columns).map(field).collect();
        Ok(Frame { batch: RecordBatch::try_new(Arc::new(Schema::new(fields)), columns)? })
    }

    /// Whether the cells of a column are names, which stay texts where they look like numbers: the arm with its levels
    /// and settings, and what the user or his data call something.
    fn is_name(&self, place: usize) -> bool {
        let name = self.names[place].as_str();
        // Of a study's results, levels and settings stand between these two and are called as the user likes.
        let replicate = self.names.iter().position(|name| name == "replicate");
        let of_arm = self.names[0] == "arm" && replicate.is_some_and(|replicate| place < replicate);
        let of_record = match self.table.as_str() {
            "components" => name == "class",
            "links" | "links_over_time" => ["from", "to"].contains(&name),
            "loadings" => name == "item",
            "marginals" => name == "column",
            "topics" => name.starts_with("word_"),
            "topology" => name == "name",
            "" => name.starts_with("axis_") || name.starts_with("setting_"),
            _ => false,
        };
        of_arm || of_record || name == "arm"
    }
}

/// Cells as the narrowest type that has all of them: whole numbers, numbers, truth values, texts. Empty cells are
/// missing, and a column with some of them is none of whole numbers, which have no such value in NumPy.
fn column(cells: &[String]) -> ArrayRef {
    let whole: Option<Vec<i64>> = cells.iter().map(|cell| cell.parse().ok()).collect();
    if let Some(whole) = whole {
        return Arc::new(Int64Array::from(whole));
    }
    // Seeds have 64 bits.
    let whole: Option<Vec<u64>> = cells.iter().map(|cell| cell.parse().ok()).collect();
    if let Some(whole) = whole {
        return Arc::new(UInt64Array::from(whole));
    }
    let number = |cell: &String| match cell.as_str() {
        "" => Some(None),
        text => text.parse::<f64>().ok().map(Some),
    };
    let numbers: Option<Vec<Option<f64>>> = cells.iter().map(number).collect();
    if let Some(numbers) = numbers {
        // NumPy knows no nulls: what lies below them is NaN, so that it can have the same memory.
        let there: NullBuffer = numbers.iter().map(Option::is_some).collect();
        let values: Vec<f64> = numbers.into_iter().map(|value| value.unwrap_or(f64::NAN)).collect();
        return Arc::new(Float64Array::new(values.into(), (there.null_count() > 0).then_some(there)));
    }
    let truth = |cell: &String| match cell.as_str() {
        "" => Some(None),
        "true" => Some(Some(true)),
        "false" => Some(Some(false)),
        _ => None,
    };
    if let Some(truths) = cells.iter().map(truth).collect::<Option<BooleanArray>>() {
        return Arc::new(truths);
    }
    texts(cells)
}

fn texts(cells: &[String]) -> ArrayRef {
    Arc::new(cells.iter().map(|cell| (!cell.is_empty()).then_some(cell)).collect::<StringArray>())
}

/// The tables of these files as one, each row after the cells that are given with its file, by column.
#[pyfunction]
pub(crate) fn read_tables(py: Python<'_>, files: Vec<(PathBuf, Vec<(String, String)>)>) -> PyResult<Frame> {
    py.detach(|| {
        let mut texts = Texts::default();
        for (path, before) in &files {
            texts.table = path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
            let named = |error: &dyn std::fmt::Display| format!("{}: {error}", path.display());
            let bytes = fedbits_spec::files::read(path).map_err(|error| PyOSError::new_err(named(&error)))?;
            texts
                .add(csv::Reader::from_reader(&*bytes), before)
                .map_err(|error| FedbitsError::new_err(named(&error)))?;
        }
        texts.frame().map_err(|error| FedbitsError::new_err(error.to_string()))
    })
}

/// The comparison of the arms of a study, or of records, and what must be known before it is trusted.
#[pyfunction]
pub(crate) fn compare(py: Python<'_>, directories: Vec<PathBuf>) -> PyResult<(Frame, Vec<CaveatRow>)> {
    let (csv, caveats) = py.detach(|| fedbits::comparison(&directories)).map_err(|error| raised(py, error))?;
    let mut texts = Texts::default();
    // It begins with comments, and has no cell that looks like one without quotes.
    let reader = csv::ReaderBuilder::new().comment(Some(b'#')).from_reader(csv.as_bytes());
    texts.add(reader, &[]).map_err(|error| FedbitsError::new_err(error.to_string()))?;
    let frame = texts.frame().map_err(|error| FedbitsError::new_err(error.to_string()))?;
    Ok((frame, caveat_rows(&caveats)))
}
