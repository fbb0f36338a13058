//! The clients' examples and the model, as a protocol of Python uses them: E-steps and T, which are counted as work.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use fedbits::models::{Batch, Descent, DomainError, EStep, Rows, Scratch};
use fedbits::protocols::fedem::Domain;
use fedbits::protocols::federation::Federation;
use numpy::PyArray1;
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use rayon::prelude::*;

use super::named::fixed;

/// The last argument of an E-step, and the E-step.
type Known = Mutex<Option<(Vec<f64>, Arc<dyn EStep>)>>;

/// Where an E-step is: at θ, or at the statistic of which θ is T.
#[derive(Clone, Copy)]
pub(super) enum EStepPoint {
    Parameter,
    Statistic,
}

impl EStepPoint {
    /// The number of its entries, and the reason for it in messages.
    pub(super) fn length(self, holdings: &Holdings) -> (usize, &'static str) {
        let model = holdings.federation.model();
        match self {
            Self::Parameter => (model.parameter_dimension(), ", as θ₀ has"),
            Self::Statistic => (model.statistic_dimension(), ", as statistics have"),
        }
    }
}

/// The examples of a client as Python has them, and their responses.
type Table = (Py<PyAny>, Py<PyAny>);

/// A federation that a protocol of Python works on, with where it starts and what happens at the border of T's domain.
pub(crate) struct Holdings {
    pub(crate) federation: Federation,
    pub(crate) domain: Domain,
    /// Ŝ₀ and θ₀.
    pub(super) start: (Vec<f64>, Vec<f64>),
    /// The last E-step at a point of each kind.
    known: [Known; 2],
    tables: Vec<PyOnceLock<Table>>,
    /// Conditional expectations that each client was asked for since they were counted last.
    visited: Vec<AtomicU64>,
}

impl Holdings {
    pub(crate) fn new(federation: Federation, domain: Domain, start: (Vec<f64>, Vec<f64>)) -> Self {
        let visited = (0..federation.clients()).map(|_| AtomicU64::new(0)).collect();
        let tables = (0..federation.clients()).map(|_| PyOnceLock::new()).collect();
        Self { federation, domain, start, known: Default::default(), tables, visited }
    }

    /// q.
    pub(crate) fn q(&self) -> usize {
        self.federation.model().statistic_dimension()
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

    /// The E-step at a point, which is kept.
    pub(super) fn at(&self, point: EStepPoint, entries: &[f64]) -> Result<Arc<dyn EStep>, DomainError> {
        let known = &self.known[point as usize];
        let same = |known: &(Vec<f64>, Arc<dyn EStep>)| (known.0 == entries).then(|| Arc::clone(&known.1));
        let found = known.lock().unwrap_or_else(PoisonError::into_inner).as_ref().and_then(same);
        if let Some(found) = found {
            return Ok(found);
        }
        let made: Arc<dyn EStep> = Arc::from(self.conditional(point, entries)?);
        *known.lock().unwrap_or_else(PoisonError::into_inner) = Some((entries.to_vec(), Arc::clone(&made)));
        Ok(made)
    }

    fn conditional(&self, point: EStepPoint, entries: &[f64]) -> Result<Box<dyn EStep>, DomainError> {
        match point {
            EStepPoint::Parameter => self.federation.model().conditional(entries),
            EStepPoint::Statistic => self.federation.model().conditional(&self.maximize(entries)?),
        }
    }

    /// The mean statistic of a client's examples, or of a batch of them.
    pub(super) fn statistic(&self, client: u32, e_step: &dyn EStep, batch: Option<&[u32]>) -> Vec<f64> {
        self.visit(client, batch.map_or(u64::from(self.federation.size(client)), |batch| batch.len() as u64));
        let mut out = Vec::new();
        self.federation.statistic_of(client, e_step, batch.map_or(Batch::All, Batch::Indices), &mut out);
        out
    }

    /// The mean statistics of all examples of clients, a row each: at one point, or each at its row of `arguments`.
    pub(super) fn statistics(
        &self,
        clients: &[u32],
        (arguments, width, is_shared): (&[f64], usize, bool),
        point: EStepPoint,
    ) -> Result<Vec<f64>, DomainError> {
        let q = self.q();
        let mut out = vec![0.0; clients.len() * q];
        let sizes: Vec<u64> = clients.iter().map(|&client| u64::from(self.federation.size(client))).collect();
        clients.iter().zip(&sizes).for_each(|(&client, &size)| self.visit(client, size));
        if is_shared {
            let e_step = self.at(point, arguments)?;
            let work = sizes.iter().sum();
            self.federation.local_statistics(clients, e_step.as_ref(), |_, _| false, work, &mut out);
            return Ok(out);
        }
        let one = |((&client, argument), out): ((&u32, &[f64]), &mut [f64])| {
            let e_step = self.conditional(point, argument)?;
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
    pub(super) fn table(&self, py: Python<'_>, client: u32) -> PyResult<&Table> {
        self.tables[client as usize].get_or_try_init(py, || self.made_table(py, client))
    }

    fn made_table(&self, py: Python<'_>, client: u32) -> PyResult<Table> {
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
        Ok((rows, responses))
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
