//! Low-rank imputation: its data, its model and FedMissEM, against each other. This file must not know the mathematics.

use fedbits_models::data::csv::CountsFile;
use fedbits_models::data::visits::Visits;
use fedbits_models::low_rank::Matrices;

use super::numbers::count;
use super::{Facts, Findings};
use crate::schema::{
    Broadcast, Data, Domain, Downlink, FedEm, Late, Model, Protocol, Round, Scenario, VarianceReduction, Weighting,
};

/// What is known of the sizes. FedMissEM compresses as many numbers as a client has cells, which only the data tell.
pub(super) fn facts(scenario: &Scenario) -> Facts {
    let cells = scenario.data.get::<Visits>().and_then(|visits| visits.sites.checked_mul(visits.times));
    let examples = scenario.data.size();
    let sparse = matches!(scenario.protocol, Protocol::FedMissEm(_));
    let statistic = cells.filter(|_| !sparse);
    Facts { features: Some(3), components: 1, examples, statistic, ..Facts::default() }
}

pub(super) fn check(scenario: &Scenario, findings: &mut Findings) {
    let Model::LowRank { rank, matrices, .. } = &scenario.model else {
        if matches!(scenario.protocol, Protocol::FedMissEm(_)) {
            findings.error("protocol", "FedMissEM imputes low-rank matrices", "expected the model `LowRank(…)`");
        }
        return;
    };
    count(findings, "model.rank", *rank as u64, 1, smaller_side(&scenario.data), ", at most the smaller side");
    if !scenario.preprocess.is_empty() {
        findings.error("preprocess", "counts cannot be prepared: they would no longer be counts", "expected none");
    }
    if matches!(matrices, Matrices::PerObserver)
        && scenario.data.get::<CountsFile>().is_some_and(|counts| !counts.names_observers())
    {
        findings
            .caveat("model.matrices", "no column names observers: every count is an observer with a matrix of its own");
    }
    if !fits(&scenario.protocol) {
        let expected =
            "expected `FedMissEm(…)`, `FedEm(…)`, `CentralizedEm(…)`, `DistributedEm(…)`, `Ef21(…)` or `Marina(…)`";
        findings.error("protocol", "this protocol cannot fit `LowRank(…)`", expected);
    }
    if let Protocol::FedMissEm(fed_em) = &scenario.protocol {
        without_effect(fed_em, findings);
        rounds(scenario, findings);
    }
}

/// Protocols that use a model by its statistic and its map T alone. Others sample, add parameters, or know mixtures.
fn fits(protocol: &Protocol) -> bool {
    matches!(
        protocol,
        Protocol::FedMissEm(_)
            | Protocol::FedEm(_)
            | Protocol::CentralizedEm(_)
            | Protocol::DistributedEm(_)
            | Protocol::Ef21(_)
            | Protocol::Marina(_)
    )
}

/// What its memories cannot follow.
fn rounds(scenario: &Scenario, findings: &mut Findings) {
    if matches!(scenario.round, Round::Asynchronous | Round::Buffered(_)) {
        let expected = "expected `WaitForAll`, `Deadline(…)` or `First(…)`";
        findings.error("round", "FedMissEM works in rounds", expected);
    }
    if scenario.late != Late::default() {
        findings.error("late", "FedMissEM does not apply late contributions", "expected `Discard`");
    }
    if scenario.dropout.loses_state() {
        findings.error(
            "dropout",
            "clients of FedMissEM cannot get their memories back",
            "expected clients that keep their state",
        );
    }
}

/// r is at most this, as far as the scenario alone tells.
fn smaller_side(data: &Data) -> u64 {
    let side = match (data.get::<Visits>(), data.get::<CountsFile>()) {
        (Some(visits), _) => Some(visits.sites.min(visits.times)),
        (_, counts) => counts.and_then(CountsFile::times),
    };
    side.map_or(u64::from(u32::MAX), |side| side as u64)
}

/// Settings of FedEM that its low-rank form does not have.
fn without_effect(fed_em: &FedEm, findings: &mut Findings) {
    if fed_em.broadcast != Broadcast::default() {
        findings.no_effect("protocol.broadcast", "FedMissEM always broadcasts the factors of θ");
    }
    if fed_em.downlink != Downlink::Whole {
        findings.no_effect("protocol.downlink", "FedMissEM always broadcasts the factors of θ");
    }
    if fed_em.domain != Domain::default() {
        findings.no_effect("protocol.domain", "every statistic of a low-rank model has parameters");
    }
    if fed_em.variance_reduction != VarianceReduction::default() {
        let expected = "expected no `variance_reduction`";
        findings.error("protocol.variance_reduction", "FedMissEM has no variance-reduced form", expected);
    }
    if fed_em.compressor.divides_among_clients() {
        let why = "PermK deals out the coordinates of one vector, and clients of FedMissEM have different ones";
        findings.error("protocol.compressor", why, "expected another compressor");
    }
    if fed_em.weighting != Weighting::default() {
        findings.no_effect("protocol.weighting", "every observation counts the same");
    }
}
