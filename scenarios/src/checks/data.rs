//! Preparation and partition of the data, and how many clients there are.

use fedbits_models::data::DataKind;
use fedbits_protocols::over::Over;
use fedbits_spec::range::{Range, whole};
use fedbits_spec::{Caveat, Described, Path, so_many};
use serde::Serialize;

use super::parts::count;
use super::{Facts, Findings};
use crate::schema::{Holdout, Partition, Preprocess, Scenario};

/// d before a step of the preparation, or after the last, as far as the scenario alone tells.
pub(super) fn features(scenario: &Scenario, steps: &[Preprocess]) -> Option<usize> {
    let data = scenario.data.facts();
    steps.iter().fold(data.shape.features, |features, step| step.features(features, data.is_drawn))
}

pub(super) fn check(scenario: &Scenario, facts: &Facts, findings: &mut Findings) {
    scenario.data.check_part(&Path::Root.field("data"), facts, findings);
    preparation(scenario, findings);
    leak(scenario, findings);
    holdout(scenario, facts, findings);
    partition(scenario, facts, findings);
}

fn holdout(scenario: &Scenario, facts: &Facts, findings: &mut Findings) {
    let Some(holdout) = &scenario.holdout else { return };
    let path = Path::Root.field("holdout");
    Described::check(holdout, &path, facts, findings);
    let kind = scenario.data.kind();
    if matches!(kind, DataKind::Counts | DataKind::Documents) {
        let expected = "expected no `holdout`: counts and documents are held out by fields of their own (`held_out` of \
             `Counts` and `Visits`, `hold_out_every` of `Corpus` and `Documents`)";
        findings.error(path, "of these data no examples can be held out here", expected);
    } else if matches!(scenario.protocol.over(), Over::Table(_)) {
        findings.no_effect(path, "k-means has no density to judge examples by");
    } else if matches!(holdout, Holdout::Clients(_)) && scenario.partition != Partition::ClientColumn {
        let expected = "expected `Rows(…)`, or `partition: ClientColumn`";
        findings.error(path, "whole clients can be held out where a client column names them", expected);
    }
}

fn preparation(scenario: &Scenario, findings: &mut Findings) {
    let steps = &scenario.preprocess;
    for (index, step) in steps.iter().enumerate() {
        let path = Path::Root.field("preprocess");
        let path = path.index(index);
        match step {
            Preprocess::Pca(components) => {
                let high = features(scenario, &steps[..index]).map_or(u64::MAX, |features| features as u64);
                let range = whole(1, high).note(", at most the number of features");
                range.check(components, &path, &Facts::default(), findings);
            }
            Preprocess::Center if steps.get(index + 1) == Some(&Preprocess::Standardize) => {
                findings.no_effect(path, "`Standardize` right after it subtracts the means itself");
            }
            Preprocess::StandardizePerClient | Preprocess::StandardizeFederated => {
                per_client(scenario, path, step, findings)
            }
            // The logarithm of a logarithm is another step.
            Preprocess::Log(_) => {}
            _ if index > 0 && steps[index - 1] == *step => {
                findings.no_effect(path, "the same step stands right before it");
            }
            _ => {}
        }
    }
}

/// What needs to know who has which example, and who merges moments.
fn per_client(scenario: &Scenario, path: Path<'_>, step: &Preprocess, findings: &mut Findings) {
    let over = scenario.protocol.over();
    if scenario.partition.is_by_feature() {
        let found = "clients have whole columns";
        findings.error(path, found, "expected `Standardize`, which each of them can do by itself");
    } else if *step == Preprocess::StandardizeFederated && over.is_among_peers() {
        findings.error(path, "there is no server that could merge moments", "expected `StandardizePerClient`");
    } else if *step == Preprocess::StandardizePerClient && matches!(scenario.holdout, Some(Holdout::Rows(_))) {
        let expected = "expected `StandardizeFederated`, or `holdout: Clients(…)`";
        findings.error(path, "rows that are held out belong to no client", expected);
    }
}

/// Preparation that looks at the data of all clients together is a caveat. Who has whole columns prepares each of them
/// alone, but no principal components.
fn leak(scenario: &Scenario, findings: &mut Findings) {
    if scenario.protocol.profile().is_centralized {
        return;
    }
    let by_feature = scenario.partition.is_by_feature();
    let leaks = |step: &&Preprocess| step.leaks() && (!by_feature || matches!(step, Preprocess::Pca(_)));
    let leaks: Vec<String> = scenario.preprocess.iter().filter(leaks).map(|step| format!("`{}`", name(step))).collect();
    if !leaks.is_empty() {
        let instead = match by_feature {
            true => "columns that clients prepare by themselves are none",
            false => "`StandardizePerClient` and `StandardizeFederated` are none",
        };
        findings.caveat(Caveat::Leak { steps: leaks.join(", "), instead: instead.to_owned() });
    }
}

/// A part without its settings.
fn name(part: &impl Serialize) -> String {
    fedbits_text::write(part).split('(').next().unwrap_or_default().to_owned()
}

fn partition(scenario: &Scenario, facts: &Facts, findings: &mut Findings) {
    match scenario.partition {
        Partition::SortedByLabel | Partition::Dirichlet { .. } if !scenario.data.facts().is_labelled => {
            let expected = "expected data with labels: set `label` of `Csv`, or `labels` of `Idx`";
            findings.error("partition", "this partition needs labels, and the data have none", expected);
        }
        Partition::Observers if scenario.data.kind() != DataKind::Counts => {
            findings.error("partition", "the data have no observers", "expected data `Counts` or `Visits`");
        }
        Partition::ClientColumn if !scenario.data.facts().names_clients => {
            let expected = "expected `Csv` data with the column `client`";
            findings.error("partition", "the data have no client column", expected);
        }
        Partition::ClientColumn => {}
        _ if scenario.data.facts().names_clients && !scenario.protocol.profile().is_centralized => {
            let how = match scenario.partition.is_by_feature() {
                true => "divides columns, not their examples",
                false => "deals their examples out without a look at them",
            };
            findings.caveat(Caveat::NamedClients { partition: name(&scenario.partition), how: how.to_owned() });
        }
        _ => {}
    }
    Described::check(&scenario.partition, &Path::Root.field("partition"), facts, findings);
    clients(scenario, facts, findings);
}

fn clients(scenario: &Scenario, facts: &Facts, findings: &mut Findings) {
    let by_column = scenario.partition == Partition::ClientColumn;
    match scenario.clients {
        // That the data have no such column is a problem of its own.
        Some(_) if by_column && !scenario.data.facts().names_clients => {}
        Some(_) if by_column => findings.no_effect("clients", "the client column decides how many there are"),
        Some(clients) => {
            let inside = count(findings, "clients", clients as u64, 1, 10_000_000, "");
            if let (Some(examples), true, false) = (facts.examples, inside, scenario.partition.is_by_feature())
                && facts.clients.unwrap_or(clients) as u64 > examples
            {
                let what = scenario.data.kind().units();
                let expected = format!("expected at most {examples}, the number of {what}");
                findings.error("clients", format!("{} share {examples} {what}", so_many(clients, "client")), expected);
            }
        }
        None if by_column || scenario.protocol.profile().is_centralized => {}
        None => findings.error("clients", "the number of clients is missing", "expected `clients: …` in here"),
    }
}
