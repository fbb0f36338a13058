//! Models as scenarios name them.

use fedbits_spec::{Facts, Findings, Part};

use crate::data::{DataKind, DataSource, Observations, Shape, Values};
use crate::fit::{ExactSetting, FitError, SampledSetting};
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

/// Memory of a model in bytes, in addition to vectors of q numbers.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Workspace {
    /// What an E-step computes of θ before it sees an observation, such as factors of covariances.
    pub of_theta: u64,
    /// Of each thread in an E-step.
    pub of_thread: u64,
    /// Of each observation when the fit is assessed at the end.
    pub of_observation: u64,
}

/// What is known of a model before it is built.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ModelFacts {
    /// The kind of data that it is fitted to.
    pub data: DataKind,
    /// The names of the initial values that it supports, among those of [`InitialSetting`].
    pub starts: &'static [&'static str],
    /// d, if the model determines it.
    pub features: Option<usize>,
    /// The allowed values of an observation.
    pub values: Values,
    /// The allowed values of the [`Response`](crate::Response) that it predicts: labels are `UpTo(classes − 1)`; of
    /// `Real` the labels of the data are read as numbers. None if it predicts nothing, or does without a response.
    pub response: Option<Values>,
    /// Does it take sparse examples ([`Rows::Sparse`](crate::Rows))? Else zeros that are not stored are added before it
    /// gets any. No component may be behind examples of a model that does, and no covariance be estimated.
    pub takes_sparse: bool,
    /// G, where the built model assigns examples to components
    /// ([`ExactModel::clusters`](crate::ExactModel::clusters)), so that a fit can be compared with labels.
    pub components: Option<usize>,
    /// Is a covariance estimated, which must be positive definite?
    pub estimates_covariance: bool,
}

impl ModelFacts {
    /// Of a model of numbers of this kind with these starts, which predicts nothing and has no components.
    #[must_use]
    pub fn new(data: DataKind, starts: &'static [&'static str]) -> Self {
        let (features, values, response, components) = (None, Values::Real, None, None);
        Self { data, starts, features, values, response, takes_sparse: false, components, estimates_covariance: false }
    }
}

/// A model with its settings, which a scenario names: `GaussianMixture(components: 2, covariance: Full)`.
///
/// A model is fitted by EM ([`ModelSetting::exact`]), by sampling its latent variables ([`ModelSetting::sampled`]), or
/// both.
///
/// ```
/// use fedbits_models::data::Shape;
/// use fedbits_models::gmm::{CovarianceForm, MixturePrior, MixtureSetting};
/// use fedbits_models::ModelSetting;
///
/// let model = MixtureSetting { components: 3, covariance: CovarianceForm::Diagonal, prior: MixturePrior::Flat };
/// let shape = Shape { features: Some(2), ..Shape::default() };
/// assert_eq!(model.statistic(&shape), Some(3 + 2 * 3 * 2));
/// assert!(model.exact().is_some() && model.sampled().is_some());
/// ```
pub trait ModelSetting: Part {
    /// What is known of it before it is built.
    fn facts(&self) -> ModelFacts;

    /// q for data of this shape, if the shape is enough to know it. From this and the other sizes the memory of a run
    /// is predicted.
    fn statistic(&self, shape: &Shape) -> Option<usize>;

    /// The allowed values of a column of examples, counted from 0, where columns differ. The default is
    /// [`ModelFacts::values`].
    fn values_of(&self, _column: usize) -> Values {
        self.facts().values
    }

    /// The length of θ for data of this shape, if the shape is enough to know it. The default is q.
    fn parameters(&self, shape: &Shape) -> Option<usize> {
        self.statistic(shape)
    }

    /// Numbers in the arrays of [`ModelSetting::arrays`] for this many features; none if as many as in θ.
    fn array_numbers(&self, _features: u64) -> Option<u64> {
        None
    }

    /// Number of vectors of q numbers that a server keeps.
    fn vectors(&self) -> u64 {
        10
    }

    /// Its memory in addition to these vectors, for observations with this many features.
    fn workspace(&self, _features: u64) -> Workspace {
        Workspace::default()
    }

    /// The field that determines q, for error messages.
    fn size_field(&self, _source: &dyn DataSource) -> &'static str {
        "model"
    }

    /// This model with an exact E-step over examples, if it has one.
    fn exact(&self) -> Option<&dyn ExactSetting> {
        None
    }

    /// This model with latent variables that can be sampled, if it has them.
    fn sampled(&self) -> Option<&dyn SampledSetting> {
        None
    }

    /// Adds findings about combinations of the model with data and initial value.
    fn check_with(&self, _stated: &Stated<'_>, _findings: &mut Findings) {}

    /// The parameters θ in the units of the data, as named arrays. The default is θ unchanged. `features` are the
    /// columns of the data with their preparation, here and below; it has no columns if the data are no table.
    ///
    /// # Errors
    /// When θ has no density.
    fn arrays(&self, theta: &[f64], _features: &Features) -> Result<Vec<Array>, FitError> {
        Ok(vec![Array::numbers("theta", &[theta.len()], theta.to_vec())])
    }

    /// Converts θ for data prepared as `from` to data prepared as `to`. The default is θ unchanged.
    ///
    /// # Errors
    /// When it cannot be converted.
    fn carry(&self, theta: &[f64], _from: &Features, _to: &Features) -> Result<Vec<f64>, FitError> {
        Ok(theta.to_vec())
    }

    /// The predictor at θ, to be applied to examples that were prepared in the same way; none if the model does not
    /// predict for examples.
    ///
    /// # Errors
    /// When θ is not a parameter of this model.
    fn predictor(&self, _theta: &[f64], _features: &Features) -> Result<Option<Box<dyn Predictor>>, FitError> {
        Ok(None)
    }

    /// A table of predictions at θ for subjects, persons or counts, whether the model was fitted to them or not; none
    /// if it does not predict for them.
    ///
    /// # Errors
    /// When θ or the data do not fit this model.
    fn judge(&self, _theta: &[f64], _features: &Features, _data: Observations) -> Result<Option<FinalTable>, FitError> {
        Ok(None)
    }

    /// A supported initial value that fits its [`ModelSetting::examples`].
    fn example_start(&self) -> InitialSetting {
        InitialSetting::default()
    }

    /// Representative settings, over which the laws of models are tested.
    fn examples() -> Vec<Self>
    where
        Self: Sized;
}
