//! The EM of VP-EM: parameters per block, computed iteration by iteration, shown when everybody has finished one.
//!
//! Nodes drift apart in virtual time, but what they compute does not depend on when: an iteration is a pure function of
//! the last one and of the mixing. It is computed once, when the first node needs it, and becomes visible (rows,
//! probes, digests) when the last node has finished it.

use std::borrow::Cow;
use std::collections::VecDeque;
use std::sync::Arc;

use fedbits_models::clusters::Clusters;
use fedbits_models::data::DataSet;
use fedbits_models::gmm::vertical::{Incremental, Mix, Mixing, Singular, Target, VerticalMixture};
use fedbits_models::{Batch, DomainError, Model};
use fedbits_random::Streams;
use fedbits_spec::Caveat;

use super::rules::{GapTreatment, MissingBlocks, Stopping, VpBatch};
use super::settings::VpEm;
use crate::error::{ProtocolError, Result};
use crate::journal::Subject;
use crate::neighbours::consensus::Terms;
use crate::problem::{Clustering, Problem, Squared};
use crate::state::{Probe, State};

/// What is known besides the features.
#[derive(Clone, Debug, Default)]
pub struct Known {
    /// The examples, with their labels.
    pub data: Option<Arc<DataSet>>,
    /// The θ that generated the data, in the layout of the whole mixture.
    pub truth: Option<Vec<f64>>,
}

/// One iteration.
#[derive(Clone, Debug, Default)]
pub struct Iterate {
    /// Its number; 0 before the first.
    pub number: u64,
    /// θ_b after it.
    pub thetas: Vec<Vec<f64>>,
    /// Statistics of every block after it.
    pub statistics: Vec<Vec<f64>>,
    /// Log-likelihood of the visited examples as every root sees it, of the parameters that entered the iteration.
    pub likelihoods: Vec<f64>,
    /// Root mean square over roots, examples and components of what they miss of the exact sum.
    pub consensus_error: f64,
    /// Roots that have stopped.
    pub frozen: Vec<bool>,
    /// Consensus rounds so far.
    pub rounds: u64,
    /// Examples visited so far.
    pub expectations: u64,
    /// Iteration after which everybody stops, when that is known.
    pub last: Option<u64>,
}

/// Parameters: the visible ones, and those of iterations that some node has begun.
pub struct Fit {
    /// The data and the blocks.
    pub mixture: VerticalMixture,
    /// What parameters are fitted to, where that is not all that was observed.
    trained: Option<VerticalMixture>,
    pub(super) settings: VpEm,
    streams: Streams,
    known: Known,
    memory: Option<Incremental>,
    /// The iteration that everybody has finished.
    pub(super) visible: Iterate,
    begun: VecDeque<Iterate>,
    theta: Vec<f64>,
    s_hat: Vec<f64>,
    /// Payload bits of the visible iteration.
    bits: u64,
    /// Iterations from a decision to stop until everybody knows.
    hearing: u64,
}

impl Fit {
    /// From θ⁰ of the whole mixture (entries of Σ between blocks are dropped).
    ///
    /// # Errors
    /// When a block of θ⁰ has no density.
    pub fn new(
        mixture: VerticalMixture,
        theta: &[f64],
        settings: VpEm,
        known: Known,
        streams: Streams,
    ) -> Result<Self> {
        let thetas = mixture.split(theta);
        let statistics = thetas.iter().enumerate().map(|(b, theta)| mixture.statistics_of(b, theta)).collect();
        let trained = match settings.missing_blocks {
            MissingBlocks::Drawn { treatment: GapTreatment::Impute, .. } => Some(mixture.imputed()),
            MissingBlocks::Drawn { treatment: GapTreatment::Drop, .. } => Some(mixture.without_gaps()),
            _ => None,
        };
        if trained.as_ref().is_some_and(|trained| trained.examples() == 0) {
            return Err(ProtocolError::unfit("no example has all blocks of features".to_owned()));
        }
        let on = trained.as_ref().unwrap_or(&mixture);
        let memory = (settings.batch != VpBatch::All).then(|| on.incremental(thetas.len()));
        let frozen = vec![false; thetas.len()];
        let visible = Iterate { thetas, statistics, frozen, ..Iterate::default() };
        let mut fit = Self {
            mixture,
            trained,
            settings,
            streams,
            known,
            memory,
            visible,
            begun: VecDeque::new(),
            theta: Vec::new(),
            s_hat: Vec::new(),
            bits: 0,
            hearing: 1,
        };
        fit.show();
        fit.probe()?;
        Ok(fit)
    }

    /// This many iterations pass until everybody has heard of a decision.
    pub(crate) fn set_hearing(&mut self, iterations: u64) {
        self.hearing = iterations;
    }

    /// What parameters are fitted to.
    pub(super) fn trained(&self) -> &VerticalMixture {
        self.trained.as_ref().unwrap_or(&self.mixture)
    }

    /// The last iteration that has been computed.
    pub fn newest(&self) -> &Iterate {
        self.begun.back().unwrap_or(&self.visible)
    }

    /// An iteration that is visible or has begun.
    pub fn iterate(&self, number: u64) -> Option<&Iterate> {
        std::iter::once(&self.visible).chain(&self.begun).find(|iterate| iterate.number == number)
    }

    /// Examples of the next iteration; `None` for all.
    pub(crate) fn next_batch(&self) -> Option<Vec<u32>> {
        self.settings.batch.draw(self.newest().number + 1, self.trained().examples(), &self.streams)
    }

    /// The same, in order.
    pub(super) fn next_examples(&self) -> Vec<u32> {
        self.next_batch().unwrap_or_else(|| (0..self.trained().examples() as u32).collect())
    }

    /// The terms of every block in the next iteration, K rows of one number per visited example.
    pub(super) fn terms(&self) -> Result<Vec<Vec<f64>>> {
        let (batch, thetas) = (self.next_batch(), &self.newest().thetas);
        let examples = batch.as_deref().map_or(Batch::All, Batch::Indices);
        let terms = (0..thetas.len()).map(|block| self.trained().terms(thetas, block, examples)).collect();
        Result::map_err(terms, |error| ProtocolError::from(error).at(format_args!("iteration {}", self.iteration())))
    }

    /// How many examples an iteration visits.
    pub(crate) fn visited(&self, iteration: u64) -> u64 {
        self.settings.batch.size(iteration, self.trained().examples())
    }

    /// How many numbers the terms of a block have in an iteration.
    pub(crate) fn numbers(&self, iteration: u64) -> u64 {
        self.visited(iteration) * self.mixture.components() as u64
    }

    /// Computes the next iteration, whose messages take so many rounds.
    fn advance(&mut self, mix: &mut Mix<'_>, rounds: u64) -> Result<()> {
        let batch = self.next_batch();
        let before = self.newest().clone();
        let number = before.number + 1;
        let components = self.mixture.components();
        let target = |(b, theta)| Target { weights: &Vec::as_slice(theta)[..components], statistics_of: Some(b) };
        let targets: Vec<Target<'_>> = before.thetas.iter().enumerate().map(target).collect();
        let examples = batch.as_deref().map_or(Batch::All, Batch::Indices);
        let failed = |error: ProtocolError| error.at(format_args!("iteration {number}"));
        let trained = self.trained.as_ref().unwrap_or(&self.mixture);
        let estimates = trained.pass(&before.thetas, &targets, examples, mix, self.memory.as_mut());
        let estimates = estimates.map_err(|error| failed(error.into()))?;
        let squares: f64 = estimates.iter().map(|estimate| estimate.error_sq).sum();
        let mut next = Iterate {
            number,
            consensus_error: (squares / estimates.len() as f64).sqrt(),
            rounds: before.rounds + rounds,
            expectations: before.expectations + self.visited(number),
            likelihoods: estimates.iter().map(|estimate| estimate.log_likelihood).collect(),
            ..before.clone()
        };
        self.decide(&before, &mut next);
        for (b, estimate) in estimates.into_iter().enumerate() {
            // A root that stops now has made its last M-step.
            if !before.frozen[b] {
                let theta = self.mixture.maximize(b, &estimate.statistics, self.settings.singular);
                next.thetas[b] = theta.map_err(|source| {
                    let remedy = self.remedy(&source.error);
                    failed(ProtocolError::Singular { source, remedy })
                })?;
                next.statistics[b] = estimate.statistics;
            }
        }
        self.begun.push_back(next);
        Ok(())
    }

    /// What may help when an M-step fails.
    fn remedy(&self, error: &DomainError) -> &'static str {
        match (self.settings.singular, error) {
            (Singular::Error, DomainError::Covariance { .. }) => {
                "; `singular: Ridge(…)` adds so much to every variance"
            }
            _ => "",
        }
    }

    /// Who stops after this iteration?
    fn decide(&self, before: &Iterate, next: &mut Iterate) {
        let [now, then] = [&*next, before].map(|iterate| self.visited(iterate.number) as f64);
        let increase = |b: usize| before.likelihoods.get(b).map(|old| next.likelihoods[b] / now - old / then);
        let below = |limit: f64, b: usize| increase(b).is_some_and(|increase| increase < limit);
        let roots = 0..next.frozen.len();
        match self.settings.stopping {
            Stopping::Never => {}
            Stopping::Alone { tolerance, margin } => {
                let frozen: Vec<bool> = roots.map(|b| before.frozen[b] || below(tolerance - margin, b)).collect();
                next.frozen = frozen;
                if !next.frozen.contains(&false) {
                    next.last = Some(next.number);
                }
            }
            Stopping::Flood { tolerance } => {
                if before.last.is_none() && roots.into_iter().any(|b| below(tolerance, b)) {
                    next.last = Some(next.number + self.hearing);
                }
            }
        }
    }

    /// Everybody has finished the next iteration, whose messages had so many bits; the examples visited so far.
    pub(super) fn show_next(&mut self, bits: u64) -> u64 {
        self.visible = self.begun.pop_front().expect("an iteration is computed before it is finished");
        self.bits = bits;
        self.show();
        self.visible.expectations
    }

    fn show(&mut self) {
        self.theta = self.mixture.join(&self.visible.thetas);
        self.s_hat = self.visible.statistics.concat();
    }
}

/// Why a run ended that ended by its own rule.
pub(super) fn stopped(iteration: u64) -> String {
    format!("likelihood: all roots had stopped after iteration {iteration}")
}

/// Smallest and largest of values.
pub(super) fn extremes(values: impl Iterator<Item = f64>) -> (f64, f64) {
    values.fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), value| (low.min(value), high.max(value)))
}

/// Names of the columns, of the visible iteration: mean over the roots of their log-likelihood per visited example, of
/// the parameters that entered it; largest minus smallest of these; payload bits.
pub(super) const COLUMNS: [&str; 3] = ["local_log_likelihood", "likelihood_spread", "iteration_bits"];

impl Subject for Fit {
    fn problem(&self) -> &dyn Problem {
        self
    }

    /// Statistics block by block, and θ of the whole mixture with the mean of the roots' π.
    fn state(&self) -> State<'_> {
        State { s_hat: &self.s_hat, theta: &self.theta }
    }

    /// The exact objective and mean field of the visible parameters, with the mean of the roots' π.
    fn probe(&self) -> Result<Probe> {
        let thetas = &self.visible.thetas;
        let (sums, weights) = (Mixing::sums(thetas.len(), thetas.len()), self.mixture.mean_weights(thetas));
        let targets: Vec<_> = (0..thetas.len()).map(|b| Target { weights: &weights, statistics_of: Some(b) }).collect();
        let mut mix = |terms: &[f64], _: usize, seen: &mut [f64]| sums.mix(terms, seen);
        let estimates = self.mixture.pass(thetas, &targets, Batch::All, &mut mix, None)?;
        let new = estimates.iter().flat_map(|estimate| &estimate.statistics);
        let field: f64 = new.zip(&self.s_hat).map(|(new, old)| (new - old) * (new - old)).sum();
        let error = self.known.truth.as_ref().map(|truth| self.mixture.whole().parameter_error(&self.theta, truth));
        Ok(Probe {
            mean_field_sq: Some(field),
            objective: Some(-estimates[0].log_likelihood / self.mixture.examples() as f64),
            parameter_error_sq: error,
            ..Probe::default()
        })
    }

    fn columns(&self) -> Vec<String> {
        COLUMNS.map(str::to_owned).to_vec()
    }

    fn values(&self, _thorough: bool) -> Result<Vec<Option<f64>>> {
        let Iterate { number, likelihoods, .. } = &self.visible;
        let visited = self.visited(*number) as f64;
        let (low, high) = extremes(likelihoods.iter().copied());
        let mean = likelihoods.iter().sum::<f64>() / likelihoods.len().max(1) as f64;
        let values = [mean / visited, (high - low) / visited, self.bits as f64];
        Ok(values.map(|value| (*number > 0).then_some(value)).to_vec())
    }

    fn caveats(&self) -> Vec<Caveat> {
        match self.settings.singular {
            Singular::Ridge(ridge) => vec![Caveat::Ridge { ridge: format!("{ridge:e}") }],
            Singular::Error => Vec::new(),
        }
    }
}

impl Terms for Fit {
    fn iteration(&self) -> u64 {
        self.newest().number + 1
    }

    fn gram(&self) -> Result<Vec<f64>> {
        let batch = self.next_batch();
        let examples = batch.as_deref().map_or(Batch::All, Batch::Indices);
        let gram = self.mixture.gram(&self.newest().thetas, examples);
        gram.map_err(|error| ProtocolError::from(error).at(format_args!("iteration {}", self.iteration())))
    }

    fn mix(&mut self, rounds: u32, mix: &mut Mix<'_>) -> Result<()> {
        self.advance(mix, u64::from(rounds))
    }
}

/// By the visible parameters, with the mean of the roots' π.
impl Clustering for Fit {
    fn components(&self) -> usize {
        self.mixture.components()
    }

    fn labels(&self) -> Option<&[u32]> {
        self.known.data.as_deref().and_then(DataSet::labels)
    }

    fn classify(&self, _state: &State<'_>) -> Result<Vec<u32>> {
        let thetas = &self.visible.thetas;
        Ok(self.mixture.classify(thetas, &self.mixture.mean_weights(thetas))?)
    }

    fn model(&self) -> Option<&dyn Clusters> {
        Some(self.mixture.whole())
    }

    fn squared(&self) -> Option<Squared<'_>> {
        let (data, origin) = (self.known.data.as_deref()?, Some(Cow::Borrowed(self.mixture.centre())));
        let weights = vec![(0..data.len(), 1.0 / data.len() as f64)];
        Some(Squared { examples: data.examples(), weights, columns: data.columns(), origin })
    }
}

impl Problem for Fit {
    fn clients(&self) -> u32 {
        self.mixture.blocks().len() as u32
    }

    fn total(&self) -> u64 {
        self.mixture.examples() as u64
    }

    fn parameter_names(&self) -> Vec<String> {
        self.mixture.whole().parameter_names()
    }

    fn statistic_names(&self) -> Vec<String> {
        let of = |b: usize| self.mixture.statistic_names(b).into_iter().map(move |name| format!("block_{b}_{name}"));
        (0..self.visible.thetas.len()).flat_map(of).collect()
    }

    fn clustering(&self) -> Option<&dyn Clustering> {
        Some(self)
    }
}
