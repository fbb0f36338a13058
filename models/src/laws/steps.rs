//! Steps of EM that must succeed, and comparing numbers.

use crate::setting::ModelSetting;
use crate::{DomainPolicy, ExactModel, Examples, Model, Scratch};

/// Numbers that are the same but for rounding.
#[track_caller]
pub(super) fn assert_close(setting: &dyn ModelSetting, what: &str, found: &[f64], expected: &[f64], tolerance: f64) {
    assert_eq!(found.len(), expected.len(), "{setting:?}: {what}");
    for (at, (x, y)) in found.iter().zip(expected).enumerate() {
        assert!((x - y).abs() <= tolerance * (1.0 + y.abs()), "{setting:?}: {what}, entry {at}: {x} and not {y}");
    }
}

/// The error of θ against itself is 0, and against another finite and not negative.
pub(super) fn assert_parameter_error(
    setting: &dyn ModelSetting,
    error: impl Fn(&[f64], &[f64]) -> f64,
    theta: &[f64],
    reference: &[f64],
) {
    let (same, apart) = (error(theta, theta), error(theta, reference));
    let scale: f64 = theta.iter().map(|x| x * x).sum();
    assert!(same.abs() <= 1e-12 * (1.0 + scale), "{setting:?}: the error of θ against itself is {same}");
    assert!(apart.is_finite() && apart >= 0.0, "{setting:?}: the error of θ against another is {apart}");
}

/// The objective at θ with its penalty, and the mean statistic there.
pub(super) fn e_step(
    setting: &dyn ModelSetting,
    model: &dyn ExactModel,
    theta: &[f64],
    examples: Examples<'_>,
    s: &mut [f64],
) -> f64 {
    let e_step = model.conditional(theta).unwrap_or_else(|error| panic!("{setting:?}: {error}"));
    let objective = e_step.mean_statistics_and_objective(examples, &mut Scratch::default(), s) + model.penalty(theta);
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
