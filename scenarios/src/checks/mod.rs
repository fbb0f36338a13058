//! What a scenario of the right shape can still get wrong: ranges, sizes that do not fit together, settings without
//! effect. Every rule is tried, all findings are kept. This room must not know positions in text (paths stand for
//! them), nor files.

mod data;
mod environment;
mod features;
mod kinds;
mod latent;
mod low_rank;
mod model;
mod numbers;
mod peers;
mod presence;
mod protocol;
mod rounds;
mod run;
mod saem;
mod study;

use crate::schema::{Covariance, Model, Scenario};

pub(crate) use run::arms;
pub(crate) use study::{measured, study};

use fedbits_spec::{Described, Path};
pub(crate) use fedbits_spec::{Facts, Finding, Findings, Severity};

/// All findings about one scenario (its arms apart).
pub(crate) fn scenario(scenario: &Scenario) -> Vec<Finding> {
    with_data(scenario, &Facts::default())
}

/// The same when the data were read: rules that wait for a size that only the data tell find more then.
pub(crate) fn with_data(scenario: &Scenario, measured: &Facts) -> Vec<Finding> {
    let mut findings = Findings::default();
    let facts = facts(scenario, measured);
    run::check(scenario, &mut findings);
    if kinds::belong_together(scenario, &mut findings) {
        data::check(scenario, &facts, &mut findings);
        model::check(scenario, &facts, &mut findings);
        kinds::sampled(scenario, &mut findings);
        protocol::check(scenario, &facts, &mut findings);
        low_rank::check(scenario, &mut findings);
    }
    environment::check(scenario, &facts, &mut findings);
    rounds::check(scenario, &facts, &mut findings);
    presence::check(scenario, &facts, &mut findings);
    scenario.network.check(&Path::Root.field("network"), &facts, &mut findings);
    findings.into_vec()
}

/// What is known about sizes: what was measured, else what the scenario alone says.
pub(crate) fn facts(scenario: &Scenario, measured: &Facts) -> Facts {
    let text = match &scenario.model {
        Model::GaussianMixture { components, covariance } => {
            let features = measured.features.or_else(|| data::features(scenario, &scenario.preprocess));
            let features =
                features.or(if let Covariance::Known(matrix) = covariance { Some(matrix.len()) } else { None });
            let (examples, statistic) = (scenario.data.size(), scenario.model.statistic(features));
            Facts { features, components: *components, examples, statistic, ..Facts::default() }
        }
        Model::LowRank { .. } => low_rank::facts(scenario),
        model => Facts { components: 1, statistic: model.statistic(None), ..Facts::default() },
    };
    Facts {
        clients: measured.clients.or(scenario.clients),
        features: measured.features.or(text.features),
        examples: measured.examples.or(text.examples),
        statistic: measured.statistic.or(text.statistic),
        parameters: measured.parameters,
        ..text
    }
}
