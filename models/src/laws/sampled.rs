//! Laws of models whose latent variables are sampled.

use fedbits_random::{DrawPurpose, Streams};

use super::{assert_close, assert_parameter_error, maximum};
use crate::fit::Fit;
use crate::latent::{Posterior, SampledModel};
use crate::setting::ModelSetting;

pub(super) fn laws(setting: &dyn ModelSetting, fit: &Fit<dyn SampledModel>, q: Option<usize>) -> Vec<f64> {
    let model = &*fit.model;
    let (p, length) = (model.parameter_dimension(), model.statistic_dimension());
    assert!(q.is_none_or(|q| q == length), "{setting:?}: q is {length}, and not {q:?}");
    let names = (model.parameter_names().len(), model.statistic_names().len(), fit.theta.len());
    assert_eq!(names, (p, length, p), "{setting:?}: names of θ, names of s, length of θ₀");
    let posterior = model.posterior(&fit.theta).unwrap_or_else(|error| panic!("{setting:?}: θ₀: {error}"));
    let s = statistics(setting, model, posterior.as_ref());
    chains(setting, model, posterior.as_ref());
    let theta = maximum(setting, model, &s);
    let mut inverse = Vec::new();
    model.statistic_of(&theta, &mut inverse);
    assert_close(setting, "T of the statistics of θ", &maximum(setting, model, &inverse), &theta, 1e-6);
    let mut gradient = vec![0.0; p];
    let found = model.parameter_gradient(&s, &theta, &mut gradient);
    assert_eq!(found, Ok(model.abilities().parameter_gradient), "{setting:?}: a gradient in θ");
    standardized(setting, model, &theta);
    assert_parameter_error(setting, |theta, truth| model.parameter_error(theta, truth), &theta, &fit.theta);
    theta
}

/// Standardizing is undone by restoring, and does something where the setting says so.
fn standardized(setting: &dyn ModelSetting, model: &dyn SampledModel, theta: &[f64]) {
    let difference: Vec<f64> = (0..model.statistic_dimension()).map(|at| 0.3 + 0.1 * at as f64).collect();
    let mut changed = difference.clone();
    model.standardize(theta, &mut changed);
    assert_eq!(changed != difference, model.abilities().scales, "{setting:?}: standardized differences");
    model.restore(theta, &mut changed);
    assert_close(setting, "a restored difference", &changed, &difference, 1e-6);
}

/// A mean statistic: expected where there is a closed form, else of draws from the prior.
fn statistics(setting: &dyn ModelSetting, model: &dyn SampledModel, posterior: &dyn Posterior) -> Vec<f64> {
    let (mut s, n) = (vec![0.0; model.statistic_dimension()], model.subjects());
    let (scale, mut z) = (1.0 / n as f64, vec![0.0; model.latent_dimension()]);
    for subject in 0..n {
        let expected = posterior.expected_statistics(subject, scale, &mut s);
        assert_eq!(expected.is_some(), model.abilities().expectation, "{setting:?}: expected statistics");
        if expected.is_none() {
            posterior.draw_prior(subject, &mut Streams::new(9, 0).at(DrawPurpose::Sampler, subject as u64, 0), &mut z);
            posterior.add_statistics(subject, &z, scale, &mut s);
        }
    }
    s
}

/// Chains start and move where the density is finite, and gradients in z are derivatives.
fn chains(setting: &dyn ModelSetting, model: &dyn SampledModel, posterior: &dyn Posterior) {
    let abilities = model.abilities();
    let (mut z, mut gradient) = (vec![0.0; model.latent_dimension()], vec![0.0; model.latent_dimension()]);
    for subject in 0..model.subjects().min(4) {
        let stream = &mut Streams::new(9, 1).at(DrawPurpose::Sampler, subject as u64, 0);
        posterior.start(subject, &mut z);
        let here = posterior.log_density(subject, &z);
        assert!(here.is_finite(), "{setting:?}: subject {subject} starts where the density is {here}");
        if abilities.gradient {
            posterior.gradient(subject, &z, &mut gradient);
            let slopes: Vec<f64> = (0..z.len()).map(|j| slope(posterior, subject, &z, j)).collect();
            assert_close(setting, "a gradient in z", &gradient, &slopes, 1e-5);
        }
        if abilities.gibbs {
            posterior.gibbs(subject, stream, &mut z);
            let here = posterior.log_density(subject, &z);
            assert!(here.is_finite(), "{setting:?}: subject {subject} moved where the density is {here}");
        }
        posterior.draw_prior(subject, stream, &mut z);
        assert!(posterior.log_prior(subject, &z).is_finite(), "{setting:?}: a draw from the prior is impossible");
    }
}

/// The central difference of log p(y, z) in component `j`.
fn slope(posterior: &dyn Posterior, subject: usize, z: &[f64], j: usize) -> f64 {
    let h = 1e-5 * (1.0 + z[j].abs());
    let at = |step: f64| {
        let mut moved = z.to_vec();
        moved[j] += step;
        posterior.log_density(subject, &moved)
    };
    (at(h) - at(-h)) / (2.0 * h)
}
