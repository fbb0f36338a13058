//! What came of a run: the one place that decides it. Every table, figure and search asks here.
//!
//! A run whose fit is *degenerate* may have met its target and found nothing: components are empty or have collapsed,
//! or the fit is worse than the start. No step of exact EM raises the objective, so every local optimum that EM can
//! come to from a start lies at or below the objective of that start. A final objective above it by more than
//! [`MARGIN`] is therefore no honest local optimum of these data and this start.
//!
//! The verdict depends on the record of the run alone. It does not change when other arms are added or left out, and a
//! search that is resumed, or divided among processes, sees the same.

use fedbits_spec::Caveat;
use serde::{Deserialize, Serialize};

use crate::RunRecord;
use crate::results::{PlanTarget, reach};
use crate::words::words;

/// How far a final objective may lie above that of the start, in units of the objective: for a density in nats per
/// example. At 0.25 an example is less probable by a factor of e^−0.25 = 0.78 in the geometric mean.
pub const MARGIN: f64 = 0.25;

/// What came of a run on its way to a target.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum Verdict {
    /// It reached the target.
    Reached,
    /// It ended before.
    NotReached,
    /// Its simulation failed before.
    Failed,
    /// Its final fit is degenerate, whether or not a row met the target.
    Degenerate,
}

impl Verdict {
    /// Of a run and a target; `None` when the run recorded no row and did not fail.
    #[must_use]
    pub fn of(record: &RunRecord, target: &PlanTarget) -> Option<Self> {
        let is_degenerate = record.manifest.is_degenerate();
        let failed = record.manifest.failure().is_some();
        match reach(record, target) {
            _ if is_degenerate => Some(Self::Degenerate),
            Some(cost) if cost.reached => Some(Self::Reached),
            _ if failed => Some(Self::Failed),
            cost => cost.map(|_| Self::NotReached),
        }
    }
}

words!(Verdict, name:
    Reached = "reached",
    NotReached = "not_reached",
    Failed = "failed",
    Degenerate = "degenerate",
);

/// The final fit of a run, as far as the verdict depends on it.
#[derive(Clone, Debug, Default, Deserialize, PartialEq, Serialize)]
pub struct FinalFit {
    /// Number of components; 0 of a model without.
    pub components: u64,
    /// Components with less than half an example in expectation.
    pub empty: u64,
    /// Components with a variance that rounding or the floor of the domain gives.
    pub collapsed: u64,
    /// The last measured objective.
    pub objective: Option<f64>,
    /// The objective before the first round: that of the start, on the same data.
    pub start_objective: Option<f64>,
    /// Whether the scenario lets a degenerate fit count like any other.
    #[serde(default)]
    pub accepted: bool,
}

impl FinalFit {
    /// What is wrong with it, whether or not it is accepted; empty where nothing is.
    #[must_use]
    pub fn defects(&self) -> Vec<String> {
        let of = |count: u64, what: &str| {
            let are = if count == 1 { "is" } else { "are" };
            (count > 0).then(|| format!("{count} of {} components {are} {what}", self.components))
        };
        let worse = self.rise().filter(|rise| *rise > MARGIN);
        let worse = worse.map(|rise| format!("its objective lies {rise:.2} above that of its start"));
        [of(self.empty, "empty"), of(self.collapsed, "collapsed"), worse].into_iter().flatten().collect()
    }

    /// Whether a target that the run met counts as missed.
    #[must_use]
    pub fn is_degenerate(&self) -> bool {
        !self.accepted && (self.empty > 0 || self.collapsed > 0 || self.rise().is_some_and(|rise| rise > MARGIN))
    }

    /// How far the final objective lies above that of the start.
    fn rise(&self) -> Option<f64> {
        Some(self.objective? - self.start_objective?)
    }

    /// The caveat of a degenerate fit.
    #[must_use]
    pub fn caveat(&self) -> Option<Caveat> {
        self.is_degenerate().then(|| Caveat::DegenerateFit { defects: self.defects().join(", ") })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Cut, Manifest, RoundRow, Spending};

    fn record(fit: FinalFit, stop_reason: &str) -> RunRecord {
        let row = |round, field| RoundRow { round, mean_field_sq: Some(field), ..RoundRow::default() };
        let manifest = Manifest { fit: Some(fit), stop_reason: stop_reason.to_owned(), ..Manifest::default() };
        RunRecord { manifest, rounds: vec![row(0, 1.0), row(1, 1e-7)], ..RunRecord::default() }
    }

    fn fit(empty: u64, collapsed: u64, objectives: [f64; 2]) -> FinalFit {
        let [start_objective, objective] = objectives.map(Some);
        FinalFit { components: 6, empty, collapsed, objective, start_objective, accepted: false }
    }

    /// Each defect alone makes a run that met its target degenerate; what a search cut, or what failed, is neither.
    #[test]
    fn a_collapsed_fit_is_not_reached() {
        let target = PlanTarget::at_most("mean_field_sq", 1e-6);
        let verdict = |fit: FinalFit| Verdict::of(&record(fit, "mean field: small"), &target);
        let cases = [
            (fit(0, 0, [16.05, 16.04]), Verdict::Reached),
            (fit(5, 0, [16.05, 17.03]), Verdict::Degenerate),
            (fit(1, 0, [16.05, 16.04]), Verdict::Degenerate),
            (fit(0, 1, [16.05, 9.0]), Verdict::Degenerate),
            (fit(0, 0, [16.05, 16.31]), Verdict::Degenerate),
            // An honest local optimum, or noise: above the start by no more than the margin.
            (fit(0, 0, [16.05, 16.29]), Verdict::Reached),
            (FinalFit { accepted: true, ..fit(5, 0, [16.05, 17.03]) }, Verdict::Reached),
            (FinalFit { start_objective: None, ..fit(0, 0, [0.0, 1e9]) }, Verdict::Reached),
        ];
        for (fit, expected) in cases {
            assert_eq!(verdict(fit.clone()), Some(expected), "{fit:?}");
            let counts = reach(&record(fit.clone(), ""), &target).unwrap().reached;
            assert_eq!(counts, expected == Verdict::Reached, "{fit:?}");
            assert_eq!(fit.caveat().is_some(), expected == Verdict::Degenerate, "{fit:?}");
        }
        let far = PlanTarget::at_most("mean_field_sq", 1e-9);
        assert_eq!(Verdict::of(&record(fit(0, 0, [1.0, 0.5]), "rounds: 1"), &far), Some(Verdict::NotReached));
        assert_eq!(Verdict::of(&record(fit(2, 0, [1.0, 0.5]), "failed: no"), &far), Some(Verdict::Failed));
        let mut cut = record(fit(2, 0, [1.0, 0.5]), "cut");
        cut.manifest.cut = Some(Cut { of: Spending::Bits, above: 1 });
        assert_eq!(Verdict::of(&cut, &far), Some(Verdict::NotReached));
    }
}
