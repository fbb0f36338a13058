//! Low-rank imputation: its data, its model and FedMissEM, against each other. This file must not know the mathematics.

use super::numbers::{LARGE, NATURAL, SHARE, SIGMA, SPREAD, count, number};
use super::{Facts, Findings};
use crate::schema::{
    Arrangement, Broadcast, Data, Domain, Downlink, Family, FedEm, Initial, Late, Matrices, Model, Protocol, Round,
    Scenario, VarianceReduction, Weighting,
};

/// Cells are numbered in 32 bits.
const MOST_CELLS: u64 = u32::MAX as u64;

/// What is known of the sizes. FedMissEM compresses as many numbers as a client has cells, which only the data tell.
pub(super) fn facts(scenario: &Scenario) -> Facts {
    let (examples, cells) = match &scenario.data {
        Data::Visits { sites, times, observations, .. } => (Some(*observations as u64), sites.checked_mul(*times)),
        _ => (None, None),
    };
    let sparse = matches!(scenario.protocol, Protocol::FedMissEm(_));
    let statistic = cells.filter(|_| !sparse);
    Facts { features: Some(3), components: 1, examples, statistic, ..Facts::default() }
}

pub(super) fn check(scenario: &Scenario, findings: &mut Findings) {
    let counts = matches!(scenario.data, Data::Counts { .. } | Data::Visits { .. });
    let Model::LowRank { rank, lambda, family, matrices, steps } = &scenario.model else {
        if counts {
            findings.error("model", "counts by site and time need the model `LowRank`", "expected `LowRank(…)`");
        }
        if matches!(scenario.protocol, Protocol::FedMissEm(_)) {
            findings.error("protocol", "FedMissEM imputes low-rank matrices", "expected the model `LowRank(…)`");
        }
        return;
    };
    if !counts {
        let expected = "expected data `Counts(…)` or `Visits(…)`";
        findings.error("data", "a low-rank matrix is fitted to counts by site and time", expected);
    }
    count(findings, "model.rank", *rank as u64, 1, smaller_side(&scenario.data), ", at most the smaller side");
    number(findings, "model.lambda", *lambda, LARGE);
    law(findings, "model.family", *family);
    count(findings, "model.steps", u64::from(*steps), 1, 1_000, "");
    if *family == Family::Gaussian && *steps != 1 {
        findings.no_effect("model.steps", "the M-step of Gaussian entries has a closed form");
    }
    if !matches!(scenario.initial, Initial::Zero | Initial::Margins) {
        findings.error("initial", "this start is for a mixture", "expected `initial: Zero` or `initial: Margins`");
    }
    if !scenario.preprocess.is_empty() {
        findings.error("preprocess", "counts cannot be prepared: they would no longer be counts", "expected none");
    }
    if matches!(matrices, Matrices::PerObserver) && !names_observers(&scenario.data) {
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
    match data {
        Data::Visits { sites, times, .. } => (*sites).min(*times) as u64,
        Data::Counts { arrangement: Arrangement::Wide { counts, .. }, .. } => counts.len() as u64,
        _ => MOST_CELLS,
    }
}

fn names_observers(data: &Data) -> bool {
    match data {
        Data::Counts { arrangement: Arrangement::Long { observer, .. }, .. } => observer.is_some(),
        Data::Counts { arrangement: Arrangement::Wide { observers, .. }, .. } => !observers.is_empty(),
        _ => true,
    }
}

fn law(findings: &mut Findings, path: &str, family: Family) {
    if let Family::Binomial { trials } = family {
        count(findings, &format!("{path}.trials"), u64::from(trials), 1, 1_000_000, "");
    }
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

/// The generator of visits.
pub(super) fn visits(data: &Data, findings: &mut Findings) {
    let Data::Visits { sites, times, observers, observations, rank, family, level, spread, skew, held_out } = data
    else {
        return;
    };
    let sides = count(findings, "data.sites", *sites as u64, 1, 1_000_000, "")
        & count(findings, "data.times", *times as u64, 1, 100_000, "");
    if sides && *sites as u64 * *times as u64 > MOST_CELLS {
        let found = format!("{sites} sites × {times} times are {} cells", *sites as u64 * *times as u64);
        findings.error("data.sites", found, format!("expected at most {MOST_CELLS} cells"));
    }
    count(findings, "data.observers", *observers as u64, 1, 1_000_000, "");
    count(findings, "data.observations", *observations as u64, 1, 10_000_000, "");
    count(findings, "data.rank", *rank as u64, 1, 12, "");
    law(findings, "data.family", *family);
    number(findings, "data.level", *level, NATURAL);
    number(findings, "data.spread", *spread, SPREAD);
    number(findings, "data.skew", *skew, SIGMA);
    number(findings, "data.held_out", *held_out, SHARE);
}
