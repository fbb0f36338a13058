//! A model that is a class of Python, in sufficient-statistics form: `statistics(theta, X)`, `maximize(S)`,
//! `objective(theta, X)` on NumPy arrays.
//!
//! Where `statistics` gives a row per example, one call does the E-steps of all clients of a round, and the means over
//! the examples of each are made here, in the order of the examples.

use std::sync::Arc;

use fedbits::models::data::{DataKind, DataSet, Shape};
use fedbits::models::fit::{EmModel, Fit, FitError, Given};
use fedbits::models::initial::InitialSetting;
use fedbits::models::{
    Batch, BatchedEStep, DomainError, DomainPolicy, EStep, EStepTask, Examples, Model, ModelSetting, Repairs, Scratch,
    Stated,
};
use fedbits::random::DrawPurpose;
use fedbits::spec::{Described, Facts, Findings, Path};
use numpy::{PyArray1, PyArray2, PyArrayMethods, PyReadonlyArrayDyn, PyUntypedArrayMethods};
use pyo3::exceptions::{PyArithmeticError, PyValueError};
use pyo3::prelude::*;
use serde::{Deserialize, Serialize};

use crate::objects::{Kept, find, key};

/// A model that is a class of Python.
#[derive(Clone, Debug, Described, Deserialize, PartialEq, Serialize)]
#[serde(deny_unknown_fields)]
#[described(crate = fedbits::spec, rules = rules)]
pub(crate) struct PythonModel {
    /// Name of the class.
    name: String,
    /// BLAKE2 of its source, or of its code where there is no source.
    source: String,
    /// Its attributes.
    settings: String,
    /// Of Python and NumPy.
    versions: String,
}

fn rules(own: &PythonModel, at: &Path<'_>, _: &Facts, findings: &mut Findings) {
    let PythonModel { name, source, versions, .. } = own;
    let source = source.get(..8).unwrap_or(source);
    findings.caveat(
        at,
        format!("the model is the Python class `{name}` (source {source}, {versions}): the digests depend on them too"),
    );
}

impl ModelSetting for PythonModel {
    fn data(&self) -> DataKind {
        DataKind::Examples
    }

    fn starts(&self) -> &'static [&'static str] {
        &["KMeansPlusPlus"]
    }

    fn statistic(&self, _: &Shape) -> Option<usize> {
        None
    }

    fn em(&self) -> Option<&dyn EmModel> {
        Some(self)
    }

    fn check_with(&self, stated: &Stated<'_>, findings: &mut Findings) {
        let initial = stated.initial;
        if !initial.is_of_any_model() && *initial != InitialSetting::default() {
            let found =
                format!("a model of Python starts where its method `initial` says, not at `{}`", initial.name());
            findings.error("initial", found, "expected none, `Parameters([…])` or `Model(…)`");
        }
    }

    fn examples() -> Vec<Self> {
        let text = String::new;
        vec![Self { name: text(), source: text(), settings: text(), versions: text() }]
    }
}

impl EmModel for PythonModel {
    fn fit(&self, data: &DataSet, given: &Given<'_>) -> Result<Fit<dyn Model>, FitError> {
        let gone = || FitError::model("the model lived in a Python process: give the object itself to `fedbits.run`");
        let key = key([&self.name, &self.source, &self.settings, &self.versions]);
        let kept = find(&key).filter(|kept| matches!(**kept, Kept::Part { .. })).ok_or_else(gone)?;
        let object = Object { name: self.name.clone(), kept };
        let seed = given.streams.at(DrawPurpose::Initial, 0, 0).next_u64();
        let examples = data.examples();
        let built = object.call("initial", |own| {
            let theta = match given.initial {
                InitialSetting::Parameters(theta) => theta.clone(),
                _ => initial(own, examples, seed)?,
            };
            let form = probe(own, &theta, examples)?;
            let parameters = names(own, "parameter_names", "theta", theta.len())?;
            let statistics = names(own, "statistic_names", "s", form.q)?;
            Ok((PythonEm { object: object.clone(), form, parameters, statistics }, theta))
        });
        let (model, theta) = built.map_err(|error| FitError::model(error.to_string()))?;
        Ok(Fit::new(Box::new(model), theta))
    }
}

/// θ₀ as the class says.
fn initial(object: &Bound<'_, PyAny>, examples: Examples<'_>, seed: u64) -> PyResult<Vec<f64>> {
    let py = object.py();
    if object.getattr_opt("initial")?.is_none() {
        let text =
            "there is no start: expected a method `initial(X, rng) -> theta`, or `initial=fb.ParametersInitial([…])`";
        return Err(PyValueError::new_err(text));
    }
    let rows = matrix(py, examples.rows.to_vec(), examples.dimension)?;
    vector(&object.call_method1("initial", (rows, generator(py, seed)?))?)
}

/// What the methods give.
#[derive(Clone, Copy)]
struct Form {
    d: usize,
    q: usize,
    /// Does `statistics` give a row per example?
    statistics: bool,
    /// Does `objective` give a number per example?
    objective: bool,
}

/// Calls both methods with two examples.
fn probe(object: &Bound<'_, PyAny>, theta: &[f64], examples: Examples<'_>) -> PyResult<Form> {
    let (py, d, count) = (object.py(), examples.dimension, examples.len().min(2));
    let call = |method| {
        let rows = matrix(py, examples.rows[..count * d].to_vec(), d)?;
        array(&object.call_method1(method, (PyArray1::from_slice(py, theta), rows))?)
    };
    let wrong = |method, shape: &[usize], expected| {
        Err(PyValueError::new_err(format!(
            "{method}(theta, X) with {count} examples gave an array of shape {shape:?}: expected {expected}"
        )))
    };
    let (q, statistics) = match *call("statistics")?.shape() {
        [q] if q > 0 => (q, false),
        [found, q] if found == count && q > 0 => (q, true),
        ref shape => return wrong("statistics", shape, "(N, q), a row per example, or (q,), their mean"),
    };
    match *call("objective")?.shape() {
        [] | [1] => Ok(Form { d, q, statistics, objective: false }),
        [found] if found == count => Ok(Form { d, q, statistics, objective: true }),
        ref shape => wrong("objective", shape, "(N,), a number per example, or one number, their mean"),
    }
}

fn names(object: &Bound<'_, PyAny>, what: &str, stem: &str, count: usize) -> PyResult<Vec<String>> {
    let Some(own) = object.getattr_opt(what)? else {
        return Ok((0..count).map(|index| format!("{stem}_{index}")).collect());
    };
    let names: Vec<String> = own.extract()?;
    if names.len() == count {
        return Ok(names);
    }
    Err(PyValueError::new_err(format!("`{what}` has {} names: expected {count}", names.len())))
}

/// A generator of NumPy.
pub(crate) fn generator(py: Python<'_>, seed: u64) -> PyResult<Bound<'_, PyAny>> {
    py.import("numpy.random")?.getattr("default_rng")?.call1((seed,))
}

/// A matrix of NumPy with rows of `d` numbers.
fn matrix(py: Python<'_>, rows: Vec<f64>, d: usize) -> PyResult<Bound<'_, PyArray2<f64>>> {
    let count = rows.len() / d;
    PyArray1::from_vec(py, rows).reshape([count, d])
}

/// Numbers as NumPy has them, rows one after the other.
fn array<'py>(given: &Bound<'py, PyAny>) -> PyResult<PyReadonlyArrayDyn<'py, f64>> {
    let convert = given.py().import("numpy")?.getattr("ascontiguousarray")?;
    // A single number becomes an array of one.
    convert.call1((given, "float64"))?.extract()
}

/// The numbers of a vector.
pub(crate) fn vector(given: &Bound<'_, PyAny>) -> PyResult<Vec<f64>> {
    Ok(array(given)?.as_slice()?.to_vec())
}

/// An object of Python with the name of its class.
#[derive(Clone)]
struct Object {
    name: String,
    kept: Arc<Kept>,
}

impl Object {
    /// Calls the object. An exception is raised again when the run has ended; but an argument of `maximize` outside of
    /// its domain is a failed run, as it is of every model.
    fn call<T>(&self, what: &str, call: impl FnOnce(&Bound<'_, PyAny>) -> PyResult<T>) -> Result<T, DomainError> {
        Python::attach(|py| {
            let object = self.kept.object(py).expect("a model is a part");
            call(object).map_err(|error| {
                let text = format!("{}.{what}: {error}", self.name);
                let of_values =
                    error.is_instance_of::<PyValueError>(py) || error.is_instance_of::<PyArithmeticError>(py);
                if what != "maximize" || !of_values {
                    self.kept.keep_raised(error);
                }
                DomainError::Other(text)
            })
        })
    }
}

/// The model on given data.
struct PythonEm {
    object: Object,
    form: Form,
    parameters: Vec<String>,
    statistics: Vec<String>,
}

impl Model for PythonEm {
    fn statistic_dimension(&self) -> usize {
        self.form.q
    }

    fn parameter_dimension(&self) -> usize {
        self.parameters.len()
    }

    fn example_dimension(&self) -> usize {
        self.form.d
    }

    fn parameter_names(&self) -> Vec<String> {
        self.parameters.clone()
    }

    fn statistic_names(&self) -> Vec<String> {
        self.statistics.clone()
    }

    fn constants_dimension(&self) -> usize {
        0
    }

    fn maximize(&self, s: &[f64], policy: DomainPolicy, theta: &mut Vec<f64>) -> Result<Repairs, DomainError> {
        let mut repairs = Repairs::default();
        *theta = self.object.call("maximize", |own| {
            let mut s = PyArray1::from_slice(own.py(), s).into_any();
            if let (DomainPolicy::Clip { floor }, Some(repair)) = (policy, own.getattr_opt("repair")?) {
                let repaired = repair.call1((&s, floor))?;
                let (before, after) = (vector(&s)?, vector(&repaired)?);
                repairs.weights = before.iter().zip(&after).filter(|(before, after)| before != after).count() as u32;
                s = repaired;
            }
            let theta = vector(&own.call_method1("maximize", (s,))?)?;
            let (found, expected) = (theta.len(), self.parameters.len());
            if found != expected {
                return Err(PyValueError::new_err(format!("theta has {found} numbers: expected {expected}")));
            }
            match theta.iter().position(|value| !value.is_finite()) {
                Some(index) => {
                    Err(PyValueError::new_err(format!("theta[{index}] is {}: expected a finite number", theta[index])))
                }
                None => Ok(theta),
            }
        })?;
        Ok(repairs)
    }

    fn conditional(&self, theta: &[f64]) -> Result<Box<dyn EStep>, DomainError> {
        Ok(Box::new(PythonEStep { object: self.object.clone(), form: self.form, theta: theta.to_vec() }))
    }

    fn parameter_error(&self, theta: &[f64], truth: &[f64]) -> f64 {
        theta.iter().zip(truth).map(|(own, other)| (own - other) * (own - other)).sum()
    }
}

/// E-steps at θ.
struct PythonEStep {
    object: Object,
    form: Form,
    theta: Vec<f64>,
}

impl PythonEStep {
    /// The examples of all tasks one after the other, and how many each has.
    fn gathered(&self, tasks: &[EStepTask<'_>]) -> (Vec<f64>, Vec<usize>) {
        let (mut rows, mut counts) = (Vec::new(), Vec::with_capacity(tasks.len()));
        for EStepTask { examples, batch } in tasks {
            let before = rows.len();
            match batch {
                Batch::All => rows.extend_from_slice(examples.rows),
                Batch::Indices(at) => {
                    at.iter().for_each(|&j| {
                        rows.extend_from_slice(&examples.rows[j as usize * self.form.d..][..self.form.d])
                    });
                }
            }
            counts.push((rows.len() - before) / self.form.d);
        }
        (rows, counts)
    }

    /// Writes the means of what `method` gives for each task.
    fn means(&self, method: &Method, tasks: &[EStepTask<'_>], out: &mut [f64]) {
        // One call for all, or one for each.
        let size = if method.together { tasks.len().max(1) } else { 1 };
        let done = self.object.call(method.name, |own| {
            let theta = PyArray1::from_slice(own.py(), &self.theta);
            let groups = tasks.chunks(size).zip(out.chunks_mut(size * method.stride));
            groups.into_iter().try_for_each(|(tasks, out)| self.group(own, &theta, method, tasks, out))
        });
        if done.is_err() {
            // The exception is raised when the run has ended, which this makes soon.
            out.fill(f64::NAN);
        }
    }

    fn group(
        &self,
        object: &Bound<'_, PyAny>,
        theta: &Bound<'_, PyArray1<f64>>,
        method: &Method,
        tasks: &[EStepTask<'_>],
        out: &mut [f64],
    ) -> PyResult<()> {
        let (rows, counts) = self.gathered(tasks);
        if rows.is_empty() {
            return Ok(());
        }
        let (total, width) = (rows.len() / self.form.d, method.width);
        let given = array(&object.call_method1(method.name, (theta, matrix(object.py(), rows, self.form.d)?))?)?;
        let (values, shape) = (given.as_slice()?, given.shape());
        let expected = if method.together { total * width } else { width };
        if values.len() != expected {
            let text = format!("an array of shape {shape:?} for {total} examples: expected {expected} numbers");
            return Err(PyValueError::new_err(text));
        }
        let mut at = 0;
        for (count, out) in counts.into_iter().zip(out.chunks_exact_mut(method.stride)) {
            let rows = if method.together { count } else { 1 };
            mean(&values[at..at + rows * width], &mut out[method.offset..method.offset + width]);
            at += rows * width;
        }
        Ok(())
    }
}

/// A method of the class, and where its means go: `width` numbers from `offset` on, in rows of `stride`.
struct Method {
    name: &'static str,
    together: bool,
    width: usize,
    stride: usize,
    offset: usize,
}

/// The mean of rows, in their order; zeros without any.
fn mean(rows: &[f64], out: &mut [f64]) {
    out.fill(0.0);
    let width = out.len();
    for row in rows.chunks_exact(width) {
        out.iter_mut().zip(row).for_each(|(sum, value)| *sum += value);
    }
    let count = (rows.len() / width).max(1) as f64;
    out.iter_mut().for_each(|sum| *sum /= count);
}

impl EStep for PythonEStep {
    fn mean_statistics(&self, examples: Examples<'_>, batch: Batch<'_>, _: &mut Scratch, out: &mut [f64]) {
        self.mean_statistics_of(&[EStepTask { examples, batch }], out);
    }

    fn mean_statistics_and_objective(&self, examples: Examples<'_>, _: &mut Scratch, out: &mut [f64]) -> f64 {
        let q = self.form.q;
        let mut row = vec![0.0; q + 1];
        self.mean_statistics_and_objectives_of(&[examples], &mut row);
        out.copy_from_slice(&row[..q]);
        row[q]
    }

    fn batched(&self) -> Option<&dyn BatchedEStep> {
        Some(self)
    }
}

impl BatchedEStep for PythonEStep {
    fn mean_statistics_of(&self, tasks: &[EStepTask<'_>], out: &mut [f64]) {
        let Form { q, statistics: together, .. } = self.form;
        out.fill(0.0);
        self.means(&Method { name: "statistics", together, width: q, stride: q, offset: 0 }, tasks, out);
    }

    fn mean_statistics_and_objectives_of(&self, examples: &[Examples<'_>], out: &mut [f64]) {
        let Form { q, statistics, objective, .. } = self.form;
        let tasks = examples.iter().map(|&examples| EStepTask { examples, batch: Batch::All });
        let tasks: Vec<EStepTask<'_>> = tasks.collect();
        let stride = q + 1;
        out.fill(0.0);
        self.means(&Method { name: "statistics", together: statistics, width: q, stride, offset: 0 }, &tasks, out);
        self.means(&Method { name: "objective", together: objective, width: 1, stride, offset: q }, &tasks, out);
    }
}
