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
use pyo3::sync::MutexExt;

use crate::error::FedbitsError;
use crate::inside::{self, ENDS, Inside};

pub(crate) enum Kept {
    /// A model, a compressor or a protocol.
    Part(Arc<Part>),
    /// The rows of a table, and the names of the classes of its labels.
    Table { data: DataSet, classes: Vec<String> },
}

/// An object with methods that are called.
pub(crate) struct Part {
    object: Py<PyAny>,
    /// Held by the thread that calls a method: of all parts of one object the same.
    turn: Arc<Mutex<()>>,
    /// The calls of the module that it is used in.
    calls: Mutex<Vec<Weak<Call>>>,
}

/// A call of the module, which an exception of an object ends. The runs that it was raised in leave nothing: another
/// time they may go well.
pub(crate) struct Call {
    watch: Watch,
    raised: Mutex<Option<PyErr>>,
}

impl Call {
    /// The call that `watch` ends, with those of these objects that are handles.
    pub(crate) fn with(objects: &[Bound<'_, PyAny>], watch: Watch) -> PyResult<Arc<Self>> {
        let call = Arc::new(Self { watch, raised: Mutex::default() });
        for handle in objects.iter().filter_map(|object| object.cast::<Handle>().ok()) {
            let Kept::Part(part) = &*handle.get().kept else { continue };
            if CALLING.with_borrow(|calling| calling.iter().any(|turn| Arc::ptr_eq(turn, &part.turn))) {
                let text = "a method of a model or a compressor runs its own object, which is waiting for the method: \
                            expected another object";
                return Err(FedbitsError::new_err(text));
            }
            let mut calls = part.calls.lock().unwrap_or_else(PoisonError::into_inner);
            calls.retain(|call| call.strong_count() > 0);
            calls.push(Arc::downgrade(&call));
        }
        Ok(call)
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
    pub(crate) kept: Arc<Kept>,
    /// Its number, by which a scenario can name it beside its text.
    #[pyo3(get)]
    pub(crate) number: u64,
}

type Numbered = (u64, Weak<Kept>);

static KEPT: Mutex<BTreeMap<String, Vec<Numbered>>> = Mutex::new(BTreeMap::new());
static MADE: AtomicU64 = AtomicU64::new(0);

thread_local! {
    /// The numbers of the objects that texts without numbers mean on this thread, where they are known.
    static MEANT: RefCell<Vec<u64>> = const { RefCell::new(Vec::new()) };
    /// The turns that this thread has.
    static CALLING: RefCell<Vec<Arc<Mutex<()>>>> = const { RefCell::new(Vec::new()) };
}

/// From now on, texts on this thread mean these objects.
pub(crate) fn mean(numbers: &[u64]) {
    MEANT.set(numbers.to_vec());
}

/// The object that a scenario names by `key`: of several the one of this number, or that is meant, else the youngest.
pub(crate) fn find(key: &str, number: Option<u64>) -> Option<Arc<Kept>> {
    let kept = KEPT.lock().unwrap_or_else(PoisonError::into_inner);
    let objects = kept.get(key)?;
    let is_meant =
        |known: &u64| number.map_or_else(|| MEANT.with_borrow(|meant| meant.contains(known)), |it| it == *known);
    let meant = objects.iter().find(|(known, _)| is_meant(known));
    meant.into_iter().chain(objects.iter().rev()).find_map(|(_, object)| object.upgrade())
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

/// Keeps a model, a compressor or a protocol of this name, source, settings and versions.
#[pyfunction]
pub(crate) fn keep_part(py: Python<'_>, parts: [String; 4], object: Py<PyAny>) -> Handle {
    let turn = turn_of(object.bind(py));
    keep(parts.join("\n"), Kept::Part(Arc::new(Part { object, turn, calls: Mutex::default() })))
}

/// What is held while an object is called, however often it is kept.
fn turn_of(object: &Bound<'_, PyAny>) -> Arc<Mutex<()>> {
    /// By address: a turn lives as long as its object is kept.
    static TURNS: Mutex<BTreeMap<usize, Weak<Mutex<()>>>> = Mutex::new(BTreeMap::new());
    let mut turns = TURNS.lock().unwrap_or_else(PoisonError::into_inner);
    turns.retain(|_, turn| turn.strong_count() > 0);
    let turn = turns.entry(object.as_ptr() as usize).or_default();
    turn.upgrade().unwrap_or_else(|| {
        let new = Arc::default();
        *turn = Arc::downgrade(&new);
        new
    })
}

impl Part {
    /// Calls the object when no other thread does: it may keep something from one call to the next. The interpreter is
    /// let go while this waits. `failed` says what becomes of an error. None where the interpreter ends.
    pub(crate) fn call<T, E, F>(
        &self,
        call: impl FnOnce(&Bound<'_, PyAny>) -> Result<T, E>,
        failed: impl FnOnce(Python<'_>, E) -> F,
    ) -> Option<Result<T, F>> {
        let called = Inside::enter().and_then(|_inside| {
            Python::attach(|py| {
                let turn = self.turn.lock_py_attached(py).unwrap_or_else(PoisonError::into_inner);
                if inside::ends() {
                    return None;
                }
                CALLING.with_borrow_mut(|calling| calling.push(Arc::clone(&self.turn)));
                let given = call(self.object.bind(py));
                CALLING.with_borrow_mut(Vec::pop);
                drop(turn);
                Some(given.map_err(|error| failed(py, error)))
            })
        });
        if called.is_none() {
            // A run that lacks a call is no result.
            self.users().iter().for_each(|call| call.watch.stop());
        }
        called
    }

    /// The calls of the module that it is used in now.
    fn users(&self) -> Vec<Arc<Call>> {
        let calls = self.calls.lock().unwrap_or_else(PoisonError::into_inner);
        calls.iter().filter_map(Weak::upgrade).collect()
    }

    /// Ends the calls that the object is used in, which raise the exception; where there is none, `what` warns of it.
    pub(crate) fn raise(&self, py: Python<'_>, what: &str, error: &PyErr) {
        let calls = self.users();
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

/// A model, a compressor or a protocol of Python, with the name of its class.
#[derive(Clone)]
pub(crate) struct Object {
    name: String,
    part: Arc<Part>,
}

/// Why a call gives nothing.
pub(crate) enum Failure {
    /// What a method is given is outside of its domain, or what it gives is no number: a failed run, as it is of every
    /// model and protocol.
    Domain(String),
    /// An exception, which ends the run and leaves no record.
    Raised(PyErr),
}

impl From<PyErr> for Failure {
    fn from(error: PyErr) -> Self {
        Self::Raised(error)
    }
}

impl Object {
    /// The object of this name, source, settings and versions, `what` a scenario has of it.
    ///
    /// # Errors
    /// A sentence, where there is none in this process.
    pub(crate) fn find(what: &str, texts: [&String; 4], number: Option<u64>) -> Result<Self, String> {
        let [name, source, _, versions] = texts;
        match find(&texts.map(String::as_str).join("\n"), number).as_deref() {
            Some(Kept::Part(part)) => Ok(Self { name: name.clone(), part: Arc::clone(part) }),
            _ => Err(format!(
                "the {what} is an object of the Python class `{name}` (source {}, {versions}), and there is none like \
                 it in this process: make one, and give it to `fedbits.run` or `verify`; a class that a script has \
                 itself is the same in that script alone: call `verify` at its end",
                source.get(..8).unwrap_or(source)
            )),
        }
    }

    /// Calls methods, which are named `what`.
    ///
    /// # Errors
    /// Why they give nothing, with the class.
    pub(crate) fn call<T>(
        &self,
        what: &str,
        call: impl FnOnce(&Bound<'_, PyAny>) -> Result<T, Failure>,
    ) -> Result<T, String> {
        let called = self.part.call(call, |py, failure| {
            let text = match &failure {
                Failure::Domain(text) => format!("{}.{what}: {text}", self.name),
                Failure::Raised(error) => format!("{}.{what}: {error}", self.name),
            };
            if let Failure::Raised(error) = failure {
                self.part.raise(py, &text, &error);
            }
            text
        });
        called.unwrap_or_else(|| Err(ENDS.to_owned()))
    }
}

/// Warns of what makes a run fail, where its failure cannot say whose it is.
pub(crate) fn warn(py: Python<'_>, text: String) -> PyResult<()> {
    let category = py.import("fedbits._errors")?.getattr("FailedRunWarning")?;
    PyErr::warn(py, &category, &CString::new(text)?, 1)
}
