//! What VP-EM and k-means need of data, model and network.

use fedbits_spec::{Described, Path};

use super::{Facts, Findings, peers, protocol};
use crate::schema::{
    Compute, Consensus, Covariance, Initial, KMeansBaseline, Model, Network, Partition, Scenario, Setting, VpEm,
};

pub(super) fn check(scenario: &Scenario, vp_em: &VpEm, facts: &Facts, findings: &mut Findings) {
    surroundings(scenario, vp_em, facts, findings);
    vp_em.check(&Path::Root.field("protocol"), facts, findings);
    if vp_em.setting != Setting::Federated {
        peers::network(scenario, findings);
        return peers::computing(scenario, findings);
    }
    if !matches!(scenario.network, Network::Star { .. }) {
        findings.error("network", "in the federated setting clients talk to a server", "expected `Star(…)`");
    }
    even_speed(scenario, findings);
}

/// The baseline.
pub(super) fn kmeans(scenario: &Scenario, kmeans: KMeansBaseline, facts: &Facts, findings: &mut Findings) {
    kmeans.check(&Path::Root.field("protocol"), facts, findings);
    if scenario.initial != Initial::default() {
        findings.no_effect("initial", "every attempt of k-means draws its own centres");
    }
    if !kmeans.vertical {
        return protocol::centralized(scenario, findings);
    }
    divided(scenario, facts, findings);
    if !matches!(scenario.network, Network::Star { .. }) {
        findings.error("network", "clients of the vertical k-means talk to a server", "expected `Star(…)`");
    }
    peers::losses(scenario, findings);
    peers::nobody_is_missing(scenario, findings);
    even_speed(scenario, findings);
}

/// Only rounds of the star draw how long work takes anew.
fn even_speed(scenario: &Scenario, findings: &mut Findings) {
    if scenario.compute.variation != Compute::default().variation {
        let why = "with data that are divided by features a client's duration per expectation stays the same";
        findings.no_effect("compute.variation", why);
    }
}

/// Clients, data, model and failures.
fn surroundings(scenario: &Scenario, vp_em: &VpEm, facts: &Facts, findings: &mut Findings) {
    // That curves are fitted by other protocols is told by `kinds::sampled`.
    if let Model::GaussianMixture { covariance, .. } = &scenario.model
        && *covariance != Covariance::Full
    {
        let expected = "expected `Full`: entries between the blocks of features are 0 by themselves";
        findings.error("model.covariance", "VP-EM fits a covariance per component and block", expected);
    }
    divided(scenario, facts, findings);
    if !matches!(vp_em.consensus(), Some(Consensus::Lossy { .. })) {
        peers::losses(scenario, findings);
    }
    peers::nobody_is_missing(scenario, findings);
}

/// Features are divided over agents.
fn divided(scenario: &Scenario, facts: &Facts, findings: &mut Findings) {
    match &scenario.partition {
        Partition::Features(lists) => features(scenario, lists, facts, findings),
        Partition::EvenFeatures => {
            let pair = scenario.clients.zip(facts.features);
            if let Some((clients, features)) = pair.filter(|(clients, features)| clients > features) {
                let found = format!("{clients} agents share {features} features: somebody would have none");
                findings.error("clients", found, format!("expected at most {features}"));
            }
        }
        _ => {
            let expected = "expected `EvenFeatures` or `Features([[0, 1], [2]])`";
            findings.error("partition", "VP-EM needs data that are divided by features", expected);
        }
    }
}

fn features(scenario: &Scenario, lists: &[Vec<usize>], facts: &Facts, findings: &mut Findings) {
    let path = "partition[0]";
    if let Some(clients) = scenario.clients.filter(|&clients| clients != lists.len()) {
        findings.error(
            path,
            format!("there are {} lists of features", lists.len()),
            format!("expected {clients}, one per agent"),
        );
    }
    let largest = lists.iter().flatten().max().map_or(0, |most| most + 1);
    let dimension = facts.features.unwrap_or(largest);
    let mut owners: Vec<Option<usize>> = vec![None; dimension];
    for (list, features) in lists.iter().enumerate() {
        let own = format!("{path}[{list}]");
        if features.is_empty() {
            findings.error(&own, "this agent has no features", "expected at least one");
        }
        for (at, &feature) in features.iter().enumerate() {
            let own = format!("{own}[{at}]");
            match owners.get_mut(feature) {
                None => {
                    let expected = format!("expected 0 to {}", dimension.saturating_sub(1));
                    findings.error(&own, format!("the data have no feature {feature}"), expected);
                }
                Some(owner) => {
                    if let Some(first) = owner.replace(list) {
                        let found = format!("feature {feature} belongs to agent {first} already");
                        findings.error(&own, found, "expected every feature at exactly one agent");
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
