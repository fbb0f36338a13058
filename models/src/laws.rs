//! The laws of models, for the project's own and for a user's. Each function panics at the first law that is broken,
//! and says whose it is: call [`model`] from a test.
//!
//! With an exact E-step: a statistic is the mean over its examples, EM never increases the objective, and the mean
//! field s̄(T(Ŝ)) − Ŝ vanishes where EM rests, as does the slope of the objective; outside of its domain T is an error
//! or finite. θ comes back from its coordinates, along which gradients are derivatives, and T undoes the statistic of
//! parameters that are averaged. With samples: T undoes `statistic_of`, gradients in z are derivatives, chains start
//! and move where the density is finite. Sparse examples give the bits of dense ones. Arrays and predictions have their
//! shapes and are finite. What a setting says of its model before it is built, the model says, too.

mod data;
mod exact;
mod output;
mod parameters;
mod sampled;

use fedbits_random::Streams;
use fedbits_spec::{Facts, assert_sound};

use crate::data::{DataSet, Observations};
use crate::fit::{Given, Moment};
use crate::setting::ModelSetting;
use crate::{Batch, DomainPolicy, ExactModel, Examples, Model, Scratch};

/// All laws, over the examples of a setting.
///
/// # Panics
/// When a law is broken.
pub fn model<T: ModelSetting>() {
    let examples = T::examples();
    assert!(!examples.is_empty(), "{}: no examples to test the laws over", std::any::type_name::<T>());
    examples.iter().for_each(|example| setting(example));
}

/// All laws of one setting that is among the [examples](ModelSetting::examples) of its kind.
///
/// # Panics
/// When a law is broken.
pub fn setting(setting: &dyn ModelSetting) {
    assert_sound(setting, &Facts::default());
    assert!(setting.exact().is_some() || setting.sampled().is_some(), "{setting:?}: no protocol can fit it");
    let (initial, streams) = (setting.example_start(), Streams::new(5, 0));
    let facts = setting.facts();
    assert!(facts.starts.contains(&initial.name()), "{setting:?}: it does not know its own start");
    let observations = data::drawn(setting);
    let (table, counts) = match &observations {
        Observations::Counts(counts) => (Some(&counts.data), Some(counts)),
        Observations::Examples(table) => (Some(table), None),
        _ => (None, None),
    };
    let average = |moment: &Moment<'_>| table.map_or_else(Vec::new, |table| moment(table.examples()));
    let given = Given { source: None, counts, initial: &initial, streams: &streams, average: &average };
    let q = setting.statistic(&observations.shape());
    if let Some(em) = setting.exact() {
        let table = table.unwrap_or_else(|| panic!("{setting:?}: an exact E-step is over examples"));
        let fit = em.fit(table, &given).unwrap_or_else(|error| panic!("{setting:?}: {error}"));
        let theta = exact::laws(setting, &fit, q, table.examples());
        sparse_laws(setting, table, &given);
        output::laws(setting, &theta, &observations);
        let agree = |what: &str, has: bool, says: bool| {
            assert_eq!(has, says, "{setting:?}: the model has `{what}` (left), its setting says so (right)");
        };
        let can = em.abilities();
        let components = fit.model.clusters().map(|clusters| clusters.components());
        assert_eq!(components, facts.components, "{setting:?}: components of the model (left), of its setting");
        agree("parameters", fit.model.parameters().is_some(), can.averages_parameters);
        agree("pooling", fit.model.pooling().is_some(), can.pools_fits);
        agree("descent", fit.model.descent().is_some(), can.descends);
        agree("coordinates", fit.model.coordinates().is_some(), can.lacks_coordinates.is_none());
    }
    if let Some(model) = setting.sampled() {
        let fit = model.fit(observations.clone(), &given).unwrap_or_else(|error| panic!("{setting:?}: {error}"));
        assert_eq!(fit.model.abilities(), model.abilities(), "{setting:?}: abilities");
        let theta = sampled::laws(setting, &fit, q);
        output::laws(setting, &theta, &observations);
    }
}

/// Two thirds of these examples' numbers as zeros that are not stored, and as zeros that are: model, start, statistics
/// and objective are the same to the last bit.
fn sparse_laws(setting: &dyn ModelSetting, table: &DataSet, given: &Given<'_>) {
    let facts = setting.facts();
    let Some(em) = setting.exact().filter(|_| facts.takes_sparse) else { return };
    let [components, covariance] = [facts.components.is_some(), facts.estimates_covariance];
    assert!(!components && !covariance, "{setting:?}: components and covariances are found with all numbers");
    let thinned = table.rows().iter().enumerate().map(|(at, &y)| if at * 7 % 3 == 0 { y } else { 0.0 }).collect();
    let dense = table.clone().with_rows(table.columns().to_vec(), thinned).expect("a table");
    let of = |data: &DataSet| {
        let average = |moment: &Moment<'_>| moment(data.examples());
        let fit = em.fit(data, &Given { average: &average, ..*given });
        let fit = fit.unwrap_or_else(|error| panic!("{setting:?}: of examples with zeros: {error}"));
        let e_step = fit.model.conditional(&fit.theta).unwrap_or_else(|error| panic!("{setting:?}: {error}"));
        let some = data.examples().range(7..41);
        let (mut statistics, scratch) = (vec![f64::NAN; fit.model.statistic_dimension()], &mut Scratch::default());
        let mut found = fit.theta;
        let mut visit = |examples: Examples<'_>, batch| {
            e_step.mean_statistics(examples, batch, scratch, &mut statistics);
            found.extend_from_slice(&statistics);
            found.push(e_step.mean_statistics_and_objective(examples, scratch, &mut statistics));
            found.extend_from_slice(&statistics);
        };
        visit(data.examples(), Batch::All);
        visit(some, Batch::Indices(&[3, 0, 33, 3]));
        found.into_iter().map(f64::to_bits).collect::<Vec<u64>>()
    };
    assert_eq!(of(&dense.sparsified()), of(&dense), "{setting:?}: bits with sparse examples (left), with dense ones");
}

/// Numbers that are the same but for rounding.
#[track_caller]
fn assert_close(setting: &dyn ModelSetting, what: &str, found: &[f64], expected: &[f64], tolerance: f64) {
    assert_eq!(found.len(), expected.len(), "{setting:?}: {what}");
    for (at, (x, y)) in found.iter().zip(expected).enumerate() {
        assert!((x - y).abs() <= tolerance * (1.0 + y.abs()), "{setting:?}: {what}, entry {at}: {x} and not {y}");
    }
}

/// The error of θ against itself is 0, and against another finite and not negative.
fn assert_parameter_error(
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
fn e_step(
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

fn maximum(setting: &dyn ModelSetting, model: &dyn Model, s: &[f64]) -> Vec<f64> {
    let mut theta = Vec::new();
    let repairs = model.maximize(s, DomainPolicy::Error, &mut theta);
    repairs.unwrap_or_else(|error| panic!("{setting:?}: T of a mean statistic: {error}"));
    assert!(theta.iter().all(|x| x.is_finite()), "{setting:?}: T is not finite: {theta:?}");
    theta
}
