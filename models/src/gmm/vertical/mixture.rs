//! The mixture: θ in and out, passes over the examples, M-steps.

use super::blocks::{BlockError, FeatureBlocks};
use super::mix::Mixing;
use super::pass::{Estimate, Mix, Pass, Target, gram, terms};
use crate::clusters::Clusters;
use crate::gmm::mixture::{Covariance, GaussianMixture, check_length};
use crate::gmm::pack::{LOG_TWO_PI, Packed};
use crate::initial::sample_mean;
use crate::{Batch, DomainError, DomainPolicy, Examples, Model};
use fedbits_numerics::{cholesky, vech_index, vech_length};
use fedbits_spec::Described;
use fedbits_spec::range::POSITIVE;
use pulp::Arch;
use serde::{Deserialize, Serialize};

/// Treatment of singular covariances.
#[derive(Clone, Copy, Debug, Default, Described, Deserialize, PartialEq, Serialize)]
pub enum Singular {
    /// Stops the run.
    #[default]
    Error,
    /// Adds this to every variance in every M-step, in squared units of the data.
    Ridge(#[range(POSITIVE)] f64),
}

/// Data of all blocks, and what is fitted to them.
#[derive(Clone, Debug)]
pub struct VerticalMixture {
    pub(super) blocks: FeatureBlocks,
    pub(super) models: Vec<GaussianMixture>,
    /// The whole mixture with full covariances, in whose layout θ goes in and out.
    pub(super) whole: GaussianMixture,
    /// Mean of every feature.
    pub(super) centre: Vec<f64>,
    /// Centred rows of every block, M × d_b.
    pub(super) rows: Vec<Vec<f64>>,
    pub(super) examples: usize,
    /// Which examples have each block; none where all have all.
    pub(super) observed: Option<Vec<Vec<bool>>>,
}

/// Memory of an incremental EM (Neal and Hinton 1998): γ of all examples and the running statistics, per target.
#[derive(Clone, Debug)]
pub struct Incremental {
    gammas: Vec<Vec<f64>>,
    statistics: Vec<Vec<f64>>,
    weights: Vec<Vec<f64>>,
}

impl VerticalMixture {
    /// A mixture of `components` Gaussians over `examples` whose covariances have these blocks.
    ///
    /// # Errors
    /// [`DomainError`] for no components, no features, or examples of another dimension than the blocks have.
    pub fn new(examples: Examples<'_>, components: usize, blocks: FeatureBlocks) -> Result<Self, DomainError> {
        let d = blocks.dimension();
        let full = |dimension| GaussianMixture::new(components, dimension, Covariance::Full);
        let whole = full(d)?;
        check_length("an example", d, &examples.rows()[..examples.dimension().min(examples.rows().len())])?;
        let centre = sample_mean(examples);
        let rows = centred_blocks(examples, &blocks, &centre);
        let models = (0..blocks.len()).map(|block| full(blocks.features(block).len())).collect::<Result<_, _>>()?;
        Ok(Self { models, whole, rows, examples: examples.len(), centre, blocks, observed: None })
    }

    /// M.
    pub fn examples(&self) -> usize {
        self.examples
    }

    /// K.
    pub fn components(&self) -> usize {
        self.whole.components()
    }

    /// The mean of every feature, from which squares are counted.
    pub fn centre(&self) -> &[f64] {
        &self.centre
    }

    /// The blocks.
    pub fn blocks(&self) -> &FeatureBlocks {
        &self.blocks
    }

    /// The mixture over all features in whose layout θ goes in and out.
    pub fn whole(&self) -> &GaussianMixture {
        &self.whole
    }

    /// θ_b of every block from a θ of the whole mixture: entries of Σ between blocks are dropped.
    pub fn split(&self, theta: &[f64]) -> Vec<Vec<f64>> {
        (0..self.blocks.len()).map(|block| self.cut(theta, block)).collect()
    }

    fn cut(&self, theta: &[f64], block: usize) -> Vec<f64> {
        let features = self.blocks.features(block);
        let mut theta_b = self.whole.weights(theta).to_vec();
        for k in 0..self.components() {
            let mean = self.whole.mean(theta, k);
            theta_b.extend(features.iter().map(|&f| mean[f] - self.centre[f]));
        }
        for k in 0..self.components() {
            let sigma = &theta[self.whole.layout.covariance(k)];
            for (i, &f) in features.iter().enumerate() {
                theta_b.extend(features[..=i].iter().map(|&g| sigma[vech_index(f.max(g), f.min(g))]));
            }
        }
        theta_b
    }

    /// θ of the whole mixture from the blocks', with the mean of their π and zeros between blocks.
    pub fn join(&self, thetas: &[Vec<f64>]) -> Vec<f64> {
        let d = self.blocks.dimension();
        let mut theta = vec![0.0; self.whole.parameter_dimension()];
        theta[..self.components()].copy_from_slice(&self.mean_weights(thetas));
        for (block, theta_b) in thetas.iter().enumerate() {
            let (features, layout) = (self.blocks.features(block), self.models[block].layout);
            for k in 0..self.components() {
                let (mean, sigma) = (self.whole.layout.mean(k), self.whole.layout.covariance(k));
                for (i, &f) in features.iter().enumerate() {
                    theta[mean.start + f] = theta_b[layout.mean(k)][i] + self.centre[f];
                    for (j, &g) in features[..=i].iter().enumerate() {
                        let entry = theta_b[layout.covariance(k)][vech_index(i, j)];
                        theta[sigma.start + vech_index(f.max(g), f.min(g))] = entry;
                    }
                }
            }
        }
        debug_assert_eq!(self.whole.layout.covariance(0).len(), vech_length(d));
        theta
    }

    /// The statistics whose image under T is θ_b: s1 = π, s2 = π µ, s3 = π (Σ + µ µᵀ).
    pub fn statistics_of(&self, block: usize, theta: &[f64]) -> Vec<f64> {
        let layout = self.models[block].layout;
        let mut statistics = theta[..self.components()].to_vec();
        for k in 0..self.components() {
            statistics.extend(theta[layout.mean(k)].iter().map(|mean| theta[k] * mean));
        }
        for k in 0..self.components() {
            let (mean, sigma) = (&theta[layout.mean(k)], &theta[layout.covariance(k)]);
            for i in 0..layout.dimension {
                statistics.extend((0..=i).map(|j| theta[k] * (sigma[vech_index(i, j)] + mean[i] * mean[j])));
            }
        }
        statistics
    }

    /// One name per entry of the statistics of a block.
    pub fn statistic_names(&self, block: usize) -> Vec<String> {
        self.models[block].statistic_names()
    }

    /// The mean over the blocks of their π, K numbers.
    pub fn mean_weights(&self, thetas: &[Vec<f64>]) -> Vec<f64> {
        let mut weights = vec![0.0; self.components()];
        for theta in thetas {
            weights.iter_mut().zip(theta).for_each(|(sum, weight)| *sum += weight);
        }
        weights.iter_mut().for_each(|sum| *sum /= thetas.len() as f64);
        weights
    }

    /// One pass: what every target gets of the examples in `batch`, through `mix`, when block b's parameters are
    /// `thetas[b]`.
    ///
    /// With a `memory` the pass is incremental: γ of the batch is renewed in it, and estimates hold the running
    /// statistics of all examples.
    ///
    /// # Errors
    /// When a θ_b has no density.
    ///
    /// # Panics
    /// If `memory` was made for other targets.
    pub fn pass(
        &self,
        thetas: &[Vec<f64>],
        targets: &[Target<'_>],
        batch: Batch<'_>,
        mix: &mut Mix<'_>,
        memory: Option<&mut Incremental>,
    ) -> Result<Vec<Estimate>, BlockError> {
        let Some(memory) = memory else {
            let mut estimates = self.run(thetas, targets, batch, mix, None, None)?;
            self.complete_statistics(targets, &mut estimates);
            return Ok(estimates);
        };
        assert_eq!(memory.gammas.len(), targets.len(), "an incremental memory has one γ per target");
        let mut estimates = self.run(thetas, targets, batch, mix, Some(&mut memory.gammas), None)?;
        let running = memory.statistics.iter_mut().zip(&mut memory.weights);
        for (Estimate { statistics, weights, .. }, sums) in estimates.iter_mut().zip(running) {
            for (now, sum) in [(statistics, sums.0), (weights, sums.1)] {
                sum.resize(now.len(), 0.0);
                sum.iter_mut().zip(&*now).for_each(|(sum, difference)| *sum += difference);
                now.clone_from(sum);
            }
        }
        self.complete_statistics(targets, &mut estimates);
        Ok(estimates)
    }

    /// Statistics of the examples that have a block become those of all.
    fn complete_statistics(&self, targets: &[Target<'_>], estimates: &mut [Estimate]) {
        for (target, Estimate { statistics, weights, .. }) in targets.iter().zip(estimates) {
            if let (Some(block), true) = (target.statistics_of, self.observed.is_some()) {
                self.complete(block, statistics, weights);
            }
        }
    }

    /// An empty memory for this many targets: γ = 0, so that the first pass must visit all examples.
    pub fn incremental(&self, targets: usize) -> Incremental {
        let gammas = vec![vec![0.0; self.examples * self.components()]; targets];
        Incremental { gammas, statistics: vec![Vec::new(); targets], weights: vec![Vec::new(); targets] }
    }

    /// The component with the largest posterior weight per example under the exact sum and `weights`.
    ///
    /// # Errors
    /// When a θ_b has no density.
    pub fn classify(&self, thetas: &[Vec<f64>], weights: &[f64]) -> Result<Vec<u32>, BlockError> {
        let sum = Mixing::sums(1, self.blocks.len());
        let mut mix = |terms: &[f64], _: usize, seen: &mut [f64]| sum.mix(terms, seen);
        let mut labels = vec![Vec::with_capacity(self.examples)];
        let target = Target { weights, statistics_of: None };
        self.run(thetas, &[target], Batch::All, &mut mix, None, Some(&mut labels))?;
        Ok(labels.concat())
    }

    fn run(
        &self,
        thetas: &[Vec<f64>],
        targets: &[Target<'_>],
        batch: Batch<'_>,
        mix: &mut Mix<'_>,
        memory: Option<&mut [Vec<f64>]>,
        labels: Option<&mut [Vec<u32>]>,
    ) -> Result<Vec<Estimate>, BlockError> {
        let packed = self.packed(thetas)?;
        let logarithms = |target: &Target<'_>| target.weights.iter().map(|&weight| libm::log(weight)).collect();
        let log_weights: Vec<Vec<f64>> = targets.iter().map(logarithms).collect();
        let (rows, log_weights) = (&self.rows[..], &log_weights[..]);
        let (level, observed) = (Arch::new(), self.observed.as_deref());
        let pass = Pass { level, rows, packed: &packed, batch, observed, targets, log_weights, mix, memory, labels };
        let mut estimates = pass.run();
        let constant = 0.5 * self.observed_numbers(batch) as f64 * LOG_TWO_PI;
        estimates.iter_mut().for_each(|estimate| estimate.log_likelihood -= constant);
        Ok(estimates)
    }

    /// Factors of every block with −½ Q as logits: no π and no log 2π.
    fn packed(&self, thetas: &[Vec<f64>]) -> Result<Vec<Packed>, BlockError> {
        assert_eq!(thetas.len(), self.blocks.len(), "one θ per block");
        thetas.iter().enumerate().map(|(block, theta)| self.packed_block(block, theta)).collect()
    }

    fn packed_block(&self, block: usize, theta: &[f64]) -> Result<Packed, BlockError> {
        let layout = self.models[block].layout;
        let mut theta = theta.to_vec();
        theta[..layout.components].fill(1.0);
        let mut packed = Packed::new(layout, &[], &theta).map_err(|error| self.in_block(block, error))?;
        let constant = 0.5 * layout.dimension as f64 * LOG_TWO_PI;
        packed.offsets.iter_mut().for_each(|offset| *offset += constant);
        Ok(packed)
    }

    /// What is wrong with a block.
    fn in_block(&self, block: usize, error: DomainError) -> BlockError {
        BlockError { features: self.blocks.features(block).to_vec(), error }
    }

    /// The M-step of one block (equations 5a, 9 and 11): θ_b from its statistics.
    ///
    /// # Errors
    /// When a component has no weight left, or a covariance is singular.
    pub fn maximize(&self, block: usize, statistics: &[f64], singular: Singular) -> Result<Vec<f64>, BlockError> {
        let model = &self.models[block];
        let mut statistics = statistics.to_vec();
        if let Singular::Ridge(ridge) = singular {
            for k in 0..model.components() {
                let second = model.layout.second_moment(k);
                for i in 0..model.layout.dimension {
                    statistics[second.start + vech_index(i, i)] += ridge * statistics[k];
                }
            }
        }
        let mut theta = Vec::new();
        let bad = |error| self.in_block(block, error);
        model.maximize(&statistics, DomainPolicy::Error, &mut theta).map_err(bad)?;
        for k in 0..model.components() {
            check_regular(k, &theta[model.layout.covariance(k)], model.layout.dimension).map_err(bad)?;
        }
        Ok(theta)
    }

    /// The Gram matrix ⟨Q^a, Q^b⟩ / (M K) of the terms of all blocks over `batch`, B × B: what consensus rounds change
    /// is measured with it, without forming any state.
    ///
    /// # Errors
    /// When a θ_b has no density.
    pub fn gram(&self, thetas: &[Vec<f64>], batch: Batch<'_>) -> Result<Vec<f64>, BlockError> {
        Ok(gram(&self.rows, &self.packed(thetas)?, batch))
    }

    /// The terms Q^b of one block over `batch`, K rows of one number per visited example.
    ///
    /// # Errors
    /// When θ_b has no density.
    pub fn terms(&self, thetas: &[Vec<f64>], block: usize, batch: Batch<'_>) -> Result<Vec<f64>, BlockError> {
        Ok(terms(&self.rows[block], &self.packed_block(block, &thetas[block])?, batch))
    }
}

/// Initial values: only the blocks need be regular, not the covariance of all features.
impl VerticalMixture {
    /// θ of the whole mixture from a hard assignment: the M-step of every block with the components `labels`, one per
    /// example.
    ///
    /// # Errors
    /// When a component has no example, or a covariance is singular.
    pub fn theta_of_labels(&self, labels: &[u32], singular: Singular) -> Result<Vec<f64>, BlockError> {
        let theta = |block: usize| self.maximize(block, &self.labelled_statistics(block, labels), singular);
        let thetas: Result<Vec<_>, _> = (0..self.blocks().len()).map(theta).collect();
        Ok(self.join(&thetas?))
    }

    fn labelled_statistics(&self, block: usize, labels: &[u32]) -> Vec<f64> {
        let model = &self.models[block];
        let mut statistics = vec![0.0; model.layout.statistic_dimension()];
        let share = 1.0 / self.examples as f64;
        let mut weights = vec![0.0; self.components()];
        for (m, (y, &label)) in (0..).zip(self.rows[block].chunks_exact(model.layout.dimension).zip(labels)) {
            weights[label as usize] += share;
            if self.has(block, m) {
                model.add_labelled(y, label as usize, share, &mut statistics);
            }
        }
        if self.observed.is_some() {
            self.complete(block, &mut statistics, &weights);
        }
        statistics
    }

    /// θ of the whole mixture with these weights and means (K × d) and the covariance (vech of d × d) for every
    /// component, a ridge on its diagonal where singular covariances get one.
    ///
    /// # Panics
    /// If the lengths are not those of the mixture.
    pub fn theta_of_means(
        &self,
        (weights, means): (&[f64], &[f64]),
        covariance: &[f64],
        singular: Singular,
    ) -> Vec<f64> {
        let (components, d) = (self.components(), self.blocks().dimension());
        assert_eq!((weights.len(), means.len()), (components, components * d), "weights and means");
        assert_eq!(covariance.len(), d * (d + 1) / 2, "a covariance");
        let mut covariance = covariance.to_vec();
        if let Singular::Ridge(ridge) = singular {
            (0..d).for_each(|i| covariance[vech_index(i, i)] += ridge);
        }
        [weights, means, &covariance.repeat(components)].concat()
    }
}

/// Centred rows of every block, M × d_b. Some examples at a time, which stay in the cache for all blocks.
fn centred_blocks(examples: Examples<'_>, blocks: &FeatureBlocks, centre: &[f64]) -> Vec<Vec<f64>> {
    const AT_ONCE: usize = 64;
    let d = blocks.dimension();
    let features = |block| blocks.features(block);
    let room = |block| Vec::with_capacity(examples.rows().len() / d * features(block).len());
    let mut columns: Vec<Vec<f64>> = (0..blocks.len()).map(room).collect();
    for some in examples.rows().chunks(AT_ONCE * d) {
        for (block, rows) in columns.iter_mut().enumerate() {
            for y in some.chunks_exact(d) {
                rows.extend(features(block).iter().map(|&f| y[f] - centre[f]));
            }
        }
    }
    columns
}

/// A pivot of the Cholesky factorization below this share of its variance is rounding: the matrix is singular.
const SINGULAR: f64 = 1e-13;

/// An error when a covariance (vech) is singular up to rounding.
fn check_regular(component: usize, sigma: &[f64], d: usize) -> Result<(), DomainError> {
    let mut factor = sigma.to_vec();
    cholesky(&mut factor, d).map_err(DomainError::covariance(Some(component)))?;
    let square = |i: usize| factor[vech_index(i, i)] * factor[vech_index(i, i)];
    match (0..d).find(|&i| square(i) <= SINGULAR * sigma[vech_index(i, i)]) {
        Some(pivot) => Err(DomainError::Covariance { component: Some(component), pivot, value: square(pivot) }),
        None => Ok(()),
    }
}
