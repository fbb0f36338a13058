//! Steps of EM that must succeed.

use crate::setting::ModelSetting;
use crate::{DomainPolicy, Examples, Model, Scratch};

/// The objective at θ, and its mean statistic.
pub(super) fn e_step(
    setting: &dyn ModelSetting,
    model: &dyn Model,
    theta: &[f64],
    examples: Examples<'_>,
    s: &mut [f64],
) -> f64 {
    let e_step = model.conditional(theta).unwrap_or_else(|error| panic!("{setting:?}: {error}"));
    let objective = e_step.mean_statistics_and_objective(examples, &mut Scratch::default(), s);
    assert!(objective.is_finite(), "{setting:?}: the objective is {objective} at {theta:?}");
    objective
}

pub(super) fn maximum(setting: &dyn ModelSetting, model: &dyn Model, s: &[f64]) -> Vec<f64> {
    let mut theta = Vec::new();
    let repairs = model.maximize(s, DomainPolicy::Error, &mut theta);
    repairs.unwrap_or_else(|error| panic!("{setting:?}: T of a mean statistic: {error}"));
    assert!(theta.iter().all(|x| x.is_finite()), "{setting:?}: T is not finite: {theta:?}");
    theta
}
