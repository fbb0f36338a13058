//! Parameters of the protocols, and what they mean together with rounds and failures. This file must not know messages.

use super::numbers::{FLOOR, POSITIVE, PROBABILITY, count, number};
use super::{Facts, Findings, fed_em, vpem};
use crate::schema::{
    Alpha, Availability, Batch, Commit, Compressor, Compute, DivideBy, Domain, Dropout, FedEm, Memory, Network, Norm,
    Participation, Partition, Protocol, Round, Scenario, Schedule,
};

/// As many as the schema allows; the bound where the file decides their number.
const MOST_CLIENTS: u64 = 10_000_000;
const LARGEST_BATCH: u64 = 1_000_000_000;

pub(super) fn check(scenario: &Scenario, facts: &Facts, findings: &mut Findings) {
    if let Domain::Clip { floor } = scenario.protocol.domain() {
        number(findings, "protocol.domain.floor", floor, FLOOR);
    }
    if let Protocol::VpEm(vp_em) = &scenario.protocol {
        return vpem::check(scenario, vp_em, facts, findings);
    }
    if let Protocol::KMeans(kmeans) = scenario.protocol {
        return vpem::kmeans(scenario, kmeans, facts, findings);
    }
    if fed_em(scenario).is_some() && matches!(scenario.partition, Partition::EvenFeatures | Partition::Features(_)) {
        let expected = "expected a partition of the examples, or `protocol: VpEm(…)`";
        findings.error("partition", "only VP-EM works on data that are divided by features", expected);
    }
    let Some(fed_em) = fed_em(scenario) else {
        centralized(scenario, findings);
        return;
    };
    steps(fed_em, findings);
    participation(scenario, fed_em, findings);
    batch(scenario, fed_em.batch, facts, findings);
    compressor("protocol.compressor", fed_em.compressor, facts.statistic, findings);
    failures(scenario, fed_em, findings);
}

/// Settings of clients and network mean nothing when all data are in one place.
fn centralized(scenario: &Scenario, findings: &mut Findings) {
    let why = "centralized EM has no clients, no network and no rounds to close";
    let settings = [
        ("clients", scenario.clients.is_some()),
        ("partition", scenario.partition != Partition::default()),
        ("round", scenario.round != Round::default()),
        ("network", scenario.network != Network::default()),
        ("compute.expectation", scenario.compute.expectation != Compute::default().expectation),
        ("availability", scenario.availability != Availability::default()),
        ("dropout", scenario.dropout != Dropout::default()),
        ("stop.bits", scenario.stop.bits.is_some()),
    ];
    settings.iter().filter(|(_, given)| *given).for_each(|(path, _)| findings.no_effect(path, why));
    if scenario.protocol.domain() == Domain::SkipRound {
        let why = "a skipped step of centralized EM would repeat itself for ever";
        findings.error("protocol.domain", why, "expected `Error` or `Clip(floor: …)`");
    }
}

fn steps(fed_em: &FedEm, findings: &mut Findings) {
    match fed_em.gamma {
        Schedule::Constant(gamma) => {
            number(findings, "protocol.gamma[0]", gamma, PROBABILITY);
        }
        Schedule::Power { initial, exponent, offset } => {
            number(findings, "protocol.gamma.initial", initial, PROBABILITY);
            number(findings, "protocol.gamma.exponent", exponent, PROBABILITY);
            number(findings, "protocol.gamma.offset", offset, POSITIVE);
        }
    }
    let Alpha::Constant(alpha) = fed_em.alpha else { return };
    if fed_em.memory == Memory::NoMemory {
        findings.no_effect("protocol.alpha", "it is the step of the memories, and there are none");
    } else {
        number(findings, "protocol.alpha[0]", alpha, PROBABILITY);
    }
}

fn participation(scenario: &Scenario, fed_em: &FedEm, findings: &mut Findings) {
    let clients = scenario.clients.map_or(MOST_CLIENTS, |clients| clients as u64);
    let mut selected = clients;
    match fed_em.participation {
        Participation::All => {}
        Participation::Bernoulli(probability) => {
            number(findings, "protocol.participation[0]", probability, PROBABILITY);
        }
        Participation::Cohort(size) => {
            count(findings, "protocol.participation[0]", size as u64, 1, clients, ", at most the number of clients");
            selected = size as u64;
        }
    }
    if let Round::First(first) = scenario.round {
        count(findings, "round[0]", first as u64, 1, selected, ", at most the number of clients selected per round");
    }
}

fn batch(scenario: &Scenario, batch: Batch, facts: &Facts, findings: &mut Findings) {
    let path = "protocol.batch[0]";
    match batch {
        Batch::All => {}
        Batch::WithReplacement(size) => {
            count(findings, path, size as u64, 1, LARGEST_BATCH, "");
        }
        Batch::WithoutReplacement(size) => {
            let equal_shares = matches!(scenario.partition, Partition::Iid | Partition::SortedByLabel);
            let share = match (facts.examples, scenario.clients) {
                (Some(examples), Some(clients @ 1..)) if equal_shares => examples.div_ceil(clients as u64),
                _ => LARGEST_BATCH,
            };
            count(findings, path, size as u64, 1, share, ", at most the number of examples of a client");
        }
    }
}

/// `dimension`: numbers of a vector that is compressed, as far as they are known.
pub(super) fn compressor(path: &str, compressor: Compressor, dimension: Option<usize>, findings: &mut Findings) {
    match compressor {
        Compressor::Identity => {}
        Compressor::Dithering { levels, norm, .. } => {
            count(findings, &format!("{path}.levels"), u64::from(levels), 1, 65_535, "");
            if let Norm::L(order) = norm {
                count(findings, &format!("{path}.norm[0]"), u64::from(order), 1, 2, "");
            }
        }
        Compressor::RandK { k, .. } => {
            let q = dimension.map_or(u64::from(u32::MAX), |q| q as u64);
            count(findings, &format!("{path}.k"), k as u64, 1, q, ", at most q, the length of the statistic");
        }
        Compressor::Bernoulli { probability, .. } => {
            number(findings, &format!("{path}.probability"), probability, PROBABILITY);
        }
    }
}

/// What lost and late messages do to the algorithm's assumptions.
fn failures(scenario: &Scenario, fed_em: &FedEm, findings: &mut Findings) {
    let drops = scenario.dropout != Dropout::Never;
    let late = scenario.round != Round::WaitForAll;
    let deadline = matches!(scenario.round, Round::Deadline(_));
    if fed_em.divide_by == DivideBy::Expected && (drops || deadline) {
        findings.caveat(
            "protocol.divide_by",
            "the sum is divided by the expected number n·p although contributions can be missing: H is biased towards V",
        );
    }
    let absent = scenario.availability != Availability::Always;
    if fed_em.divide_by == DivideBy::Expected && absent && matches!(fed_em.participation, Participation::Cohort(_)) {
        findings.caveat(
            "protocol.divide_by",
            "the sum is divided by the size of the cohort although fewer clients can be available: H is biased towards V",
        );
    }
    if matches!(fed_em.memory, Memory::Memory { commit: Commit::OnSend, .. }) && (drops || late) {
        findings.caveat(
            "protocol.memory",
            "memories are committed on send although messages can be lost or late: V drifts from the mean of the V_i",
        );
    }
    if late {
        findings.caveat("round", "rounds close early: slow clients contribute less often, and their data count less");
    }
}
