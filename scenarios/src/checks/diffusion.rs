//! Parameters of diffusion EM, and what it needs of network and failures. This file must not know messages.

use fedbits_spec::{Described, Path};

use super::numbers::count;
use super::{Facts, Findings, peers, protocol};
use crate::schema::{Combine, DiffusionEm, Domain, Scenario};

/// As many as the schema allows.
const MAX_ROUNDS: u64 = 100_000;

pub(super) fn check(scenario: &Scenario, diffusion: &DiffusionEm, facts: &Facts, findings: &mut Findings) {
    protocol::field("gamma", &diffusion.gamma, facts, findings);
    peers::network(scenario, findings);
    peers::computing(scenario, findings);
    peers::nobody_is_missing(scenario, findings);
    peers::losses(scenario, findings);
    diffusion.weights.check(&Path::Root.field("protocol.weights"), facts, findings);
    let (Combine::Rounds(rounds) | Combine::Chebyshev(rounds)) = diffusion.combine;
    count(findings, "protocol.combine[0]", u64::from(rounds), 1, MAX_ROUNDS, "");
    if diffusion.domain == Domain::SkipRound {
        let why = "an agent that skips its step would leave its neighbours waiting";
        findings.error("protocol.domain", why, "expected `Error` or `Clip(floor: …)`");
    }
}
