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

    /// Whether there is none.
    pub(super) fn is_empty(&self) -> bool {
        self.all.is_empty()
    }

    /// Whether a run reached the target, and keeps to them.
    pub(super) fn are_met_at_target(&self, run: &KnownRun, objectives: &[PlanObjective]) -> bool {
        run.is_there() && self.are_met(run, objectives)
    }

    /// Whether a run keeps to them. Of one that was cut it is not known, and it is dear enough.
    fn are_met(&self, run: &KnownRun, objectives: &[PlanObjective]) -> bool {
        let reached = run.is_there();
        let time_s = run.time_s(objectives);
        run.is_cut
            || self.all.iter().all(|constraint| match constraint {
                Constraint::Time(limit) => reached && time_s <= limit.seconds(),
                Constraint::Reached(_) => reached,
            })
    }

    /// A run as the search sees it: feasible when it did not fail, and keeps to them.
    pub(super) fn outcome(&self, run: &KnownRun, objectives: &[PlanObjective]) -> Outcome {
        let outcome = run.outcome(objectives);
        Outcome { feasible: outcome.feasible && self.are_met(run, objectives), ..outcome }
    }
}

#[cfg(test)]
mod tests {
    use fedbits_record::study::{PlanTarget, RunCost};
    use fedbits_scenarios::schema::Duration;

    use super::*;

    /// A run that goes on behind its targets, for a value at its end, is as quick as these were reached.
    #[test]
    fn time_is_that_of_the_targets() {
        let constraints = Constraints { all: vec![Constraint::Time(Duration::Min(10.0))], share: 1.0 };
        let best = || PlanObjective::Best("accuracy".to_owned());
        let bits = || PlanObjective::BitsTo(PlanTarget::at_most("mean_field_sq", 1e-3));
        let rounds = || PlanObjective::RoundsTo(PlanTarget::at_most("mean_field_sq", 1e-4));
        let cases = [
            (vec![(bits(), 5.0), (best(), 30.0)], true),
            (vec![(best(), 30.0), (bits(), 5.0), (rounds(), 11.0)], false),
            (vec![(best(), 30.0)], false),
            (vec![(best(), 9.0)], true),
        ];
        for (costs, keeps) in cases {
            let cost = |&(_, minutes): &(PlanObjective, f64)| RunCost {
                cost: 1.0,
                before: 1.0,
                reached: true,
                time_s: 60.0 * minutes,
            };
            let run =
                KnownRun { costs: costs.iter().map(|own| Some(cost(own))).collect(), failed: false, is_cut: false };
            let objectives: Vec<PlanObjective> = costs.iter().map(|(objective, _)| objective.clone()).collect();
            assert_eq!(constraints.are_met_at_target(&run, &objectives), keeps, "{costs:?}");
        }
    }
}
