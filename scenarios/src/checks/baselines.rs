//! What the algorithms that FedEM is compared with need of rounds, failures and the model.

use super::Findings;
use crate::schema::{
    Availability, Broadcast, Covariance, Domain, Dropout, FedEm, Model, Protocol, Scenario, VarianceReduction,
};

pub(super) fn check(scenario: &Scenario, findings: &mut Findings) {
    match &scenario.protocol {
        Protocol::DistributedEm(_) => distributed(scenario, findings),
        Protocol::Marina(_) => marina(scenario, findings),
        Protocol::GradientAscent(ascent) => gradients(scenario, ascent, findings),
        _ => {}
    }
}

/// Why some contributions of a round can be missing, at the field that says so.
fn missing(scenario: &Scenario) -> Option<&'static str> {
    let early = scenario.round.closes_early();
    let paths = [
        ("round", early),
        ("dropout", scenario.dropout != Dropout::Never),
        ("availability", scenario.availability != Availability::default()),
        ("network", scenario.network.loses_messages()),
    ];
    paths.into_iter().find(|(_, missing)| *missing).map(|(path, _)| path)
}

fn distributed(scenario: &Scenario, findings: &mut Findings) {
    if let Some(path) = missing(scenario) {
        findings.caveat(
            path,
            "contributions can be missing: the server takes the mean of those that arrived, which is no exact EM",
        );
    }
}

fn marina(scenario: &Scenario, findings: &mut Findings) {
    if let Some(path) = missing(scenario) {
        findings.error(
            path,
            "MARINA carries its estimate on from the changes of all clients: a contribution that is missing would bias \
             it for good",
            "expected `WaitForAll`, clients that are always there, and a network that loses nothing (`delivery: \
             Reliable(…)`)",
        );
    }
}

/// Gradient ascent, beside what it shares with FedEM.
fn gradients(scenario: &Scenario, ascent: &FedEm, findings: &mut Findings) {
    if ascent.variance_reduction != VarianceReduction::NoReduction {
        let why = "SPIDER estimates are of statistics, not of gradients";
        findings.error("protocol.variance_reduction", why, "expected `NoReduction`, or the protocol `FedEm`");
    }
    if ascent.broadcast != Broadcast::default() {
        findings.no_effect("protocol.broadcast", "coordinates are sent, and parameters follow from them");
    }
    if ascent.domain != Domain::default() {
        findings.no_effect("protocol.domain", "every vector of coordinates has parameters");
    }
    if let Model::GaussianMixture { covariance: covariance @ (Covariance::Tied | Covariance::Full), .. } =
        &scenario.model
    {
        let form = if *covariance == Covariance::Tied { "tied" } else { "full" };
        let why = format!("gradient ascent has no coordinates that keep a {form} covariance positive definite");
        findings.error("model.covariance", why, "expected `Known(…)` or `Diagonal`");
    }
}
