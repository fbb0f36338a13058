//! Rounds, computing, availability and dropouts. This file must not know the engine.

use super::Findings;
use super::numbers::{POSITIVE, PROBABILITY, number, positive_span, span, span_law};
use crate::schema::{Availability, Compute, Dropout, Round, Scenario};

pub(super) fn check(scenario: &Scenario, findings: &mut Findings) {
    if let Round::Deadline(deadline) = scenario.round {
        positive_span(findings, "round[0]", deadline);
    }
    span_law(findings, "compute.expectation", &scenario.compute.expectation);
    span(findings, "compute.server_expectation", scenario.compute.server_expectation);
    let server = scenario.compute.server_expectation;
    if super::fed_em(scenario).is_some() && server != Compute::default().server_expectation {
        findings.no_effect("compute.server_expectation", "only in centralized EM the server computes expectations");
    }
    if let Availability::Bernoulli(probability) = scenario.availability {
        number(findings, "availability[0]", probability, PROBABILITY);
    }
    if let Dropout::Hazard { per_second, restart } = scenario.dropout {
        number(findings, "dropout.per_second", per_second, POSITIVE);
        span(findings, "dropout.restart", restart);
    }
}
