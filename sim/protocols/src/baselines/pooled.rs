//! EM and its stochastic versions on all data in one place: what their update rules share, and how they draw examples.
//!
//! Every example counts the same: s̄(θ) = N⁻¹ Σ s̄_j(θ). It must not know the rules, nor time.

use fedbits_models::{Batch, EStep, EStepTask, Scratch};
use fedbits_random::{DrawPurpose, Streams};
use fedbits_spec::range::{Range, whole};
use fedbits_spec::{Caveat, Facts, Findings, Part, Path, so_many};

use crate::alone::{AloneAlgorithm, AloneRun};
use crate::error::{ProtocolError, Result};
use crate::fedem::{BatchRule, Domain, MAX_BATCH, draw_batch};
use crate::federation::Federation;
use crate::footprint::{self, Sizes};
use crate::journal::Subject;
use crate::over::{Built, ExamplesOf, Over};
use crate::problem::Problem;
use crate::setting::{Profile, ProtocolSetting};
use crate::state::{OwnedState, Probe, State, norm_sq};

/// Names of the columns of `rounds.csv`.
const COLUMNS: [&str; 1] = ["domain_events"];

/// Different examples of a batch among all: no more than there are.
pub(super) struct AmongAll;

impl Range<BatchRule> for AmongAll {
    fn check(&self, value: &BatchRule, at: &Path<'_>, facts: &Facts, findings: &mut Findings) {
        let BatchRule::WithoutReplacement(size) = *value else { return };
        let most = facts.examples.unwrap_or(u64::from(MAX_BATCH));
        let range = whole(1, most).note(", at most the number of examples");
        range.check_whole(u64::from(size), &at.index(0), facts, findings);
    }

    fn text(&self) -> String {
        "at most the number of examples".to_owned()
    }
}

/// Pooled data, Ŝ and θ = T(Ŝ).
pub struct Pooled {
    federation: Federation,
    domain: Domain,
    pub(super) at: OwnedState,
    /// Is θ = T(Ŝ), and not that of an earlier Ŝ?
    is_maximized: bool,
    domain_events: u64,
    scratch: Scratch,
}

impl Pooled {
    fn new(federation: Federation, domain: Domain, s_hat: Vec<f64>) -> Result<Self> {
        let (at, domain_events) = domain.start(federation.model(), s_hat)?;
        Ok(Self { federation, domain, at, is_maximized: true, domain_events, scratch: Scratch::default() })
    }

    /// N.
    pub fn total(&self) -> u32 {
        self.federation.total() as u32
    }

    /// A vector of q zeros.
    pub(super) fn zeros(&self) -> Vec<f64> {
        vec![0.0; self.at.s_hat.len()]
    }

    /// The conditional distribution at θ.
    pub(super) fn e_step(&self) -> Result<Box<dyn EStep>> {
        Ok(self.federation.model().conditional(&self.at.theta)?)
    }

    /// h(Ŝ), of clients with their weights.
    pub(super) fn mean_field(&self, e_step: &dyn EStep, out: &mut [f64]) {
        self.federation.mean_field(&self.at.s_hat, e_step, out);
    }

    /// The mean of s̄_j over all examples.
    pub(super) fn all_statistics(&mut self, e_step: &dyn EStep, out: &mut [f64]) {
        e_step.mean_statistics(self.federation.pooled(), Batch::All, &mut self.scratch, out);
    }

    /// The mean of s̄_j over the examples `batch`.
    pub(super) fn statistics(&mut self, e_step: &dyn EStep, batch: &[u32], out: &mut [f64]) {
        e_step.mean_statistics(self.federation.pooled(), Batch::Indices(batch), &mut self.scratch, out);
    }

    /// s̄_j of each of these examples, a row of q numbers each; in one call where the model takes several.
    pub(super) fn statistics_of_each(&mut self, e_step: &dyn EStep, examples: &[u32], rows: &mut [f64]) {
        let each = examples.chunks(1);
        let Some(batched) = e_step.batched() else {
            let q = self.at.s_hat.len();
            return each.zip(rows.chunks_exact_mut(q)).for_each(|(one, row)| self.statistics(e_step, one, row));
        };
        let pooled = self.federation.pooled();
        let tasks = each.map(|one| EStepTask { examples: pooled, batch: Batch::Indices(one) });
        batched.mean_statistics_of(&tasks.collect::<Vec<_>>(), rows);
    }

    /// θ = T(Ŝ).
    pub(super) fn maximize(&mut self) -> Result<()> {
        let clipped = self.domain.maximize(self.federation.model(), &self.at.s_hat, &mut self.at.theta);
        self.domain_events += clipped.map_err(|source| {
            let advice = "`domain: Clip(…)`, or a smaller step and larger batches where there are any";
            ProtocolError::LeftDomain { source, advice }
        })?;
        self.is_maximized = true;
        Ok(())
    }

    /// Ŝ ← Ŝ + γ H; ‖H‖².
    pub(super) fn move_by(&mut self, gamma: f64, h: &[f64]) -> f64 {
        self.at.s_hat.iter_mut().zip(h).for_each(|(s, h)| *s += gamma * h);
        self.is_maximized = false;
        norm_sq(h)
    }

    /// Ŝ ← Ŝ + γ H, θ = T(Ŝ); ‖H‖².
    pub(super) fn step(&mut self, gamma: f64, h: &[f64]) -> Result<f64> {
        let field_sq = self.move_by(gamma, h);
        self.maximize()?;
        Ok(field_sq)
    }
}

/// The batch of a rule that draws one; rules that draw a second one ask for it by number 1.
pub(super) const BATCH: u64 = 0;

/// Gives the batch of a number: places of examples among all.
pub type Batches<'a> = &'a dyn Fn(u64) -> Vec<u32>;

/// An update rule, as a scenario names it: a protocol.
pub trait Rule: Part + Clone {
    /// What it remembers from one iteration to the next.
    type Memory: Default;
    /// Does it keep a statistic for each example?
    const KEEPS_STATISTICS: bool = false;
    /// As [`Profile::needs_only_the_map`].
    const NEEDS_ONLY_THE_MAP: bool = false;
    /// How batches are drawn, and what happens when the statistic leaves the domain of T.
    fn settings(&self) -> (BatchRule, Domain);
    /// As [`Profile::cycle`].
    fn cycle(&self) -> Option<u64> {
        None
    }
    /// Conditional expectations of iteration k = 1, 2, … on `total` examples: by default those of a batch.
    fn work(&self, _k: u64, total: u32) -> u64 {
        self.settings().0.count(total)
    }
    /// Iteration k with given batches; ‖H‖² of its step.
    ///
    /// # Errors
    /// When the statistic leaves the domain of T.
    fn step(&self, memory: &mut Self::Memory, pooled: &mut Pooled, k: u64, batches: Batches<'_>) -> Result<f64>;
    /// As [`ProtocolSetting::examples`].
    fn examples() -> Vec<Self>;
}

/// A rule with the state it works on.
pub struct PooledEm<R: Rule> {
    pooled: Pooled,
    rule: R,
    memory: R::Memory,
}

impl<R: Rule> PooledEm<R> {
    /// The rule at Ŝ₀ = `s_hat`.
    ///
    /// # Errors
    /// When T(Ŝ₀) does not exist.
    pub fn new(federation: Federation, s_hat: Vec<f64>, rule: R) -> Result<Self> {
        Ok(Self { pooled: Pooled::new(federation, rule.settings().1, s_hat)?, rule, memory: R::Memory::default() })
    }

    /// Iteration k = 1, 2, … with given batches; ‖H‖².
    ///
    /// # Errors
    /// As [`Rule::step`].
    pub fn step(&mut self, k: u64, batches: Batches<'_>) -> Result<f64> {
        self.rule.step(&mut self.memory, &mut self.pooled, k, batches)
    }
}

impl<R: Rule> ProtocolSetting for R {
    fn over(&self) -> Over<'_> {
        Over::examples(|ExamplesOf { federation, s_hat, .. }, _| {
            Ok(Built::new(AloneRun(PooledEm::new(federation, s_hat, self.clone())?)))
        })
    }

    fn profile(&self) -> Profile {
        Profile {
            domain: self.settings().1,
            needs_only_the_map: R::NEEDS_ONLY_THE_MAP,
            columns: Some(COLUMNS.to_vec()),
            cycle: self.cycle(),
            ..Profile::centralized()
        }
    }

    fn memory(&self, sizes: &Sizes) -> Vec<footprint::Part> {
        let draws = footprint::draws(self.settings().0, sizes);
        draws.into_iter().chain(R::KEEPS_STATISTICS.then(|| footprint::of_examples(sizes))).collect()
    }

    fn examples() -> Vec<Self> {
        <R as Rule>::examples()
    }
}

impl<R: Rule> AloneAlgorithm for PooledEm<R> {
    fn subject(&self) -> &dyn Subject {
        self
    }

    fn work(&self, iteration: u64) -> u64 {
        self.rule.work(iteration, self.pooled.total())
    }

    fn iterate(&mut self, streams: &Streams, iteration: u64) -> Result<f64> {
        let (rule, total) = (self.rule.settings().0, self.pooled.total());
        self.step(iteration, &|number| {
            let mut batch = Vec::new();
            if !draw_batch(rule, total, &mut streams.at(DrawPurpose::Minibatch, number, iteration), &mut batch) {
                batch.extend(0..total);
            }
            batch
        })
    }
}

impl<R: Rule> Subject for PooledEm<R> {
    fn problem(&self) -> &dyn Problem {
        &self.pooled.federation
    }

    fn state(&self) -> State<'_> {
        self.pooled.at.as_state()
    }

    /// h(Ŝ) is s̄(T(Ŝ)) − Ŝ: not known where θ is another one.
    fn probe(&self) -> Result<Probe> {
        let probe = self.pooled.federation.probe(&self.state())?;
        Ok(Probe { mean_field_sq: probe.mean_field_sq.filter(|_| self.pooled.is_maximized), ..probe })
    }

    fn is_silent(&self) -> bool {
        !self.pooled.is_maximized
    }

    fn columns(&self) -> Vec<String> {
        COLUMNS.map(str::to_owned).to_vec()
    }

    fn values(&self, _thorough: bool) -> Result<Vec<Option<f64>>> {
        Ok(vec![Some(self.pooled.domain_events as f64)])
    }

    fn caveats(&self) -> Vec<Caveat> {
        let events = self.pooled.domain_events;
        let clipped = || Caveat::ClippedEntries { statistics: "Ŝ".to_owned(), entries: so_many(events, "entry") };
        (events > 0).then(clipped).into_iter().collect()
    }
}
