//! Laws of what a model may do with parameters themselves: coordinates without constraints, and averages.

use fedbits_random::{DrawPurpose, Streams};

use super::{assert_close, e_step, maximum};
use crate::setting::ModelSetting;
use crate::{Coordinates, DomainError, DomainPolicy, ExactModel, Examples, FitPooling, Parameters};

/// At the start, which may be none of T's, and after one and two iterations of EM.
pub(super) fn laws(setting: &dyn ModelSetting, model: &dyn ExactModel, theta: &[f64], examples: Examples<'_>) {
    let (mut theta, mut s) = (theta.to_vec(), vec![0.0; model.statistic_dimension()]);
    for iteration in 0..3 {
        e_step(setting, model, &theta, examples, &mut s);
        if let Some(coordinates) = model.coordinates() {
            climbs(setting, (model, coordinates), &theta, &s, examples);
        }
        if let Some(parameters) = model.parameters().filter(|_| iteration > 0) {
            averages(setting, (model, parameters), &theta);
        }
        if let Some(pooling) = model.pooling().filter(|_| iteration > 0) {
            pools(setting, (model, pooling), &theta);
        }
        theta = maximum(setting, model, &s);
    }
}

/// There are q coordinates, with names, from which θ comes back; the gradient is that of the mean of log p.
fn climbs(
    setting: &dyn ModelSetting,
    (model, coordinates): (&dyn ExactModel, &dyn Coordinates),
    theta: &[f64],
    s: &[f64],
    examples: Examples<'_>,
) {
    let (x, q) = (coordinates.coordinates_of(theta), s.len());
    let lengths = (x.len(), coordinates.coordinate_names().len());
    assert_eq!(lengths, (q, q), "{setting:?}: coordinates, and their names: expected q of them");
    assert_close(setting, "θ of its coordinates", &coordinates.theta_of(&x), theta, 1e-9);
    let mut gradient = s.to_vec();
    coordinates.gradient(theta, &mut gradient);
    let mut beside = s.to_vec();
    let mut log_density = |j: usize, step: f64| {
        let mut moved = x.clone();
        moved[j] += step;
        -e_step(setting, model, &coordinates.theta_of(&moved), examples, &mut beside)
    };
    let slope = |j: usize| {
        let h = 1e-5 * (1.0 + x[j].abs());
        (log_density(j, h) - log_density(j, -h)) / (2.0 * h)
    };
    let slopes: Vec<f64> = (0..q).map(slope).collect();
    assert_close(setting, "a gradient in coordinates", &gradient, &slopes, 1e-5);
}

/// T of the statistic of θ is θ, an image of T; aligned with itself it stays.
fn averages(setting: &dyn ModelSetting, (model, parameters): (&dyn ExactModel, &dyn Parameters), theta: &[f64]) {
    let (mut s, mut aligned, mut admitted) = (Vec::new(), theta.to_vec(), Vec::new());
    parameters.statistic_of(theta, &mut s);
    assert_eq!(s.len(), model.statistic_dimension(), "{setting:?}: the length of the statistic of θ");
    assert_close(setting, "T of the statistic of θ", &maximum(setting, model, &s), theta, 1e-6);
    let taken = parameters.admit(theta, DomainPolicy::Error, &mut admitted);
    taken.unwrap_or_else(|error| panic!("{setting:?}: θ as a mean of parameters: {error}"));
    assert_close(setting, "θ as a mean of parameters", &admitted, theta, 1e-6);
    parameters.align(&mut aligned, theta).unwrap_or_else(|error| panic!("{setting:?}: {error}"));
    assert_eq!(aligned, theta, "{setting:?}: θ aligned with itself");
}

/// θ stands for a pool of itself, and is at no distance from itself; multiples of its weights are the same density.
fn pools(setting: &dyn ModelSetting, (model, pooling): (&dyn ExactModel, &dyn FitPooling), theta: &[f64]) {
    let pool = [(2.0, theta), (1.0, theta)];
    let reduced = sound(setting, "a pool of θ", pooling.reduce(&pool, theta));
    assert_close(setting, "θ of a pool of itself", &reduced.theta, theta, 1e-9);
    assert!(reduced.divergence.abs() < 1e-9 && reduced.refilled == 0, "{setting:?}: {reduced:?}");
    let distances = sound(setting, "distances of θ", pooling.distances(&[theta, theta]));
    assert!(distances.len() == 4 && distances.iter().all(|distance| *distance < 1e-6), "{setting:?}: {distances:?}");
    let spread = sound(setting, "components far from each other", pooling.spread(&pool));
    assert_eq!(spread.len(), theta.len(), "{setting:?}: a start of a reduction");
    let mut multiple = theta.to_vec();
    let components = model.clusters().map_or(0, |clusters| clusters.components());
    multiple[..components].iter_mut().for_each(|weight| *weight *= 3.0);
    sound(setting, "θ with three times the weights", pooling.normalize(&mut multiple));
    assert_close(setting, "θ with other weights", &multiple, theta, 1e-12);
    let mut stream = Streams::new(5, 0).at(DrawPurpose::Resampling, 0, 0);
    let rows = sound(setting, "draws", pooling.draw(&pool, 7, &mut stream));
    assert_eq!(rows.len(), 7 * model.example_dimension(), "{setting:?}: numbers of seven examples");
}

fn sound<T>(setting: &dyn ModelSetting, what: &str, found: Result<T, DomainError>) -> T {
    found.unwrap_or_else(|error| panic!("{setting:?}: {what}: {error}"))
}
