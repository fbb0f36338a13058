//! Bi-factor models: what items, model and initial value require of each other.

use fedbits_models::bifactor::Law;

use super::Findings;
use crate::schema::{Initial, Scenario};

/// The items and the initial value of a bi-factor model.
pub(super) fn bi_factor(scenario: &Scenario, groups: &[usize], law: Law, findings: &mut Findings) {
    if let Some(items) = scenario.data.features().filter(|items| *items != groups.len()) {
        let expected = format!("expected {items}, one per item");
        findings.error("model.groups", format!("there are {} groups", groups.len()), expected);
    }
    let Initial::Loadings { variance, .. } = scenario.initial else { return };
    if law != Law::Gaussian && variance != 1.0 {
        findings.no_effect("initial.variance", "only Gaussian responses have a variance of their own");
    }
}
