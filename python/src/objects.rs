//! Objects of Python that scenarios name: each is kept as long as its handle, under the text by which a scenario names
//! it. Several may have the same text. Scenarios that are made of objects say by a number which of them is meant; no
//! record has it, so that a record means whatever has its text.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::ffi::CString;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError, Weak};

use fedbits::Watch;
use fedbits::models::data::DataSet;
use pyo3::prelude::*;

/// What is kept.
pub(crate) enum Kept {
    /// A model or a compressor, and the calls that it is used in.
    Part { object: Py<PyAny>, calls: Mutex<Vec<Weak<Call>>> },
    /// The rows of a table, and the names of the classes of its labels.
    Table { data: DataSet, classes: Vec<String> },
}

/// A call of the module, which an exception of an object ends. The runs that it was raised in leave nothing: another
/// time they may go well.
pub(crate) struct Call {
    watch: Watch,
    raised: Mutex<Option<PyErr>>,
}

impl Call {
    /// The call that `watch` ends, with those of these objects that are handles.
    pub(crate) fn with(objects: &[Bound<'_, PyAny>], watch: Watch) -> Arc<Self> {
        let call = Arc::new(Self { watch, raised: Mutex::default() });
        for handle in objects.iter().filter_map(|own| own.cast::<Handle>().ok()) {
            if let Kept::Part { calls, .. } = &*handle.get().kept {
                let mut calls = calls.lock().unwrap_or_else(PoisonError::into_inner);
                calls.retain(|call| call.strong_count() > 0);
                calls.push(Arc::downgrade(&call));
            }
        }
        call
    }

    /// What was raised first; else `done`.
    pub(crate) fn conclude<T>(&self, done: PyResult<T>) -> PyResult<T> {
        let raised = self.raised.lock().unwrap_or_else(PoisonError::into_inner).take();
        raised.map_or(done, Err)
    }
}

/// Keeps an object as long as it lives.
#[pyclass(frozen, module = "fedbits._fedbits")]
pub(crate) struct Handle {
    kept: Arc<Kept>,
    /// Its number, by which a scenario can name it beside its text.
    #[pyo3(get)]
    pub(crate) number: u64,
}

/// An object, and its number.
type Numbered = (u64, Weak<Kept>);

/// All objects, by text.
static KEPT: Mutex<BTreeMap<String, Vec<Numbered>>> = Mutex::new(BTreeMap::new());
static MADE: AtomicU64 = AtomicU64::new(0);

thread_local! {
    /// The numbers of the objects that texts without numbers mean on this thread, where they are known.
    static MEANT: RefCell<Vec<u64>> = const { RefCell::new(Vec::new()) };
}

/// From now on, texts on this thread mean these objects.
pub(crate) fn mean(numbers: &[u64]) {
    MEANT.set(numbers.to_vec());
}

/// The key of a part of this name, source, settings and versions.
pub(crate) fn key(parts: [&str; 4]) -> String {
    parts.join("\n")
}

/// The object that a scenario names by `key`: of several the one of this number, or that is meant, else the youngest.
pub(crate) fn find(key: &str, number: Option<u64>) -> Option<Arc<Kept>> {
    let kept = KEPT.lock().unwrap_or_else(PoisonError::into_inner);
    let objects = kept.get(key)?;
    let is_meant = |own: &u64| number.map_or_else(|| MEANT.with_borrow(|meant| meant.contains(own)), |it| it == *own);
    let own = objects.iter().find(|(own, _)| is_meant(own));
    own.into_iter().chain(objects.iter().rev()).find_map(|(_, object)| object.upgrade())
}

/// Keeps an object under a name, beside others of this name.
pub(crate) fn keep(key: String, object: Kept) -> Handle {
    let (object, number) = (Arc::new(object), MADE.fetch_add(1, Ordering::Relaxed));
    let mut kept = KEPT.lock().unwrap_or_else(PoisonError::into_inner);
    kept.retain(|_, objects| {
        objects.retain(|(_, object)| object.strong_count() > 0);
        !objects.is_empty()
    });
    kept.entry(key).or_default().push((number, Arc::downgrade(&object)));
    Handle { kept: object, number }
}

/// Keeps a model or a compressor of this name, source, settings and versions.
#[pyfunction]
fn keep_part(parts: [String; 4], object: Py<PyAny>) -> Handle {
    keep(key(parts.each_ref().map(String::as_str)), Kept::Part { object, calls: Mutex::default() })
}

impl Kept {
    /// The object of Python.
    pub(crate) fn object<'py>(&self, py: Python<'py>) -> Option<&Bound<'py, PyAny>> {
        match self {
            Self::Part { object, .. } => Some(object.bind(py)),
            Self::Table { .. } => None,
        }
    }

    /// Ends the calls that the object is used in, which raise the exception; where there is none, `what` warns of it.
    pub(crate) fn raise(&self, py: Python<'_>, what: &str, error: &PyErr) {
        let Self::Part { calls, .. } = self else { return };
        let calls: Vec<_> =
            calls.lock().unwrap_or_else(PoisonError::into_inner).iter().filter_map(Weak::upgrade).collect();
        for call in &calls {
            call.raised.lock().unwrap_or_else(PoisonError::into_inner).get_or_insert_with(|| error.clone_ref(py));
            call.watch.stop();
        }
        if calls.is_empty() {
            // A warning that is made an error has nobody to go to, either.
            let _ = warn(py, what.to_owned());
        }
    }
}

/// Warns of what makes a run fail, where its failure cannot say whose it is.
pub(crate) fn warn(py: Python<'_>, text: String) -> PyResult<()> {
    let category = py.import("fedbits._errors")?.getattr("FailedRunWarning")?;
    PyErr::warn(py, &category, &CString::new(text)?, 1)
}

/// Adds the functions to the module.
pub(crate) fn add(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_class::<Handle>()?;
    module.add_function(wrap_pyfunction!(keep_part, module)?)
}
