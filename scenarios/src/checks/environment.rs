//! Computing. This file must not know the engine.

use super::Findings;
use super::numbers::{POSITIVE, PROBABILITY, SIGMA, number, span, span_law};
use crate::schema::{Compute, Scenario, Slow};

pub(super) fn check(scenario: &Scenario, findings: &mut Findings) {
    span_law(findings, "compute.expectation", &scenario.compute.expectation);
    span(findings, "compute.server_expectation", scenario.compute.server_expectation);
    let server = scenario.compute.server_expectation;
    if super::fed_em(scenario).is_some() && server != Compute::default().server_expectation {
        findings.no_effect("compute.server_expectation", "only in centralized EM the server computes expectations");
    }
    number(findings, "compute.variation", scenario.compute.variation, SIGMA);
    if let Some(Slow { share, factor }) = scenario.compute.slow {
        number(findings, "compute.slow.share", share, PROBABILITY);
        number(findings, "compute.slow.factor", factor, POSITIVE);
    }
}
