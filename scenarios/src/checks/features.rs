//! Data whose features are divided over agents.

use super::{Facts, Findings};
use crate::schema::{Compute, Partition, Scenario, Shape};
use fedbits_spec::so_many;

/// Features are divided, and among whom. Without a graph there is a server.
pub(super) fn check(scenario: &Scenario, facts: &Facts, findings: &mut Findings) {
    if !scenario.protocol.over().is_among_peers() {
        around_a_server(scenario, findings);
    }
    match &scenario.partition {
        Partition::Features(lists) => features(scenario, lists, facts, findings),
        Partition::EvenFeatures => {
            let pair = scenario.clients.zip(facts.features);
            if let Some((clients, features)) = pair.filter(|(clients, features)| clients > features) {
                let found = format!(
                    "{} share {}: somebody would have none",
                    so_many(clients, "agent"),
                    so_many(features, "feature")
                );
                findings.error("clients", found, format!("expected at most {features}"));
            }
        }
        _ => {
            let expected = "expected `EvenFeatures` or `Features([[0, 1], [2]])`";
            findings.error("partition", "this protocol needs data that are divided by features", expected);
        }
    }
}

fn around_a_server(scenario: &Scenario, findings: &mut Findings) {
    if scenario.network.shape != Shape::Star {
        let found = "clients that share the features of examples send to a server";
        findings.error("network.shape", found, "expected `Star`");
    }
    // Only rounds of the star draw anew how long work takes.
    if scenario.compute.variation != Compute::default().variation {
        let why = "with data that are divided by features a client's duration per expectation stays the same";
        findings.no_effect("compute.variation", why);
    }
}

fn features(scenario: &Scenario, lists: &[Vec<usize>], facts: &Facts, findings: &mut Findings) {
    let path = "partition[0]";
    if let Some(clients) = scenario.clients.filter(|&clients| clients != lists.len()) {
        findings.error(
            path,
            so_many(lists.len(), "list of features is given|lists of features are given"),
            format!("expected {clients}, one per agent"),
        );
    }
    let largest = lists.iter().flatten().max().map_or(0, |most| most + 1);
    let dimension = facts.features.unwrap_or(largest);
    let mut owners: Vec<Option<usize>> = vec![None; dimension];
    for (list, features) in lists.iter().enumerate() {
        let place = format!("{path}[{list}]");
        if features.is_empty() {
            findings.error(&place, "this agent has no features", "expected at least one");
        }
        for (at, &feature) in features.iter().enumerate() {
            let place = format!("{place}[{at}]");
            match owners.get_mut(feature) {
                None => {
                    let expected = format!("expected 0 to {}", dimension.saturating_sub(1));
                    findings.error(&place, format!("the data have no feature {feature}"), expected);
                }
                Some(owner) => {
                    if let Some(first) = owner.replace(list) {
                        let found = format!("feature {feature} belongs to agent {first} already");
                        findings.error(&place, found, "expected every feature at exactly one agent");
                    }
                }
            }
        }
    }
    let missing: Vec<String> = (0..dimension).filter(|&at| owners[at].is_none()).map(|at| at.to_string()).collect();
    if !missing.is_empty() {
        let found = format!("nobody has feature {}", missing.join(", "));
        findings.error(path, found, "expected every feature at exactly one agent");
    }
}
