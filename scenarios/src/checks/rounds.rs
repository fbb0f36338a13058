//! When steps are made and with what. This file must not know the engine.

use super::numbers::{EXPONENT, count, number, positive_span};
use super::protocol::MOST_CLIENTS;
use super::{Facts, Findings};
use crate::schema::{FedEm, Late, Participation, Round, Scenario, Staleness};

pub(super) fn check(scenario: &Scenario, facts: &Facts, findings: &mut Findings) {
    match scenario.round {
        Round::Deadline(deadline) => positive_span(findings, "round[0]", deadline),
        Round::First(first) => {
            let what = ", at most the number of clients selected per round";
            count(findings, "round[0]", first as u64, 1, selected(scenario, facts), what);
        }
        _ => {}
    }
    if let Staleness::Polynomial(a) = scenario.staleness {
        number(findings, "staleness[0]", a, EXPONENT);
    }
    let buffered = scenario.round.buffer().is_some();
    if scenario.late == Late::Apply && (buffered || scenario.round == Round::WaitForAll) {
        findings.no_effect("late", "no round closes before what it waits for: nothing is ever late");
    }
    if scenario.staleness != Staleness::default() && !buffered && scenario.late == Late::Discard {
        let why = "every contribution that counts answers the broadcast of its own round";
        findings.no_effect("staleness", why);
    }
    match super::fed_em(scenario) {
        Some(fed_em) => buffer(scenario, fed_em, facts, findings),
        // Centralized EM has no rounds to close, and that is said elsewhere.
        None if scenario.protocol.is_centralized() => {}
        None => other_protocols(scenario, findings),
    }
}

/// As many clients are asked in a round at most.
fn selected(scenario: &Scenario, facts: &Facts) -> u64 {
    match scenario.protocol.participation() {
        Participation::Cohort(size) => size as u64,
        Participation::All | Participation::Bernoulli(_) => facts.clients.map_or(MOST_CLIENTS, |n| n as u64),
    }
}

/// Steps that take in older contributions are FedEM's.
fn other_protocols(scenario: &Scenario, findings: &mut Findings) {
    let expected = "expected `WaitForAll`, `Deadline(…)` or `First(…)`, or the protocol `FedEm`";
    if scenario.round.buffer().is_some() {
        findings.error("round", "only FedEM can make steps of contributions to different rounds", expected);
    }
    if scenario.late == Late::Apply {
        findings.error("late", "only FedEM can use late contributions", "expected `Discard`, or the protocol `FedEm`");
    }
}

fn buffer(scenario: &Scenario, fed_em: &FedEm, facts: &Facts, findings: &mut Findings) {
    let Some(size) = scenario.round.buffer() else { return };
    if matches!(fed_em.participation, Participation::Bernoulli(_)) {
        let expected = "expected `All` or `Cohort(m)`: so many clients are at work at a time";
        findings.error("protocol.participation", "there are no rounds in which to draw who takes part", expected);
    } else if matches!(scenario.round, Round::Buffered(_)) {
        let at_work = selected(scenario, facts);
        count(findings, "round[0]", size as u64, 1, at_work, ", at most the number of clients at work");
    }
}
