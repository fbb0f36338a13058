//! A table of Python as a source of data. A scenario names it by the digest of what is in it: the same arrays give the
//! same scenario, and the records of other arrays cannot pass for its own.

use blake3::Hasher;
use fedbits::models::data::{
    Coding, DataKind, DataSet, DataSource, Input, Observations, ReadError, Reading, SourceFacts, recoded,
};
use fedbits::spec::Described;
use fedbits::spec::range::whole;
use numpy::{PyArray1, PyArray2, PyArrayMethods, PyReadonlyArray1, PyReadonlyArray2, PyUntypedArrayMethods};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use serde::{Deserialize, Serialize};

use crate::objects::{Handle, Kept, find, keep};

/// A table that lives in a Python process (`fedbits.Table`).
#[derive(Clone, Debug, Described, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
#[described(crate = fedbits::spec)]
pub(crate) struct PythonTable {
    /// BLAKE3 of columns, values, labels and clients.
    digest: String,
    /// N, the number of examples.
    #[range(whole(1, 1_000_000_000))]
    examples: u64,
    /// d, the number of columns.
    #[range(whole(1, 1_000_000_000))]
    features: usize,
    /// Whether examples have labels.
    labelled: bool,
    /// Whether it says who has which example.
    clients: bool,
}

impl DataSource for PythonTable {
    fn facts(&self) -> SourceFacts {
        SourceFacts {
            is_drawn: false,
            is_labelled: self.labelled,
            names_clients: self.clients,
            ..SourceFacts::drawn(DataKind::Examples, self.examples, self.features)
        }
    }

    fn read(&self, with: &Reading<'_>) -> Result<Observations, ReadError> {
        let kept = find(&self.digest, None);
        let Some(Kept::Table { data, classes }) = kept.as_deref() else {
            let (digest, examples, features) =
                (self.digest.get(..8).unwrap_or(&self.digest), self.examples, self.features);
            return Err(format!(
                "the data are an `fb.Table` of {examples} examples with {features} columns (digest {digest}), and \
                 there is none like it in this process: make one of the same arrays, and give it to `fedbits.run` \
                 or `verify`"
            )
            .into());
        };
        let inputs = data.columns().iter().map(|name| Input::numbers(name)).collect();
        with.remarks.code(Coding { inputs, classes: classes.clone(), ..Coding::default() });
        Ok(Observations::Examples(data.clone()))
    }

    fn examples() -> Vec<Self> {
        vec![Self { digest: String::new(), examples: 100, features: 2, labelled: false, clients: false }]
    }
}

/// Codes with the names of what they stand for.
type Codes<'py> = (PyReadonlyArray1<'py, u32>, Vec<String>);

/// Keeps a table; returns its handle and its text in scenarios. `x` is N × d, rows one after the other.
#[pyfunction]
pub(crate) fn keep_table(
    x: PyReadonlyArray2<'_, f64>,
    columns: Vec<String>,
    labels: Option<Codes<'_>>,
    clients: Option<Codes<'_>>,
) -> PyResult<(Handle, String)> {
    let wrong = |error: &dyn std::fmt::Display| PyValueError::new_err(error.to_string());
    let [examples, features] = [x.shape()[0], x.shape()[1]];
    let rows = x.as_slice().map_err(|error| wrong(&error))?;
    let codes = |codes: &Option<Codes<'_>>| -> PyResult<(Vec<String>, Option<Vec<u32>>)> {
        let Some((codes, names)) = codes else { return Ok((Vec::new(), None)) };
        let codes = codes.as_slice().map_err(|error| wrong(&error))?;
        // Of a table that came from another process, clients have no names and their final numbers.
        let (names, codes) = if names.is_empty() { (Vec::new(), codes.to_vec()) } else { recoded(codes, names) };
        Ok((names, Some(codes)))
    };
    let ((classes, label_codes), (_, client_codes)) = (codes(&labels)?, codes(&clients)?);
    let mut digest = Hasher::new();
    columns.iter().chain(&classes).for_each(|name| hash(&mut digest, name.as_bytes(), |byte| [byte]));
    hash(&mut digest, rows, f64::to_le_bytes);
    for codes in [&label_codes, &client_codes] {
        hash(&mut digest, codes.as_deref().unwrap_or_default(), u32::to_le_bytes);
    }
    let digest = digest.finalize().to_hex().to_string();
    let data = DataSet::new(columns, rows.to_vec(), label_codes, client_codes).map_err(|error| wrong(&error))?;
    let (labelled, clients) = (labels.is_some(), clients.is_some());
    let text = format!(
        "PythonTable(digest: \"{digest}\", examples: {examples}, features: {features}, labelled: {labelled}, \
         clients: {clients})"
    );
    Ok((keep(digest, Kept::Table { data, classes }), text))
}

/// Adds the bytes of values behind their number, some at a time: all at once would be a copy of the table.
fn hash<T: Copy, const BYTES: usize>(digest: &mut Hasher, values: &[T], bytes: fn(T) -> [u8; BYTES]) {
    digest.update(&((values.len() * BYTES) as u64).to_le_bytes());
    for some in values.chunks(4096) {
        digest.update(&some.iter().flat_map(|&value| bytes(value)).collect::<Vec<u8>>());
    }
}

/// As [`Codes`], on the way back to Python.
type OwnCodes<'py> = (Bound<'py, PyArray1<u32>>, Vec<String>);
/// The arguments of [`keep_table`].
type Given<'py> = (Bound<'py, PyArray2<f64>>, Vec<String>, Option<OwnCodes<'py>>, Option<OwnCodes<'py>>);

/// What makes the same table in another process. Clients have no names.
#[pyfunction]
pub(crate) fn table_of<'py>(py: Python<'py>, handle: &Handle) -> PyResult<Given<'py>> {
    let Kept::Table { data, classes } = &*handle.kept else {
        return Err(PyValueError::new_err("the handle is that of a part: expected that of a table"));
    };
    let features = data.columns().len();
    let x = PyArray1::from_slice(py, data.rows()).reshape([data.rows().len() / features.max(1), features])?;
    let codes =
        |codes: Option<&[u32]>, names: &[String]| codes.map(|codes| (PyArray1::from_slice(py, codes), names.to_vec()));
    Ok((x, data.columns().to_vec(), codes(data.labels(), classes), codes(data.groups(), &[])))
}
