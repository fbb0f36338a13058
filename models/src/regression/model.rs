//! The model of a regression: gradient steps on the mean over examples.

use std::sync::Arc;

use fedbits_numerics::largest_eigenvalue;

use super::kernel::Task;
use super::loss::RegressionLoss;
use super::penalty::{Penalty, soft_threshold};
use crate::{
    Batch, Descent, DomainError, DomainPolicy, EStep, ExactModel, Examples, Model, Parameters, Repairs, Response,
    Scratch,
};

/// Coefficients x of columns, and what they cost.
#[derive(Clone, Debug, PartialEq)]
pub struct LinearModel {
    /// ℓ.
    pub loss: RegressionLoss,
    /// What is added to the mean loss.
    pub penalty: Penalty,
    /// Has every vector of coefficients an intercept, its last entry?
    pub intercept: bool,
    /// Names of the p columns, which the E-steps of every round share.
    pub columns: Arc<[String]>,
    /// Vectors of coefficients: one per class of softmax, else 1.
    pub vectors: usize,
    /// ρ.
    pub step: f64,
}

impl LinearModel {
    /// Numbers of a vector of coefficients, its intercept included.
    pub(super) fn length(&self) -> usize {
        self.columns.len() + usize::from(self.intercept)
    }

    /// λ_max(N⁻¹ Σ a aᵀ) of a mean over examples: `average` gives that of N⁻¹ Σ a (aᵀv) for a vector v.
    pub(super) fn largest_square(&self, average: impl Fn(&dyn Fn(Examples<'_>) -> Vec<f64>) -> Vec<f64>) -> f64 {
        largest_eigenvalue(self.length(), |v| {
            average(&|examples| {
                let mut image = vec![0.0; v.len()];
                Task { x: v, vectors: 1, ..self.task(v, examples) }.gram(&mut image);
                let count = examples.len().max(1) as f64;
                image.iter_mut().for_each(|sum| *sum /= count);
                image
            })
        })
    }

    /// The Lipschitz constant of the gradient of the smooth part, for the largest eigenvalue of N⁻¹ Σ a aᵀ.
    pub(super) fn smoothness_of(&self, largest_square: f64) -> f64 {
        self.loss.curvature() * largest_square + self.penalty.smoothness()
    }

    pub(super) fn task<'a>(&self, x: &'a [f64], examples: Examples<'a>) -> Task<'a> {
        Task { loss: self.loss, intercept: self.intercept, x, vectors: self.vectors, examples }
    }

    /// Is the entry of x an intercept, which is not penalized?
    fn is_intercept(&self, at: usize) -> bool {
        self.intercept && at % self.length() == self.columns.len()
    }

    /// Names of the entries of x.
    fn names(&self) -> Vec<String> {
        let of_vector = || self.columns.iter().cloned().chain(self.intercept.then(|| "intercept".to_owned()));
        match self.vectors {
            1 => of_vector().collect(),
            classes => (0..classes).flat_map(|class| of_vector().map(move |name| format!("{name}[{class}]"))).collect(),
        }
    }

    /// The class with the largest score; of two classes, the second where the score is above 0.
    pub(super) fn classes_of(&self, scores: &[f64]) -> Vec<u32> {
        let best = |scores: &[f64]| {
            let better = |best: usize, class: usize| if scores[class] > scores[best] { class } else { best };
            (1..scores.len()).fold(0, better) as u32
        };
        match self.vectors {
            1 => scores.iter().map(|&score| u32::from(score > 0.0)).collect(),
            classes => scores.chunks_exact(classes).map(best).collect(),
        }
    }
}

impl Model for LinearModel {
    fn statistic_dimension(&self) -> usize {
        self.vectors * self.length()
    }

    fn parameter_dimension(&self) -> usize {
        self.statistic_dimension()
    }

    fn parameter_names(&self) -> Vec<String> {
        self.names()
    }

    fn statistic_names(&self) -> Vec<String> {
        self.names().into_iter().map(|name| format!("step_{name}")).collect()
    }

    fn maximize(&self, s: &[f64], _: DomainPolicy, theta: &mut Vec<f64>) -> Result<Repairs, DomainError> {
        DomainError::check_finite(s)?;
        theta.clear();
        theta.extend_from_slice(s);
        let threshold = self.step * self.penalty.l1();
        if threshold > 0.0 {
            for (at, x) in theta.iter_mut().enumerate().filter(|(at, _)| !self.is_intercept(*at)) {
                *x = soft_threshold(s[at], threshold);
            }
        }
        Ok(Repairs::default())
    }

    /// r and g: all of the penalty.
    fn penalty(&self, theta: &[f64]) -> f64 {
        let penalized = theta.iter().enumerate().filter(|(at, _)| !self.is_intercept(*at));
        penalized.map(|(_, &x)| self.penalty.value(x)).sum()
    }
}

impl ExactModel for LinearModel {
    fn example_dimension(&self) -> usize {
        self.columns.len()
    }

    fn conditional(&self, theta: &[f64]) -> Result<Box<dyn EStep>, DomainError> {
        DomainError::check_finite(theta)?;
        Ok(Box::new(GradientStep { model: self.clone(), x: theta.to_vec() }))
    }

    fn parameters(&self) -> Option<&dyn Parameters> {
        Some(self)
    }

    fn descent(&self) -> Option<&dyn Descent> {
        Some(self)
    }
}

/// Clients that average x average coefficients: FedAvg-EM is FedAvg, with E-steps as local gradient steps.
impl Parameters for LinearModel {
    /// x itself where T is the identity. With ℓ₁, x + ρλ sign x, which T leads back to x: of all statistics with the
    /// image x the one nearest to 0.
    fn statistic_of(&self, theta: &[f64], s: &mut Vec<f64>) {
        s.clear();
        s.extend_from_slice(theta);
        let threshold = self.step * self.penalty.l1();
        for (at, s) in s.iter_mut().enumerate().filter(|(at, s)| **s != 0.0 && !self.is_intercept(*at)) {
            *s += threshold.copysign(theta[at]);
        }
    }

    fn is_expectation(&self) -> bool {
        self.penalty.l1() == 0.0
    }

    fn admit(&self, theta: &[f64], _: DomainPolicy, out: &mut Vec<f64>) -> Result<Repairs, DomainError> {
        DomainError::check_finite(theta)?;
        theta.clone_into(out);
        Ok(Repairs::default())
    }
}

impl Descent for LinearModel {
    fn step(&self) -> f64 {
        self.step
    }

    fn smoothness(&self, examples: Examples<'_>) -> f64 {
        self.smoothness_of(self.largest_square(|moment| moment(examples)))
    }

    /// λ of the ridge, if there is no intercept, along which it does not curve.
    fn strong_convexity(&self) -> f64 {
        if self.intercept { 0.0 } else { self.penalty.ridge() }
    }

    fn classes(&self, examples: Examples<'_>, theta: &[f64]) -> Option<Vec<u32>> {
        let has_classes = matches!(examples.response(), Response::Classes(_));
        has_classes.then(|| self.classes_of(&self.task(theta, examples).scores()))
    }
}

/// x − ρ ∇f at x.
struct GradientStep {
    model: LinearModel,
    x: Vec<f64>,
}

impl EStep for GradientStep {
    /// The objective is the mean of ℓ.
    fn mean(
        &self,
        examples: Examples<'_>,
        batch: Batch<'_>,
        scratch: &mut Scratch,
        out: &mut [f64],
        wanted: bool,
    ) -> f64 {
        let model = &self.model;
        let loss = model.task(&self.x, examples).gradient(batch, &mut scratch.buffer, out, wanted);
        let count = batch.indices(examples.len()).len();
        if count == 0 {
            return 0.0;
        }
        let count = count as f64;
        for (at, (sum, &x)) in out.iter_mut().zip(&self.x).enumerate() {
            let of_penalty = if model.is_intercept(at) { 0.0 } else { model.penalty.slope(x) };
            *sum = x - model.step * (*sum / count + of_penalty);
        }
        loss / count
    }
}
