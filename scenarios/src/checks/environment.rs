//! Computing and the energy of it, availability, dropouts.

use fedbits_spec::{Described, Facts, Findings, Path, so_many};

use super::parts::void;
use super::protocol::IN_ONE_PLACE;
use crate::schema::{Compute, Powers, Scenario};

pub(super) fn check(scenario: &Scenario, facts: &Facts, findings: &mut Findings) {
    scenario.compute.check(&Path::Root.field("compute"), facts, findings);
    scenario.availability.check(&Path::Root.field("availability"), facts, findings);
    scenario.dropout.check(&Path::Root.field("dropout"), facts, findings);
    if let (Some(slow), Some(clients)) = (scenario.compute.slow, facts.clients)
        && slow.share > 0.0
        && slow.count(clients) == 0
    {
        let of = so_many(clients, "client");
        findings.no_effect("compute.slow", &format!("a share of {} of {of} rounds to none", slow.share));
    }
    if let Some(energy) = &scenario.energy {
        energy.check(&Path::Root.field("energy"), facts, findings);
        of_server(scenario, energy, findings);
    }
    let server = scenario.compute.server_expectation;
    if !scenario.protocol.profile().computes_at_server && server != Compute::default().server_expectation {
        let why = "only in protocols that run in one place, or draw examples there, the server computes expectations";
        findings.no_effect("compute.server_expectation", why);
    }
    coding(scenario, findings);
}

/// Times to code, to decode and of steps are those of somebody who does it.
fn coding(scenario: &Scenario, findings: &mut Findings) {
    let (compute, usual) = (&scenario.compute, Compute::default());
    let (coding, none) = (&compute.coding, &usual.coding);
    if scenario.protocol.profile().is_centralized {
        let given = [("compute.coding", coding != none), ("compute.client_step", compute.client_step.seconds() > 0.0)];
        void(findings, IN_ONE_PLACE, given);
    } else if scenario.protocol.over().is_among_peers() {
        let given = [
            ("compute.coding.server_send", coding.server_send.seconds() > 0.0),
            ("compute.coding.server_receive", coding.server_receive.seconds() > 0.0),
            ("compute.coding.server_lanes", coding.server_lanes != none.server_lanes),
            ("compute.server_step", compute.server_step.seconds() > 0.0),
        ];
        let why = "there is no server: agents have the times of clients";
        void(findings, why, given);
    } else if coding.server_lanes != none.server_lanes && !coding.occupies_server() {
        let why = "the server codes and decodes in no time (`server_send`, `server_receive`)";
        findings.no_effect("compute.coding.server_lanes", why);
    }
}

/// Who works, and whose power is given.
fn of_server(scenario: &Scenario, energy: &Powers, findings: &mut Findings) {
    if scenario.protocol.profile().computes_at_server && energy.server.is_none() {
        let found = match scenario.protocol.profile().is_centralized {
            true => "in one place only the server works, and its power is not given",
            false => "the server computes, too, and its power is not given",
        };
        findings.error("energy.server", found, "expected `(compute: W(…))`");
    }
    if scenario.protocol.over().is_among_peers() && energy.server.is_some() {
        findings.no_effect("energy.server", "there is no server");
    }
}
