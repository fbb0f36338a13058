//! Initial values of mixtures whose covariances are block-diagonal: only the blocks need be regular, not the covariance
//! of all features.

use super::blocks::BlockError;
use super::mixture::{Singular, VerticalMixture};
use fedbits_numerics::vech_index;

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
