//! A model as gradient ascent on its marginal likelihood sees it: the statistic is the coordinate vector itself.
//!
//! ```text
//! "Ŝ" = x,   T = identity,   s̄_j(x) = x + ∇ₓ log p(y_j; θ(x)),   so that h(x) = s̄(x) − x is the gradient
//! ```
//!
//! Gradient ascent is a majorization-minimization algorithm with a quadratic surrogate, x the surrogate's parameter
//! (Dieuleveut, Fort, Hegazy and Wai, FedMM, 2025, have this view); whatever moves a statistic along h then climbs the
//! likelihood.

use std::sync::Arc;

use crate::{Batch, Coordinates, DomainError, DomainPolicy, EStep, ExactModel, Examples, Model, Repairs, Scratch};

/// The model in its coordinates.
pub struct Ascent {
    model: Arc<dyn ExactModel>,
}

impl Ascent {
    /// None when the model has no coordinates.
    pub fn new(model: Arc<dyn ExactModel>) -> Option<Self> {
        model.coordinates()?;
        Some(Self { model })
    }

    fn coordinates(&self) -> &dyn Coordinates {
        coordinates(self.model.as_ref())
    }
}

fn coordinates(model: &dyn ExactModel) -> &dyn Coordinates {
    model.coordinates().expect("an ascent is made of a model with coordinates")
}

impl Model for Ascent {
    fn statistic_dimension(&self) -> usize {
        self.model.statistic_dimension()
    }

    fn parameter_dimension(&self) -> usize {
        self.model.statistic_dimension()
    }

    fn parameter_names(&self) -> Vec<String> {
        self.coordinates().coordinate_names()
    }

    fn statistic_names(&self) -> Vec<String> {
        self.coordinates().coordinate_names()
    }

    fn maximize(&self, s: &[f64], _policy: DomainPolicy, theta: &mut Vec<f64>) -> Result<Repairs, DomainError> {
        DomainError::check_finite(s)?;
        theta.clear();
        theta.extend_from_slice(s);
        Ok(Repairs::default())
    }

    fn parameter_error(&self, theta: &[f64], truth: &[f64]) -> f64 {
        self.model.parameter_error(&self.coordinates().theta_of(theta), &self.coordinates().theta_of(truth))
    }
}

impl ExactModel for Ascent {
    fn example_dimension(&self) -> usize {
        self.model.example_dimension()
    }

    fn conditional(&self, theta: &[f64]) -> Result<Box<dyn EStep>, DomainError> {
        let (x, theta) = (theta.to_vec(), self.coordinates().theta_of(theta));
        let e_step = self.model.conditional(&theta)?;
        Ok(Box::new(Gradients { model: Arc::clone(&self.model), x, theta, e_step }))
    }
}

/// Gradients at a fixed x.
struct Gradients {
    model: Arc<dyn ExactModel>,
    x: Vec<f64>,
    theta: Vec<f64>,
    e_step: Box<dyn EStep>,
}

impl EStep for Gradients {
    fn mean(
        &self,
        examples: Examples<'_>,
        batch: Batch<'_>,
        scratch: &mut Scratch,
        out: &mut [f64],
        wanted: bool,
    ) -> f64 {
        let objective = self.e_step.mean(examples, batch, scratch, out, wanted);
        coordinates(self.model.as_ref()).gradient(&self.theta, out);
        out.iter_mut().zip(&self.x).for_each(|(out, x)| *out += x);
        objective
    }
}
