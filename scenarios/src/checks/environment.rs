//! Network and computing. This file must not know the engine.

use super::Findings;
use super::numbers::{POSITIVE, PROBABILITY, SIGMA, count, number, rate, rate_law, span, span_law};
use crate::schema::{Compute, Network, Scenario, Slow};

pub(super) fn check(scenario: &Scenario, findings: &mut Findings) {
    network(&scenario.network, findings);
    span_law(findings, "compute.expectation", scenario.compute.expectation);
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

fn network(network: &Network, findings: &mut Findings) {
    let Network::Star {
        server_up,
        server_down,
        client_up,
        client_down,
        latency,
        sharing: _,
        header_bytes,
        segment_bytes,
    } = *network;
    rate(findings, "network.server_up", server_up);
    rate(findings, "network.server_down", server_down);
    rate_law(findings, "network.client_up", client_up);
    rate_law(findings, "network.client_down", client_down);
    span_law(findings, "network.latency", latency);
    count(findings, "network.header_bytes", u64::from(header_bytes), 0, 10_000, " (bytes)");
    count(findings, "network.segment_bytes", u64::from(segment_bytes), 1, 1_000_000, " (bytes)");
}
