//! A fitted mixture as other tools read it, and what it says of further examples.

use fedbits_numerics::{inverse_root, vech, vech_index};

use super::layout::Form;
use super::mixture::GaussianMixture;
use crate::DomainError;
use crate::clusters::Clusters;
use crate::data::DataSet;
use crate::fit::FitError;
use crate::fitted::{Array, Features, Origin, Predictor};

/// Examples whose posterior weights are kept at a time.
const BLOCK: usize = 4096;

impl GaussianMixture {
    /// Weights, means and covariances under the names of scikit-learn's `GaussianMixture` without the underscore, in
    /// the units of the data; where principal components were taken, covariances are those of the components
    /// (`component_means`, `component_covariances`).
    ///
    /// # Errors
    /// When a covariance is not positive definite.
    pub fn arrays(&self, theta: &[f64], features: &Features) -> Result<Vec<Array>, DomainError> {
        let (g, d, origin) = (self.layout.components, self.layout.dimension, features.origin());
        let means: Vec<f64> = (0..g).flat_map(|component| origin.point(self.mean(theta, component))).collect();
        let covariances: Vec<Vec<f64>> = self.blocks(theta);
        let mut arrays = vec![
            Array::numbers("weights", &[g], self.weights(theta).to_vec()),
            Array::numbers("means", &[g, origin.columns.len()], means),
        ];
        let kept: Option<Vec<Vec<f64>>> = covariances.iter().map(|sigma| self.undone(&origin, sigma)).collect();
        match kept {
            Some(sigmas) => arrays.extend(self.covariance_arrays("covariances", d, &sigmas)?),
            None => {
                let means = (0..g).flat_map(|component| self.mean(theta, component).to_vec()).collect();
                arrays.push(Array::numbers("component_means", &[g, d], means));
                arrays.extend(self.covariance_arrays("component_covariances", d, &covariances)?);
            }
        }
        Ok(arrays)
    }

    /// θ for data prepared as `to` says.
    ///
    /// # Errors
    /// When the way back from `from` is not unique, or the covariances have another form in `to`.
    pub(super) fn carried(&self, theta: &[f64], from: &Features, to: &Features) -> Result<Vec<f64>, FitError> {
        let refused = |found: &str| {
            FitError::misfit("initial", found, "expected the same `preprocess` and data, or another start")
        };
        let origin = from.origin();
        let mut carried = self.weights(theta).to_vec();
        for component in 0..self.layout.components {
            let mean = to.prepare(&origin.point(self.mean(theta, component)));
            carried.extend(mean.map_err(FitError::start)?);
        }
        let (d, is_diagonal) = (to.prepared(), self.layout.form == Form::Diagonal);
        for sigma in self.blocks(theta).into_iter().filter(|_| self.layout.form != Form::Known) {
            let sigma = self.undone(&origin, &sigma).ok_or_else(|| {
                refused("the model is one of principal components, and these data are prepared in another way")
            })?;
            carried.extend(match is_diagonal {
                true => to.prepare_variances(&sigma).ok_or_else(|| {
                    refused("these data are principal components, for which the model's covariances are not diagonal")
                })?,
                false => vech(&to.prepare_covariance(&sigma), d),
            });
        }
        Ok(carried)
    }

    /// A covariance, as [`GaussianMixture::blocks`] has it, in the units of the data.
    fn undone(&self, origin: &Origin, sigma: &[f64]) -> Option<Vec<f64>> {
        match self.layout.form {
            Form::Diagonal => origin.variances(sigma),
            Form::Known | Form::Tied | Form::Full => origin.covariance(sigma),
        }
    }

    /// Σ of every component, or of all: d × d row-major, or d variances of the diagonal form.
    fn blocks(&self, theta: &[f64]) -> Vec<Vec<f64>> {
        let (layout, d) = (&self.layout, self.layout.dimension);
        let square = |vech: &[f64]| {
            (0..d * d).map(|at| vech[vech_index((at / d).max(at % d), (at / d).min(at % d))]).collect::<Vec<_>>()
        };
        let parts = (0..layout.covariance_blocks()).map(|block| &theta[layout.covariance(block)]);
        match layout.form {
            Form::Known => vec![square(&self.constant)],
            Form::Tied | Form::Full => parts.map(square).collect(),
            Form::Diagonal => parts.map(<[f64]>::to_vec).collect(),
        }
    }

    /// The covariances in scikit-learn's shape, their type, and the factors of their inverses, which it asks for.
    fn covariance_arrays(&self, name: &'static str, d: usize, sigmas: &[Vec<f64>]) -> Result<Vec<Array>, DomainError> {
        let g = self.layout.components;
        let (word, shape, factors) = match self.layout.form {
            Form::Known | Form::Tied => ("tied", vec![d, d], precision_factor(None, &sigmas[0], d)?),
            Form::Full => {
                let factor = |(g, sigma): (usize, &Vec<f64>)| precision_factor(Some(g), sigma, d);
                let factors: Vec<Vec<f64>> = sigmas.iter().enumerate().map(factor).collect::<Result<_, _>>()?;
                ("full", vec![g, d, d], factors.concat())
            }
            Form::Diagonal => {
                ("diag", vec![g, d], sigmas.iter().flatten().map(|variance| 1.0 / variance.sqrt()).collect())
            }
        };
        Ok(vec![
            Array::text("covariance_type", word),
            Array::numbers(name, &shape, sigmas.concat()),
            Array::numbers("precisions_cholesky", &shape, factors),
        ])
    }
}

/// U with U Uᵀ = Σ⁻¹, upper triangular: L⁻ᵀ of Σ = L Lᵀ.
fn precision_factor(component: Option<usize>, sigma: &[f64], d: usize) -> Result<Vec<f64>, DomainError> {
    let factor = inverse_root(vech(sigma, d), d).map_err(DomainError::covariance(component))?;
    let entry = |at: usize| {
        let (i, j) = (at / d, at % d);
        if i <= j { factor[vech_index(j, i)] } else { 0.0 }
    };
    Ok((0..d * d).map(entry).collect())
}

/// A mixture at its θ.
pub(super) struct FittedMixture {
    pub mixture: GaussianMixture,
    pub theta: Vec<f64>,
    /// Log-densities of the data are those of prepared examples less this.
    pub log_scale: f64,
}

impl Predictor for FittedMixture {
    /// The most probable component; log p of the example in the units of the data, or of its principal components where
    /// those were taken; the posterior weight of every component.
    fn columns(&self) -> Vec<String> {
        let weights = (0..self.mixture.components()).map(|g| format!("responsibility_{g}"));
        ["component", "log_density"].into_iter().map(str::to_owned).chain(weights).collect()
    }

    fn predict(&self, data: &DataSet) -> Result<Vec<f64>, DomainError> {
        let (g, examples) = (self.mixture.components(), data.examples());
        let mut values = Vec::with_capacity(examples.len() * (g + 2));
        for block in examples.chunks(BLOCK) {
            let found = self.mixture.posterior_weights(block, &self.theta)?;
            let components = self.mixture.classify(block, &self.theta)?;
            let densities = found.log_densities.iter().zip(&components);
            for ((density, &component), weights) in densities.zip(found.weights.chunks_exact(g)) {
                values.extend([f64::from(component), density - self.log_scale]);
                values.extend(weights);
            }
        }
        Ok(values)
    }
}
