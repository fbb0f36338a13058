//! Item responses and topic models: ranges, and what fits together. This file must not know samplers.

use fedbits_models::bifactor::Law;
use fedbits_models::data::DataKind;

use super::Findings;
use crate::schema::{Initial, Model, Partition, Protocol, Scenario};

/// A model with the data and the start that belong to it, by their names in a scenario.
struct Family {
    model: bool,
    data: bool,
    initial: bool,
    names: [&'static str; 3],
}

/// What data, model, initial value and protocol require of each other.
pub(super) fn fit(scenario: &Scenario, findings: &mut Findings) {
    let families = [
        Family {
            model: matches!(scenario.model, Model::BiFactor { .. }),
            data: scenario.data.kind() == DataKind::Responses,
            initial: matches!(scenario.initial, Initial::Loadings { .. }),
            names: ["BiFactor(…)", "Responses(…)", "Loadings(…)"],
        },
        Family {
            model: matches!(scenario.model, Model::Topics { .. }),
            data: scenario.data.kind() == DataKind::Documents,
            initial: matches!(scenario.initial, Initial::RandomTopics { .. }),
            names: ["Topics(…)", "Corpus(…)", "RandomTopics(…)"],
        },
    ];
    families.iter().for_each(|family| belong_together(scenario, family, findings));
}

fn belong_together(scenario: &Scenario, family: &Family, findings: &mut Findings) {
    let [model, data, initial] = family.names;
    let together =
        |one: &str, other: &str| (format!("`{one}` and `{other}` belong together"), format!("expected `{other}`"));
    if family.model && !family.data {
        let (message, expected) = together(model, data);
        findings.error("data", message, expected);
    }
    if family.data && !family.model {
        let (message, expected) = together(data, model);
        findings.error("model", message, expected);
    }
    if family.model != family.initial {
        let (path, message, expected) = if family.model {
            ("initial", format!("`{model}` starts with `{initial}`"), format!("expected `{initial}`"))
        } else {
            ("initial", format!("`{initial}` is a start of `{model}`"), "expected another initial value".to_owned())
        };
        findings.error(path, message, expected);
    }
    if family.model && !matches!(scenario.protocol, Protocol::FlSaem(_) | Protocol::CentralizedSaem(_)) {
        let message = format!("this protocol cannot fit `{model}`");
        findings.error("protocol", message, "expected `FlSaem(…)` or `CentralizedSaem(…)`");
    }
    if family.data && !scenario.preprocess.is_empty() {
        findings.error("preprocess", "these data are not prepared", "expected no preparation");
    }
    if family.data && scenario.partition != Partition::Iid {
        findings.error("partition", "subjects have no labels and no client column", "expected `Iid`");
    }
}

/// The items and the initial value of a bi-factor model.
pub(super) fn bi_factor(scenario: &Scenario, groups: &[usize], law: Law, findings: &mut Findings) {
    if let Some(items) = scenario.data.features().filter(|items| *items != groups.len())
        && scenario.data.kind() == DataKind::Responses
    {
        let expected = format!("expected {items}, one per item");
        findings.error("model.groups", format!("there are {} groups", groups.len()), expected);
    }
    let Initial::Loadings { variance, .. } = scenario.initial else { return };
    if law != Law::Gaussian && variance != 1.0 {
        findings.no_effect("initial.variance", "only Gaussian responses have a variance of their own");
    }
}
