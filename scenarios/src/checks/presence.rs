//! Availability and dropouts, and what they mean for the memory of a protocol.

use fedbits_spec::{Described, Path};

use super::{Facts, Findings};
use crate::schema::{Memory, Recovery, Scenario};

pub(super) fn check(scenario: &Scenario, facts: &Facts, findings: &mut Findings) {
    scenario.availability.check(&Path::Root.field("availability"), facts, findings);
    scenario.dropout.check(&Path::Root.field("dropout"), facts, findings);
    dropout(scenario, findings);
}

fn dropout(scenario: &Scenario, findings: &mut Findings) {
    let memory = super::fed_em(scenario).map(|fed_em| fed_em.memory);
    if scenario.dropout.loses_state() && memory == Some(Memory::NoMemory) {
        findings.no_effect("dropout.state", "the state of a client is its memory, and there is none");
    }
    let Some(Memory::Memory { recovery, .. }) = super::fed_em(scenario).map(|fed_em| fed_em.memory) else { return };
    if recovery != Recovery::default() && !scenario.dropout.loses_state() {
        let why = "clients keep their state (`dropout: Hazard(…, state: Lost)` would lose it)";
        findings.no_effect("protocol.memory.recovery", why);
    }
    if recovery == Recovery::Zero && scenario.dropout.loses_state() {
        findings.caveat(
            "protocol.memory",
            "clients that lose their memory go on without it: V drifts from the mean of the V_i",
        );
    }
}
