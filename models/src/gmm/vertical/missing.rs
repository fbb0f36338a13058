//! Examples that lack whole blocks of features (LASER-VFL: Valdeira, Wang and Chi, ICLR 2025, arXiv 2410.22564, for
//! split neural networks; its abstract was read, what stands here is derived for mixtures).
//!
//! O_m are the blocks of example m that are observed. Given the component, blocks are independent, so those that are
//! missing integrate to 1 and p(x_m; θ) = Σ_k π_k Π_{b ∈ O_m} N(x_m^b; µ_k^b, Σ_k^b): the sum of terms runs over the
//! observed blocks alone, Z_mk = Σ_{b ∈ O_m} Q_mk^b. The expected log-likelihood of an EM with the latent components
//! is Σ_mk γ_mk (log π_k + Σ_{b ∈ O_m} log N(x_m^b; µ_k^b, Σ_k^b)). It falls apart into one maximum per block:
//!
//! π_k = M⁻¹ Σ_m γ_mk over all examples;   µ_k^b and Σ_k^b: weighted mean and covariance of the examples that have b.
//!
//! This is exact EM: the likelihood of what was observed never falls, and estimates are those of maximum likelihood
//! where blocks are missing at random. A split network has no such sum: its fusion layer knows nothing of a block that
//! it does not get, so LASER-VFL trains a family of predictors for subsets of blocks, which it samples.
//!
//! Statistics keep their layout: s1 = π and s2, s3 = π times the means over the observed examples, whose T is that
//! M-step.

use super::mixture::VerticalMixture;
use crate::Batch;

impl VerticalMixture {
    /// The same, where only some examples have each block: `observed` has M flags per block. Values of the others are
    /// read by nobody.
    ///
    /// # Panics
    /// If `observed` has another shape, or an example has no block.
    #[must_use]
    pub fn observing(mut self, observed: Vec<Vec<bool>>) -> Self {
        assert_eq!(observed.len(), self.blocks.len(), "flags for every block");
        assert!((0..self.examples).all(|m| observed.iter().any(|has| has[m])), "every example has a block");
        for (block, has) in observed.iter().enumerate() {
            let features = self.blocks.features(block);
            let d = features.len();
            let count = has.iter().filter(|&&has| has).count().max(1) as f64;
            let mut shift = vec![0.0; d];
            for (row, _) in self.rows[block].chunks_exact(d).zip(has).filter(|(_, has)| **has) {
                shift.iter_mut().zip(row).for_each(|(sum, x)| *sum += x / count);
            }
            features.iter().zip(&shift).for_each(|(&f, shift)| self.centre[f] += shift);
            for (row, &has) in self.rows[block].chunks_exact_mut(d).zip(has) {
                row.iter_mut().zip(&shift).for_each(|(x, shift)| *x = if has { *x - shift } else { 0.0 });
            }
        }
        self.observed = Some(observed);
        self
    }

    /// The examples with what is missing replaced by the mean of the observed values of its feature.
    #[must_use]
    pub fn imputed(&self) -> Self {
        Self { observed: None, ..self.clone() }
    }

    /// The examples that have all blocks.
    #[must_use]
    pub fn without_gaps(&self) -> Self {
        let Some(observed) = &self.observed else { return self.clone() };
        let whole: Vec<usize> = (0..self.examples).filter(|&m| observed.iter().all(|has| has[m])).collect();
        let pick = |(block, rows): (usize, &Vec<f64>)| {
            let d = self.blocks.features(block).len();
            whole.iter().flat_map(|&m| &rows[m * d..][..d]).copied().collect()
        };
        let rows = self.rows.iter().enumerate().map(pick).collect();
        Self { observed: None, rows, examples: whole.len(), ..self.clone() }
    }

    /// Does an example have a block?
    pub fn has(&self, block: usize, example: u32) -> bool {
        self.observed.as_ref().is_none_or(|observed| observed[block][example as usize])
    }

    /// Statistics of the examples that have a block, completed by `weights`, π of all.
    pub(super) fn complete(&self, block: usize, statistics: &mut [f64], weights: &[f64]) {
        let layout = self.models[block].layout;
        for (k, &weight) in weights.iter().enumerate() {
            let factor = weight / statistics[k];
            statistics[k] = weight;
            for at in layout.mean(k).chain(layout.second_moment(k)) {
                statistics[at] *= factor;
            }
        }
    }

    /// How many numbers of these examples are observed.
    pub(super) fn observed_numbers(&self, batch: Batch<'_>) -> usize {
        let visited = || batch.indices(self.examples);
        let Some(observed) = &self.observed else { return visited().len() * self.blocks.dimension() };
        let count = |block: usize| visited().filter(|&m| observed[block][m]).count();
        (0..observed.len()).map(|block| count(block) * self.blocks.features(block).len()).sum()
    }
}
