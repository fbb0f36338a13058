//! Who holds which subjects, and the model they share. It must not know time, messages or bits.

use fedbits_models::clusters::Clusters;
use fedbits_models::latent::{Difference, SampledModel};
use fedbits_models::{DomainError, DomainPolicy};

use crate::error::{ProtocolError, Result};
use crate::federation::classify;
use crate::problem::{Clustering, Problem, Squared};
use crate::reference::ExactEm;
use crate::state::State;

/// A model with its subjects, divided over n clients.
pub struct Panel {
    model: Box<dyn SampledModel>,
    /// Subjects of all clients, client by client.
    subjects: Vec<u32>,
    /// Where each client's subjects begin, n + 1 numbers.
    offsets: Vec<usize>,
    truth: Option<Vec<f64>>,
}

impl Panel {
    /// `client_of`: the client of every subject, 0 to `clients` − 1. `truth`: the parameter that generated the data, if
    /// known.
    ///
    /// # Errors
    /// When a client has no subject.
    pub fn new(
        model: Box<dyn SampledModel>,
        client_of: &[u32],
        clients: usize,
        truth: Option<Vec<f64>>,
    ) -> Result<Self> {
        let mut subjects: Vec<u32> = (0..client_of.len() as u32).collect();
        subjects.sort_by_key(|&subject| client_of[subject as usize]);
        let mut counts = vec![0; clients];
        client_of.iter().for_each(|&client| counts[client as usize] += 1);
        if let Some(client) = counts.iter().position(|&count| count == 0) {
            let why = format!("client {client} has no subject: every client needs at least one");
            return Err(ProtocolError::Unfit(why));
        }
        let mut offsets = vec![0];
        offsets.extend(counts.iter().scan(0, |end, count| {
            *end += count;
            Some(*end)
        }));
        Ok(Self { model, subjects, offsets, truth })
    }

    /// The model.
    pub fn model(&self) -> &dyn SampledModel {
        self.model.as_ref()
    }

    /// Subjects of client `i`.
    pub fn subjects(&self, i: u32) -> &[u32] {
        &self.subjects[self.range(i)]
    }

    /// Indices of client i's subjects in client-by-client order.
    pub(super) fn range(&self, i: u32) -> std::ops::Range<usize> {
        self.offsets[i as usize]..self.offsets[i as usize + 1]
    }

    /// w_i = n N_i / N: every subject counts the same.
    pub fn weight(&self, i: u32) -> f64 {
        f64::from(self.clients()) * self.range(i).len() as f64 / self.subjects.len() as f64
    }

    /// ‖θ − θ*‖², where the truth is known.
    pub fn parameter_error(&self, theta: &[f64]) -> Option<f64> {
        self.truth.as_ref().map(|truth| self.model.parameter_error(theta, truth))
    }

    /// s̄(θ) and N⁻¹ Σ −log p(y_i; θ), where the model has them in closed form.
    ///
    /// # Errors
    /// When θ is no parameter of the model.
    pub fn expectation(&self, theta: &[f64]) -> Result<Option<(Vec<f64>, f64)>, DomainError> {
        let posterior = self.model.posterior(theta)?;
        let mut s = vec![0.0; self.model.statistic_dimension()];
        let n = self.subjects.len();
        let mut objective = 0.0;
        for subject in 0..n {
            match posterior.expected_statistics(subject, 1.0 / n as f64, &mut s) {
                Some(log_likelihood) => objective -= log_likelihood / n as f64,
                None => return Ok(None),
            }
        }
        Ok(Some((s, objective)))
    }
}

impl Problem for Panel {
    fn clients(&self) -> u32 {
        self.offsets.len() as u32 - 1
    }

    fn examples_of(&self, i: u32) -> Option<u64> {
        Some(self.subjects(i).len() as u64)
    }

    fn total(&self) -> u64 {
        self.subjects.len() as u64
    }

    fn parameter_names(&self) -> Vec<String> {
        self.model.parameter_names()
    }

    fn statistic_names(&self) -> Vec<String> {
        self.model.statistic_names()
    }

    fn exact(&self) -> Option<&dyn ExactEm> {
        Some(self)
    }

    fn squares(&self, theta: &[f64]) -> Vec<[f64; 2]> {
        self.model.squares(theta)
    }

    fn differences(&self, theta: &[f64]) -> Result<Vec<Difference>> {
        if self.model.squares(theta).is_empty() {
            return Ok(Vec::new());
        }
        let of = |(s, _): (Vec<f64>, f64)| self.model.differences(theta, &s);
        Ok(self.expectation(theta)?.map_or(Ok(Vec::new()), of)?)
    }

    fn clustering(&self) -> Option<&dyn Clustering> {
        self.model.classes().map(|_| self as _)
    }
}

impl Clustering for Panel {
    fn components(&self) -> usize {
        self.model.classes().map_or(0, |(model, _)| model.components())
    }

    fn labels(&self) -> Option<&[u32]> {
        self.model.classes().and_then(|(_, data)| data.labels())
    }

    fn classify(&self, state: &State<'_>) -> Result<Vec<u32>> {
        let Some((model, data)) = self.model.classes() else { return Ok(Vec::new()) };
        Ok(classify(model, data.examples(), state.theta)?)
    }

    fn model(&self) -> Option<&dyn Clusters> {
        self.model.classes().map(|(model, _)| model)
    }

    fn squared(&self) -> Option<Squared<'_>> {
        let (_, data) = self.model.classes()?;
        let weights = vec![(0..data.len(), 1.0 / data.len() as f64)];
        Some(Squared { examples: data.examples(), weights, columns: data.columns(), origin: None })
    }
}

impl ExactEm for Panel {
    fn maximize(&self, s: &[f64]) -> Result<Vec<f64>> {
        let mut theta = Vec::new();
        self.model.maximize(s, DomainPolicy::Error, &mut theta)?;
        Ok(theta)
    }

    fn expectation(&self, theta: &[f64]) -> Result<Option<(Vec<f64>, f64)>> {
        Ok(Self::expectation(self, theta)?)
    }
}
