//! What a search of the right shape can still get wrong.

use fedbits_spec::{Described, Facts, Findings, Path};

use super::parts::target;
use crate::schema::{Constraint, Objective, Race, Scenario, eightfold};

/// A race decides at looks whose levels are found together before the first one, which takes seconds for so many.
const MOST_REPLICATES: u64 = 1_000;

/// Findings about how runs are chosen.
pub(super) fn search(scenario: &Scenario, findings: &mut Findings) {
    let Some(race) = &scenario.search else { return };
    if scenario.replicates > MOST_REPLICATES {
        let found = format!("a search does not look {} times at its arms", scenario.replicates);
        findings.error("replicates", found, format!("expected at most {MOST_REPLICATES} beside a `search`"));
    }
    self::race(scenario, race, findings);
}

/// Whether a path is the outer one, or in it.
pub(crate) fn is_within(inner: &str, outer: &str) -> bool {
    inner.strip_prefix(outer).is_some_and(|rest| rest.is_empty() || rest.starts_with(['.', '[']))
}

fn race(scenario: &Scenario, race: &Race, findings: &mut Findings) {
    race.objective.target().into_iter().for_each(|objective| target(objective, "search.objective[0]", findings));
    race.check(&Path::Root.field("search"), &Facts::default(), findings);
    if race.margin().is_none() {
        let found = "the objective has no ratios, and no `margin` says which differences of its values do not matter";
        findings.error("search.margin", found, "expected a difference of its values, from 0 on (0: each matters)");
    }
    if race.cut.is_some() && race.cut != eightfold() && matches!(race.objective, Objective::Best(_)) {
        let expected = "expected no `cut`, or an objective that is spent until a target";
        findings.error("search.cut", "the value of a column is not spent, and cuts no run", expected);
    }
    constraints(&race.constraints, &race.objective, findings);
    if scenario.replicates < 2 {
        let expected = "expected at least 2; of more than it needs a race makes none";
        findings.error("replicates", "arms cannot be told apart by one replicate", expected);
    }
    if scenario.axes.is_empty() && scenario.arms.len() < 2 {
        findings.error("search", "there is one arm only", "expected `arms` or `axes` that make at least two");
    }
}

fn constraints(all: &[Constraint], objective: &Objective, findings: &mut Findings) {
    for (index, constraint) in all.iter().enumerate() {
        let is_same = |earlier: &Constraint| std::mem::discriminant(earlier) == std::mem::discriminant(constraint);
        if all[..index].iter().any(is_same) {
            let place = format!("search.constraints[{index}]");
            findings.error(place, "there is such a constraint before", "expected each kind of constraint once");
        } else if let (Constraint::Reached(_), Objective::Best(_)) = (constraint, objective) {
            let place = format!("search.constraints[{index}]");
            findings.error(place, "`Best` has no target that could be reached", "expected `Time(…)`");
        }
    }
}
