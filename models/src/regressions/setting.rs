//! The mixture of regressions as scenarios name it.

use fedbits_numerics::{inverse_root, solve, vech_index, vech_length};
use fedbits_spec::Described;
use fedbits_spec::range::{POSITIVE, whole};
use serde::{Deserialize, Serialize};

use super::model::{RegressionMixture, products};
use crate::data::regressions::{DrawnRegressions, row_length};
use crate::data::{DataKind, DataSet, DataSource, Shape, Values};
use crate::fit::{ExactSetting, Fit, FitError, Given};
use crate::fitted::{Array, Features};
use crate::initial::{InitialSetting, Start};
use crate::setting::{ModelFacts, ModelSetting};
use crate::{ExactModel, Examples, Model};

/// K linear regressions with one latent label per client (arXiv 2408.05819), for `data: RegressionMixture(…)` or a
/// table with its columns.
#[derive(Clone, Debug, Described, Deserialize, PartialEq, Serialize)]
#[serde(deny_unknown_fields, rename = "RegressionMixture")]
pub struct RegressionMixtureSetting {
    /// K.
    #[range(whole(1, 1_000))]
    pub components: usize,
    /// p.
    #[range(whole(1, 1_000))]
    pub covariates: usize,
    /// Residual variance.
    #[serde(default)]
    pub noise: Noise,
}

/// Residual variance of the regressions.
#[derive(Clone, Copy, Debug, Default, Described, Deserialize, PartialEq, Serialize)]
pub enum Noise {
    /// σ² is estimated, common to all clients and components.
    #[default]
    Unknown,
    /// σ, in units of y.
    Known(#[range(POSITIVE)] f64),
}

/// The share of their mean square that is added to the squares of the covariates of a client at which a component
/// starts: it may have fewer points than covariates.
const RIDGE: f64 = 0.01;

impl ModelSetting for RegressionMixtureSetting {
    fn facts(&self) -> ModelFacts {
        let features = row_length(self.covariates);
        ModelFacts { features, ..ModelFacts::new(DataKind::Examples, &["RandomExamples"]) }
    }

    /// The first column counts points.
    fn values_of(&self, column: usize) -> Values {
        if column == 0 { Values::Counts } else { Values::Real }
    }

    fn statistic(&self, _: &Shape) -> Option<usize> {
        Some(self.model().statistic_dimension())
    }

    fn parameters(&self, _: &Shape) -> Option<usize> {
        Some(self.model().parameter_dimension())
    }

    fn size_field(&self, _: &dyn DataSource) -> &'static str {
        "model.covariates"
    }

    fn exact(&self) -> Option<&dyn ExactSetting> {
        Some(self)
    }

    fn example_start(&self) -> InitialSetting {
        InitialSetting::RandomExamples
    }

    /// `weights` (K), `coefficients` (K × p), and `variance` where it is estimated.
    fn arrays(&self, theta: &[f64], _: &Features) -> Result<Vec<Array>, FitError> {
        let model = self.model();
        FitError::theta(theta.len(), model.parameter_dimension())?;
        let (weights, rest) = theta.split_at(self.components);
        let (coefficients, variance) = rest.split_at(self.components * self.covariates);
        let mut arrays = vec![
            Array::numbers("weights", &[self.components], weights.to_vec()),
            Array::numbers("coefficients", &[self.components, self.covariates], coefficients.to_vec()),
        ];
        arrays.extend((!variance.is_empty()).then(|| Array::numbers("variance", &[1], variance.to_vec())));
        Ok(arrays)
    }

    fn examples() -> Vec<Self> {
        let estimated = Self { components: 2, covariates: 2, noise: Noise::Unknown };
        vec![Self { noise: Noise::Known(2.0), ..estimated.clone() }, estimated]
    }
}

impl ExactSetting for RegressionMixtureSetting {
    fn fit(&self, data: &DataSet, given: &Given<'_>) -> Result<Fit<dyn ExactModel>, FitError> {
        let model = self.model();
        let theta = match given.initial.parameters(model.parameter_dimension()).map_err(FitError::start)? {
            Some(theta) => theta,
            None => self.start(data.examples(), given)?,
        };
        model.conditional(&theta).map_err(FitError::start)?;
        let truth = self.truth(given);
        Ok(Fit::new(Box::new(model) as Box<dyn ExactModel>, theta).with_truth(truth))
    }
}

impl RegressionMixtureSetting {
    fn model(&self) -> RegressionMixture {
        let variance = match self.noise {
            Noise::Unknown => None,
            Noise::Known(sigma) => Some(sigma * sigma),
        };
        RegressionMixture { components: self.components, covariates: self.covariates, variance }
    }

    /// Equal weights, the coefficients of K clients alone, and the mean square of y.
    fn start(&self, examples: Examples<'_>, given: &Given<'_>) -> Result<Vec<f64>, FitError> {
        let start = given.initial.start(self.components, examples, given.streams).map_err(FitError::start)?;
        let Some(Start::Means(rows)) = start else {
            return Err(FitError::model("this start is not for this model"));
        };
        let (p, mut gram) = (self.covariates, vec![0.0; vech_length(self.covariates + 1)]);
        let mut theta = vec![1.0 / self.components as f64; self.components];
        for row in rows.chunks_exact(examples.dimension()) {
            products(&row[1..], p, &mut gram);
            theta.extend(ridge(&gram, p).ok_or_else(|| FitError::start("a client's covariates are all 0"))?);
        }
        if self.noise == Noise::Unknown {
            let (mut squares, mut points) = (0.0, 0.0);
            for j in 0..examples.len() {
                products(&examples.row(j)[1..], p, &mut gram);
                squares += gram[vech_index(p, p)];
                points += examples.row(j)[0];
            }
            theta.push(squares / points);
        }
        Ok(theta)
    }

    /// θ*, where the data come from as many regressions of as many covariates.
    fn truth(&self, given: &Given<'_>) -> Option<Vec<f64>> {
        let drawn: &DrawnRegressions = given.source?.as_any().downcast_ref()?;
        let DrawnRegressions { weights, coefficients, noise, .. } = drawn;
        let fits = weights.len() == self.components && coefficients.iter().all(|row| row.len() == self.covariates);
        let variance = (self.noise == Noise::Unknown).then_some(noise * noise);
        fits.then(|| weights.iter().copied().chain(coefficients.concat()).chain(variance).collect())
    }
}

/// The coefficients of one client alone, of its sums of products; none where they are all 0.
fn ridge(gram: &[f64], p: usize) -> Option<Vec<f64>> {
    let mut factor = gram[..vech_length(p)].to_vec();
    let mean = (0..p).fold(0.0, |sum, i| sum + factor[vech_index(i, i)]) / p as f64;
    (0..p).for_each(|i| factor[vech_index(i, i)] += RIDGE * mean);
    Some(solve(&inverse_root(factor, p).ok()?, &gram[vech_length(p)..][..p]))
}
