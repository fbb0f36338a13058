//! What a study's search of the right shape can still get wrong.

use fedbits_spec::{Described, Facts, Findings, Path};

use super::parts::{target, varied_path};
use crate::schema::{Constraint, Method, Objective, Optimize, Race, SearchBudget, Study, eightfold};

/// A race decides at looks whose levels are found together before the first one, which takes seconds for so many.
const MOST_REPLICATES: u64 = 1_000;

/// Findings about how runs are chosen.
pub(super) fn search(study: &Study, findings: &mut Findings) {
    if study.search.is_some() && study.replicates > MOST_REPLICATES {
        let found = format!("a search does not look {} times at its arms", study.replicates);
        findings.error("replicates", found, format!("expected at most {MOST_REPLICATES} beside a `search`"));
    }
    match &study.search {
        Some(Method::Race(race)) => self::race(study, race, findings),
        Some(Method::Optimize(own)) => optimize(study, own, findings),
        None if !study.sensitivity.is_empty() => {
            let expected = "expected a `search` beside it";
            findings.error("sensitivity", "there is no decision that could be tried again", expected);
        }
        None => {}
    }
    for (name, sets) in &study.sensitivity {
        let place = format!("sensitivity[\"{name}\"]");
        if name.trim().is_empty() || sets.is_empty() {
            findings.error(
                &place,
                "nothing is assumed otherwise",
                "expected a name, and at least one path with its value",
            );
        }
        for path in sets.keys() {
            let place = format!("{place}[\"{path}\"]");
            varied_path(findings, &place, path);
            let axis = study.axes.iter().find(|axis| axis.paths().iter().any(|own| overlap(own, path)));
            let axis = axis.map(|axis| format!("the axis `{}`", axis.name()));
            let over = match &study.search {
                Some(Method::Optimize(own)) if own.over.keys().any(|own| overlap(own, path)) => {
                    Some("`over` of the search".to_owned())
                }
                _ => None,
            };
            if let Some(by) = axis.or(over) {
                let message = format!("`{path}`, or a part of it, is varied by {by}");
                findings.error(&place, message, "expected a path that is the same in all arms");
            }
        }
    }
}

/// Whether one path is the other, or is in it.
fn overlap(one: &str, other: &str) -> bool {
    is_within(one, other) || is_within(other, one)
}

/// Whether a path is the outer one, or in it.
pub(crate) fn is_within(inner: &str, outer: &str) -> bool {
    inner.strip_prefix(outer).is_some_and(|rest| rest.is_empty() || rest.starts_with(['.', '[']))
}

fn race(study: &Study, race: &Race, findings: &mut Findings) {
    objective(&race.objective, "search.objective", findings);
    if let Objective::Front(_) = race.objective {
        findings.error("search.objective", "a race has one cost", "expected `BitsTo(…)` or another single one");
    }
    if !(race.error > 0.0 && race.error <= 0.5) {
        findings.error("search.error", format!("{} is no probability of an error", race.error), "expected (0, 0.5]");
    }
    match race.margin() {
        Some(margin) if margin >= 0.0 && margin.is_finite() => {}
        Some(margin) => {
            findings.error("search.margin", format!("{margin} is no margin"), "expected a number from 0 on");
        }
        None => findings.error(
            "search.margin",
            "the objective has no ratios, and no `margin` says which differences of its values do not matter",
            "expected a difference of its values, from 0 on (0: each matters)",
        ),
    }
    if !(0.0..1.0).contains(&race.futility) {
        let message = format!("{} is no probability that ends a race", race.futility);
        findings.error("search.futility", message, "expected [0, 1)");
    }
    match (race.cut, &race.objective) {
        (Some(cut), _) if !(cut > 1.0 && cut.is_finite()) => {
            findings.error(
                "search.cut",
                format!("{cut} is no factor of a cost"),
                "expected a number above 1, or `None`",
            );
        }
        (cut @ Some(_), Objective::Best(_)) if cut != eightfold() => {
            let expected = "expected no `cut`, or an objective that is spent until a target";
            findings.error("search.cut", "the value of a column is not spent, and cuts no run", expected);
        }
        _ => {}
    }
    constraints(&race.constraints, &race.objective, findings);
    if study.replicates < 2 {
        let expected = "expected at least 2; of more than it needs a race makes none";
        findings.error("replicates", "arms cannot be told apart by one replicate", expected);
    }
    if study.axes.is_empty() {
        findings.error("search", "there is one arm only", "expected `axes` that make at least two");
    }
}

fn optimize(study: &Study, own: &Optimize, findings: &mut Findings) {
    objective(&own.objective, "search.objective", findings);
    if !study.axes.is_empty() {
        findings.error("axes", "an optimization makes its arms itself", "expected no axes: its paths are in `over`");
    }
    if let (Objective::Front(_), false) = (&own.objective, study.sensitivity.is_empty()) {
        let expected = "expected no `sensitivity`, or an objective that is one cost";
        findings.error("sensitivity", "a front is not tried again: that is a race, which has one cost", expected);
    }
    if study.replicates < 2 && !study.sensitivity.is_empty() {
        let expected = "expected at least 2, or no `sensitivity`";
        findings.error("replicates", "a race tells nothing apart by one replicate", expected);
    }
    let SearchBudget::Runs(runs) = own.budget;
    super::numbers::count(findings, "search.budget[0]", runs, 1, 1_000, "");
    super::numbers::count(findings, "search.batch", own.batch, 1, 64, "");
    if own.over.is_empty() {
        findings.error("search.over", "nothing is varied", "expected at least one path");
    }
    for (path, law) in &own.over {
        let place = format!("search.over[\"{path}\"]");
        varied_path(findings, &place, path);
        law.check(&Path::Root.field(&place), &Facts::default(), findings);
        if study.set.keys().any(|own| is_within(own, path)) {
            let message = format!("`{path}` is set by `set` too");
            findings.error(&place, message, "expected every path in one place only");
        }
    }
    constraints(&own.constraints, &own.objective, findings);
}

fn constraints(all: &[Constraint], objective: &Objective, findings: &mut Findings) {
    for (index, constraint) in all.iter().enumerate() {
        let is_same = |other: &Constraint| std::mem::discriminant(other) == std::mem::discriminant(constraint);
        if all[..index].iter().any(is_same) {
            let place = format!("search.constraints[{index}]");
            findings.error(place, "there is such a constraint before", "expected each kind of constraint once");
        } else if let Constraint::Time(limit) = constraint
            && limit.seconds() <= 0.0
        {
            let place = format!("search.constraints[{index}][0]");
            findings.error(place, "no run reaches a target in no time", "expected a time above 0");
        } else if let Constraint::Reached(share) = constraint
            && !(*share > 0.0 && *share <= 1.0)
        {
            let place = format!("search.constraints[{index}][0]");
            findings.error(place, format!("{share} is no share of runs"), "expected (0, 1]");
        } else if let (Constraint::Reached(_), Objective::Best(_)) = (constraint, objective) {
            let place = format!("search.constraints[{index}]");
            findings.error(place, "`Best` has no target that could be reached", "expected `Time(…)`");
        }
    }
}

fn objective(own: &Objective, place: &str, findings: &mut Findings) {
    match own {
        Objective::Front(all) => {
            if !(2..=3).contains(&all.len()) || all.iter().any(|own| matches!(own, Objective::Front(_))) {
                findings.error(place, "a front has two or three costs", "expected `Front([BitsTo(…), TimeTo(…)])`");
                return;
            }
            for (index, own) in all.iter().enumerate() {
                objective(own, &format!("{place}[0][{index}]"), findings);
            }
        }
        own => own.targets().into_iter().for_each(|own| target(own, &format!("{place}[0]"), findings)),
    }
}
