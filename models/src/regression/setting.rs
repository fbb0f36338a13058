//! Regression as scenarios name it: checks against the data, ρ, θ₀, fitted coefficients in the units of the data,
//! and what they predict.

use super::loss::RegressionLoss;
use super::model::LinearModel;
use super::penalty::Penalty;
use crate::data::{DataKind, DataSet, Shape, Values};
use crate::fit::{ExactAbilities, ExactSetting, Fit, FitError, Given};
use crate::fitted::{Array, Features, Predictor};
use crate::initial::InitialSetting;
use crate::setting::{ModelFacts, ModelSetting, Stated};
use crate::{DomainError, ExactModel, Examples, Parameters, Response};
use fedbits_spec::range::POSITIVE;
use fedbits_spec::{Described, Findings, so_many};
use serde::{Deserialize, Serialize};
use std::sync::Arc;

/// Regression by gradient steps, for tables: FedEM becomes gradient descent or DIANA.
#[derive(Clone, Copy, Debug, Described, Deserialize, PartialEq, Serialize)]
#[serde(deny_unknown_fields, rename = "Regression")]
pub struct RegressionSetting {
    /// Loss.
    pub loss: RegressionLoss,
    /// Penalty.
    #[serde(default)]
    pub penalty: Penalty,
    /// ρ, the gradient step.
    #[serde(default)]
    pub step: StepSize,
    /// Adds an unpenalized constant; a column of ones in the data is penalized.
    #[serde(default)]
    pub intercept: bool,
}

/// ρ in x − ρ ∇f(x).
#[derive(Clone, Copy, Debug, Default, Described, Deserialize, PartialEq, Serialize)]
pub enum StepSize {
    /// 1/L, L the smoothness constant over all clients, computed before the clock starts.
    #[default]
    Auto,
    /// This value.
    Constant(#[range(POSITIVE)] f64),
}

impl ModelSetting for RegressionSetting {
    fn facts(&self) -> ModelFacts {
        let response = match self.loss {
            RegressionLoss::Logistic => Values::UpTo(1),
            // As many as the data have.
            RegressionLoss::Softmax => Values::UpTo(u32::MAX - 1),
            RegressionLoss::Squares | RegressionLoss::Huber(_) => Values::Real,
        };
        ModelFacts { response: Some(response), takes_sparse: true, ..ModelFacts::new(DataKind::Examples, &["Zero"]) }
    }

    /// Of softmax only the data tell the number of classes.
    fn statistic(&self, shape: &Shape) -> Option<usize> {
        let length = shape.features? + usize::from(self.intercept);
        (self.loss != RegressionLoss::Softmax).then_some(length)
    }

    fn exact(&self) -> Option<&dyn ExactSetting> {
        Some(self)
    }

    fn check_with(&self, stated: &Stated<'_>, findings: &mut Findings) {
        if !stated.source.facts().is_labelled {
            let found = "the data have no labels, and a regression predicts one of each example";
            findings.error("data", found, "expected data with labels");
        }
    }

    fn example_start(&self) -> InitialSetting {
        InitialSetting::Zero
    }

    fn arrays(&self, theta: &[f64], features: &Features) -> Result<Vec<Array>, FitError> {
        Ok(self.at(theta, features)?.arrays(theta, features))
    }

    fn carry(&self, theta: &[f64], from: &Features, to: &Features) -> Result<Vec<f64>, FitError> {
        let model = self.at(theta, from)?;
        let (found, known) = (to.kept_names(), from.kept_names());
        if found != known {
            let text = format!("the model has the columns {}, the data {}", known.join(", "), found.join(", "));
            return Err(FitError::misfit("initial", text, "expected a model of the same columns"));
        }
        if from.transformation == to.transformation {
            return Ok(theta.to_vec());
        }
        model.carried(theta, from, to)
    }

    fn predictor(&self, theta: &[f64], features: &Features) -> Result<Option<Box<dyn Predictor>>, FitError> {
        let model = self.at(theta, features)?;
        Ok(Some(Box::new(FittedRegression { model, theta: theta.to_vec() })))
    }

    fn examples() -> Vec<Self> {
        let plain = Self {
            loss: RegressionLoss::Logistic,
            penalty: Penalty::Ridge(0.01),
            step: StepSize::Auto,
            intercept: false,
        };
        vec![
            plain,
            Self { penalty: Penalty::NonConvex(0.02), step: StepSize::Constant(0.2), ..plain },
            Self { penalty: Penalty::L1(0.02), intercept: true, ..plain },
            Self { loss: RegressionLoss::Squares, penalty: Penalty::L1(0.05), ..plain },
            Self { loss: RegressionLoss::Squares, penalty: Penalty::NoPenalty, intercept: true, ..plain },
            Self { loss: RegressionLoss::Huber(0.5), ..plain },
            Self {
                loss: RegressionLoss::Softmax,
                penalty: Penalty::ElasticNet { l1: 0.01, ridge: 0.02 },
                intercept: true,
                ..plain
            },
        ]
    }
}

impl ExactSetting for RegressionSetting {
    fn fit(&self, data: &DataSet, given: &Given<'_>) -> Result<Fit<dyn ExactModel>, FitError> {
        let mut model = LinearModel { vectors: self.vectors(data.examples())?, ..self.model(data.columns().into()) };
        let largest = model.largest_square(|moment| (given.average)(&|examples| moment(examples)));
        let smoothness = model.smoothness_of(largest);
        model.step = match self.step {
            StepSize::Constant(step) => step,
            StepSize::Auto if smoothness > 0.0 => 1.0 / smoothness,
            StepSize::Auto => {
                let found = "all numbers of the data are 0: 1/L is infinite";
                return Err(FitError::misfit("model.step", found, "expected `Constant(…)`, or other data"));
            }
        };
        let length = model.vectors * model.length();
        let zero = |initial: &InitialSetting| matches!(initial, InitialSetting::Zero).then(|| vec![0.0; length]);
        let (theta, mut s) = (given.start(length, zero)?, Vec::new());
        model.statistic_of(&theta, &mut s);
        let note = format!(
            "L = {smoothness:.6e}, of λ_max(AᵀA/N) = {largest:.6e}; ρ = {:.6e}, {:.3} / L",
            model.step,
            model.step * smoothness
        );
        Ok(Fit { notes: vec![note], statistic: Some(s), ..Fit::new(Box::new(model) as Box<dyn ExactModel>, theta) })
    }

    fn abilities(&self) -> ExactAbilities {
        let averages_expectations = self.penalty.l1() == 0.0;
        ExactAbilities { averages_parameters: true, averages_expectations, descends: true, ..ExactAbilities::default() }
    }
}

impl RegressionSetting {
    /// The model before data tell its step and its classes.
    fn model(&self, columns: Arc<[String]>) -> LinearModel {
        let Self { loss, penalty, intercept, .. } = *self;
        LinearModel { loss, penalty, intercept, columns, vectors: 1, step: 0.0 }
    }

    /// The model of a θ for data with these columns; its ρ is not known any more, and not needed.
    ///
    /// # Errors
    /// When θ has another length, or is not finite.
    fn at(&self, theta: &[f64], features: &Features) -> Result<LinearModel, FitError> {
        let columns = (0..features.prepared()).map(|at| at.to_string()).collect();
        let mut model = LinearModel { step: 1.0, ..self.model(columns) };
        if self.loss == RegressionLoss::Softmax {
            model.vectors = (theta.len() / model.length()).max(2);
        }
        FitError::theta(theta.len(), model.vectors * model.length())?;
        DomainError::check_finite(theta).map_err(FitError::model)?;
        Ok(model)
    }

    /// How many vectors of coefficients there are: of softmax as many as classes.
    ///
    /// # Errors
    /// When the examples have not what the loss compares scores with.
    fn vectors(&self, examples: Examples<'_>) -> Result<usize, FitError> {
        let wrong = |found: String, expected: &str| Err(FitError::misfit("model.loss", found, expected));
        match examples.response() {
            Response::None => wrong("the data have no labels, which a loss needs".to_owned(), "expected labelled data"),
            Response::Numbers(_) if self.loss.is_of_classes() => {
                let found = "the data have a number for each example, and this loss is one of classes";
                wrong(found.to_owned(), "expected `Squares` or `Huber(…)`, or data with classes")
            }
            Response::Numbers(_) => Ok(1),
            Response::Classes(classes) => {
                let count = classes.iter().max().map_or(0, |last| *last as usize + 1);
                if self.loss.is_of_classes() && classes.iter().all(|class| *class == classes[0]) {
                    return wrong("all examples have one class".to_owned(), "expected data with two classes or more");
                }
                match self.loss {
                    RegressionLoss::Softmax => Ok(count.max(2)),
                    _ if count <= 2 => Ok(1),
                    _ => {
                        let found =
                            format!("the data have {}, and this loss knows two", so_many(count, "class|classes"));
                        wrong(found, "expected `Softmax`, or data with two classes")
                    }
                }
            }
        }
    }
}

impl LinearModel {
    /// `coefficients` (of several classes a row each) and `intercept`, in the units of the data.
    pub(super) fn arrays(&self, theta: &[f64], features: &Features) -> Vec<Array> {
        let (mut coefficients, mut intercepts) = (Vec::new(), Vec::new());
        for x in theta.chunks_exact(self.length()) {
            let (of_columns, intercept) = self.parts(x);
            let (of_data, constant) = features.linear(of_columns);
            coefficients.extend(of_data);
            intercepts.push(intercept + constant);
        }
        let columns = coefficients.len() / self.vectors;
        let shape = if self.vectors == 1 { vec![columns] } else { vec![self.vectors, columns] };
        vec![
            Array::numbers("coefficients", &shape, coefficients),
            Array::numbers("intercept", &[self.vectors], intercepts),
        ]
    }

    /// θ for data that are prepared as `to` says.
    ///
    /// # Errors
    /// When the preparation asks for an intercept, and there is none.
    pub(super) fn carried(&self, theta: &[f64], from: &Features, to: &Features) -> Result<Vec<f64>, FitError> {
        let origin = to.origin();
        let mut carried = Vec::with_capacity(theta.len());
        for x in theta.chunks_exact(self.length()) {
            let (of_columns, intercept) = self.parts(x);
            let (of_data, constant) = from.linear(of_columns);
            let (prepared, further) = origin.linear(&of_data);
            let constant = intercept + constant + further;
            carried.extend(prepared);
            if self.intercept {
                carried.push(constant);
            } else if constant.abs() > 1e-9 * of_data.iter().fold(1.0, |most: f64, x| most.max(x.abs())) {
                let found = "these data are centred in another way than those of the model, which has no intercept";
                return Err(FitError::misfit("initial", found, "expected the same `preprocess`, or another start"));
            }
        }
        Ok(carried)
    }

    /// The coefficients of columns, and the intercept, which may be 0.
    fn parts<'a>(&self, x: &'a [f64]) -> (&'a [f64], f64) {
        match x.split_last() {
            Some((last, coefficients)) if self.intercept => (coefficients, *last),
            _ => (x, 0.0),
        }
    }
}

/// A model at its θ.
pub(super) struct FittedRegression {
    pub model: LinearModel,
    pub theta: Vec<f64>,
}

impl Predictor for FittedRegression {
    /// Of classes the number of the most probable one, from 0 in the order of the model's `classes`, and probabilities
    /// (of two classes that of the second); else the value.
    fn columns(&self) -> Vec<String> {
        match self.model.loss {
            RegressionLoss::Logistic => vec!["class_index".to_owned(), "probability".to_owned()],
            RegressionLoss::Softmax => {
                let probabilities = (0..self.model.vectors).map(|class| format!("probability_{class}"));
                std::iter::once("class_index".to_owned()).chain(probabilities).collect()
            }
            RegressionLoss::Squares | RegressionLoss::Huber(_) => vec!["value".to_owned()],
        }
    }

    fn predict(&self, data: &DataSet) -> Result<Vec<f64>, DomainError> {
        let scores = self.model.task(&self.theta, data.examples()).scores();
        if !self.model.loss.is_of_classes() {
            return Ok(scores);
        }
        let classes = self.model.classes_of(&scores);
        let mut values = Vec::with_capacity(scores.len() + classes.len());
        for (class, scores) in classes.into_iter().zip(scores.chunks_exact(self.model.vectors)) {
            values.push(f64::from(class));
            match scores {
                [score] => values.push(1.0 / (1.0 + libm::exp(-score))),
                _ => values.extend(probabilities(scores)),
            }
        }
        Ok(values)
    }
}

/// Softmax of scores.
fn probabilities(scores: &[f64]) -> impl Iterator<Item = f64> {
    let largest = scores.iter().fold(f64::NEG_INFINITY, |most: f64, score| most.max(*score));
    let total: f64 = scores.iter().map(|score| libm::exp(score - largest)).sum();
    scores.iter().map(move |score| libm::exp(score - largest) / total)
}
