//! Item responses and topic models: ranges, and what fits together. This file must not know samplers.

use fedbits_models::data::DataKind;

use super::numbers::{FINITE, POSITIVE, count, number};
use super::{Facts, Findings};
use crate::schema::{Initial, Model, Partition, Protocol, ResponseLaw, Scenario};

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

/// Model and initial value.
pub(super) fn model(scenario: &Scenario, findings: &mut Findings) {
    match &scenario.model {
        Model::BiFactor { groups, law } => bi_factor(scenario, groups, *law, findings),
        Model::Topics { topics, alpha, smoothing } => {
            count(findings, "model.topics", *topics as u64, 2, 1_000, "");
            number(findings, "model.alpha", *alpha, POSITIVE);
            number(findings, "model.smoothing", *smoothing, POSITIVE);
        }
        _ => {}
    }
    if let Initial::RandomTopics { concentration } = scenario.initial {
        number(findings, "initial.concentration", concentration, POSITIVE);
    }
}

fn bi_factor(scenario: &Scenario, groups: &[usize], law: ResponseLaw, findings: &mut Findings) {
    let most = groups.iter().copied().max().unwrap_or(0);
    if groups.is_empty() {
        findings.error("model.groups", "there are no items", "expected the group of every item");
    }
    for (index, &group) in groups.iter().enumerate() {
        count(
            findings,
            &format!("model.groups[{index}]"),
            group as u64,
            1,
            groups.len() as u64,
            ", at most one group per item",
        );
    }
    if most <= groups.len() {
        let mut sizes = vec![0_usize; most + 1];
        groups.iter().for_each(|&group| sizes[group] += 1);
        for (group, &size) in sizes.iter().enumerate().skip(1) {
            match size {
                0 => findings.error(
                    "model.groups",
                    format!("no item is in group {group}"),
                    "expected groups without gaps",
                ),
                1 => findings.caveat(
                    "model.groups",
                    format!("group {group} has one item: its loading cannot be told from what is left of the item"),
                ),
                _ => {}
            }
        }
    }
    if let Some(items) = scenario.data.features().filter(|items| *items != groups.len())
        && scenario.data.kind() == DataKind::Responses
    {
        let expected = format!("expected {items}, one per item");
        findings.error("model.groups", format!("there are {} groups", groups.len()), expected);
    }
    let Initial::Loadings { intercept, general, specific, variance } = scenario.initial else { return };
    number(findings, "initial.intercept", intercept, FINITE);
    number(findings, "initial.general", general, POSITIVE);
    number(findings, "initial.specific", specific, POSITIVE);
    number(findings, "initial.variance", variance, POSITIVE);
    if law != ResponseLaw::Gaussian && variance != 1.0 {
        findings.no_effect("initial.variance", "only Gaussian responses have a variance of their own");
    }
}

/// q, where the scenario alone tells it.
pub(super) fn facts(model: &Model) -> Facts {
    let statistic = match model {
        Model::BiFactor { groups, law } => {
            let most = groups.iter().copied().max().unwrap_or(0).min(groups.len());
            Some(match law {
                ResponseLaw::Gaussian => 2 + 3 * most + 4 * groups.len(),
                ResponseLaw::Probit => 2 + 3 * most + 3 * groups.len(),
                ResponseLaw::Logit => 9 * groups.len(),
            })
        }
        _ => None,
    };
    Facts { components: 1, statistic, ..Facts::default() }
}
