//! Building a θ from its parts. It must not know where the parts come from.

use super::layout::{Form, vech_index, vech_length};
use super::{GaussianMixture, GmmError, check_length};

impl GaussianMixture {
    /// θ from weights (G), means (G×d) and covariances in θ's own layout (known: none; tied: vech; diagonal: G×d
    /// variances; full: G vech).
    ///
    /// Fails for wrong lengths, numbers that are not finite, weights that are not positive and covariances that are not
    /// positive definite. Weights are taken as they are: they need not sum to one here.
    pub fn theta_from_parts(&self, weights: &[f64], means: &[f64], covariances: &[f64]) -> Result<Vec<f64>, GmmError> {
        let layout = &self.layout;
        check_length("the vector of weights", layout.components, weights)?;
        check_length("the matrix of means", layout.components * layout.dimension, means)?;
        check_length("the covariance part", layout.covariance_blocks() * layout.covariance_length(), covariances)?;
        let theta = [weights, means, covariances].concat();
        self.condition(&theta)?;
        Ok(theta)
    }

    /// θ with equal weights 1/G, the given means (G×d) and `covariance` (vech, d(d+1)/2) for every component: as it is
    /// (tied, full) or its diagonal (diagonal); a known covariance stays what it is.
    pub fn initial_theta(&self, means: &[f64], covariance: &[f64]) -> Result<Vec<f64>, GmmError> {
        let (g, d) = (self.layout.components, self.layout.dimension);
        check_length("the covariance", vech_length(d), covariance)?;
        let part = match self.layout.form {
            Form::Known => Vec::new(),
            Form::Tied | Form::Full => covariance.to_vec(),
            Form::Diagonal => (0..d).map(|i| covariance[vech_index(i, i)]).collect(),
        };
        self.theta_from_parts(&vec![1.0 / g as f64; g], means, &part.repeat(self.layout.covariance_blocks()))
    }
}
