//! The decision of a search, tried again under other assumptions: for each a race of its own, in a folder beside the
//! decision, of the arms that were left and those that came next.

use std::collections::BTreeMap;

use fedbits_record::study::{Decision, OtherDecision, PlanObjective, StudyRecord};
use fedbits_scenarios::schema::{Axis, Method};
use fedbits_scenarios::study::StudyArm;

use super::constraints::Constraints;
use super::known::Known;
use super::optimize::Optimization;
use super::{Seek, race};
use crate::error::Error;
use crate::study::candidates::Candidates;
use crate::study::definition::Study;

/// Where the studies are, inside the study's directory.
const FOLDER: &str = "sensitivity";
/// Arms that are tried again, beside the baseline.
pub(crate) const ARMS: usize = 5;

/// Runs them, and gives the decisions.
pub(super) fn decide_again(
    seek: &Seek<'_>,
    optimization: Option<&Optimization>,
    (record, decision): (&StudyRecord, &Decision),
) -> Result<Vec<OtherDecision>, Error> {
    let Some(search) = &record.plan().search else { return Ok(Vec::new()) };
    let arms = candidates(decision, record.plan().baseline, &search.objectives[0]);
    let candidates = match optimization {
        Some(own) => Candidates::Points(own.points(&arms)),
        None => Candidates::Arms(arms),
    };
    let study = optimization.map_or(seek.study, Optimization::study);
    let mut decided = Vec::new();
    for (number, name) in (1..).zip(study.checked.study.sensitivity.keys()) {
        if let Some(candidates) = possible(seek, study, name, &candidates)? {
            decided.push(again(seek, study, (number, name, &candidates), (record, decision))?);
        }
    }
    Ok(decided)
}

/// The candidates without the points that an assumption makes no scenarios of, or in which it changes nothing: each is
/// told. `None` where the baseline alone is left.
fn possible(seek: &Seek<'_>, study: &Study, name: &str, candidates: &Candidates) -> Result<Option<Candidates>, Error> {
    let points = match candidates {
        Candidates::Arms(arms) => return Ok(Some(Candidates::Arms(arms.clone()))),
        Candidates::Points(points) => points,
    };
    let mut left = points[..1].to_vec();
    for point in &points[1..] {
        let why = match study.assuming(name, &Candidates::Points(vec![points[0].clone(), point.clone()])) {
            Ok(_) => {
                left.push(point.clone());
                continue;
            }
            Err(Error::Input(why)) => why,
            Err(Error::Problems { problems, .. }) => {
                problems.problems().first().map_or_else(String::new, |problem| problem.message.clone())
            }
            Err(other) => return Err(other),
        };
        seek.executor.listener.caveat(&format!("sensitivity `{name}`: `{}` is left out: {why}", point.name));
    }
    Ok((left.len() > 1).then_some(Candidates::Points(left)))
}

/// The baseline, then those that were left, then those that were dropped last, the better ones first; of an
/// optimization those with the most replicates.
fn candidates(decision: &Decision, baseline: usize, objective: &PlanObjective) -> Vec<usize> {
    let cost = |shown: Option<f64>| shown.map_or(f64::INFINITY, |own| objective.less_is_better(own));
    let mut arms = decision.best.clone();
    for look in decision.looks.iter().rev() {
        let mut standings: Vec<_> = look.standings.iter().filter(|own| own.dropped.is_some()).collect();
        standings.sort_by(|one, other| cost(one.mean).total_cmp(&cost(other.mean)));
        arms.extend(standings.iter().map(|own| own.arm));
    }
    if decision.looks.is_empty() {
        let is_other = |arm: &usize| decision.arms[*arm].feasible > 0 && !decision.best.contains(arm);
        let mut others: Vec<usize> = (0..decision.arms.len()).filter(is_other).collect();
        let cost = |arm: usize| cost(decision.arms[arm].costs[0]);
        let runs = |arm: usize| decision.arms[arm].runs;
        others.sort_by(|&one, &other| runs(other).cmp(&runs(one)).then(cost(one).total_cmp(&cost(other))));
        arms.extend(others);
    }
    arms.truncate(ARMS.max(decision.best.len()));
    arms.retain(|&arm| arm != baseline);
    arms.insert(0, baseline);
    arms
}

fn again(
    seek: &Seek<'_>,
    study: &Study,
    (number, name, candidates): (usize, &String, &Candidates),
    (record, decision): (&StudyRecord, &Decision),
) -> Result<OtherDecision, Error> {
    let study = study.assuming(name, candidates)?;
    let folder = format!("{FOLDER}/{number:02}");
    seek.executor.listener.message(&format!("decided again: {name}"));
    let there = (seek.again)(&study, &record.directory().join(&folder))?;
    let names: Vec<&str> = there.plan().arms.iter().map(|arm| arm.name.as_str()).collect();
    let best = there.decision().map_or(&[][..], |own| &own.best);
    let chosen = decision.best.first().map(|&arm| record.plan().arms[arm].name.as_str());
    let chosen = names.iter().position(|own| Some(*own) == chosen);
    let mut known = Known::new(there.plan().search.as_ref().map_or_else(Vec::new, |search| search.objectives.clone()));
    // Reads what that race asked for.
    race::advance(&there, &Constraints::of(study.checked.study.search.as_ref()), &mut known)?;
    let regret = chosen.zip(best.first()).and_then(|(chosen, &best)| known.effect(chosen, best, 0));
    Ok(OtherDecision {
        name: name.clone(),
        folder,
        best: best.iter().map(|&arm| names[arm].to_owned()).collect(),
        regret,
    })
}

impl Study {
    /// A race of some of this study's arms, under another assumption.
    pub(crate) fn assuming(&self, name: &str, candidates: &Candidates) -> Result<Study, Error> {
        let mut study = self.checked.study.clone();
        study.set.extend(study.sensitivity.remove(name).unwrap_or_default());
        study.sensitivity.clear();
        study.figures.clear();
        study.name = format!("{}: {name}", study.name);
        match candidates {
            Candidates::Arms(arms) => study.exclude.extend(self.all_but(arms)),
            Candidates::Points(points) => {
                study.axes =
                    vec![Axis::Cases { name: "point".to_owned(), levels: points.clone(), when: BTreeMap::new() }];
                if let Some(Method::Optimize(own)) = &study.search {
                    study.search = Some(Method::Race(own.race()));
                }
            }
        }
        let other = self.other(&format!("{} ({name})", self.name()), &study).map_err(|error| match error {
            Error::Problems { what, problems } => {
                Error::Problems { what, problems: self.checked.under(name, &problems) }
            }
            other => other,
        })?;
        let scenario = |study: &Study, name: &str| {
            let arm = study.checked.arms.iter().find(|arm| arm.name == name);
            arm.map(|arm| arm.checked.scenario.identity())
        };
        let unchanged = |arm: &&StudyArm| scenario(self, &arm.name) == Some(arm.checked.scenario.identity());
        match other.checked.arms.iter().find(unchanged) {
            None => Ok(other),
            Some(arm) => Err(Error::Input(format!(
                "sensitivity `{name}` changes nothing in the arm `{}`: it is so already, or something of the study \
                 overrides it",
                arm.name
            ))),
        }
    }

    /// What excludes all arms but these.
    fn all_but(&self, arms: &[usize]) -> Vec<BTreeMap<String, String>> {
        let left_out = self.checked.arms.iter().enumerate().filter(|(number, _)| !arms.contains(number));
        let levels = |arm: &StudyArm| {
            let levels = self.checked.axes.iter().zip(&arm.levels);
            let there = levels.filter(|(axis, level)| **level < axis.labels.len());
            there.map(|(axis, &level)| (axis.name.clone(), axis.label(level).to_owned())).collect()
        };
        left_out.map(|(_, arm)| levels(arm)).collect()
    }
}

#[cfg(test)]
mod tests {
    use fedbits_record::study::{DecisionArm, DecisionLook, DecisionStanding, DropReason};

    use super::*;

    fn raced(means: &[f64]) -> Decision {
        let dropped = Some(DropReason::Worse);
        let standing =
            |(arm, &mean): (usize, &f64)| DecisionStanding { arm, pairs: 2, mean: Some(mean), low: None, dropped };
        let standings = (1..).zip(means).map(standing).collect();
        Decision {
            best: vec![0],
            looks: vec![DecisionLook { replicates: 2, leader: 0, standings }],
            ..Decision::default()
        }
    }

    fn optimized(costs: &[f64]) -> Decision {
        let arm = |&cost: &f64| DecisionArm { runs: 2, feasible: 2, costs: vec![Some(cost)], ..DecisionArm::default() };
        Decision { best: vec![0], arms: costs.iter().map(arm).collect(), ..Decision::default() }
    }

    #[test]
    fn the_better_ones_come_first_whether_more_or_less_is_better() {
        let (accuracy, error) =
            (PlanObjective::Best("accuracy".to_owned()), PlanObjective::Best("objective".to_owned()));
        let differences = raced(&[-0.3, -0.1, -0.2]);
        assert_eq!(candidates(&differences, 0, &accuracy), [0, 2, 3, 1]);
        assert_eq!(candidates(&differences, 3, &error), [3, 0, 1, 2]);
        let values = optimized(&[0.9, 0.5, 0.7, 0.6]);
        assert_eq!(candidates(&values, 0, &accuracy), [0, 2, 3, 1]);
        assert_eq!(candidates(&values, 0, &error), [0, 1, 3, 2]);
    }
}
