//! Parameters of the algorithms that FedEM is compared with. This file must not know messages.

use fedbits_protocols::fedem::MAX_BATCH;

use super::numbers::{Interval, PROBABILITY, count, number};
use super::{Facts, Findings, compressor, protocol};
use crate::schema::{
    Alpha, Availability, Batch, Broadcast, Compressor, Covariance, Domain, DownMemory, Downlink, Dropout, Ef21,
    FedAvgEm, FedEm, Marina, Model, Protocol, Scenario, VarianceReduction,
};

/// [0, 1].
const WEIGHT: Interval = Interval::closed(0.0, 1.0, "in [0, 1], no unit");

pub(super) fn check(scenario: &Scenario, facts: &Facts, findings: &mut Findings) {
    match &scenario.protocol {
        Protocol::OnlineEm(online) => {
            protocol::field("gamma", &online.gamma, facts, findings);
            pooled(online.batch, facts, findings);
        }
        Protocol::SemVr(sem_vr) => {
            protocol::field("gamma", &sem_vr.gamma, facts, findings);
            pooled(sem_vr.batch, facts, findings);
            count(findings, "protocol.refresh", sem_vr.refresh, 1, u64::MAX, " (iterations)");
        }
        Protocol::IncrementalEm(incremental) => pooled(incremental.batch, facts, findings),
        Protocol::Fiem(fiem) => {
            protocol::field("gamma", &fiem.gamma, facts, findings);
            pooled(fiem.batch, facts, findings);
            number(findings, "protocol.lambda", fiem.lambda, WEIGHT);
        }
        Protocol::DistributedEm(_) => distributed(scenario, findings),
        Protocol::Ef21(ef21) => error_feedback(ef21, facts, findings),
        Protocol::Marina(marina) => self::marina(scenario, marina, facts, findings),
        Protocol::FedAvgEm(fed_avg) => parameters(fed_avg, facts, findings),
        Protocol::GradientAscent(ascent) => gradients(scenario, ascent, findings),
        _ => {}
    }
}

/// An algorithm on all examples in one place.
fn pooled(batch: Batch, facts: &Facts, findings: &mut Findings) {
    protocol::field("batch", &batch, facts, findings);
    if let Batch::WithoutReplacement(size) = batch {
        let most = facts.examples.unwrap_or(u64::from(MAX_BATCH));
        count(findings, "protocol.batch[0]", u64::from(size), 1, most, ", at most the number of examples");
    }
}

/// Why some contributions of a round can be missing, at the field that says so.
fn missing(scenario: &Scenario) -> Option<&'static str> {
    let early = scenario.round.closes_early();
    let paths = [
        ("round", early),
        ("dropout", scenario.dropout != Dropout::Never),
        ("availability", scenario.availability != Availability::Always),
        ("network", scenario.network.loses_messages()),
    ];
    paths.into_iter().find(|(_, missing)| *missing).map(|(path, _)| path)
}

fn distributed(scenario: &Scenario, findings: &mut Findings) {
    if let Some(path) = missing(scenario) {
        findings.caveat(
            path,
            "contributions can be missing: the server takes the mean of those that arrived, which is no exact EM",
        );
    }
}

fn error_feedback(ef21: &Ef21, facts: &Facts, findings: &mut Findings) {
    protocol::field("gamma", &ef21.gamma, facts, findings);
    protocol::field("participation", &ef21.participation, facts, findings);
    compressor::check(findings, "protocol.compressor", &ef21.compressor, facts.statistic);
    alone(&ef21.compressor, findings);
    compressor::contraction(findings, "protocol.compressor", &ef21.compressor, facts.statistic);
}

fn alone(operator: &Compressor, findings: &mut Findings) {
    if operator.divides_among_clients() {
        let why = "`PermK` gives every client a part of one vector: for a single client it is no contraction";
        findings.error("protocol.compressor", why, "expected a contraction, such as `TopK(k: …)`");
    }
}

fn marina(scenario: &Scenario, marina: &Marina, facts: &Facts, findings: &mut Findings) {
    protocol::field("gamma", &marina.gamma, facts, findings);
    number(findings, "protocol.probability", marina.probability, PROBABILITY);
    compressor::check(findings, "protocol.compressor", &marina.compressor, facts.statistic);
    unbiased(
        findings,
        "protocol",
        &marina.compressor,
        marina.allow_biased,
        "the estimate H drifts from the mean of the h_i",
    );
    if let Some(path) = missing(scenario) {
        findings.error(
            path,
            "MARINA carries its estimate on from the changes of all clients: a contribution that is missing would bias it for good",
            "expected `WaitForAll`, clients that are always there, and a network that loses nothing (`delivery: Reliable(…)`)",
        );
    }
}

/// Refuses a biased operator at `path` unless it is allowed.
fn unbiased(findings: &mut Findings, path: &str, operator: &Compressor, allowed: bool, consequence: &str) {
    match (compressor::is_unbiased(operator), allowed) {
        (true, false) => {}
        (true, true) => findings.no_effect(format!("{path}.allow_biased"), "the compressor is unbiased"),
        (false, true) => {
            let message = format!("the compressor is biased: {consequence}, and no theorem holds");
            findings.caveat(format!("{path}.compressor"), message);
        }
        (false, false) => findings.error(
            format!("{path}.compressor"),
            format!("the compressor is biased: {consequence}"),
            "expected an unbiased compressor: `Induced(contraction: …, rest: …)` makes one of it, `allow_biased: true` runs it anyway",
        ),
    }
}

fn parameters(fed_avg: &FedAvgEm, facts: &Facts, findings: &mut Findings) {
    count(findings, "protocol.local_steps", u64::from(fed_avg.local_steps), 1, 1_000, "");
    protocol::field("participation", &fed_avg.participation, facts, findings);
    if fed_avg.domain == Domain::SkipRound {
        let why = "a client's statistic without parameters is no round to skip";
        findings.error("protocol.domain", why, "expected `Error` or `Clip(floor: …)`");
    }
}

/// Gradient ascent, beside what it shares with FedEM.
fn gradients(scenario: &Scenario, ascent: &FedEm, findings: &mut Findings) {
    if ascent.variance_reduction != VarianceReduction::NoReduction {
        let why = "SPIDER estimates are of statistics, not of gradients";
        findings.error("protocol.variance_reduction", why, "expected `NoReduction`, or the protocol `FedEm`");
    }
    if ascent.broadcast != Broadcast::default() {
        findings.no_effect("protocol.broadcast", "coordinates are sent, and parameters follow from them");
    }
    if ascent.domain != Domain::default() {
        findings.no_effect("protocol.domain", "every vector of coordinates has parameters");
    }
    if let Model::GaussianMixture { covariance: covariance @ (Covariance::Tied | Covariance::Full), .. } =
        &scenario.model
    {
        let form = if *covariance == Covariance::Tied { "tied" } else { "full" };
        let why = format!("gradient ascent has no coordinates that keep a {form} covariance positive definite");
        findings.error("model.covariance", why, "expected `Known(…)` or `Diagonal`");
    }
}

/// The compressed downlink of FedEM.
pub(super) fn downlink(fed_em: &FedEm, facts: &Facts, findings: &mut Findings) {
    let Downlink::Compressed { compressor: operator, allow_biased, memory } = &fed_em.downlink else { return };
    let path = "protocol.downlink.compressor";
    compressor::check(findings, path, operator, facts.statistic);
    if operator.divides_among_clients() {
        let why = "`PermK` divides the coordinates among clients, and the downlink has one sender";
        findings.error(path, why, "expected another compressor");
    }
    let consequence = "clients' Ŝ follows another direction than H";
    unbiased(findings, "protocol.downlink", operator, *allow_biased, consequence);
    if let DownMemory::DownMemory(alpha) = memory {
        protocol::field("downlink.memory[0]", alpha, facts, findings);
    }
    match memory {
        DownMemory::DownMemory(Alpha::Auto) if *allow_biased && !compressor::is_unbiased(operator) => {
            let instead = "memory: DownMemory(Constant(…))";
            compressor::no_omega(findings, "protocol.downlink.memory[0]", "the alpha of `DownMemory`", instead);
        }
        _ => {}
    }
    if fed_em.broadcast != Broadcast::default() {
        findings.no_effect("protocol.broadcast", "a compressed downlink sends updates of Ŝ");
    }
}
