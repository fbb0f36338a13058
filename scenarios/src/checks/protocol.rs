//! The protocol, and what it needs of rounds, failures, network and partition.

use fedbits_protocols::fedem::Domain;
use fedbits_protocols::over::Over;
use fedbits_protocols::plan::MAX_CLIENTS;
use fedbits_protocols::setting::RunFacts;
use fedbits_spec::{Described, Path, Severity};

use super::parts::{given, void};
use super::{Facts, Findings, features, peers};
use crate::schema::{Aggregation, Availability, Compute, Holdout, Initial, Partition, Preprocess, Scenario};

pub(super) fn check(scenario: &Scenario, facts: &Facts, findings: &mut Findings) {
    let (protocol, over) = (&scenario.protocol, scenario.protocol.over());
    // Operators of other protocols work on other vectors: their settings know which.
    let of_statistics = matches!(over, Over::Examples(_) | Over::PeerExamples(_));
    let vector = facts.statistic.filter(|_| of_statistics);
    protocol.check(&Path::Root.field("protocol"), &facts.with_vector(vector), findings);
    protocol.check_run(&run_facts(scenario, facts), findings);
    if scenario.partition.is_by_feature() && !over.is_by_feature() {
        let expected = "expected a partition of the examples, or `protocol: VpEm(…)`";
        findings.error("partition", "only VP-EM works on data that are divided by features", expected);
    }
    if matches!(over, Over::Table(_)) && scenario.initial != Initial::default() {
        findings.no_effect("initial", "every attempt of k-means draws its own centres");
    }
    if protocol.profile().is_centralized {
        return centralized(scenario, &over, findings);
    }
    if over.is_by_feature() {
        features::check(scenario, facts, findings);
    }
    if !over.has_rounds() {
        peers::nobody_is_missing(scenario, findings);
        if !protocol.profile().copes_with_losses {
            peers::losses(scenario, findings);
        }
    }
    if over.is_among_peers() {
        peers::network(scenario, findings);
        peers::computing(scenario, findings);
    }
}

/// What protocols may know of the rest of the scenario.
pub(super) fn run_facts<'a>(scenario: &'a Scenario, facts: &'a Facts) -> RunFacts<'a> {
    let equal = matches!(scenario.partition, Partition::Iid | Partition::InOrder | Partition::SortedByLabel);
    let clients = facts.clients.filter(|&clients| equal && clients > 0);
    let there = share_there(scenario, facts);
    RunFacts {
        facts,
        model: &*scenario.model,
        participation: scenario.protocol.profile().participation,
        round: scenario.round,
        late: scenario.late,
        equal,
        share: facts.examples.zip(clients).map(|(examples, clients)| examples.div_ceil(clients as u64)),
        absent: scenario.availability != Availability::default(),
        there,
        by_the_clock: there.is_some() && scenario.availability.build(1).goes_by_the_clock(),
        dropout: scenario.dropout,
        loses_messages: scenario.network.loses_messages(),
        secure: scenario.aggregation.is_secure(),
        private: scenario.privacy.is_some(),
        robust: match scenario.aggregation {
            Aggregation::Robust(robust) => Some(robust),
            _ => None,
        },
    }
}

/// The share of time in which a client is there, of an availability in which nothing is wrong.
fn share_there(scenario: &Scenario, facts: &Facts) -> Option<f64> {
    let mut found = Findings::default();
    scenario.availability.check(&Path::Root, facts, &mut found);
    let wrong = found.iter().any(|finding| finding.severity == Severity::Error);
    let clients = facts.clients.unwrap_or(MAX_CLIENTS as usize);
    if wrong { None } else { scenario.availability.share(clients) }
}

/// Why settings of clients and network mean nothing when all data are in one place.
pub(super) const IN_ONE_PLACE: &str = "an algorithm in one place has no clients, no network and no rounds to close";

/// Settings of clients and network, where all data are in one place.
fn centralized(scenario: &Scenario, over: &Over<'_>, findings: &mut Findings) {
    // Whose examples are held out together, or standardized together, is said there.
    let divides = matches!(scenario.holdout, Some(Holdout::Clients(_)))
        || scenario.preprocess.iter().any(Preprocess::needs_clients);
    if !divides {
        void(findings, IN_ONE_PLACE, given!(scenario; clients, partition));
    }
    void(findings, IN_ONE_PLACE, given!(scenario; round, late, staleness, network, availability, dropout));
    let usual = Compute::default();
    void(findings, IN_ONE_PLACE, given!("compute.", scenario.compute, usual; expectation, variation, slow));
    if !over.is_sampled() && scenario.protocol.profile().domain == Domain::SkipRound {
        let why = "a skipped step in one place would repeat itself forever";
        findings.error("protocol.domain", why, "expected `Error` or `Clip(floor: …)`");
    }
}
