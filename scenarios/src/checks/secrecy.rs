//! Secure aggregation and noise: what they need of rounds and protocol.

use fedbits_spec::{Described, Facts, Findings, Path};

use super::protocol::run_facts;
use crate::schema::{Against, Aggregation, Dropout, Initial, Late, Participation, Privacy, Round, Scenario};

/// Can a contribution be lost or cut off that was asked for?
pub(crate) fn loses(scenario: &Scenario) -> bool {
    scenario.dropout != Dropout::Never || scenario.network.loses_messages()
}

pub(super) fn check(scenario: &Scenario, facts: &Facts, findings: &mut Findings) {
    scenario.aggregation.check(&Path::Root.field("aggregation"), facts, findings);
    scenario.privacy.check(&Path::Root.field("privacy"), facts, findings);
    let secure = scenario.aggregation.is_secure();
    let shared = scenario.privacy.map(|Privacy::Gaussian(gaussian)| secure || gaussian.against == Against::Outsiders);
    let run = run_facts(scenario, facts);
    if secure {
        scenario.protocol.check_sum(&run, findings);
        if !matches!(scenario.round, Round::WaitForAll | Round::Deadline(_)) {
            let found = "masks cancel in the sum of all that have shared keys, not of the first";
            let expected = "expected `WaitForAll`, or `Deadline(…)`, which each exchange has for itself";
            findings.error("round", found, expected);
        }
    }
    if let Some(shared) = shared {
        scenario.protocol.check_privacy(&run, shared, findings);
        start(scenario, findings);
    }
    if secure {
        company(scenario, findings);
        rounding(scenario, facts, findings);
    }
    preparation(scenario, shared.is_some(), secure, findings);
    if secure || shared == Some(true) {
        one_round_each(scenario, findings);
    }
}

/// No noise hides what a start sees.
fn start(scenario: &Scenario, findings: &mut Findings) {
    match &scenario.initial {
        Initial::Theta { covariance: None, .. } if scenario.model.facts().estimates_covariance => {
            let found = "without it the start has the covariance of all examples, which no noise hides";
            findings.error("initial.covariance", found, "expected `Some(Common(…))` or `Some(PerComponent(…))`");
        }
        Initial::Theta { .. } | Initial::Parameters(_) | Initial::Model(_) => {}
        Initial::Zero if scenario.model.exact().is_some_and(|em| em.abilities().descends) => {}
        Initial::Typical { .. } | Initial::Loadings { .. } | Initial::RandomTopics { .. } => {}
        _ => {
            let found = "this start looks at all examples, and no noise hides what it sees";
            let expected = "expected `Theta(…)`, `Parameters([…])`, `Model(…)`, `Typical(…)`, `Loadings(…)` or \
                `RandomTopics()`, which the clients' data do not enter";
            findings.error("initial", found, expected);
        }
    }
}

/// A sum of one contribution hides nothing, and has no masks.
fn company(scenario: &Scenario, findings: &mut Findings) {
    let alone = scenario.clients == Some(1) || scenario.protocol.profile().participation == Participation::Cohort(1);
    if alone {
        let found = "a sum of one contribution is that contribution";
        findings.error("aggregation", found, "expected more clients in a round");
    }
}

/// Rounding to what a field can add must be small beside the noise that each client adds, which it could take away. As
/// far as it is not known yet how many entries there are, there is one.
fn rounding(scenario: &Scenario, facts: &Facts, findings: &mut Findings) {
    let (Aggregation::SecureAggregation(secure), Some(Privacy::Gaussian(gaussian))) =
        (scenario.aggregation, scenario.privacy)
    else {
        return;
    };
    let (clients, entries) = (facts.clients.unwrap_or(1) as u32, facts.statistic.unwrap_or(1));
    let share = gaussian.share(scenario.protocol.profile().participation.expected(clients, 1.0).max(1.0));
    let moved = secure.rounding(entries);
    if moved <= ROUNDING * share {
        return;
    }
    // Without noise no number of bits is enough.
    let needed = f64::from(secure.fraction_bits) + libm::log2(moved / (ROUNDING * share)).ceil();
    let found = format!(
        "rounding to these bits moves a vector by up to {moved:.3e}, and a client's share of the noise has the \
         standard deviation {share:.3e} in each entry: too little of it may be left for the ε that is told"
    );
    // Sums need room beside the fraction.
    let field = if needed + 8.0 > f64::from(secure.field_bits) { ", with a larger `field_bits`" } else { "" };
    let expected = match needed <= 52.0 {
        true => format!("expected at least {needed}{field}, so that it is at most a hundredth of that"),
        false => "expected noise of which more is left: a larger `clip` or `noise`".to_owned(),
    };
    findings.error("aggregation.fraction_bits", found, expected);
}

/// Of a client's share of the noise: how far rounding may move its vector.
const ROUNDING: f64 = 0.01;

/// What preparation sends or uses beside the contributions.
fn preparation(scenario: &Scenario, private: bool, secure: bool, findings: &mut Findings) {
    let found = "it uses numbers of all examples, which no noise hides";
    if let Some(path) = scenario.data.facts().mixes_clients.filter(|_| private) {
        findings.error(path, found, "expected `Drop`, or data that are complete");
    }
    for (index, step) in scenario.preprocess.iter().enumerate() {
        let sends = step.exchanged(1) != (0, 0);
        let found = match (sends && (private || secure), step.leaks() && private) {
            (true, _) => "each client sends its moments in the open",
            (false, true) => found,
            (false, false) => continue,
        };
        let expected = "expected `StandardizePerClient`, `Log(…)`, or a preparation before";
        findings.error(format!("preprocess[{index}]"), found, expected);
    }
}

/// Sums are of contributions to one round.
fn one_round_each(scenario: &Scenario, findings: &mut Findings) {
    let found = "masks, and noise that is shared, belong to one round";
    if scenario.late == Late::Apply {
        findings.error("late", found, "expected `Discard`");
    }
    if scenario.round.buffer().is_some() {
        findings.error("round", found, "expected `WaitForAll` or `Deadline(…)`");
    }
}
