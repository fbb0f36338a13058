//! Objects of Python that scenarios name: each is kept as long as its handle, under the text by which a scenario names
//! it.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError, Weak};

use fedbits::models::data::DataSet;
use pyo3::prelude::*;

/// What is kept.
pub(crate) enum Kept {
    /// A model or a compressor, and the exception that it raised, if that is not to be a failed run.
    Part { object: Py<PyAny>, raised: Mutex<Option<PyErr>> },
    /// The rows of a table, and the names of the classes of its labels.
    Table { data: DataSet, classes: Vec<String> },
}

/// Keeps an object as long as it lives.
#[pyclass(frozen, module = "fedbits._fedbits")]
pub(crate) struct Handle(Arc<Kept>);

static KEPT: Mutex<BTreeMap<String, Vec<Weak<Kept>>>> = Mutex::new(BTreeMap::new());

/// The key of a part of this name, source, settings and versions.
pub(crate) fn key(parts: [&str; 4]) -> String {
    parts.join("\n")
}

/// The object that a scenario names by `key`: the youngest of several.
pub(crate) fn find(key: &str) -> Option<Arc<Kept>> {
    KEPT.lock().unwrap_or_else(PoisonError::into_inner).get(key)?.iter().rev().find_map(Weak::upgrade)
}

/// Keeps an object under a name, beside others of this name.
pub(crate) fn keep(key: String, object: Kept) -> Handle {
    let object = Arc::new(object);
    let mut kept = KEPT.lock().unwrap_or_else(PoisonError::into_inner);
    kept.retain(|_, objects| {
        objects.retain(|object| object.strong_count() > 0);
        !objects.is_empty()
    });
    kept.entry(key).or_default().push(Arc::downgrade(&object));
    Handle(object)
}

/// Keeps a model or a compressor of this name, source, settings and versions.
#[pyfunction]
fn keep_part(parts: [String; 4], object: Py<PyAny>) -> Handle {
    keep(key(parts.each_ref().map(String::as_str)), Kept::Part { object, raised: Mutex::default() })
}

#[pymethods]
impl Handle {
    /// The exception that the object raised since the last call, if it is to be raised again.
    fn take_raised(&self) -> Option<PyErr> {
        let Kept::Part { raised, .. } = &*self.0 else { return None };
        raised.lock().unwrap_or_else(PoisonError::into_inner).take()
    }
}

impl Kept {
    /// The object of Python.
    pub(crate) fn object<'py>(&self, py: Python<'py>) -> Option<&Bound<'py, PyAny>> {
        match self {
            Self::Part { object, .. } => Some(object.bind(py)),
            Self::Table { .. } => None,
        }
    }

    /// Keeps an exception to be raised when the run has ended, unless there is one.
    pub(crate) fn keep_raised(&self, error: PyErr) {
        if let Self::Part { raised, .. } = self {
            raised.lock().unwrap_or_else(PoisonError::into_inner).get_or_insert(error);
        }
    }
}

/// Adds the functions to the module.
pub(crate) fn add(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_class::<Handle>()?;
    module.add_function(wrap_pyfunction!(keep_part, module)?)
}
