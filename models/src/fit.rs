//! What a model of a scenario is built of, and what comes out: the model with its initial value.

use std::error::Error;

use fedbits_random::Streams;
use fedbits_spec::{Caveat, Finding, so_many};
use thiserror::Error;

use crate::data::counts::CountTable;
use crate::data::{DataSet, DataSource, Observations};
use crate::initial::InitialSetting;
use crate::latent::{Abilities, SampledModel};
use crate::{ExactModel, Examples};

/// Numbers that examples give by a mean over them.
pub type Moment<'a> = dyn Fn(Examples<'_>) -> Vec<f64> + 'a;

/// What a model is built of beside its data.
pub struct Given<'a> {
    /// The source of the data; none where they were prepared after it gave them.
    pub source: Option<&'a dyn DataSource>,
    /// Sites, times and observers of counts; none for other data.
    pub counts: Option<&'a CountTable>,
    /// Where the fit starts.
    pub initial: &'a InitialSetting,
    /// Draws of this run; initial values draw at `DrawPurpose::Initial`.
    pub streams: &'a Streams,
    /// The mean of a moment over all clients, weighted as the protocol weights them.
    pub average: &'a dyn Fn(&Moment<'_>) -> Vec<f64>,
}

impl Given<'_> {
    /// θ₀ of so many entries: as it is given, or what the model makes of its own starts.
    ///
    /// # Errors
    /// When it has another length, or the start is none of the model's.
    pub fn start(
        &self,
        length: usize,
        of_model: impl FnOnce(&InitialSetting) -> Option<Vec<f64>>,
    ) -> Result<Vec<f64>, FitError> {
        match self.initial.parameters(length).map_err(FitError::start)? {
            Some(theta) => Ok(theta),
            None => of_model(self.initial).ok_or_else(|| FitError::model("this start is not for this model")),
        }
    }
}

/// A model that was built, and what is known with it.
pub struct Fit<M: ?Sized> {
    /// The model.
    pub model: Box<M>,
    /// θ₀.
    pub theta: Vec<f64>,
    /// Ŝ₀, where it is not s̄(θ₀), the statistic of all examples there: descents begin at θ₀ itself.
    pub statistic: Option<Vec<f64>>,
    /// θ*, where it is known what generated the data.
    pub truth: Option<Vec<f64>>,
    /// θ* of each client from the first on, where clients have parameters of their own; the last clients may have none.
    pub client_truths: Vec<Vec<f64>>,
    /// What people should know, one line each.
    pub notes: Vec<String>,
    /// Warnings that only the data could tell.
    pub caveats: Vec<Caveat>,
}

impl<M: ?Sized> Fit<M> {
    /// A model with its initial value.
    pub fn new(model: Box<M>, theta: Vec<f64>) -> Self {
        let (statistic, truth, client_truths) = (None, None, Vec::new());
        Self { model, theta, statistic, truth, client_truths, notes: Vec::new(), caveats: Vec::new() }
    }

    /// This fit with what generated the data.
    #[must_use]
    pub fn with_truth(self, truth: Option<Vec<f64>>) -> Self {
        Self { truth, ..self }
    }
}

/// Why a model cannot be built of data and initial value.
#[derive(Debug, Error)]
pub enum FitError {
    /// The data are not those of the model.
    #[error("{0}")]
    Model(Box<dyn Error + Send + Sync>),
    /// A value of the scenario does not fit the data.
    #[error("{}: {}", .0.message, .0.expected)]
    Misfit(Finding),
}

impl FitError {
    /// Data that are not those of the model.
    pub fn model(error: impl Into<Box<dyn Error + Send + Sync>>) -> Self {
        Self::Model(error.into())
    }

    /// The value at `path` does not fit.
    pub fn misfit(path: &str, message: impl ToString, expected: &str) -> Self {
        Self::Misfit(Finding::error(path, message.to_string(), expected))
    }

    /// Whether θ has as many numbers as the model.
    ///
    /// # Errors
    /// When it has not.
    pub(crate) fn theta(found: usize, expected: usize) -> Result<(), Self> {
        if found == expected {
            return Ok(());
        }
        Err(Self::model(format!("θ has {}: {expected} were expected", so_many(found, "number"))))
    }

    /// The initial value has no parameters, or no density.
    pub fn start(error: impl ToString) -> Self {
        Self::misfit(
            "initial",
            format!("the initial value: {}", error.to_string()),
            "expected another start (of a table, `RandomExamples` has the covariance of all examples)",
        )
    }
}

/// A model with an exact E-step over examples: what FedEM, its variants and its baselines fit.
pub trait ExactSetting {
    /// The model of `data`, the examples of all clients one after the other, and its initial value.
    ///
    /// # Errors
    /// [`FitError`].
    fn fit(&self, data: &DataSet, given: &Given<'_>) -> Result<Fit<dyn ExactModel>, FitError>;

    /// What protocols may ask of the built model.
    fn abilities(&self) -> ExactAbilities {
        ExactAbilities::default()
    }
}

/// What a model with an exact E-step can do for protocols beyond E-steps and T.
#[derive(Clone, Debug, PartialEq)]
pub struct ExactAbilities {
    /// Can its parameters be averaged over clients ([`ExactModel::parameters`])?
    pub averages_parameters: bool,
    /// Is the statistic of averaged parameters their expectation ([`Parameters::is_expectation`](crate::Parameters))?
    /// Only then is a mean field measured at them.
    pub averages_expectations: bool,
    /// Does it let components be empty ([`Clusters::occupied`](crate::clusters::Clusters::occupied))?
    pub empties_components: bool,
    /// Can several fits be made one ([`ExactModel::pooling`])?
    pub pools_fits: bool,
    /// Can clients have parameters of their own ([`ExactModel::own_parameters`])?
    pub has_own_parameters: bool,
    /// The reason why it has no coordinates without constraints ([`ExactModel::coordinates`]), if it has none.
    pub lacks_coordinates: Option<Finding>,
    /// Are its E-steps gradient steps ([`ExactModel::descent`])?
    pub descends: bool,
    /// Is a statistic short enough to be kept for every example, or for every agent of a graph?
    pub has_short_statistics: bool,
}

impl Default for ExactAbilities {
    /// None but short statistics.
    fn default() -> Self {
        let message = "the model has no coordinates without constraints";
        let expected = "expected a model that has, or a protocol other than gradient ascent";
        Self {
            averages_parameters: false,
            averages_expectations: true,
            empties_components: false,
            pools_fits: false,
            has_own_parameters: false,
            lacks_coordinates: Some(Finding::error("model", message, expected)),
            descends: false,
            has_short_statistics: true,
        }
    }
}

/// A model whose latent variables can be sampled: what FL-SAEM fits.
pub trait SampledSetting {
    /// What the built model can do for samplers.
    fn abilities(&self) -> Abilities;

    /// The model with its subjects and its initial value.
    ///
    /// # Errors
    /// [`FitError`].
    fn fit(&self, data: Observations, given: &Given<'_>) -> Result<Fit<dyn SampledModel>, FitError>;

    /// Why log p(y) cannot be estimated by importance sampling, if it cannot: what is wrong, what was expected.
    fn lacks_likelihood(&self) -> Option<(&'static str, &'static str)> {
        None
    }
}
