//! Models as scenarios name them.

use fedbits_spec::{Facts, Findings, Part};

use crate::data::{Beside, DataKind, DataSource, Observations, Shape, Values};
use crate::fit::{EmModel, FitError, SampledModel};
use crate::fitted::{Array, Features, Predictor};
use crate::initial::InitialSetting;
use crate::latent::FinalTable;

/// What a scenario says beside the model.
#[derive(Clone, Copy)]
pub struct Stated<'a> {
    /// The source of the data.
    pub source: &'a dyn DataSource,
    /// Where the fit starts; one of those that the model knows.
    pub initial: &'a InitialSetting,
    /// Sizes, as far as they are known.
    pub facts: &'a Facts,
}

/// A model with its settings, which a scenario names: `GaussianMixture(components: 2, covariance: Full)`.
///
/// A model is fitted by EM ([`ModelSetting::em`]), by sampling its latent variables ([`ModelSetting::sampled`]), or
/// both.
///
/// ```
/// use fedbits_models::ModelSetting;
/// use fedbits_models::data::Shape;
/// use fedbits_models::gmm::{CovarianceForm, MixtureSetting};
///
/// let model = MixtureSetting { components: 3, covariance: CovarianceForm::Diagonal };
/// let shape = Shape { features: Some(2), ..Shape::default() };
/// assert_eq!(model.statistic(&shape), Some(3 + 2 * 3 * 2));
/// assert!(model.em().is_some() && model.sampled().is_some());
/// ```
pub trait ModelSetting: Part {
    /// The data that it is fitted to.
    fn data(&self) -> DataKind;

    /// The names of the initial values that it knows, among those of [`InitialSetting`].
    fn starts(&self) -> &'static [&'static str];

    /// q for data of this shape, as far as that is all that it takes to know it.
    fn statistic(&self, shape: &Shape) -> Option<usize>;

    /// It as a model with an exact E-step over examples.
    fn em(&self) -> Option<&dyn EmModel> {
        None
    }

    /// It as a model whose latent variables can be sampled.
    fn sampled(&self) -> Option<&dyn SampledModel> {
        None
    }

    /// G of a mixture; other models are as one component.
    fn components(&self) -> usize {
        1
    }

    /// Does it, once built, say which component an example comes from ([`Model::clusters`](crate::Model::clusters)), so
    /// that a fit can be compared with labels?
    fn has_clusters(&self) -> bool {
        false
    }

    /// d, where the model decides it.
    fn features(&self) -> Option<usize> {
        None
    }

    /// What an observation may be.
    fn values(&self) -> Values {
        Values::Real
    }

    /// Adds what is wrong with it together with data and initial value.
    fn check_with(&self, _stated: &Stated<'_>, _findings: &mut Findings) {}

    /// Is a covariance estimated, which must be positive definite?
    fn estimates_covariance(&self) -> bool {
        false
    }

    /// Vectors of q numbers that a server keeps.
    fn vectors(&self) -> u64 {
        16
    }

    /// The field that decides q.
    fn size_field(&self, _source: &dyn DataSource) -> &'static str {
        "model"
    }

    /// Memory that it takes beside such vectors, for examples of this many features.
    fn beside(&self, _features: u64) -> Option<Beside> {
        None
    }

    /// The parameters θ in the units of the data, under names; `features` is without columns where the data are no
    /// table. The default is θ as it is.
    ///
    /// # Errors
    /// When θ has no density.
    fn arrays(&self, theta: &[f64], _features: &Features) -> Result<Vec<Array>, FitError> {
        Ok(vec![Array::numbers("theta", &[theta.len()], theta.to_vec())])
    }

    /// The θ for data prepared as `to` that is what θ is for data prepared as `from`. The default is θ as it is.
    ///
    /// # Errors
    /// When it cannot be carried over.
    fn carry(&self, theta: &[f64], _from: &Features, _to: &Features) -> Result<Vec<f64>, FitError> {
        Ok(theta.to_vec())
    }

    /// It at θ, to be applied to examples that were prepared alike; none where it says nothing of examples.
    ///
    /// # Errors
    /// When θ is none of it.
    fn predictor(&self, _theta: &[f64], _features: &Features) -> Result<Option<Box<dyn Predictor>>, FitError> {
        Ok(None)
    }

    /// What it says at θ of subjects, persons or counts, whether it was fitted to them or not: a table; none where it
    /// says nothing of them.
    ///
    /// # Errors
    /// When θ or the data are none of it.
    fn judge(&self, _theta: &[f64], _features: &Features, _data: Observations) -> Result<Option<FinalTable>, FitError> {
        Ok(None)
    }

    /// An initial value that it knows and that fits its [`ModelSetting::examples`].
    fn example_start(&self) -> InitialSetting {
        InitialSetting::default()
    }

    /// Representative settings, over which the laws of models are tested.
    fn examples() -> Vec<Self>
    where
        Self: Sized;
}
