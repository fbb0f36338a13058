//! What came of a run: the one place that decides it. Every table, figure and search asks here.
//!
//! A run whose fit is *degenerate* may have met its target and found nothing: components are empty or have collapsed,
//! or the fit is worse than the start. No step of exact EM raises the objective, so every local optimum that EM can
//! come to from a start lies at or below the objective of that start. A final objective above it by more than
//! [`crate::MARGIN`] is therefore no honest local optimum of these data and this start.
//!
//! The verdict depends on the record of the run alone. It does not change when other arms are added or left out, and a
//! search that is resumed, or divided among processes, sees the same.

use fedbits_tally::words;

use crate::RunRecord;
use crate::results::{PlanTarget, reach};

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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Cut, FinalFit, Manifest, RoundRow, Spending};
    use fedbits_spec::Caveat;

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
        let diverged = FinalFit { components: 0, ..fit(0, 0, [0.5, 2.5]) }.caveat();
        let defects = "its objective lies 2.00 above that of its start".to_owned();
        assert_eq!(diverged, Some(Caveat::RunDiverged { defects }), "a regression has no components");
        let far = PlanTarget::at_most("mean_field_sq", 1e-9);
        assert_eq!(Verdict::of(&record(fit(0, 0, [1.0, 0.5]), "rounds: 1"), &far), Some(Verdict::NotReached));
        assert_eq!(Verdict::of(&record(fit(2, 0, [1.0, 0.5]), "failed: no"), &far), Some(Verdict::Failed));
        let mut cut = record(fit(2, 0, [1.0, 0.5]), "cut");
        cut.manifest.cut = Some(Cut { of: Spending::Bits, above: 1 });
        assert_eq!(Verdict::of(&cut, &far), Some(Verdict::NotReached));
    }
}
