//! Fitted coefficients in the units of the data, and what they predict.

use super::loss::RegressionLoss;
use super::model::LinearModel;
use crate::DomainError;
use crate::data::DataSet;
use crate::fit::FitError;
use crate::fitted::{Array, Features, Predictor};

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
