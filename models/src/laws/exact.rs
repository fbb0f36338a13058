//! Laws of models with an exact E-step.

use super::close::assert_close;
use crate::fit::Fit;
use crate::setting::ModelSetting;
use crate::{Batch, DomainPolicy, EStep, Examples, Model, Scratch};

/// Iterations of EM after which it must rest, and the square of what moves where it does.
const ITERATIONS: usize = 3_000;
const REST: f64 = 1e-10;

pub(super) fn laws(setting: &dyn ModelSetting, fit: &Fit<dyn Model>, q: Option<usize>, examples: Examples<'_>) {
    let model = &*fit.model;
    let (p, length) = (model.parameter_dimension(), model.statistic_dimension());
    assert!(q.is_none_or(|q| q == length), "{setting:?}: q is {length}, and not {q:?}");
    assert_eq!(model.example_dimension(), examples.dimension, "{setting:?}: numbers of an example");
    let names = (model.parameter_names().len(), model.statistic_names().len(), fit.theta.len());
    assert_eq!(names, (p, length, p), "{setting:?}: names of θ, names of s, length of θ₀");
    let e_step = model.conditional(&fit.theta).unwrap_or_else(|error| panic!("{setting:?}: θ₀: {error}"));
    means(setting, e_step.as_ref(), length, examples);
    expectation_maximization(setting, model, fit.theta.clone(), examples);
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

/// T is finite at mean statistics, the objective never increases, and EM comes to rest.
fn expectation_maximization(setting: &dyn ModelSetting, model: &dyn Model, theta: Vec<f64>, examples: Examples<'_>) {
    let (mut theta, mut s) = (theta, vec![0.0; model.statistic_dimension()]);
    let (mut last, mut field) = (f64::INFINITY, f64::INFINITY);
    for iteration in 0..ITERATIONS {
        let before = s.clone();
        let e_step = model.conditional(&theta).unwrap_or_else(|error| panic!("{setting:?}: {error}"));
        let objective = e_step.mean_statistics_and_objective(examples, &mut Scratch::default(), &mut s);
        let most = last + 1e-7 * (1.0 + last.abs());
        assert!(
            objective <= most,
            "{setting:?}: iteration {iteration} raised the objective from {last} to {objective}"
        );
        (last, field) = (objective, before.iter().zip(&s).map(|(a, b)| (a - b) * (a - b)).sum());
        if field <= REST * (1.0 + s.iter().map(|s| s * s).sum::<f64>()) {
            return;
        }
        let repairs = model.maximize(&s, DomainPolicy::Error, &mut theta);
        repairs.unwrap_or_else(|error| panic!("{setting:?}: T of a mean statistic: {error}"));
        assert!(theta.iter().all(|x| x.is_finite()), "{setting:?}: T is not finite: {theta:?}");
    }
    panic!("{setting:?}: ‖s̄(T(Ŝ)) − Ŝ‖² is {field:e} after {ITERATIONS} iterations of EM");
}
