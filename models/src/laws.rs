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
mod sparse;
mod steps;

use fedbits_random::Streams;
use fedbits_spec::{Facts, assert_sound};

use crate::data::Observations;
use crate::fit::{Given, Moment};
use crate::setting::ModelSetting;

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
    assert!(setting.starts().contains(&initial.name()), "{setting:?}: it does not know its own start");
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
        sparse::laws(setting, table, &given);
        output::laws(setting, &theta, &observations);
        let agree = |what: &str, has: bool, says: bool| {
            assert_eq!(has, says, "{setting:?}: the model has `{what}` (left), its setting says so (right)");
        };
        let components = fit.model.clusters().map(|clusters| clusters.components());
        assert_eq!(components, setting.components(), "{setting:?}: components of the model (left), of its setting");
        agree("parameters", fit.model.parameters().is_some(), em.averages_parameters());
        agree("pooling", fit.model.pooling().is_some(), em.pools_fits());
        agree("descent", fit.model.descent().is_some(), em.descends());
        agree("coordinates", fit.model.coordinates().is_some(), em.lacks_coordinates().is_none());
    }
    if let Some(model) = setting.sampled() {
        let fit = model.fit(observations.clone(), &given).unwrap_or_else(|error| panic!("{setting:?}: {error}"));
        assert_eq!(fit.model.abilities(), model.abilities(), "{setting:?}: abilities");
        let theta = sampled::laws(setting, &fit, q);
        output::laws(setting, &theta, &observations);
    }
}
