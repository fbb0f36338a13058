//! Computing.

use fedbits_spec::{Described, Facts, Findings, Path};

use crate::schema::{Compute, Scenario};

pub(super) fn check(scenario: &Scenario, facts: &Facts, findings: &mut Findings) {
    scenario.compute.check(&Path::Root.field("compute"), facts, findings);
    let server = scenario.compute.server_expectation;
    if !scenario.protocol.is_centralized() && server != Compute::default().server_expectation {
        findings.no_effect("compute.server_expectation", "only in centralized EM the server computes expectations");
    }
}
