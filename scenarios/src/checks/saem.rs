//! Longitudinal data and mixed-effects models: what fits together.

use fedbits_models::data::csv::{Doses, LongitudinalFile};
use fedbits_models::mixed::CurveSetting;

use super::Findings;
use super::numbers::{FINITE, POSITIVE, number};
use crate::schema::{Initial, Scenario};

/// The data file, the curve and the initial value of a mixed-effects model.
pub(super) fn model(scenario: &Scenario, curve: CurveSetting, findings: &mut Findings) {
    let no_doses = |file: &LongitudinalFile| file.doses == Doses::NoDoses;
    if curve.needs_doses() && scenario.data.get().is_some_and(no_doses) {
        findings.error("data.doses", "the curve needs doses", "expected `Rows(…)` or `PerSubject(…)`");
    }
    let Initial::Typical { values, deviations, .. } = &scenario.initial else { return };
    let p = curve.parameters();
    for (path, length) in [("initial.values", values.len()), ("initial.deviations", deviations.len())] {
        if length != p {
            let expected = format!("expected {p}, one per parameter of the curve");
            findings.error(path, format!("there are {length} numbers"), expected);
        }
    }
    for (index, value) in values.iter().enumerate() {
        let interval = if curve.needs_doses() { POSITIVE } else { FINITE };
        number(findings, &format!("initial.values[{index}]"), *value, interval);
    }
}
