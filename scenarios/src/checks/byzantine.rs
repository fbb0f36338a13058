//! Robust rules and Byzantine clients: what they need of rounds and protocol.

use fedbits_protocols::over::Over;
use fedbits_protocols::robust::Robust;
use fedbits_protocols::setting::RunFacts;
use fedbits_spec::{Caveat, Described, Facts, Findings, Path};

use super::protocol::run_facts;
use crate::schema::{Against, Aggregation, Attacked, Byzantine, Privacy, Round, Scenario, Staleness};

pub(super) fn check(scenario: &Scenario, facts: &Facts, findings: &mut Findings) {
    scenario.byzantine.check(&Path::Root.field("byzantine"), facts, findings);
    let run = run_facts(scenario, facts);
    if let Aggregation::Robust(robust) = scenario.aggregation {
        scenario.protocol.check_robust(&run, findings);
        rule(scenario, robust, &run, findings);
    }
    if let Some(byzantine) = &scenario.byzantine {
        liars(scenario, byzantine, &run, findings);
    }
}

/// What a rule needs of a step.
fn rule(scenario: &Scenario, robust: Robust, run: &RunFacts<'_>, findings: &mut Findings) {
    if let Some(most) = run.most_of_step().filter(|&most| most < robust.least()) {
        let found = format!("at most {most} clients contribute to a step, and the rule needs {}", robust.least());
        let expected = if robust.least() > 2 * u64::from(robust.f) + 1 { "2 f + 3" } else { "2 f + 1" };
        findings.error("aggregation.f", found, format!("expected a smaller f: {expected} clients are needed"));
    }
    if scenario.staleness != Staleness::default() {
        let found = "a robust rule counts the contributions of a step alike";
        findings.error("staleness", found, "expected `Constant`");
    }
    let outsiders = |Privacy::Gaussian(gaussian): &Privacy| gaussian.against == Against::Outsiders;
    if scenario.privacy.as_ref().is_some_and(outsiders) {
        let found = "noise that clients share hides them in a sum, and a robust rule makes none";
        findings.error("privacy.against", found, "expected `Server`");
    }
    if !run.equal && scenario.protocol.profile().weighting == Default::default() {
        let what = match scenario.protocol.profile().sends_parameters {
            true => "the examples of small clients weigh more",
            false => "they send vectors times their weights, and a large or small one can look like a liar",
        };
        findings.caveat(Caveat::RobustWeights { what: what.to_owned() });
    }
}

/// What liars need.
fn liars(scenario: &Scenario, byzantine: &Byzantine, run: &RunFacts<'_>, findings: &mut Findings) {
    let has_clients = matches!(scenario.protocol.over(), Over::Examples(_) | Over::Counts(_) | Over::Subjects(_));
    if !has_clients || scenario.protocol.profile().is_centralized {
        let found = "nobody sends a server a vector of its own here that could be another one";
        findings.error("byzantine", found, "expected none, or a protocol of clients of a server, such as `FedEm(…)`");
    }
    let sends_means =
        scenario.protocol.profile().sends_parameters && run.model.exact().is_some_and(|em| em.abilities().pools_fits);
    if byzantine.on == Attacked::Means && !sends_means {
        let found = "what these clients report has no means of components";
        let expected = "expected `Everything`, or `OneRound(…)` or `FedAvgEm(…)` with a Gaussian mixture";
        findings.error("byzantine.on", found, expected);
    }
    if byzantine.attack.knows_others() && (run.loses() || scenario.round != Round::WaitForAll) {
        let found = "who knows what the honest clients of a round report needs a round of which all hear and answer";
        let expected = "expected `SignFlip`, `Scaled(…)` or `Random(…)`; or `round: WaitForAll`, no `dropout`, and a \
            network that loses nothing";
        findings.error("byzantine.attack", found, expected);
    }
    if byzantine.attack.knows_others() && matches!(scenario.protocol.over(), Over::Counts(_)) {
        let found = "clients of this protocol have vectors of their own length, of which there is no mean to know";
        findings.error("byzantine.attack", found, "expected `SignFlip`, `Scaled(…)` or `Random(…)`");
    }
    let shares = |Privacy::Gaussian(gaussian): &Privacy| {
        scenario.aggregation.is_secure() || gaussian.against == Against::Outsiders
    };
    if scenario.privacy.as_ref().is_some_and(shares) {
        let found = "the clients of a round share the noise, and liars add none: less of it is left than is told";
        findings.error("byzantine", found, "expected none, or `against: Server` with messages that the server sees");
    }
    if let (Aggregation::Robust(robust), Some(clients)) = (scenario.aggregation, run.facts.clients) {
        let count = byzantine.clients.count(clients);
        if count > robust.f as usize {
            findings.caveat(Caveat::MoreByzantine { count: count.to_string(), f: robust.f.to_string() });
        }
    }
}
