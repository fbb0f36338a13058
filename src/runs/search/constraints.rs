//! What every run of a race must keep to.

use fedbits_scenarios::schema::{Constraint, Race};
use fedbits_search::{Outcome, Score};

use super::known::KnownRun;

#[derive(Clone, Debug)]
pub(super) struct Constraints {
    all: Vec<Constraint>,
    /// The share of an arm's runs that must keep to them.
    pub(super) share: f64,
}

impl Constraints {
    pub(super) fn of(race: Option<&Race>) -> Self {
        let all = race.map_or_else(Vec::new, |race| race.constraints.clone());
        Self { all, share: race.map_or(1.0, Race::reached) }
    }

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
        let time_s = run.cost.map_or(0.0, |cost| cost.time_s);
        run.is_cut
            || self.all.iter().all(|constraint| match constraint {
                Constraint::Time(limit) => reached && time_s <= limit.seconds(),
                Constraint::Reached(_) => reached,
            })
    }

    /// A run as the race sees it: feasible when it did not fail, and keeps to them.
    pub(super) fn outcome(&self, run: &KnownRun, score: Score) -> Outcome {
        Outcome { score, feasible: !run.failed && self.are_met(run) }
    }
}
