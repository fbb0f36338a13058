//! What methods of a protocol of Python see of data and model.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};

use fedbits::models::{DomainError, Scratch};
use numpy::{PyArray1, PyArrayMethods, PyUntypedArrayMethods};
use pyo3::exceptions::{PyIndexError, PyValueError};
use pyo3::prelude::*;

use super::holdings::Holdings;
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
        Ok(self.holdings.table(py, self.number)?.0)
    }

    /// What is to be predicted of each, classes as numbers from 0; None where the data have nothing.
    #[getter]
    fn y(&self, py: Python<'_>) -> PyResult<Py<PyAny>> {
        Ok(self.holdings.table(py, self.number)?.1)
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
        py: Python<'py>,
        theta: &Bound<'py, PyAny>,
        batch: Option<&Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let theta = vector(theta, "`theta` of `data.statistic`", Some((self.holdings.p(), ", as θ₀ has")))?;
        let batch = batch.map(|batch| indices(batch, self.n())).transpose()?;
        let found = py.detach(|| {
            let e_step = self.holdings.at(&theta)?;
            Ok(self.holdings.statistic(self.number, e_step.as_ref(), batch.as_deref()))
        });
        Ok(PyArray1::from_vec(py, found.map_err(outside)?).into_any())
    }

    /// h(s) = s̄(T(s)) − s, over the client's examples, or over those in `batch`.
    #[pyo3(signature = (s, batch = None))]
    fn field<'py>(
        &self,
        py: Python<'py>,
        s: &Bound<'py, PyAny>,
        batch: Option<&Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let s = vector(s, "`s` of `data.field`", Some((self.holdings.q(), ", as statistics have")))?;
        let batch = batch.map(|batch| indices(batch, self.n())).transpose()?;
        let found = py.detach(|| {
            let e_step = self.holdings.at_image(&s)?;
            let mut field = self.holdings.statistic(self.number, e_step.as_ref(), batch.as_deref());
            field.iter_mut().zip(&s).for_each(|(h, s)| *h -= s);
            Ok(field)
        });
        Ok(PyArray1::from_vec(py, found.map_err(outside)?).into_any())
    }

    /// ∇f(x), f the mean of f_j over the client's examples, or over those in `batch`: of models whose E-step is the
    /// gradient step x − ρ ∇f_j(x).
    #[pyo3(signature = (x, batch = None))]
    fn gradient<'py>(
        &self,
        py: Python<'py>,
        x: &Bound<'py, PyAny>,
        batch: Option<&Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let step = self.holdings.descent("`data.gradient`")?.step();
        let x = vector(x, "`x` of `data.gradient`", Some((self.holdings.p(), ", as θ₀ has")))?;
        let batch = batch.map(|batch| indices(batch, self.n())).transpose()?;
        let found = py.detach(|| {
            let e_step = self.holdings.at(&x)?;
            let mut moved = self.holdings.statistic(self.number, e_step.as_ref(), batch.as_deref());
            moved.iter_mut().zip(&x).for_each(|(moved, x)| *moved = (x - *moved) / step);
            Ok(moved)
        });
        Ok(PyArray1::from_vec(py, found.map_err(outside)?).into_any())
    }

    /// The mean of −log p(y; θ) over the client's examples.
    fn objective(&self, py: Python<'_>, theta: &Bound<'_, PyAny>) -> PyResult<f64> {
        let theta = vector(theta, "`theta` of `data.objective`", Some((self.holdings.p(), ", as θ₀ has")))?;
        let found = py.detach(|| {
            let e_step = self.holdings.at(&theta)?;
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

fn maximize<'py>(py: Python<'py>, holdings: &Holdings, s: &Bound<'py, PyAny>, of: &str) -> PyResult<Bound<'py, PyAny>> {
    let s = vector(s, &format!("`s` of `{of}.maximize`"), Some((holdings.q(), ", as statistics have")))?;
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
        let place = if at < 0 { at + self.numbers.len() as isize } else { at };
        let number = usize::try_from(place).ok().and_then(|place| self.numbers.get(place));
        let &number = number.ok_or_else(|| PyIndexError::new_err(format!("{at} of {} clients", self.numbers.len())))?;
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
    fn statistics<'py>(&self, py: Python<'py>, theta: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
        let (holdings, p) = (&self.holdings, self.holdings.p());
        let (theta, is_shared) = rows_of(theta, "`theta` of `data.statistics`", self.numbers.len(), p)?;
        let found = py.detach(|| {
            let model = holdings.federation.model();
            holdings.statistics(&self.numbers, (&theta, p, is_shared), &|theta| match is_shared {
                true => holdings.at(theta),
                false => Ok(Arc::from(model.conditional(theta)?)),
            })
        });
        matrix(py, found.map_err(outside)?, holdings.q())
    }

    /// h(s) = s̄(T(s)) − s of each client over its examples, a row each, at one s or at a row of `s` for each.
    fn fields<'py>(&self, py: Python<'py>, s: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
        let (holdings, q) = (&self.holdings, self.holdings.q());
        let (s, is_shared) = rows_of(s, "`s` of `data.fields`", self.numbers.len(), q)?;
        let found = py.detach(|| {
            let model = holdings.federation.model();
            let mut fields = holdings.statistics(&self.numbers, (&s, q, is_shared), &|s| match is_shared {
                true => holdings.at_image(s),
                false => Ok(Arc::from(model.conditional(&holdings.maximize(s)?)?)),
            })?;
            for (at, row) in fields.chunks_exact_mut(q).enumerate() {
                let point = if is_shared { &s[..] } else { &s[at * q..][..q] };
                row.iter_mut().zip(point).for_each(|(h, s)| *h -= s);
            }
            Ok(fields)
        });
        matrix(py, found.map_err(outside)?, q)
    }

    /// ∇f of each client over its examples, a row each, at one x or at a row of `x` for each.
    fn gradients<'py>(&self, py: Python<'py>, x: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
        let (holdings, p) = (&self.holdings, self.holdings.p());
        let step = holdings.descent("`data.gradients`")?.step();
        let (x, is_shared) = rows_of(x, "`x` of `data.gradients`", self.numbers.len(), p)?;
        let found = py.detach(|| {
            let model = holdings.federation.model();
            let mut moved = holdings.statistics(&self.numbers, (&x, p, is_shared), &|x| match is_shared {
                true => holdings.at(x),
                false => Ok(Arc::from(model.conditional(x)?)),
            })?;
            for (at, row) in moved.chunks_exact_mut(p).enumerate() {
                let point = if is_shared { &x[..] } else { &x[at * p..][..p] };
                row.iter_mut().zip(point).for_each(|(moved, x)| *moved = (x - *moved) / step);
            }
            Ok(moved)
        });
        matrix(py, found.map_err(outside)?, p)
    }

    /// θ = T(s).
    fn maximize<'py>(&self, py: Python<'py>, s: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
        maximize(py, &self.holdings, s, "data")
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
    made: Mutex<BTreeMap<usize, Py<PyAny>>>,
}

impl Generators {
    pub(super) fn new(seeds: Vec<u64>) -> Self {
        Self { seeds, made: Mutex::default() }
    }
}

#[pymethods]
impl Generators {
    fn __len__(&self) -> usize {
        self.seeds.len()
    }

    fn __getitem__(&self, py: Python<'_>, at: isize) -> PyResult<Py<PyAny>> {
        let place = if at < 0 { at + self.seeds.len() as isize } else { at };
        let Some((place, &seed)) = usize::try_from(place).ok().and_then(|place| Some((place, self.seeds.get(place)?)))
        else {
            return Err(PyIndexError::new_err(format!("{at} of {} generators", self.seeds.len())));
        };
        if let Some(found) = self.made.lock().unwrap_or_else(PoisonError::into_inner).get(&place) {
            return Ok(found.clone_ref(py));
        }
        let made = crate::model::generator(py, seed)?.unbind();
        let copy = made.clone_ref(py);
        self.made.lock().unwrap_or_else(PoisonError::into_inner).insert(place, made);
        Ok(copy)
    }
}
