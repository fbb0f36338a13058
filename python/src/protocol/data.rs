//! What methods of a protocol of Python see of data and model.

use std::sync::Arc;

use fedbits::models::{DomainError, Scratch};
use numpy::{PyArray1, PyArrayMethods, PyUntypedArrayMethods};
use pyo3::exceptions::{PyIndexError, PyValueError};
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;

use super::holdings::{EStepPoint, Holdings};
use crate::arrays::{kind, misshapen, numbers, vector};
use crate::error::OutsideDomain;

/// What a statistic or a parameter that has no E-step or no T raises.
fn outside(error: DomainError) -> PyErr {
    OutsideDomain::new_err(error.to_string())
}

/// A batch as indices of a client's examples.
fn indices(given: &Bound<'_, PyAny>, size: u32) -> PyResult<Vec<u32>> {
    let wrong = |found: String| {
        let expected = format!("whole numbers from 0 to {}, which examples of the client", size.max(1) - 1);
        PyValueError::new_err(format!("`batch` is {found}: expected {expected}"))
    };
    let flat = given.py().import("numpy")?.call_method1("asarray", (given,))?.call_method0("ravel")?;
    if !["i", "u"].contains(&flat.getattr("dtype")?.getattr("kind")?.extract::<String>()?.as_str()) {
        return Err(wrong(kind(given)));
    }
    let found: Vec<i64> = flat.call_method0("tolist")?.extract()?;
    match found.iter().find(|&&index| index < 0 || index >= i64::from(size)) {
        Some(index) => Err(wrong(format!("with {index}"))),
        None if found.is_empty() => Err(wrong("empty".to_owned())),
        None => Ok(found.into_iter().map(|index| index as u32).collect()),
    }
}

/// The place of an index of Python, which counts from the end where it is below 0.
fn place(at: isize, count: usize, what: &str) -> PyResult<usize> {
    let place = if at < 0 { at + count as isize } else { at };
    let place = usize::try_from(place).ok().filter(|place| *place < count);
    place.ok_or_else(|| PyIndexError::new_err(format!("{at} of {count} {what}")))
}

/// The data of one client.
#[pyclass(frozen, module = "fedbits")]
pub(crate) struct ClientData {
    pub(super) holdings: Arc<Holdings>,
    pub(super) number: u32,
}

#[pymethods]
impl ClientData {
    /// The examples, n × d.
    #[getter]
    #[pyo3(name = "X")]
    fn rows(&self, py: Python<'_>) -> PyResult<Py<PyAny>> {
        Ok(self.holdings.table(py, self.number)?.0.clone_ref(py))
    }

    /// What is to be predicted of each, classes as numbers from 0; None where the data have nothing.
    #[getter]
    fn y(&self, py: Python<'_>) -> PyResult<Py<PyAny>> {
        Ok(self.holdings.table(py, self.number)?.1.clone_ref(py))
    }

    /// The number of examples.
    #[getter]
    fn n(&self) -> u32 {
        self.holdings.federation.size(self.number)
    }

    /// w of the client; the mean over all clients is 1.
    #[getter]
    fn weight(&self) -> f64 {
        self.holdings.federation.weight(self.number)
    }

    /// The number of the client, from 0.
    #[getter]
    fn client(&self) -> u32 {
        self.number
    }

    /// s̄(θ), the mean over the client's examples, or over those in `batch`.
    #[pyo3(signature = (theta, batch = None))]
    fn statistic<'py>(
        &self,
        theta: &Bound<'py, PyAny>,
        batch: Option<&Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        self.mean((theta, "`theta` of `data.statistic`"), EStepPoint::Parameter, batch, |s, _| s)
    }

    /// h(s) = s̄(T(s)) − s, over the client's examples, or over those in `batch`.
    #[pyo3(signature = (s, batch = None))]
    fn field<'py>(&self, s: &Bound<'py, PyAny>, batch: Option<&Bound<'py, PyAny>>) -> PyResult<Bound<'py, PyAny>> {
        self.mean((s, "`s` of `data.field`"), EStepPoint::Statistic, batch, |mean, s| mean - s)
    }

    /// ∇f(x), f the mean of f_j over the client's examples, or over those in `batch`: of models whose E-step is the
    /// gradient step x − ρ ∇f_j(x).
    #[pyo3(signature = (x, batch = None))]
    fn gradient<'py>(&self, x: &Bound<'py, PyAny>, batch: Option<&Bound<'py, PyAny>>) -> PyResult<Bound<'py, PyAny>> {
        let step = self.holdings.descent("`data.gradient`")?.step();
        self.mean((x, "`x` of `data.gradient`"), EStepPoint::Parameter, batch, |moved, x| (x - moved) / step)
    }

    /// The mean of −log p(y; θ) over the client's examples.
    fn objective(&self, py: Python<'_>, theta: &Bound<'_, PyAny>) -> PyResult<f64> {
        let theta = vector(theta, "`theta` of `data.objective`", Some(EStepPoint::Parameter.length(&self.holdings)))?;
        let found = py.detach(|| {
            let e_step = self.holdings.at(EStepPoint::Parameter, &theta)?;
            let mut statistic = vec![0.0; self.holdings.q()];
            let examples = self.holdings.federation.examples(self.number);
            self.holdings.visit(self.number, examples.len() as u64);
            Ok(e_step.mean_statistics_and_objective(examples, &mut Scratch::default(), &mut statistic))
        });
        found.map_err(outside)
    }

    /// θ = T(s).
    fn maximize<'py>(&self, py: Python<'py>, s: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
        maximize(py, &self.holdings, s, "data")
    }

    fn __repr__(&self) -> String {
        format!("<fedbits data of client {}: {} examples>", self.number, self.n())
    }
}

impl ClientData {
    /// The mean statistic at a point, of which `end` makes what is asked for, entry by entry with those of the point.
    fn mean<'py>(
        &self,
        (given, what): (&Bound<'py, PyAny>, &str),
        point: EStepPoint,
        batch: Option<&Bound<'py, PyAny>>,
        end: impl Fn(f64, f64) -> f64 + Sync,
    ) -> PyResult<Bound<'py, PyAny>> {
        let (py, holdings) = (given.py(), &self.holdings);
        let entries = vector(given, what, Some(point.length(holdings)))?;
        let batch = batch.map(|batch| indices(batch, self.n())).transpose()?;
        let found = py.detach(|| {
            let e_step = holdings.at(point, &entries)?;
            let mut mean = holdings.statistic(self.number, e_step.as_ref(), batch.as_deref());
            mean.iter_mut().zip(&entries).for_each(|(mean, entry)| *mean = end(*mean, *entry));
            Ok(mean)
        });
        Ok(PyArray1::from_vec(py, found.map_err(outside)?).into_any())
    }
}

fn maximize<'py>(py: Python<'py>, holdings: &Holdings, s: &Bound<'py, PyAny>, of: &str) -> PyResult<Bound<'py, PyAny>> {
    let s = vector(s, &format!("`s` of `{of}.maximize`"), Some(EStepPoint::Statistic.length(holdings)))?;
    let theta = py.detach(|| holdings.maximize(&s)).map_err(outside)?;
    Ok(PyArray1::from_vec(py, theta).into_any())
}

/// The data of the clients of a round.
#[pyclass(frozen, module = "fedbits", sequence)]
pub(crate) struct CohortData {
    pub(super) holdings: Arc<Holdings>,
    pub(super) numbers: Vec<u32>,
}

/// A vector for all clients, or a row for each.
fn rows_of(given: &Bound<'_, PyAny>, what: &str, clients: usize, width: usize) -> PyResult<(Vec<f64>, bool)> {
    let array = numbers(given, what)?;
    match *array.shape() {
        [length] if length == width => Ok((array.as_slice()?.to_vec(), true)),
        [rows, length] if rows == clients && length == width => Ok((array.as_slice()?.to_vec(), false)),
        _ => Err(misshapen(what, array.shape(), &format!("({width},), or ({clients}, {width}), a row per client"))),
    }
}

fn matrix(py: Python<'_>, rows: Vec<f64>, width: usize) -> PyResult<Bound<'_, PyAny>> {
    let count = rows.len() / width;
    Ok(PyArray1::from_vec(py, rows).reshape([count, width])?.into_any())
}

#[pymethods]
impl CohortData {
    fn __len__(&self) -> usize {
        self.numbers.len()
    }

    fn __getitem__(&self, at: isize) -> PyResult<ClientData> {
        let number = self.numbers[place(at, self.numbers.len(), "clients")?];
        Ok(ClientData { holdings: Arc::clone(&self.holdings), number })
    }

    /// The numbers of the clients, from 0.
    #[getter]
    fn clients<'py>(&self, py: Python<'py>) -> Bound<'py, PyAny> {
        PyArray1::from_iter(py, self.numbers.iter().map(|&number| i64::from(number))).into_any()
    }

    /// Their numbers of examples.
    #[getter]
    fn n<'py>(&self, py: Python<'py>) -> Bound<'py, PyAny> {
        let sizes = self.numbers.iter().map(|&number| i64::from(self.holdings.federation.size(number)));
        PyArray1::from_iter(py, sizes).into_any()
    }

    /// Their weights.
    #[getter]
    fn weights<'py>(&self, py: Python<'py>) -> Bound<'py, PyAny> {
        let weights = self.numbers.iter().map(|&number| self.holdings.federation.weight(number));
        PyArray1::from_iter(py, weights).into_any()
    }

    /// s̄(θ) of each client over its examples, a row each, at one θ or at a row of `theta` for each.
    fn statistics<'py>(&self, theta: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
        self.means((theta, "`theta` of `data.statistics`"), EStepPoint::Parameter, |s, _| s)
    }

    /// h(s) = s̄(T(s)) − s of each client over its examples, a row each, at one s or at a row of `s` for each.
    fn fields<'py>(&self, s: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
        self.means((s, "`s` of `data.fields`"), EStepPoint::Statistic, |mean, s| mean - s)
    }

    /// ∇f of each client over its examples, a row each, at one x or at a row of `x` for each.
    fn gradients<'py>(&self, x: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
        let step = self.holdings.descent("`data.gradients`")?.step();
        self.means((x, "`x` of `data.gradients`"), EStepPoint::Parameter, |moved, x| (x - moved) / step)
    }

    /// θ = T(s).
    fn maximize<'py>(&self, py: Python<'py>, s: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
        maximize(py, &self.holdings, s, "data")
    }
}

impl CohortData {
    /// The mean statistics of the clients, a row each, as [`ClientData::mean`].
    fn means<'py>(
        &self,
        (given, what): (&Bound<'py, PyAny>, &str),
        point: EStepPoint,
        end: impl Fn(f64, f64) -> f64 + Sync,
    ) -> PyResult<Bound<'py, PyAny>> {
        let (py, holdings, (width, _)) = (given.py(), &self.holdings, point.length(&self.holdings));
        let (entries, is_shared) = rows_of(given, what, self.numbers.len(), width)?;
        let found = py.detach(|| {
            let mut means = holdings.statistics(&self.numbers, (&entries, width, is_shared), point)?;
            let rows = means.chunks_exact_mut(holdings.q()).zip(entries.chunks_exact(width).cycle());
            rows.for_each(|(row, entries)| {
                row.iter_mut().zip(entries).for_each(|(mean, entry)| *mean = end(*mean, *entry));
            });
            Ok(means)
        });
        matrix(py, found.map_err(outside)?, holdings.q())
    }
}

/// What everybody knows before the first round.
#[pyclass(frozen, module = "fedbits")]
pub(crate) struct CommonProblem {
    pub(super) holdings: Arc<Holdings>,
}

#[pymethods]
impl CommonProblem {
    /// Ŝ₀, q numbers.
    #[getter]
    fn start<'py>(&self, py: Python<'py>) -> Bound<'py, PyAny> {
        PyArray1::from_slice(py, &self.holdings.start.0).into_any()
    }

    /// θ₀.
    #[getter]
    fn theta<'py>(&self, py: Python<'py>) -> Bound<'py, PyAny> {
        PyArray1::from_slice(py, &self.holdings.start.1).into_any()
    }

    /// n, the number of clients.
    #[getter]
    fn clients(&self) -> u32 {
        self.holdings.federation.clients()
    }

    /// The clients' numbers of examples.
    #[getter]
    fn n<'py>(&self, py: Python<'py>) -> Bound<'py, PyAny> {
        let federation = &self.holdings.federation;
        let sizes = (0..federation.clients()).map(|client| i64::from(federation.size(client)));
        PyArray1::from_iter(py, sizes).into_any()
    }

    /// Their weights, whose mean is 1.
    #[getter]
    fn weights<'py>(&self, py: Python<'py>) -> Bound<'py, PyAny> {
        let federation = &self.holdings.federation;
        PyArray1::from_iter(py, (0..federation.clients()).map(|client| federation.weight(client))).into_any()
    }

    /// ρ, of models whose E-step is the gradient step x − ρ ∇f_j(x); else None.
    #[getter]
    fn step(&self) -> Option<f64> {
        self.holdings.federation.model().descent().map(|descent| descent.step())
    }

    /// Names of the entries of θ.
    #[getter]
    fn parameter_names(&self) -> Vec<String> {
        self.holdings.federation.model().parameter_names()
    }

    /// Names of the entries of a statistic.
    #[getter]
    fn statistic_names(&self) -> Vec<String> {
        self.holdings.federation.model().statistic_names()
    }

    /// θ = T(s).
    fn maximize<'py>(&self, py: Python<'py>, s: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
        maximize(py, &self.holdings, s, "problem")
    }
}

/// Generators of NumPy, made when they are asked for.
#[pyclass(frozen, module = "fedbits", sequence)]
pub(crate) struct Generators {
    seeds: Vec<u64>,
    made: Vec<PyOnceLock<Py<PyAny>>>,
}

impl Generators {
    pub(super) fn new(seeds: Vec<u64>) -> Self {
        let made = seeds.iter().map(|_| PyOnceLock::new()).collect();
        Self { seeds, made }
    }
}

#[pymethods]
impl Generators {
    fn __len__(&self) -> usize {
        self.seeds.len()
    }

    fn __getitem__(&self, py: Python<'_>, at: isize) -> PyResult<Py<PyAny>> {
        let place = place(at, self.seeds.len(), "generators")?;
        let make = || Ok::<_, PyErr>(crate::model::generator(py, self.seeds[place])?.unbind());
        Ok(self.made[place].get_or_try_init(py, make)?.clone_ref(py))
    }
}
