//! What the server's method sees of a round.

use std::sync::Arc;

use fedbits::codec::{Compressor, Encoded};
use fedbits::protocols::star::Contribution;
use numpy::PyArray1;
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;

use super::named::{Access, Shapes};
use crate::model::generator;

/// What arrived, until somebody asks for it.
pub(super) struct SeenRows {
    pub(super) sent: Vec<Encoded>,
    pub(super) shapes: Shapes,
    pub(super) reader: Arc<dyn Compressor>,
}

/// What arrived in a round.
#[pyclass(frozen, module = "fedbits")]
pub(crate) struct Updates {
    /// The uplink's estimate of the mean of what clients give, in the form of what they give.
    #[pyo3(get)]
    mean: Py<PyAny>,
    clients: Vec<u32>,
    weights: Vec<f64>,
    ages: Vec<u64>,
    /// The round that they close, from 1.
    #[pyo3(get)]
    round: u64,
    /// None where the server knows the sum alone.
    seen: Option<SeenRows>,
    seed: u64,
    rng: PyOnceLock<Py<PyAny>>,
}

impl Updates {
    /// `mean`: the estimate of what arrived in a round; weights of the clients that arrived, and the seed of the
    /// server's draws.
    pub(super) fn new(
        mean: Py<PyAny>,
        (round, sent): (u64, &[Contribution]),
        (weights, seed): (Vec<f64>, u64),
        seen: Option<SeenRows>,
    ) -> Self {
        Self {
            mean,
            clients: sent.iter().map(|contribution| contribution.client).collect(),
            weights,
            ages: sent.iter().map(|contribution| contribution.age).collect(),
            round,
            seen,
            seed,
            rng: PyOnceLock::new(),
        }
    }
}

#[pymethods]
impl Updates {
    /// The clients whose updates arrived, from 0, ascending.
    #[getter]
    fn clients<'py>(&self, py: Python<'py>) -> Bound<'py, PyAny> {
        PyArray1::from_iter(py, self.clients.iter().map(|&client| i64::from(client))).into_any()
    }

    /// Their weights.
    #[getter]
    fn weights<'py>(&self, py: Python<'py>) -> Bound<'py, PyAny> {
        PyArray1::from_slice(py, &self.weights).into_any()
    }

    /// How many rounds ago the broadcast was that each answers.
    #[getter]
    fn ages<'py>(&self, py: Python<'py>) -> Bound<'py, PyAny> {
        PyArray1::from_iter(py, self.ages.iter().map(|&age| age as i64)).into_any()
    }

    /// What each of them says, as it is decoded: its weight times what it gave, minus its memory.
    #[getter]
    fn rows<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        let Some(SeenRows { sent, shapes, reader }) = &self.seen else {
            let text =
                "`updates.rows` of a secure sum: the server knows the sum alone, which `updates.mean` is made of";
            return Err(PyValueError::new_err(text));
        };
        let length = shapes.length();
        let mut rows = vec![0.0; sent.len() * length];
        for (encoded, row) in sent.iter().zip(rows.chunks_exact_mut(length)) {
            reader.decode(encoded, row);
        }
        shapes.unpack(py, &rows, Some(sent.len()), Access::Write)
    }

    /// A generator for the server's draws in this round.
    #[getter]
    fn rng(&self, py: Python<'_>) -> PyResult<Py<PyAny>> {
        let made = || Ok::<_, PyErr>(generator(py, self.seed)?.unbind());
        Ok(self.rng.get_or_try_init(py, made)?.clone_ref(py))
    }

    fn __len__(&self) -> usize {
        self.clients.len()
    }

    fn __repr__(&self) -> String {
        format!("<fedbits updates of round {}: {} clients>", self.round, self.clients.len())
    }
}
