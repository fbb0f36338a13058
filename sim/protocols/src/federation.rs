//! The problem that a protocol solves: who holds which examples, which model they share, and how clients are weighted.
//! It must not know time, messages or bits.

use std::borrow::Cow;
use std::ops::Range;
use std::sync::Arc;

use crate::partition::Partitioned;
use fedbits_models::clusters::{Clusters, Contingency};
use fedbits_models::{
    Batch, Descent, DomainError, DomainPolicy, EStep, EStepTask, ExactModel, Examples, Response, Scratch,
};
use fedbits_record::{ClientColumn, QUALITY_OF_CLIENTS};
use fedbits_spec::Described;
use rayon::prelude::*;
use serde::{Deserialize, Serialize};

use crate::clustering::{Clustering, Squared};
use crate::error::Result;
use crate::payload::Rows;
use crate::reference::ExactEm;
use crate::state::{Probe, State, norm_sq, worst_tenth};

/// Weights wᵢ of clients in F = n⁻¹ Σ wᵢ Fᵢ and h = n⁻¹ Σ wᵢ hᵢ.
#[derive(Clone, Copy, Debug, Default, Described, Deserialize, Eq, PartialEq, Serialize)]
pub enum Weighting {
    /// wᵢ = n mᵢ / N: the likelihood of all data.
    #[default]
    Examples,
    /// wᵢ = 1, as in the paper.
    Clients,
}

/// θ_i of a client.
pub type ParametersOf<'a> = dyn Fn(u32) -> Cow<'a, [f64]> + 'a;

/// Data of n clients, and the model.
#[derive(Clone)]
pub struct Federation {
    data: Arc<Partitioned>,
    model: Arc<dyn ExactModel>,
    weights: Vec<f64>,
    truth: Option<Vec<f64>>,
    /// θ* of each client from the first on, where they differ.
    client_truths: Vec<Vec<f64>>,
}

/// Below this many conditional expectations a parallel loop costs more than it saves.
const WORTH_A_THREAD: u64 = 4_096;

impl Federation {
    /// `truth`: the parameter that generated the data, where it is known (θ layout of the model).
    pub fn new(data: Partitioned, model: Box<dyn ExactModel>, weighting: Weighting, truth: Option<Vec<f64>>) -> Self {
        let (n, total) = (data.len() as f64, data.data().examples().len() as f64);
        let weight = |size: usize| match weighting {
            Weighting::Examples => n * size as f64 / total,
            Weighting::Clients => 1.0,
        };
        let weights = data.sizes().into_iter().map(weight).collect();
        Self { data: Arc::new(data), model: Arc::from(model), weights, truth, client_truths: Vec::new() }
    }

    /// The same, where the parameters that generated the data are those of clients, of each from the first on; the last
    /// ones may have none.
    #[must_use]
    pub fn with_client_truths(self, client_truths: Vec<Vec<f64>>) -> Self {
        Self { client_truths, ..self }
    }

    /// The same clients with the same examples and weights, under the model that `change` makes of theirs; none when it
    /// makes none.
    pub fn under<M: ExactModel + 'static>(
        &self,
        change: impl FnOnce(Arc<dyn ExactModel>) -> Option<M>,
    ) -> Option<Self> {
        let model: Arc<dyn ExactModel> = Arc::new(change(Arc::clone(&self.model))?);
        let (weights, data) = (self.weights.clone(), Arc::clone(&self.data));
        Some(Self { data, model, weights, truth: None, client_truths: Vec::new() })
    }

    /// n, the number of clients.
    pub fn clients(&self) -> u32 {
        self.weights.len() as u32
    }

    /// Examples of client `i`.
    pub fn examples(&self, i: u32) -> Examples<'_> {
        self.data.client(i as usize)
    }

    /// All examples, client after client.
    pub fn pooled(&self) -> Examples<'_> {
        self.data.data().examples()
    }

    /// mᵢ, the number of examples of client `i`.
    pub fn size(&self, i: u32) -> u32 {
        self.examples(i).len() as u32
    }

    /// N, the number of all examples.
    pub fn total(&self) -> u64 {
        self.data.data().examples().len() as u64
    }

    /// wᵢ.
    pub fn weight(&self, i: u32) -> f64 {
        self.weights[i as usize]
    }

    /// All w_i.
    pub(crate) fn weights(&self) -> Vec<f64> {
        self.weights.clone()
    }

    /// The entries of θ that are means of components, where there are some.
    pub(crate) fn means(&self) -> Option<[usize; 2]> {
        let means = self.model.pooling()?.means();
        Some([means.start, means.end])
    }

    /// The model.
    pub fn model(&self) -> &dyn ExactModel {
        self.model.as_ref()
    }

    /// ‖θ − θ*‖² up to the model's symmetries, where the truth is known; of truths of clients the mean over them.
    pub fn parameter_error(&self, theta: &[f64]) -> Option<f64> {
        let common = || self.truth.as_ref().map(|truth| self.model.parameter_error(theta, truth));
        self.parameter_error_of_clients(&|_| theta.into()).or_else(common)
    }

    /// The mean of ‖θ_i − θ*_i‖² over the clients whose truth is known; none where that is one for all.
    pub fn parameter_error_of_clients(&self, theta_of: &ParametersOf<'_>) -> Option<f64> {
        let errors = (0..).zip(&self.client_truths);
        let sum = errors.fold(0.0, |sum, (i, truth)| sum + self.model.parameter_error(&theta_of(i), truth));
        (!self.client_truths.is_empty()).then(|| sum / self.client_truths.len() as f64)
    }

    /// Writes s̄_i(θ) of client `i` over a batch of its examples to `s`.
    pub fn statistic_of(&self, i: u32, e_step: &dyn EStep, batch: Batch<'_>, s: &mut Vec<f64>) {
        s.resize(self.model.statistic_dimension(), 0.0);
        e_step.mean_statistics(self.examples(i), batch, &mut Scratch::default(), s);
    }

    /// Writes h_i = s̄_i(θ) − Ŝ of client `i`, over all its examples, to `field`.
    ///
    /// # Errors
    /// When θ is no parameter of the model.
    pub fn field_of(&self, i: u32, at: &State<'_>, field: &mut Vec<f64>) -> Result<(), DomainError> {
        self.statistic_of(i, self.model.conditional(at.theta)?.as_ref(), Batch::All, field);
        field.iter_mut().zip(at.s_hat).for_each(|(h, s)| *h -= s);
        Ok(())
    }

    /// n⁻¹ Σ wᵢ s̄ᵢ(θ): the statistic of all data at θ, the natural Ŝ₀ for an initial θ₀.
    ///
    /// # Errors
    /// When θ is no parameter of the model.
    pub fn statistics_at(&self, theta: &[f64]) -> Result<Vec<f64>, DomainError> {
        let e_step = self.model.conditional(theta)?;
        let zero = vec![0.0; self.model.statistic_dimension()];
        let mut statistics = zero.clone();
        self.mean_field(&zero, e_step.as_ref(), &mut statistics);
        Ok(statistics)
    }

    /// h(Ŝ) = n⁻¹ Σ wᵢ (s̄ᵢ(θ) − Ŝ), written to `field`, and n⁻¹ Σ wᵢ Fᵢ(θ), F(θ) without the model's penalty,
    /// returned; θ = T(Ŝ). One pass over all data.
    pub fn mean_field(&self, s_hat: &[f64], e_step: &dyn EStep, field: &mut [f64]) -> f64 {
        self.mean_field_seeing(s_hat, e_step, field, |_| {})
    }

    /// The same; `see` gets Fᵢ(θ) of one client after the other.
    fn mean_field_seeing(&self, s_hat: &[f64], e_step: &dyn EStep, field: &mut [f64], mut see: impl FnMut(f64)) -> f64 {
        let q = s_hat.len();
        let n = f64::from(self.clients());
        let mut objective = 0.0;
        field.fill(0.0);
        let everyone: Vec<u32> = (0..self.clients()).collect();
        // Blocks bound the memory; within a block clients are folded in id order.
        for block in everyone.chunks(4_096) {
            let mut slots = vec![0.0; block.len() * (q + 1)];
            self.statistics_and_objectives(block, e_step, &mut slots);
            for (&i, slot) in block.iter().zip(slots.chunks_exact(q + 1)) {
                let w = self.weight(i);
                for j in 0..q {
                    field[j] += w * (slot[j] - s_hat[j]);
                }
                objective += w * slot[q];
                see(slot[q]);
            }
        }
        field.iter_mut().for_each(|h| *h /= n);
        objective / n
    }

    /// s̄ᵢ(θ) and Fᵢ(θ) over all examples of every client of `clients`, a row of q + 1 numbers each.
    fn statistics_and_objectives(&self, clients: &[u32], e_step: &dyn EStep, slots: &mut [f64]) {
        if let Some(batched) = e_step.batched() {
            let examples: Vec<Examples<'_>> = clients.iter().map(|&i| self.examples(i)).collect();
            return batched.mean_statistics_and_objectives_of(&examples, slots);
        }
        let q = self.model.statistic_dimension();
        let compute = |i, (): &mut (), scratch: &mut Scratch, slot: &mut [f64]| {
            let (statistic, rest) = slot.split_at_mut(q);
            rest[0] = e_step.mean_statistics_and_objective(self.examples(i), scratch, statistic);
        };
        for_each_client(clients, q + 1, slots, self.total(), || (), compute);
    }

    /// ‖h(Ŝ)‖², F(θ), its worst tenth and ‖θ − θ*‖²: one pass over all data.
    ///
    /// # Errors
    /// When θ is no parameter of the model.
    pub fn probe(&self, state: &State<'_>) -> Result<Probe, DomainError> {
        let e_step = self.model.conditional(state.theta)?;
        let (mut field, mut objectives) = (vec![0.0; state.s_hat.len()], Vec::with_capacity(self.weights.len()));
        let see = |objective| objectives.push(objective);
        let objective = self.mean_field_seeing(state.s_hat, e_step.as_ref(), &mut field, see);
        let gradient_sq = self.model.descent().map(|descent| self.gradient_sq(descent, state, &field)).transpose()?;
        Ok(Probe {
            mean_field_sq: Some(norm_sq(&field)),
            objective: Some(objective + self.model.penalty(state.theta)),
            parameter_error_sq: self.parameter_error(state.theta),
            objective_worst_tenth: worst_tenth(objectives),
            gradient_sq,
        })
    }

    /// ‖(θ − T(Ŝ + h))/ρ‖², where Ŝ + h is s̄(θ): the square of the gradient map.
    fn gradient_sq(&self, descent: &dyn Descent, state: &State<'_>, field: &[f64]) -> Result<f64, DomainError> {
        let expected: Vec<f64> = state.s_hat.iter().zip(field).map(|(s, h)| s + h).collect();
        let mut next = Vec::new();
        self.model.maximize(&expected, DomainPolicy::Error, &mut next)?;
        let step = descent.step();
        Ok(state.theta.iter().zip(&next).map(|(x, next)| (x - next) / step).map(|g| g * g).sum())
    }

    /// [`QUALITY_OF_CLIENTS`]: `objective`, Fᵢ(θ), and with labels `accuracy`, the share of a client's examples whose
    /// class is that of their component, matched over all examples.
    ///
    /// # Errors
    /// When θ is no parameter of the model.
    pub fn quality_of_clients(&self, state: &State<'_>) -> Result<Vec<ClientColumn>> {
        let [objective, accuracy] = QUALITY_OF_CLIENTS;
        let e_step = self.model.conditional(state.theta)?;
        let (mut statistic, mut scratch) = (vec![0.0; self.model.statistic_dimension()], Scratch::default());
        let mean = |i| e_step.mean_statistics_and_objective(self.examples(i), &mut scratch, &mut statistic);
        let values = (0..self.clients()).map(mean).map(Some).collect();
        let mut columns = vec![ClientColumn { name: objective.to_owned(), values }];
        if let (Some(model), Some(labels)) = (self.model.clusters(), self.data.data().labels()) {
            let found = classify(model, self.pooled(), state.theta)?;
            let classes = Contingency::new(&found, labels, model.components()).matched_labels();
            let is_right = |at: usize| classes[found[at] as usize] == Some(labels[at]);
            let share = |pair: &[usize]| {
                let right = (pair[0]..pair[1]).filter(|&at| is_right(at)).count();
                Some(right as f64 / (pair[1] - pair[0]) as f64)
            };
            let values = self.data.offsets().windows(2).map(share).collect();
            columns.push(ClientColumn { name: accuracy.to_owned(), values });
        } else if let Some(descent) = self.model.descent().filter(|_| self.data.data().labels().is_some()) {
            let share = |i| accuracy_of(descent, self.examples(i), state.theta);
            columns.push(ClientColumn { name: accuracy.to_owned(), values: (0..self.clients()).map(share).collect() });
        }
        Ok(columns)
    }

    /// s̄ᵢ(θ) over all examples of every client of `cohort`, a row of q numbers each: what a star protocol whose
    /// clients send statistics computes ahead.
    ///
    /// # Errors
    /// When θ is no parameter of the model.
    pub fn statistics_ahead(&self, theta: &[f64], cohort: &[u32], ahead: &mut Rows) -> Result<(), DomainError> {
        let e_step = self.model.conditional(theta)?;
        let rows = ahead.resize(cohort.len(), self.model.statistic_dimension());
        let work = cohort.iter().map(|&i| u64::from(self.size(i))).sum();
        self.local_statistics(cohort, e_step.as_ref(), |_, _| false, work, rows);
        Ok(())
    }

    /// s̄ᵢ(θ) over the batch of every client of `clients`, one row of q numbers per client.
    pub fn local_statistics(
        &self,
        clients: &[u32],
        e_step: &dyn EStep,
        batch: impl Fn(u32, &mut Vec<u32>) -> bool + Sync,
        work: u64,
        out: &mut [f64],
    ) {
        let q = self.model.statistic_dimension();
        if let Some(batched) = e_step.batched() {
            let mut indices = vec![Vec::new(); clients.len()];
            let drawn: Vec<bool> = clients.iter().zip(&mut indices).map(|(&i, subset)| batch(i, subset)).collect();
            let rows = clients.iter().zip(&indices).zip(drawn);
            let tasks: Vec<EStepTask<'_>> = rows
                .map(|((&i, subset), drawn)| EStepTask {
                    examples: self.examples(i),
                    batch: if drawn { Batch::Indices(subset) } else { Batch::All },
                })
                .collect();
            return batched.mean_statistics_of(&tasks, &mut out[..clients.len() * q]);
        }
        for_each_client(clients, q, out, work, Vec::new, |i, indices, scratch, row| {
            let batch = if batch(i, indices) { Batch::Indices(indices) } else { Batch::All };
            e_step.mean_statistics(self.examples(i), batch, scratch, row);
        });
    }
}

impl Clustering for Federation {
    fn components(&self) -> usize {
        self.model.clusters().map_or(0, Clusters::components)
    }

    fn labels(&self) -> Option<&[u32]> {
        self.data.data().labels()
    }

    fn classify(&self, state: &State<'_>) -> Result<Vec<u32>> {
        let Some(model) = self.model.clusters() else { return Ok(Vec::new()) };
        Ok(classify(model, self.pooled(), state.theta)?)
    }

    fn model(&self) -> Option<&dyn Clusters> {
        self.model.clusters()
    }

    fn squared(&self) -> Option<Squared<'_>> {
        let (data, n) = (self.data.data(), f64::from(self.clients()));
        let mut weights: Vec<(Range<usize>, f64)> = Vec::new();
        for (range, weight) in self.data.offsets().windows(2).zip(&self.weights) {
            let each = weight / (n * (range[1] - range[0]) as f64);
            match weights.last_mut() {
                Some((last, share)) if (each - *share).abs() <= 1e-12 * *share => last.end = range[1],
                _ => weights.push((range[0]..range[1], each)),
            }
        }
        Some(Squared { examples: data.examples(), weights, columns: data.columns(), origin: None })
    }
}

/// The component of every example, on all threads when that is worth it.
pub(crate) fn classify(model: &dyn Clusters, examples: Examples<'_>, theta: &[f64]) -> Result<Vec<u32>, DomainError> {
    if is_for_one_thread(examples.len() as u64) {
        return model.classify(examples, theta);
    }
    let parts: Vec<_> = examples.chunks(examples.len().div_ceil(rayon::current_num_threads())).collect();
    let found = parts.into_par_iter().map(|part| model.classify(part, theta));
    Ok(found.collect::<Result<Vec<_>, _>>()?.concat())
}

/// The share of examples whose class is the one that is predicted; none without classes, or without examples.
pub(crate) fn accuracy_of(descent: &dyn Descent, examples: Examples<'_>, theta: &[f64]) -> Option<f64> {
    let Response::Classes(classes) = examples.response() else { return None };
    let found = descent.classes(examples, theta).filter(|found| !found.is_empty())?;
    let hits = found.iter().zip(classes).filter(|(found, class)| found == class).count();
    Some(hits as f64 / found.len() as f64)
}

impl ExactEm for Federation {
    fn maximize(&self, s: &[f64]) -> Result<Vec<f64>> {
        let mut theta = Vec::new();
        self.model.maximize(s, DomainPolicy::Error, &mut theta)?;
        Ok(theta)
    }

    fn expectation(&self, theta: &[f64]) -> Result<Option<(Vec<f64>, f64)>> {
        let e_step = self.model.conditional(theta)?;
        let zero = vec![0.0; self.model.statistic_dimension()];
        let mut statistics = zero.clone();
        let objective = self.mean_field(&zero, e_step.as_ref(), &mut statistics);
        Ok(Some((statistics, objective + self.model.penalty(theta))))
    }

    fn descends(&self) -> bool {
        self.model.descent().is_some()
    }
}

/// Is one thread used for so many conditional expectations, because more are not worth it or there are none?
pub(crate) fn is_for_one_thread(work: u64) -> bool {
    work < WORTH_A_THREAD || rayon::current_num_threads() == 1
}

/// Runs a task per client, on all threads when the work is worth it. Every client writes only its own slot, so the
/// number of threads cannot change a result.
fn for_each_client<S>(
    clients: &[u32],
    width: usize,
    out: &mut [f64],
    work: u64,
    state: impl Fn() -> S + Sync + Send,
    task: impl Fn(u32, &mut S, &mut Scratch, &mut [f64]) + Sync,
) {
    let slots = &mut out[..clients.len() * width];
    let all = |clients: &[u32], slots: &mut [f64]| {
        let (mut of_thread, mut scratch) = (state(), Scratch::default());
        for (&i, slot) in clients.iter().zip(slots.chunks_exact_mut(width)) {
            task(i, &mut of_thread, &mut scratch, slot);
        }
    };
    if is_for_one_thread(work) {
        return all(clients, slots);
    }
    let chunk = clients.len().div_ceil(4 * rayon::current_num_threads()).max(1);
    let pairs = clients.par_chunks(chunk).zip(slots.par_chunks_mut(chunk * width));
    pairs.for_each(|(clients, slots)| all(clients, slots));
}
