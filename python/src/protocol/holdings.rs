//! The clients' examples and the model, as a protocol of Python uses them: E-steps and T, which are counted as work.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use fedbits::models::{Batch, Descent, DomainError, EStep, Rows, Scratch};
use fedbits::protocols::fedem::Domain;
use fedbits::protocols::federation::Federation;
use numpy::PyArray1;
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use rayon::prelude::*;

use super::named::fixed;

/// The last argument of an E-step, and the E-step.
type Known = Mutex<Option<(Vec<f64>, Arc<dyn EStep>)>>;

/// The E-step at an argument.
type EStepOf<'a> = dyn Fn(&[f64]) -> Result<Arc<dyn EStep>, DomainError> + Sync + 'a;

/// The examples of a client as Python has them, and their responses.
type Table = (Py<PyAny>, Py<PyAny>);

/// A federation that a protocol of Python works on, with where it starts and what happens at the border of T's domain.
pub(crate) struct Holdings {
    pub(crate) federation: Federation,
    pub(crate) domain: Domain,
    /// Ŝ₀ and θ₀.
    pub(super) start: (Vec<f64>, Vec<f64>),
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

    pub(super) fn p(&self) -> usize {
        self.federation.model().parameter_dimension()
    }

    /// What the model says of its gradient steps, of which `what` is asked for.
    ///
    /// # Errors
    /// When its E-step is none.
    pub(super) fn descent(&self, what: &str) -> PyResult<&dyn Descent> {
        self.federation.model().descent().ok_or_else(|| {
            let expected = "expected a model whose E-step is a gradient step, such as `fb.Regression(…)`";
            PyValueError::new_err(format!("{what}: this model has no gradients in x: {expected}"))
        })
    }

    pub(super) fn visit(&self, client: u32, count: u64) {
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
    pub(super) fn at(&self, theta: &[f64]) -> Result<Arc<dyn EStep>, DomainError> {
        Self::known(&self.by_theta, theta, || self.federation.model().conditional(theta))
    }

    /// The E-step at T(s).
    pub(super) fn at_image(&self, s: &[f64]) -> Result<Arc<dyn EStep>, DomainError> {
        Self::known(&self.by_statistic, s, || self.federation.model().conditional(&self.maximize(s)?))
    }

    /// The mean statistic of a client's examples, or of a batch of them.
    pub(super) fn statistic(&self, client: u32, e_step: &dyn EStep, batch: Option<&[u32]>) -> Vec<f64> {
        self.visit(client, batch.map_or(u64::from(self.federation.size(client)), |batch| batch.len() as u64));
        let mut out = Vec::new();
        self.federation.statistic_of(client, e_step, batch.map_or(Batch::All, Batch::Indices), &mut out);
        out
    }

    /// The mean statistics of all examples of clients, a row each: at one E-step, or each at the one that `at` makes of
    /// its row of `arguments`.
    pub(super) fn statistics(
        &self,
        clients: &[u32],
        (arguments, width, is_shared): (&[f64], usize, bool),
        at: &EStepOf<'_>,
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
    pub(super) fn table(&self, py: Python<'_>, client: u32) -> PyResult<Table> {
        let known = |table: &Table| (table.0.clone_ref(py), table.1.clone_ref(py));
        if let Some(found) = self.tables.lock().unwrap_or_else(PoisonError::into_inner).get(&client) {
            return Ok(known(found));
        }
        let examples = self.federation.examples(client);
        let shape = [examples.len(), examples.dimension()];
        let rows = match examples.storage() {
            Rows::Dense(rows) => fixed(py, rows, &shape)?.into_any().unbind(),
            Rows::Sparse { offsets, columns, values } => sparse(py, offsets, (columns, values), shape)?.unbind(),
        };
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

/// Rows of numbers with their columns, as a matrix of SciPy. The offsets are those of all clients' entries.
fn sparse<'py>(
    py: Python<'py>,
    offsets: &[usize],
    (columns, values): (&[u32], &[f64]),
    shape: [usize; 2],
) -> PyResult<Bound<'py, PyAny>> {
    let entries = offsets[0]..offsets[offsets.len() - 1];
    let offsets = PyArray1::from_iter(py, offsets.iter().map(|&offset| (offset - entries.start) as i64));
    let columns = PyArray1::from_iter(py, columns[entries.clone()].iter().map(|&column| i64::from(column)));
    let values = fixed(py, &values[entries.clone()], &[entries.len()])?;
    py.import("scipy.sparse")?.getattr("csr_array")?.call1(((values, columns, offsets), shape))
}
