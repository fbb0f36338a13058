//! Gaussian mixtures and their covariances as scenarios name them: checks against data and initial value, construction,
//! θ₀ and θ*.

use super::fitted::FittedMixture;
use super::labels;
use super::layout::{Form, Layout};
use super::mixture::{Covariance, GaussianMixture, second_moment};
use super::prior::MixturePrior;
use super::softmax::BLOCK;
use crate::data::client_mixtures::{ClientLaw, ClientMixtures};
use crate::data::synthetic::DrawnMixture;
use crate::data::{DataKind, DataSet, Observations, Shape};
use crate::fit::{ExactAbilities, ExactSetting, Fit, FitError, Given, SampledSetting};
use crate::fitted::{Array, Features, Predictor};
use crate::initial::{InitialSetting, Start, sample_covariance, sample_variances};
use crate::latent::{Abilities, SampledModel};
use crate::matrix::{Covariances, Matrix, covariance, means, weights};
use crate::setting::{ModelFacts, ModelSetting, Stated, Workspace};
use crate::{ExactModel, Examples, Model};
use fedbits_numerics::{vech, vech_pairs};
use fedbits_spec::range::whole;
use fedbits_spec::{Described, Facts, Finding, Findings, Path, so_many};
use serde::{Deserialize, Serialize};

/// A mixture of G Gaussians.
#[derive(Clone, Debug, Described, Deserialize, PartialEq, Serialize)]
#[serde(deny_unknown_fields, rename = "GaussianMixture")]
pub struct MixtureSetting {
    /// G.
    #[range(whole(1, 10_000))]
    pub components: usize,
    /// Covariance structure.
    #[serde(default)]
    pub covariance: CovarianceForm,
    /// Prior.
    #[serde(default)]
    pub prior: MixturePrior,
}

impl ModelSetting for MixtureSetting {
    fn facts(&self) -> ModelFacts {
        let starts = &["Theta", "RandomExamples", "KMeansPlusPlus", "KMeans"];
        let known = if let CovarianceForm::Known(matrix) = &self.covariance { Some(matrix) } else { None };
        ModelFacts {
            features: known.map(Vec::len),
            components: Some(self.components),
            estimates_covariance: known.is_none(),
            ..ModelFacts::new(DataKind::Examples, starts)
        }
    }

    fn statistic(&self, shape: &Shape) -> Option<usize> {
        Some(self.covariance.statistic(self.components, shape.features?))
    }

    /// G(1 + d), and the covariances that are not known.
    fn parameters(&self, shape: &Shape) -> Option<usize> {
        let CovarianceForm::Tied = self.covariance else { return self.statistic(shape) };
        let d = shape.features?;
        Some(self.statistic(shape)?.saturating_add(d.saturating_mul(d.saturating_add(1)) / 2))
    }

    /// Weights, means, covariances as matrices, and the factors of their inverses.
    fn array_numbers(&self, features: u64) -> Option<u64> {
        let components = self.components as u64;
        let covariances = match self.covariance {
            CovarianceForm::Known(_) | CovarianceForm::Tied => features.saturating_mul(features),
            CovarianceForm::Diagonal => components.saturating_mul(features),
            CovarianceForm::Full => components.saturating_mul(features.saturating_mul(features)),
        };
        Some(components.saturating_mul(1 + features).saturating_add(covariances.saturating_mul(2)))
    }

    fn workspace(&self, features: u64) -> Workspace {
        workspace(&self.covariance, self.components as u64, features)
    }

    fn exact(&self) -> Option<&dyn ExactSetting> {
        Some(self)
    }

    /// Labels are sampled of the likelihood.
    fn sampled(&self) -> Option<&dyn SampledSetting> {
        (self.prior == MixturePrior::Flat).then_some(self as _)
    }

    fn check_with(&self, stated: &Stated<'_>, findings: &mut Findings) {
        let Stated { facts, initial, .. } = *stated;
        self.prior.check(self.covariance == CovarianceForm::Full, findings);
        let InitialSetting::Theta { weights, means, covariance } = initial else {
            return enough_examples(facts, findings);
        };
        theta(facts, weights, means, findings);
        if let Some(covariance) = covariance {
            initial_covariance(facts, &self.covariance, covariance, findings);
        }
    }

    fn arrays(&self, theta: &[f64], features: &Features) -> Result<Vec<Array>, FitError> {
        self.at(features.prepared())?.arrays(theta, features).map_err(FitError::model)
    }

    fn carry(&self, theta: &[f64], from: &Features, to: &Features) -> Result<Vec<f64>, FitError> {
        self.predictor(theta, from)?;
        let (found, known) = (to.kept_names(), from.kept_names());
        if found != known {
            let text = format!("the model has the columns {}, the data {}", known.join(", "), found.join(", "));
            return Err(FitError::misfit("initial", text, "expected a model of the same columns"));
        }
        if from.transformation == to.transformation {
            return Ok(theta.to_vec());
        }
        self.at(from.prepared())?.carried(theta, from, to)
    }

    fn predictor(&self, theta: &[f64], features: &Features) -> Result<Option<Box<dyn Predictor>>, FitError> {
        let (mixture, theta) = (self.at(features.prepared())?, theta.to_vec());
        FitError::theta(theta.len(), mixture.parameter_dimension())?;
        mixture.condition(&theta).map_err(FitError::model)?;
        Ok(Some(Box::new(FittedMixture { mixture, theta, log_scale: features.log_scale() })))
    }

    fn examples() -> Vec<Self> {
        let known = CovarianceForm::Known(vec![vec![1.0, 0.0], vec![0.0, 1.0]]);
        let forms = [known, CovarianceForm::Tied, CovarianceForm::Diagonal, CovarianceForm::Full];
        let flat = forms.map(|covariance| Self { components: 2, covariance, prior: MixturePrior::Flat });
        let prior = MixturePrior::Conjugate { concentration: 0.5, strength: 1.0, scatter: 1.0 };
        flat.into_iter().chain([Self { components: 2, covariance: CovarianceForm::Full, prior }]).collect()
    }
}

impl ExactSetting for MixtureSetting {
    fn fit(&self, data: &DataSet, given: &Given<'_>) -> Result<Fit<dyn ExactModel>, FitError> {
        let Fit { model, theta, truth, .. } = self.build(data, given)?;
        let client_truths = self.client_truths(&model, given)?;
        Ok(Fit { client_truths, ..Fit::new(model as Box<dyn ExactModel>, theta).with_truth(truth) })
    }

    fn abilities(&self) -> ExactAbilities {
        let is_flat = self.prior == MixturePrior::Flat;
        let lacks = |form: &str| {
            let message = format!("gradient ascent has no coordinates that keep a {form} covariance positive definite");
            Some(Finding::error("model.covariance", message, "expected `Known(…)` or `Diagonal`"))
        };
        ExactAbilities {
            averages_parameters: is_flat,
            empties_components: !is_flat,
            pools_fits: is_flat,
            has_own_parameters: is_flat,
            lacks_coordinates: match self.covariance {
                CovarianceForm::Known(_) | CovarianceForm::Diagonal => None,
                CovarianceForm::Tied => lacks("tied"),
                CovarianceForm::Full => lacks("full"),
            },
            ..ExactAbilities::default()
        }
    }
}

impl SampledSetting for MixtureSetting {
    fn abilities(&self) -> Abilities {
        labels::abilities()
    }

    fn fit(&self, data: Observations, given: &Given<'_>) -> Result<Fit<dyn SampledModel>, FitError> {
        let Observations::Examples(data) = data else {
            return Err(FitError::model("labels are sampled of the examples of a table"));
        };
        let Fit { model, theta, truth, .. } = self.build(&data, given)?;
        let model: Box<dyn SampledModel> = Box::new(model.with_examples(data));
        Ok(Fit::new(model, theta).with_truth(truth))
    }
}

impl MixtureSetting {
    /// The mixture for a θ that is known, in d dimensions: without the constants that only T needs.
    fn at(&self, dimension: usize) -> Result<GaussianMixture, FitError> {
        let identity = || vech_pairs(dimension).map(|(i, j)| f64::from(u8::from(i == j))).collect();
        GaussianMixture::new(self.components, dimension, self.covariance.build(identity)).map_err(FitError::model)
    }

    /// The mixture, θ₀, and θ* where it is known.
    fn build(&self, data: &DataSet, given: &Given<'_>) -> Result<Fit<GaussianMixture>, FitError> {
        let covariance = self.covariance.build(|| (given.average)(&second_moment));
        let mixture = GaussianMixture::new(self.components, data.dimension(), covariance).map_err(FitError::model)?;
        let mixture = match self.prior.build(data.examples().len(), given.average) {
            Some(prior) => mixture.with_prior(prior).map_err(FitError::model)?,
            None => mixture,
        };
        let theta = self.initial(&mixture, data.examples(), given)?;
        mixture.check_start(&theta).map_err(FitError::start)?;
        let truth = self.truth(&mixture, given)?;
        Ok(Fit::new(Box::new(mixture), theta).with_truth(truth))
    }

    /// θ₀ of a mixture of this form.
    ///
    /// # Errors
    /// When the examples give no start, or one without a density.
    pub fn initial(
        &self,
        mixture: &GaussianMixture,
        pooled: Examples<'_>,
        given: &Given<'_>,
    ) -> Result<Vec<f64>, FitError> {
        let given_theta = given.initial.parameters(mixture.parameter_dimension()).map_err(FitError::start)?;
        if let Some(theta) = given_theta {
            mixture.condition(&theta).map_err(FitError::start)?;
            let sum: f64 = theta[..self.components].iter().sum();
            if (sum - 1.0).abs() > crate::matrix::TOLERANCE {
                return Err(FitError::start(format!("the weights sum to {sum}, and not to 1")));
            }
            return Ok(theta);
        }
        let theta = match given.initial.start(self.components, pooled, given.streams).map_err(FitError::start)? {
            Some(Start::Means(means)) => {
                let weights = vec![1.0 / self.components as f64; self.components];
                mixture.theta_from_parts(&weights, &means, &self.covariance.pooled_part(self.components, pooled))
            }
            Some(Start::Labels(labels)) => mixture.theta_of_labels(pooled, &labels),
            None => {
                let InitialSetting::Theta { weights, means, covariance } = given.initial else {
                    return Err(FitError::model("this start is not for mixtures"));
                };
                let covariances = match covariance {
                    Some(covariance) => self.covariance.part(self.components, covariance),
                    None => self.covariance.pooled_part(self.components, pooled),
                };
                mixture.theta_from_parts(weights, &means.concat(), &covariances)
            }
        };
        theta.map_err(FitError::start)
    }

    /// θ*, where the data come from a mixture of this form with as many components.
    ///
    /// # Errors
    /// When the mixture of the data has no density.
    pub fn truth(&self, mixture: &GaussianMixture, given: &Given<'_>) -> Result<Option<Vec<f64>>, FitError> {
        let drawn = given.source.and_then(|source| source.as_any().downcast_ref());
        let Some(DrawnMixture { weights, means, covariance, .. }) = drawn else { return Ok(None) };
        if weights.len() != self.components || !self.covariance.allows(covariance) {
            return Ok(None);
        }
        let covariances = self.covariance.part(self.components, covariance);
        mixture.theta_from_parts(weights, &means.concat(), &covariances).map(Some).map_err(FitError::model)
    }
}

impl MixtureSetting {
    /// θ* of each client, where the data come from mixtures of clients with as many components.
    fn client_truths(&self, mixture: &GaussianMixture, given: &Given<'_>) -> Result<Vec<Vec<f64>>, FitError> {
        let drawn = given.source.and_then(|source| source.as_any().downcast_ref());
        let Some(drawn): Option<&ClientMixtures> = drawn else { return Ok(Vec::new()) };
        let d = mixture.mean(&vec![0.0; mixture.parameter_dimension()], 0).len();
        let unit = (0..d).map(|i| (0..d).map(|j| f64::from(u8::from(i == j))).collect()).collect();
        let covariance = Covariances::Common(unit);
        if drawn.means.len() != self.components || !self.covariance.allows(&covariance) {
            return Ok(Vec::new());
        }
        let part = self.covariance.part(self.components, &covariance);
        let theta = |law: ClientLaw| mixture.theta_from_parts(&law.weights, &law.means, &part);
        drawn.laws(given.streams).into_iter().map(theta).collect::<Result<_, _>>().map_err(FitError::model)
    }
}

fn enough_examples(facts: &Facts, findings: &mut Findings) {
    if let Some(examples) = facts.examples.filter(|examples| *examples < facts.components as u64) {
        let found = format!(
            "{} at different examples, of which there are {examples}",
            so_many(facts.components, "component starts|components start")
        );
        findings.error("model.components", found, "expected at most the number of examples");
    }
}

fn theta(facts: &Facts, pi: &[f64], mu: &Matrix, findings: &mut Findings) {
    if pi.len() == facts.components {
        weights(pi, &Path::Root.field("initial.weights"), findings);
    } else {
        let expected = format!("expected {}, one per component of the model", facts.components);
        findings.error("initial.weights", so_many(pi.len(), "weight is given|weights are given"), expected);
    }
    means(mu, facts.components, facts.features, &Path::Root.field("initial.means"), findings);
}

fn initial_covariance(facts: &Facts, form: &CovarianceForm, given: &Covariances, findings: &mut Findings) {
    let path = "initial.covariance";
    given.check(facts.components, facts.features, &Path::Root.field(path), findings);
    match (form, given) {
        (CovarianceForm::Known(_), _) => findings.no_effect(path, "the model's covariance is known"),
        (CovarianceForm::Tied, Covariances::PerComponent(_)) => {
            findings.error(path, "the model has one covariance for all components", "expected `Common(…)`");
        }
        (CovarianceForm::Diagonal, Covariances::Common(matrix)) => diagonal(findings, &format!("{path}[0]"), matrix),
        (CovarianceForm::Diagonal, Covariances::PerComponent(matrices)) => {
            for (index, matrix) in matrices.iter().enumerate() {
                diagonal(findings, &format!("{path}[0][{index}]"), matrix);
            }
        }
        _ => {}
    }
}

fn diagonal(findings: &mut Findings, path: &str, matrix: &Matrix) {
    for (row, values) in matrix.iter().enumerate() {
        if let Some(column) = (0..values.len()).find(|column| *column != row && values[*column] != 0.0) {
            let path = format!("{path}[{row}][{column}]");
            findings.error(&path, "the model's covariances are diagonal", "expected 0 off the diagonal");
        }
    }
}

/// The memory of `Packed` and of the scratch buffer of a `Block`, and of the classification at the end.
fn workspace(form: &CovarianceForm, components: u64, features: u64) -> Workspace {
    // Labels of components and classes, and the pairs of both that are counted.
    const CLASSIFICATION: u64 = 40;
    let (d, triangle) = (features, features.saturating_mul(features.saturating_add(1)) / 2);
    let (block, is_common) = (BLOCK as u64, matches!(form, CovarianceForm::Known(_) | CovarianceForm::Tied));
    // W of all components, where the products of φ lie, and the products themselves.
    let (whitener, order, products) = match form {
        CovarianceForm::Known(_) | CovarianceForm::Tied => (triangle, d, d),
        CovarianceForm::Diagonal => (components.saturating_mul(d), 2 * d, 2 * d),
        CovarianceForm::Full => (components.saturating_mul(triangle), triangle, triangle),
    };
    let rows = block * (2 + u64::from(is_common));
    let bytes = |numbers: &[u64]| numbers.iter().fold(0, |sum: u64, &n| sum.saturating_add(n.saturating_mul(8)));
    Workspace {
        of_theta: bytes(&[whitener, order, components.saturating_mul(d)]),
        of_thread: bytes(&[rows.saturating_mul(d), components.saturating_mul(products)]),
        of_observation: CLASSIFICATION,
    }
}

/// Covariance structure; sets the statistic's length q (d features, G components).
#[derive(Clone, Debug, Default, Described, Deserialize, PartialEq, Serialize)]
#[serde(rename = "Covariance")]
#[described(rules = known_is_covariance)]
pub enum CovarianceForm {
    /// One known d × d matrix: q = G + G·d.
    Known(#[described(by_rules)] Matrix),
    /// One unknown matrix: q = G + G·d.
    Tied,
    /// Variances per component and feature: q = G + 2·G·d.
    Diagonal,
    /// A matrix per component: q = G·(1 + d + d(d + 1)/2).
    #[default]
    Full,
}

fn known_is_covariance(form: &CovarianceForm, at: &Path<'_>, facts: &Facts, findings: &mut Findings) {
    if let CovarianceForm::Known(matrix) = form {
        covariance(matrix, facts.features, &at.index(0), findings);
    }
}

impl CovarianceForm {
    /// The form with its constant; `second_moment` is C2, which the tied form needs.
    pub fn build(&self, second_moment: impl FnOnce() -> Vec<f64>) -> Covariance {
        match self {
            Self::Known(matrix) => Covariance::Known(matrix.concat()),
            Self::Tied => Covariance::Tied { second_moment: second_moment() },
            Self::Diagonal => Covariance::Diagonal,
            Self::Full => Covariance::Full,
        }
    }

    /// q; beyond what can be counted the largest number.
    pub(super) fn statistic(&self, components: usize, features: usize) -> usize {
        let second = match self {
            Self::Known(_) | Self::Tied => 0,
            Self::Diagonal => features,
            Self::Full => features.saturating_mul(features.saturating_add(1)) / 2,
        };
        components.saturating_mul(features.saturating_add(1).saturating_add(second))
    }

    /// Can a mixture of this form have these covariances?
    #[must_use]
    pub fn allows(&self, covariances: &Covariances) -> bool {
        let is_diagonal = |matrix: &Matrix| {
            let entries = |(i, row): (usize, &Vec<f64>)| row.iter().enumerate().all(|(j, &x)| i == j || x == 0.0);
            matrix.iter().enumerate().all(entries)
        };
        match self {
            Self::Known(known) => covariances.matrices().iter().all(|matrix| matrix == known),
            Self::Tied => matches!(covariances, Covariances::Common(_)),
            Self::Diagonal => covariances.matrices().iter().all(is_diagonal),
            Self::Full => true,
        }
    }

    /// Covariances in the layout of θ.
    #[must_use]
    pub fn part(&self, components: usize, covariances: &Covariances) -> Vec<f64> {
        let layout = self.layout(components, covariances.matrices().first().map_or(0, Vec::len));
        let part = |matrix: &Matrix| layout.covariance_from(&vech(&matrix.concat(), matrix.len()));
        match covariances {
            Covariances::Common(matrix) => part(matrix).repeat(layout.covariance_blocks()),
            Covariances::PerComponent(matrices) => matrices.iter().flat_map(part).collect(),
        }
    }

    /// The covariance of all examples for every component, in the layout of θ.
    #[must_use]
    pub fn pooled_part(&self, components: usize, examples: Examples<'_>) -> Vec<f64> {
        let part = match self {
            Self::Known(_) => Vec::new(),
            Self::Diagonal => sample_variances(examples),
            Self::Tied | Self::Full => sample_covariance(examples),
        };
        part.repeat(self.layout(components, examples.dimension()).covariance_blocks())
    }

    fn layout(&self, components: usize, dimension: usize) -> Layout {
        let form = match self {
            Self::Known(_) => Form::Known,
            Self::Tied => Form::Tied,
            Self::Diagonal => Form::Diagonal,
            Self::Full => Form::Full,
        };
        Layout { components, dimension, form }
    }
}
