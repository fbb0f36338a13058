//! Parameters of VP-EM, and what they need of data, model and network. This file must not know messages.

use fedbits_codec::WireFloat;

use super::compressor;
use super::numbers::{POSITIVE, PROBABILITY, count, number, positive_span};
use super::{Facts, Findings, peers, protocol};
use crate::schema::{
    Compressor, Compute, Consensus, Covariance, Initial, KMeansBaseline, Model, Network, Partition, Protocol, Scenario,
    Setting, Singular, Stopping, Ties, VpBatch, VpEm,
};

const MOST_ROUNDS: u64 = 100_000;
const MOST_EXAMPLES: u64 = 1_000_000_000;
const MOST_OUTCOMES: u64 = 10_000;

pub(super) fn check(scenario: &Scenario, vp_em: &VpEm, facts: &Facts, findings: &mut Findings) {
    surroundings(scenario, facts, findings);
    match vp_em.batch {
        VpBatch::All => {}
        VpBatch::InTurn(size) | VpBatch::Random(size) => {
            let most = facts.examples.unwrap_or(MOST_EXAMPLES);
            count(findings, "protocol.batch[0]", u64::from(size), 1, most, ", at most the number of examples");
        }
    }
    if let Singular::Ridge(ridge) = vp_em.singular {
        number(findings, "protocol.singular[0]", ridge, POSITIVE);
    }
    stopping(vp_em, findings);
    setting(scenario, vp_em, facts, findings);
}

/// The baseline.
pub(super) fn kmeans(scenario: &Scenario, kmeans: KMeansBaseline, facts: &Facts, findings: &mut Findings) {
    count(findings, "protocol.iterations", kmeans.iterations as u64, 1, 10_000, "");
    count(findings, "protocol.restarts", kmeans.restarts as u64, 1, 10_000, "");
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
        let why = "with data that are divided by features a client's span per expectation stays the same";
        findings.no_effect("compute.variation", why);
    }
}

/// Clients, data, model and failures.
fn surroundings(scenario: &Scenario, facts: &Facts, findings: &mut Findings) {
    // That curves are fitted by other protocols is told by `saem::fit`.
    if let Model::GaussianMixture { covariance, .. } = &scenario.model
        && *covariance != Covariance::Full
    {
        let expected = "expected `Full`: entries between the blocks of features are 0 by themselves";
        findings.error("model.covariance", "VP-EM fits a covariance per component and block", expected);
    }
    divided(scenario, facts, findings);
    let copes = matches!(
        &scenario.protocol,
        Protocol::VpEm(vp_em) if matches!(vp_em.setting, Setting::Decentralized { consensus: Consensus::Lossy { .. }, .. })
    );
    if !copes {
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

fn stopping(vp_em: &VpEm, findings: &mut Findings) {
    let tolerance = match vp_em.stopping {
        Stopping::Never => return,
        Stopping::Alone { tolerance, margin } => {
            if !(margin >= 0.0 && margin < tolerance) {
                findings.error(
                    "protocol.stopping.margin",
                    format!("the margin is {margin}"),
                    "expected 0 or more, below the tolerance",
                );
            }
            tolerance
        }
        Stopping::Flood { tolerance } => tolerance,
    };
    number(findings, "protocol.stopping.tolerance", tolerance, POSITIVE);
    if vp_em.batch != VpBatch::All {
        findings.caveat("protocol.stopping", "log-likelihoods of different batches are compared");
    }
}

fn setting(scenario: &Scenario, vp_em: &VpEm, facts: &Facts, findings: &mut Findings) {
    let Setting::Decentralized { hops, ties, weights, consensus, .. } = &vp_em.setting else {
        if !matches!(scenario.network, Network::Star { .. }) {
            findings.error("network", "in the federated setting clients talk to a server", "expected `Star(…)`");
        }
        return even_speed(scenario, findings);
    };
    peers::network(scenario, findings);
    peers::computing(scenario, findings);
    count(findings, "protocol.setting.hops", u64::from(*hops), 0, 1_000, "");
    if let Ties::Outcome(outcome) = ties {
        count(findings, "protocol.setting.ties[0]", *outcome as u64, 0, MOST_OUTCOMES - 1, "");
    }
    peers::weights(weights, "protocol.setting.weights", scenario.clients, findings);
    rounds(scenario, vp_em, consensus, facts, findings);
}

fn rounds(scenario: &Scenario, vp_em: &VpEm, consensus: &Consensus, facts: &Facts, findings: &mut Findings) {
    let path = "protocol.setting.consensus";
    match *consensus {
        Consensus::Rounds(rounds) | Consensus::Chebyshev(rounds) => {
            count(findings, &format!("{path}[0]"), u64::from(rounds), 0, MOST_ROUNDS, "");
        }
        Consensus::Adaptive { tolerance, at_most, .. } => {
            number(findings, &format!("{path}.tolerance"), tolerance, POSITIVE);
            count(findings, &format!("{path}.at_most"), u64::from(at_most), 1, MOST_ROUNDS, "");
        }
        Consensus::Lossy { rounds, patience, .. } => {
            count(findings, &format!("{path}.rounds"), u64::from(rounds), 1, MOST_ROUNDS, "");
            if let Some(patience) = patience {
                positive_span(findings, &format!("{path}.patience"), patience);
            }
            if vp_em.stopping != Stopping::Never {
                let found =
                    "sums of a lossy consensus are known when everybody has finished: no root can stop by itself";
                findings.error("protocol.stopping", found, "expected `Never`");
            }
        }
        Consensus::Choco { rounds, step, compressor: ref operator, tracking } => {
            count(findings, &format!("{path}.rounds"), u64::from(rounds), 1, MOST_ROUNDS, "");
            number(findings, &format!("{path}.step"), step, PROBABILITY);
            compressor::check(findings, &format!("{path}.compressor"), operator, None);
            if let Some(length) = shortest_piece(scenario, facts) {
                fits(findings, &format!("{path}.compressor"), operator, length);
            }
            if tracking && vp_em.batch != VpBatch::All {
                let found = "states of other examples cannot be tracked";
                findings.error(format!("{path}.tracking"), found, "expected `tracking: false`, or `batch: All`");
            }
        }
    }
}

/// The shortest vector that a quantized consensus codes: K numbers for each of 32 examples, or of the last ones where these are fewer.
fn shortest_piece(scenario: &Scenario, facts: &Facts) -> Option<u64> {
    let Model::GaussianMixture { components, .. } = scenario.model else { return None };
    let rest = facts.examples? % 32;
    Some(components as u64 * if rest == 0 { 32 } else { rest })
}

/// Do the operator's parameters fit vectors of this length?
fn fits(findings: &mut Findings, path: &str, operator: &Compressor, length: u64) {
    if let Err(error) = operator.build(WireFloat::F64, 1).validate(length as usize) {
        let found = "differences are coded 32 examples at a time, and the shortest piece";
        findings.error(path, format!("{found} has {length} numbers"), error.to_string());
    }
}
