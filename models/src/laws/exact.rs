//! Laws of models with an exact E-step.

use super::{assert_close, assert_parameter_error, e_step, maximum, parameters};
use crate::fit::Fit;
use crate::setting::ModelSetting;
use crate::{Batch, DomainPolicy, EStep, ExactModel, Examples, Scratch};

/// Iterations of EM after which it must rest, and the square of what moves where it does.
const ITERATIONS: usize = 3_000;
const REST: f64 = 1e-10;
/// The share by which the weight of one example is changed.
const STEP: f64 = 1e-3;
/// The largest slope where EM rests, by curvature. T of the registered models has 2e-5, or 1e-4 where it is iterative.
const STATIONARY: f64 = 1e-3;

pub(super) fn laws(
    setting: &dyn ModelSetting,
    fit: &Fit<dyn ExactModel>,
    q: Option<usize>,
    examples: Examples<'_>,
) -> Vec<f64> {
    let model = &*fit.model;
    let (p, length) = (model.parameter_dimension(), model.statistic_dimension());
    assert!(q.is_none_or(|q| q == length), "{setting:?}: q is {length}, and not {q:?}");
    assert_eq!(model.example_dimension(), examples.dimension(), "{setting:?}: numbers of an example");
    let names = (model.parameter_names().len(), model.statistic_names().len(), fit.theta.len());
    assert_eq!(names, (p, length, p), "{setting:?}: names of θ, names of s, length of θ₀");
    let e_step = model.conditional(&fit.theta).unwrap_or_else(|error| panic!("{setting:?}: θ₀: {error}"));
    means(setting, e_step.as_ref(), length, examples);
    let s = expectation_maximization(setting, model, fit.theta.clone(), examples);
    let theta = maximum(setting, model, &s);
    first_order(setting, model, &s, examples);
    constants(setting, model, &s, examples);
    outside_of_the_domain(setting, model, &s);
    parameters::laws(setting, model, &fit.theta, examples);
    assert_parameter_error(setting, |theta, truth| model.parameter_error(theta, truth), &theta, &fit.theta);
    theta
}

/// T with the constants of all examples is T, and there is one where T has constants.
fn constants(setting: &dyn ModelSetting, model: &dyn ExactModel, s: &[f64], examples: Examples<'_>) {
    let of_client = model.with_constants_of(examples);
    assert_eq!(of_client.is_some(), model.constants_dimension() > 0, "{setting:?}: T with constants of a client's own");
    if let Some(of_client) = of_client {
        let found = maximum(setting, of_client.as_ref(), s);
        assert_close(setting, "T with the constants of all examples", &found, &maximum(setting, model, s), 1e-9);
    }
}

/// The statistic of a batch is the mean over its examples, as often as each is there.
fn means(setting: &dyn ModelSetting, e_step: &dyn EStep, q: usize, examples: Examples<'_>) {
    let scratch = &mut Scratch::default();
    let mut of = |batch: Batch<'_>| {
        let mut s = vec![f64::NAN; q];
        e_step.mean_statistics(examples, batch, scratch, &mut s);
        s
    };
    let each: Vec<Vec<f64>> = (0..examples.len() as u32).map(|j| of(Batch::Indices(&[j]))).collect();
    let mean = |batch: &[u32]| -> Vec<f64> {
        (0..q).map(|at| batch.iter().map(|&j| each[j as usize][at]).sum::<f64>() / batch.len() as f64).collect()
    };
    let everyone: Vec<u32> = (0..examples.len() as u32).collect();
    assert_close(setting, "the statistic of all examples", &of(Batch::All), &mean(&everyone), 1e-9);
    for batch in [&[2, 0, 2][..], &everyone[1..]] {
        assert_close(setting, "the statistic of a batch", &of(Batch::Indices(batch)), &mean(batch), 1e-9);
    }
    assert_eq!(of(Batch::Indices(&[])), vec![0.0; q], "{setting:?}: the statistic of an empty batch");
    let mut s = vec![f64::NAN; q];
    e_step.mean_statistics_and_objective(examples, &mut Scratch::default(), &mut s);
    assert_close(setting, "the statistic beside the objective", &s, &mean(&everyone), 1e-9);
}

/// T is finite at mean statistics, the objective never increases, and EM comes to rest: at the statistic that is
/// returned.
fn expectation_maximization(
    setting: &dyn ModelSetting,
    model: &dyn ExactModel,
    theta: Vec<f64>,
    examples: Examples<'_>,
) -> Vec<f64> {
    let (mut theta, mut s) = (theta, vec![0.0; model.statistic_dimension()]);
    let (mut last, mut field) = (f64::INFINITY, f64::INFINITY);
    for iteration in 0..ITERATIONS {
        let before = s.clone();
        let objective = e_step(setting, model, &theta, examples, &mut s);
        let most = last + 1e-7 * (1.0 + last.abs());
        assert!(
            objective <= most,
            "{setting:?}: iteration {iteration} raised the objective from {last} to {objective}"
        );
        (last, field) = (objective, before.iter().zip(&s).map(|(a, b)| (a - b) * (a - b)).sum());
        if field <= REST * (1.0 + s.iter().map(|s| s * s).sum::<f64>()) {
            return s;
        }
        theta = maximum(setting, model, &s);
    }
    panic!("{setting:?}: ‖s̄(T(Ŝ)) − Ŝ‖² is {field:e} after {ITERATIONS} iterations of EM");
}

/// Where EM rests, the objective F(T(s)) is stationary: ∇F(T(s)) = −B (s̄(T(s)) − s) with the curvature B of what T
/// maximizes. Along (s_j − s), with the statistic s_j of an example, its slope is near 0 and its curvature is not: a T
/// that is no maximum has a slope, and one that ignores s, or an objective that ignores θ, has no curvature.
fn first_order(setting: &dyn ModelSetting, model: &dyn ExactModel, s: &[f64], examples: Examples<'_>) {
    let theta = maximum(setting, model, s);
    let e_step_here = model.conditional(&theta).unwrap_or_else(|error| panic!("{setting:?}: {error}"));
    let (mut one, mut moved) = (s.to_vec(), s.to_vec());
    let here = e_step(setting, model, &theta, examples, &mut moved);
    let (mut slope, mut curvature) = (0.0_f64, 0.0_f64);
    for j in (0..examples.len() as u32).step_by(examples.len().div_ceil(8)) {
        e_step_here.mean_statistics(examples, Batch::Indices(&[j]), &mut Scratch::default(), &mut one);
        let mut at = |step: f64| {
            let to: Vec<f64> = s.iter().zip(&one).map(|(s, one)| s + step * (one - s)).collect();
            let mut theta = Vec::new();
            model.maximize(&to, DomainPolicy::Error, &mut theta).ok()?;
            Some(e_step(setting, model, &theta, examples, &mut moved))
        };
        // A statistic at the border of the domain leaves it.
        let (Some(ahead), Some(behind)) = (at(STEP), at(-STEP)) else { continue };
        slope = slope.max(((ahead - behind) / (2.0 * STEP)).abs());
        curvature = curvature.max((ahead - 2.0 * here + behind).abs() / (STEP * STEP));
    }
    assert!(curvature > 1e-6, "{setting:?}: T, or the objective, is the same when an example weighs more");
    assert!(
        slope <= STATIONARY * curvature,
        "{setting:?}: T is not a maximum: where EM rests, the objective has slope {slope:e} (curvature {curvature:e})"
    );
}

/// A statistic of another scale, or none of any data, is an error or repaired: θ is finite, and has an E-step or an
/// error.
fn outside_of_the_domain(setting: &dyn ModelSetting, model: &dyn ExactModel, s: &[f64]) {
    let mut theta = Vec::new();
    for policy in [DomainPolicy::Error, DomainPolicy::Clip { floor: 1e-6 }] {
        for scale in [0.0, -1.0, 1e-300, 1e3, 1e150, -1e300] {
            let far: Vec<f64> = s.iter().map(|s| scale * s).collect();
            if model.maximize(&far, policy, &mut theta).is_err() {
                continue;
            }
            let finite = theta.len() == model.parameter_dimension() && theta.iter().all(|x| x.is_finite());
            assert!(finite, "{setting:?}: T of {scale:e} times a mean statistic ({policy:?}) is {theta:?}");
            drop(model.conditional(&theta));
        }
    }
}
