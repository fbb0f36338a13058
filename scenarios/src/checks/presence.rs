//! Availability and dropouts.

use fedbits_spec::{Described, Facts, Findings, Path};

use crate::schema::Scenario;

pub(super) fn check(scenario: &Scenario, facts: &Facts, findings: &mut Findings) {
    scenario.availability.check(&Path::Root.field("availability"), facts, findings);
    scenario.dropout.check(&Path::Root.field("dropout"), facts, findings);
}
