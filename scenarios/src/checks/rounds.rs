//! When steps are made and with what. This file must not know the engine.

use fedbits_protocols::plan::MAX_CLIENTS;
use fedbits_spec::{Described, Path};

use super::parts::count;
use super::{Facts, Findings};
use crate::schema::{Late, Participation, Round, Scenario, Staleness};

pub(super) fn check(scenario: &Scenario, facts: &Facts, findings: &mut Findings) {
    scenario.round.check(&Path::Root.field("round"), facts, findings);
    scenario.staleness.check(&Path::Root.field("staleness"), facts, findings);
    if let Round::First(first) = scenario.round {
        let what = ", at most the number of clients selected per round";
        count(findings, "round[0]", u64::from(first), 1, selected(scenario, facts), what);
    }
    let buffered = scenario.round.buffer().is_some();
    if scenario.late == Late::Apply && (buffered || scenario.round == Round::WaitForAll) {
        findings.no_effect("late", "no round closes before what it waits for: nothing is ever late");
    }
    if scenario.staleness != Staleness::default() && !buffered && scenario.late == Late::Discard {
        let why = "every contribution that counts answers the broadcast of its own round";
        findings.no_effect("staleness", why);
    }
    match &scenario.protocol {
        protocol if protocol.profile().takes_older => buffer(scenario, facts, findings),
        // Centralized EM has no rounds to close, and that is said elsewhere.
        protocol if protocol.profile().is_centralized => {}
        _ => other_protocols(scenario, findings),
    }
}

/// The largest number of clients that are selected in a round.
fn selected(scenario: &Scenario, facts: &Facts) -> u64 {
    match scenario.protocol.profile().participation {
        Participation::Cohort(size) => u64::from(size),
        Participation::All | Participation::Bernoulli(_) => facts.clients.map_or(u64::from(MAX_CLIENTS), |n| n as u64),
    }
}

/// Steps that take in older contributions are FedEM's and those of gradient ascent.
fn other_protocols(scenario: &Scenario, findings: &mut Findings) {
    let expected = "expected `WaitForAll`, `Deadline(…)` or `First(…)`, or the protocol `FedEm` or `GradientAscent`";
    if scenario.round.buffer().is_some() {
        let found = "only FedEM and gradient ascent can make steps of contributions to different rounds";
        findings.error("round", found, expected);
    }
    if scenario.late == Late::Apply {
        let expected = "expected `Discard`, or the protocol `FedEm` or `GradientAscent`";
        findings.error("late", "only FedEM and gradient ascent can use late contributions", expected);
    }
}

fn buffer(scenario: &Scenario, facts: &Facts, findings: &mut Findings) {
    let Some(size) = scenario.round.buffer() else { return };
    if matches!(scenario.protocol.profile().participation, Participation::Bernoulli(_)) {
        let expected = "expected `All` or `Cohort(m)`, with which all or m clients are at work at a time";
        findings.error("protocol.participation", "there are no rounds in which to draw who takes part", expected);
    } else if matches!(scenario.round, Round::Buffered(_)) {
        let at_work = selected(scenario, facts);
        count(findings, "round[0]", u64::from(size), 1, at_work, ", at most the number of clients at work");
    }
}
