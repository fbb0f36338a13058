//! What a scenario of the right shape can still get wrong: ranges, sizes that do not fit together, settings without
//! effect. Every rule is tried, all findings are kept. This room must not know positions in text (paths stand for
//! them), nor files.

mod arms;
mod byzantine;
mod data;
mod environment;
mod features;
mod figures;
mod measured;
mod model;
mod offers;
mod parts;
mod peers;
mod protocol;
mod rounds;
mod run;
mod search;
mod secrecy;

use fedbits_models::data::Shape;

use crate::schema::Scenario;

pub(crate) use arms::{levels, runs, targets};
pub(crate) use figures::declared;
pub(crate) use measured::{columns, may_measure, measured_by};
pub(crate) use offers::offered;
pub use run::idle_rules;
pub(crate) use search::is_within;
pub(crate) use secrecy::loses;

use fedbits_spec::{Described, Path};
pub(crate) use fedbits_spec::{Facts, Finding, Findings, Severity};

/// Every arm is read as a text of its own: no more than this of all together.
pub(crate) const MOST_BYTES: usize = 32 << 20;

/// All findings about one scenario (its arms apart).
pub(crate) fn scenario(scenario: &Scenario) -> Findings {
    with_data(scenario, &Facts::default())
}

/// The same when the data were read: rules that wait for a size that only the data tell find more then.
pub(crate) fn with_data(scenario: &Scenario, measured: &Facts) -> Findings {
    let mut findings = Findings::default();
    let facts = facts(scenario, measured);
    if scenario.base.is_some() {
        let expected = "expected it in the file, as a text: `base: \"quickstart\"`";
        findings.error("base", "the base is what all else is laid over: it cannot be set", expected);
    }
    run::check(scenario, &mut findings);
    if model::belong_together(scenario, &mut findings) {
        data::check(scenario, &facts, &mut findings);
        model::check(scenario, &facts, &mut findings);
        protocol::check(scenario, &facts, &mut findings);
    }
    environment::check(scenario, &facts, &mut findings);
    rounds::check(scenario, &facts, &mut findings);
    secrecy::check(scenario, &facts, &mut findings);
    byzantine::check(scenario, &facts, &mut findings);
    scenario.network.check(&Path::Root.field("network"), &facts, &mut findings);
    findings
}

/// What is known about sizes: what was measured, else what the scenario alone says.
pub(crate) fn facts(scenario: &Scenario, measured: &Facts) -> Facts {
    let model = &scenario.model;
    let features =
        measured.features.or_else(|| data::features(scenario, &scenario.preprocess)).or(model.facts().features);
    let data = scenario.data.facts();
    let shape = data.shape;
    let statistic = model.statistic(&Shape { features: features.or(shape.features), ..shape });
    Facts {
        clients: measured.clients.or(scenario.clients),
        features,
        components: model.facts().components.unwrap_or(1),
        examples: measured.examples.or(data.size),
        statistic: measured.statistic.or(statistic),
        latent: model.sampled().map(|model| model.abilities().latent),
        parameters: measured.parameters,
        vector: None,
    }
}
