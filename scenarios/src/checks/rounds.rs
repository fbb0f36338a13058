//! When steps are made and with what. This file must not know the engine.

use super::numbers::{EXPONENT, count, number, positive_span};
use super::{Facts, Findings};
use crate::schema::{
    Batch, FedEm, Floats, Late, Participation, Protocol, RateLaw, Round, Scenario, SpanLaw, Staleness,
};

pub(super) fn check(scenario: &Scenario, facts: &Facts, findings: &mut Findings) {
    if let Round::Deadline(deadline) = scenario.round {
        positive_span(findings, "round[0]", deadline);
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
        Some(fed_em) => {
            buffer(scenario, fed_em, findings);
            reachable(scenario, fed_em, facts, findings);
        }
        // Centralized EM has no rounds to close, and that is said elsewhere.
        None if matches!(scenario.protocol, Protocol::CentralizedEm(_)) => {}
        None => other_protocols(scenario, findings),
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

fn buffer(scenario: &Scenario, fed_em: &FedEm, findings: &mut Findings) {
    let Some(size) = scenario.round.buffer() else { return };
    let at_work = match fed_em.participation {
        Participation::All => scenario.clients.unwrap_or(usize::MAX),
        Participation::Cohort(size) => size,
        Participation::Bernoulli(_) => {
            let expected = "expected `All` or `Cohort(m)`: so many clients are at work at a time";
            return findings.error(
                "protocol.participation",
                "there are no rounds in which to draw who takes part",
                expected,
            );
        }
    };
    if matches!(scenario.round, Round::Buffered(_)) {
        count(findings, "round[0]", size as u64, 1, at_work as u64, ", at most the number of clients at work");
    }
}

/// A deadline that nobody can meet.
fn reachable(scenario: &Scenario, fed_em: &FedEm, facts: &Facts, findings: &mut Findings) {
    let Round::Deadline(deadline) = scenario.round else { return };
    let shortest = shortest_round_trip(scenario, fed_em, facts);
    if deadline.seconds() < shortest && scenario.late == Late::Discard {
        let text = format!(
            "the deadline of {:.6} s is below the smallest possible round trip of {shortest:.6} s: nobody can ever arrive",
            deadline.seconds()
        );
        findings.caveat("round", &text);
    }
}

/// A bound from below, in seconds: two latencies of the access links, the broadcast, and the least work of a client, as far as the scenario tells.
fn shortest_round_trip(scenario: &Scenario, fed_em: &FedEm, facts: &Facts) -> f64 {
    let access = scenario.network.access();
    let bits = if fed_em.floats == Floats::F64 { 64.0 } else { 32.0 };
    let transfer = match access.client_down {
        RateLaw::Uniform { max, .. } => bits * facts.statistic.unwrap_or(0) as f64 / max.bits_per_second(),
        law => law.constant().map_or(0.0, |rate| bits * facts.statistic.unwrap_or(0) as f64 / rate.bits_per_second()),
    };
    let examples = match fed_em.batch {
        Batch::WithReplacement(size) => size as f64,
        Batch::All | Batch::WithoutReplacement(_) => 1.0,
    };
    // A varying span may be as short as one likes.
    let expectation = if scenario.compute.variation > 0.0 { 0.0 } else { least(&scenario.compute.expectation) };
    2.0 * least(access.latency) + transfer + examples * expectation
}

/// The smallest value of a law, in seconds.
fn least(law: &SpanLaw) -> f64 {
    match law {
        SpanLaw::Uniform { min, .. } => min.seconds(),
        law => law.constant().map_or(0.0, |span| span.seconds()),
    }
}
