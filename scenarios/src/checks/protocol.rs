//! Parameters of the protocols, and what they mean together with rounds and failures. This file must not know messages.

use fedbits_protocols::fedem::MAX_BATCH;
use fedbits_spec::{Described, Path};

use super::numbers::count;
use super::{Facts, Findings, baselines, diffusion, fed_em, saem, vpem};
use crate::schema::{
    Availability, Batch, Commit, Compute, DivideBy, Domain, Dropout, FedEm, Late, Memory, Network, Participation,
    Partition, Protocol, Round, Scenario, Staleness,
};

pub(super) fn check(scenario: &Scenario, facts: &Facts, findings: &mut Findings) {
    own(&scenario.protocol, facts, findings);
    match &scenario.protocol {
        Protocol::FlSaem(fl) => saem::federated(scenario, fl, facts, findings),
        Protocol::CentralizedSaem(central) => saem::centralized(scenario, central, facts, findings),
        Protocol::VpEm(vp_em) => return vpem::check(scenario, vp_em, facts, findings),
        Protocol::KMeans(kmeans) => return vpem::kmeans(scenario, *kmeans, facts, findings),
        Protocol::DiffusionEm(em) => diffusion::check(scenario, em, facts, findings),
        _ => baselines::check(scenario, findings),
    }
    if scenario.partition.is_by_feature() {
        let expected = "expected a partition of the examples, or `protocol: VpEm(…)`";
        findings.error("partition", "only VP-EM works on data that are divided by features", expected);
    }
    if scenario.protocol.is_centralized() {
        centralized(scenario, findings);
    }
    let Some(fed_em) = fed_em(scenario) else { return };
    batch(scenario, fed_em.batch, facts, findings);
    failures(scenario, fed_em, findings);
}

/// What a protocol's own settings say of themselves.
fn own(protocol: &Protocol, facts: &Facts, findings: &mut Findings) {
    let (at, facts) = (Path::Root.field("protocol"), &facts.with_vector(facts.statistic));
    match protocol {
        Protocol::FedEm(own) | Protocol::FedMissEm(own) | Protocol::GradientAscent(own) => {
            own.check(&at, facts, findings);
        }
        Protocol::CentralizedEm(own) => own.check(&at, facts, findings),
        Protocol::OnlineEm(own) => own.check(&at, facts, findings),
        Protocol::SemVr(own) => own.check(&at, facts, findings),
        Protocol::IncrementalEm(own) => own.check(&at, facts, findings),
        Protocol::Fiem(own) => own.check(&at, facts, findings),
        Protocol::DistributedEm(own) => own.check(&at, facts, findings),
        Protocol::Ef21(own) => own.check(&at, facts, findings),
        Protocol::Marina(own) => own.check(&at, facts, findings),
        Protocol::FedAvgEm(own) => own.check(&at, facts, findings),
        Protocol::DiffusionEm(own) => field("domain", &own.domain, facts, findings),
        // Their compressors work on other vectors: they are checked where these are known.
        Protocol::FlSaem(_) | Protocol::CentralizedSaem(_) | Protocol::VpEm(_) | Protocol::KMeans(_) => {}
    }
}

/// Settings of clients and network mean nothing when all data are in one place.
pub(super) fn centralized(scenario: &Scenario, findings: &mut Findings) {
    let why = "an algorithm in one place has no clients, no network and no rounds to close";
    let settings = [
        ("clients", scenario.clients.is_some()),
        ("partition", scenario.partition != Partition::default()),
        ("round", scenario.round != Round::default()),
        ("late", scenario.late != Late::default()),
        ("staleness", scenario.staleness != Staleness::default()),
        ("network", scenario.network != Network::default()),
        ("compute.expectation", scenario.compute.expectation != Compute::default().expectation),
        ("compute.variation", scenario.compute.variation != Compute::default().variation),
        ("compute.slow", scenario.compute.slow.is_some()),
        ("availability", scenario.availability != Availability::default()),
        ("dropout", scenario.dropout != Dropout::default()),
        ("stop.bits", scenario.stop.bits.is_some()),
    ];
    settings.iter().filter(|(_, given)| *given).for_each(|(path, _)| findings.no_effect(path, why));
    let samples = matches!(scenario.protocol, Protocol::CentralizedSaem(_));
    if !samples && scenario.protocol.domain() == Domain::SkipRound {
        let why = "a skipped step in one place would repeat itself for ever";
        findings.error("protocol.domain", why, "expected `Error` or `Clip(floor: …)`");
    }
}

/// The inside of a field of the protocol.
pub(super) fn field(name: &str, value: &impl Described, facts: &Facts, findings: &mut Findings) {
    value.check(&Path::Root.field("protocol").field(name), facts, findings);
}

fn batch(scenario: &Scenario, batch: Batch, facts: &Facts, findings: &mut Findings) {
    if let Batch::WithoutReplacement(size) = batch {
        let equal_shares = matches!(scenario.partition, Partition::Iid | Partition::SortedByLabel);
        let share = match (facts.examples, facts.clients) {
            (Some(examples), Some(clients @ 1..)) if equal_shares => examples.div_ceil(clients as u64),
            _ => u64::from(MAX_BATCH),
        };
        let what = ", at most the number of examples of a client";
        count(findings, "protocol.batch[0]", u64::from(size), 1, share, what);
    }
}

/// What lost and late messages do to the algorithm's assumptions.
fn failures(scenario: &Scenario, fed_em: &FedEm, findings: &mut Findings) {
    let drops = scenario.dropout != Dropout::Never || scenario.network.loses_messages();
    let early = scenario.round.closes_early();
    let late = early && scenario.late == Late::Discard;
    let deadline = matches!(scenario.round, Round::Deadline(_));
    if fed_em.divide_by == DivideBy::Expected && (drops || deadline) {
        findings.caveat(
            "protocol.divide_by",
            "the sum is divided by the expected number n·p although contributions can be missing: H is biased towards \
             V",
        );
    }
    let absent = scenario.availability != Availability::default();
    if fed_em.divide_by == DivideBy::Expected && absent && matches!(fed_em.participation, Participation::Cohort(_)) {
        findings.caveat(
            "protocol.divide_by",
            "the sum is divided by the size of the cohort although fewer clients can be available: H is biased towards \
             V",
        );
    }
    if matches!(fed_em.memory, Memory::Memory { commit: Commit::OnSend, .. }) && (drops || late) {
        findings.caveat(
            "protocol.memory",
            "memories are committed on send although messages can be lost or late: V drifts from the mean of the V_i",
        );
    }
    if early && fed_em.divide_by != DivideBy::Estimated {
        findings.caveat("round", "rounds close early: slow clients contribute less often, and their data count less");
    }
}
