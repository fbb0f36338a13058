//! What methods of a protocol of Python see of data and model.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use fedbits::models::{Batch, DomainError, EStep, Scratch};
use fedbits::protocols::fedem::Domain;
use fedbits::protocols::federation::Federation;
use numpy::{PyArray1, PyArrayMethods, PyUntypedArrayMethods};
use pyo3::exceptions::{PyIndexError, PyValueError};
use pyo3::prelude::*;
use rayon::prelude::*;

use super::packed::fixed;
use crate::arrays::{kind, misshapen, numbers, vector};
use crate::error::OutsideDomain;

/// The last argument of an E-step, and the E-step.
type Known = Mutex<Option<(Vec<f64>, Arc<dyn EStep>)>>;

/// The examples of a client as Python has them, and their responses.
type Table = (Py<PyAny>, Py<PyAny>);

/// A federation that a protocol of Python works on, with where it starts and what happens at the border of T's domain.
pub(crate) struct Holdings {
    pub(crate) federation: Federation,
    pub(crate) domain: Domain,
    /// Ŝ₀ and θ₀.
    start: (Vec<f64>, Vec<f64>),
    /// E-steps by θ, and by the statistic of which θ is T.
    by_theta: Known,
    by_statistic: Known,
    tables: Mutex<BTreeMap<u32, Table>>,
    /// Conditional expectations that each client was asked for since they were counted last.
    visited: Vec<AtomicU64>,
}

impl Holdings {
    pub(crate) fn new(federation: Federation, domain: Domain, start: (Vec<f64>, Vec<f64>)) -> Self {
        let visited = (0..federation.clients()).map(|_| AtomicU64::new(0)).collect();
        Self {
            federation,
            domain,
            start,
            by_theta: Mutex::default(),
            by_statistic: Mutex::default(),
            tables: Mutex::default(),
            visited,
        }
    }

    /// q.
    pub(crate) fn q(&self) -> usize {
        self.federation.model().statistic_dimension()
    }

    fn p(&self) -> usize {
        self.federation.model().parameter_dimension()
    }

    fn visit(&self, client: u32, count: u64) {
        self.visited[client as usize].fetch_add(count, Ordering::Relaxed);
    }

    /// The conditional expectations of a client since the last call; one per example where it asked for none.
    pub(crate) fn work(&self, client: u32) -> u64 {
        match self.visited[client as usize].swap(0, Ordering::Relaxed) {
            0 => u64::from(self.federation.size(client)),
            count => count,
        }
    }

    /// What was asked for before the first round does not count.
    pub(crate) fn forget_work(&self) {
        self.visited.iter().for_each(|count| count.store(0, Ordering::Relaxed));
    }

    /// θ = T(s) under the declared policy.
    pub(crate) fn maximize(&self, s: &[f64]) -> Result<Vec<f64>, DomainError> {
        let mut theta = Vec::new();
        self.domain.maximize(self.federation.model(), s, &mut theta)?;
        Ok(theta)
    }

    fn known(
        known: &Known,
        argument: &[f64],
        make: impl FnOnce() -> Result<Box<dyn EStep>, DomainError>,
    ) -> Result<Arc<dyn EStep>, DomainError> {
        let same = |known: &(Vec<f64>, Arc<dyn EStep>)| (known.0 == argument).then(|| Arc::clone(&known.1));
        let found = known.lock().unwrap_or_else(PoisonError::into_inner).as_ref().and_then(same);
        if let Some(found) = found {
            return Ok(found);
        }
        let made: Arc<dyn EStep> = Arc::from(make()?);
        *known.lock().unwrap_or_else(PoisonError::into_inner) = Some((argument.to_vec(), Arc::clone(&made)));
        Ok(made)
    }

    /// The E-step at θ.
    fn at(&self, theta: &[f64]) -> Result<Arc<dyn EStep>, DomainError> {
        Self::known(&self.by_theta, theta, || self.federation.model().conditional(theta))
    }

    /// The E-step at T(s).
    fn at_image(&self, s: &[f64]) -> Result<Arc<dyn EStep>, DomainError> {
        Self::known(&self.by_statistic, s, || self.federation.model().conditional(&self.maximize(s)?))
    }

    /// The mean statistic of a client's examples, or of a batch of them.
    fn statistic(&self, client: u32, e_step: &dyn EStep, batch: Option<&[u32]>) -> Vec<f64> {
        let (examples, mut out) = (self.federation.examples(client), vec![0.0; self.q()]);
        self.visit(client, batch.map_or(examples.len(), <[u32]>::len) as u64);
        let batch = batch.map_or(Batch::All, Batch::Indices);
        e_step.mean_statistics(examples, batch, &mut Scratch::default(), &mut out);
        out
    }

    /// The mean statistics of all examples of clients, a row each: at one E-step, or each at the one that `at` makes of
    /// its row of `arguments`.
    fn statistics(
        &self,
        clients: &[u32],
        (arguments, width, is_shared): (&[f64], usize, bool),
        at: &(dyn Fn(&[f64]) -> Result<Arc<dyn EStep>, DomainError> + Sync),
    ) -> Result<Vec<f64>, DomainError> {
        let q = self.q();
        let mut out = vec![0.0; clients.len() * q];
        let sizes: Vec<u64> = clients.iter().map(|&client| u64::from(self.federation.size(client))).collect();
        clients.iter().zip(&sizes).for_each(|(&client, &size)| self.visit(client, size));
        if is_shared {
            let e_step = at(arguments)?;
            let work = sizes.iter().sum();
            self.federation.local_statistics(clients, e_step.as_ref(), |_, _| false, work, &mut out);
            return Ok(out);
        }
        let one = |((&client, argument), out): ((&u32, &[f64]), &mut [f64])| {
            let e_step = at(argument)?;
            e_step.mean_statistics(self.federation.examples(client), Batch::All, &mut Scratch::default(), out);
            Ok(())
        };
        let arguments: Vec<&[f64]> = arguments.chunks_exact(width).collect();
        if rayon::current_num_threads() == 1 {
            clients.iter().zip(arguments).zip(out.chunks_exact_mut(q)).try_for_each(one)?;
        } else {
            let done = clients.par_iter().zip(arguments).zip(out.par_chunks_exact_mut(q)).map(one);
            done.collect::<Vec<Result<(), DomainError>>>().into_iter().collect::<Result<(), _>>()?;
        }
        Ok(out)
    }

    /// The examples of a client and their responses, as arrays that nobody may change.
    fn table(&self, py: Python<'_>, client: u32) -> PyResult<Table> {
        let known = |table: &Table| (table.0.clone_ref(py), table.1.clone_ref(py));
        if let Some(found) = self.tables.lock().unwrap_or_else(PoisonError::into_inner).get(&client) {
            return Ok(known(found));
        }
        let examples = self.federation.examples(client);
        let rows = fixed(py, examples.rows(), &[examples.len(), examples.dimension()])?.into_any().unbind();
        let responses: Option<Vec<f64>> = (0..examples.len()).map(|j| examples.response().at(j)).collect();
        let responses = match responses.filter(|responses| !responses.is_empty()) {
            Some(responses) => fixed(py, &responses, &[responses.len()])?.into_any().unbind(),
            None => py.None(),
        };
        let table = (rows, responses);
        self.tables.lock().unwrap_or_else(PoisonError::into_inner).insert(client, known(&table));
        Ok(table)
    }
}

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
                let own = if is_shared { &s[..] } else { &s[at * q..][..q] };
                row.iter_mut().zip(own).for_each(|(h, s)| *h -= s);
            }
            Ok(fields)
        });
        matrix(py, found.map_err(outside)?, q)
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

/// The statistic of a state: its array `s`, q numbers.
pub(super) fn statistic_in<'a>(state: &'a super::packed::Packed, what: &str, q: usize) -> PyResult<&'a [f64]> {
    match state.get("s") {
        Some((s, [length])) if *length == q => Ok(s),
        Some((_, shape)) => Err(misshapen(&format!("{what}, as `s`,"), shape, &format!("({q},), a statistic"))),
        None => Err(PyValueError::new_err(format!("{what} gave no `s`: expected a dict with it, the statistic Ŝ"))),
    }
}
