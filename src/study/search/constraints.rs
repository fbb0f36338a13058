//! What every run of a search must keep to.

use fedbits_record::study::PlanObjective;
use fedbits_scenarios::schema::{Constraint, Method};
use fedbits_search::Outcome;

use super::known::KnownRun;

/// The constraints of a search.
#[derive(Clone, Debug)]
pub(super) struct Constraints {
    all: Vec<Constraint>,
    /// The share of an arm's runs that must keep to them.
    pub(super) share: f64,
}

impl Constraints {
    /// Those of a study's search; none of a study without one.
    pub(super) fn of(search: Option<&Method>) -> Self {
        let all = search.map_or_else(Vec::new, |search| search.constraints().to_vec());
        Self { all, share: search.map_or(1.0, Method::reached) }
    }

    /// How many of so many runs may fail, or not keep to them.
    pub(super) fn tolerated(&self, runs: u64) -> u64 {
        // A share such as 0.9 is no binary fraction: of ten runs it leaves one.
        const ROUNDING: f64 = 1e-9;
        ((1.0 - self.share) * runs as f64 + ROUNDING) as u64
    }

    /// Whether there is none.
    pub(super) fn is_empty(&self) -> bool {
        self.all.is_empty()
    }

    /// Whether a run reached the target, and keeps to them.
    pub(super) fn are_met_at_target(&self, run: &KnownRun) -> bool {
        run.is_there() && self.are_met(run)
    }

    /// Whether a run keeps to them. Of one that was cut it is not known, and it is dear enough.
    fn are_met(&self, run: &KnownRun) -> bool {
        let reached = run.is_there();
        let time_s = run.costs.iter().flatten().map(|cost| cost.time_s).fold(0.0, f64::max);
        run.is_cut
            || self.all.iter().all(|constraint| match constraint {
                Constraint::Time(limit) => reached && time_s <= limit.seconds(),
                Constraint::Reached(_) => reached,
            })
    }

    /// A run as the search sees it: feasible when it did not fail, and keeps to them.
    pub(super) fn outcome(&self, run: &KnownRun, objectives: &[PlanObjective]) -> Outcome {
        let outcome = run.outcome(objectives);
        Outcome { feasible: outcome.feasible && self.are_met(run), ..outcome }
    }
}
