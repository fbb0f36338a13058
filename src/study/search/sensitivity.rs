//! The decision of a race, tried again under other assumptions: for each a study of its own, in a folder beside the
//! decision, with the arms that were left and those that came next.

use fedbits_record::study::{Decision, OtherDecision, StudyRecord};
use fedbits_scenarios::study::StudyArm;

use super::known::Known;
use super::{Seek, race};
use crate::error::Error;
use crate::study::definition::Study;

/// Where the studies are, inside the study's directory.
const FOLDER: &str = "sensitivity";
/// Arms that are tried again, beside the baseline.
const ARMS: usize = 5;

/// Runs them, and gives the decisions.
pub(super) fn decide_again(
    seek: &Seek<'_>,
    record: &StudyRecord,
    decision: &Decision,
) -> Result<Vec<OtherDecision>, Error> {
    let arms = candidates(decision, record.plan().baseline);
    let assumptions = seek.study.checked.study.sensitivity.keys();
    (1..).zip(assumptions).map(|assumption| again(seek, assumption, &arms, (record, decision))).collect()
}

/// Those that were left, then those that were dropped last, the better ones first; and the baseline.
fn candidates(decision: &Decision, baseline: usize) -> Vec<usize> {
    let mut arms = decision.best.clone();
    for look in decision.looks.iter().rev() {
        let mut standings: Vec<_> = look.standings.iter().filter(|own| own.dropped.is_some()).collect();
        let mean = |mean: Option<f64>| mean.unwrap_or(f64::INFINITY);
        standings.sort_by(|one, other| mean(one.mean).total_cmp(&mean(other.mean)));
        arms.extend(standings.iter().map(|own| own.arm));
    }
    arms.truncate(ARMS.max(decision.best.len()));
    if !arms.contains(&baseline) {
        arms.push(baseline);
    }
    arms
}

fn again(
    seek: &Seek<'_>,
    (number, name): (usize, &String),
    arms: &[usize],
    (record, decision): (&StudyRecord, &Decision),
) -> Result<OtherDecision, Error> {
    let study = seek.study.assuming(name, arms)?;
    let folder = format!("{FOLDER}/{number:02}");
    seek.executor.listener.message(&format!("decided again: {name}"));
    let there = (seek.again)(&study, &record.directory().join(&folder))?;
    let names: Vec<&str> = there.plan().arms.iter().map(|arm| arm.name.as_str()).collect();
    let best = there.decision().map_or(&[][..], |own| &own.best);
    let chosen = decision.best.first().map(|&arm| record.plan().arms[arm].name.as_str());
    let chosen = names.iter().position(|own| Some(*own) == chosen);
    let mut known = Known::new(there.plan().search.as_ref().map_or_else(Vec::new, |search| search.objectives.clone()));
    // Reads what that race asked for.
    race::advance(&there, &mut known)?;
    let regret = chosen.zip(best.first()).and_then(|(chosen, &best)| known.effect(chosen, best, 0));
    Ok(OtherDecision {
        name: name.clone(),
        folder,
        best: best.iter().map(|&arm| names[arm].to_owned()).collect(),
        regret,
    })
}

impl Study {
    /// This study with some of its arms, under another assumption.
    pub(crate) fn assuming(&self, name: &str, arms: &[usize]) -> Result<Study, Error> {
        let mut study = self.checked.study.clone();
        study.set.extend(study.sensitivity.remove(name).unwrap_or_default());
        study.sensitivity.clear();
        study.figures.clear();
        study.name = format!("{}: {name}", study.name);
        let left_out = self.checked.arms.iter().enumerate().filter(|(number, _)| !arms.contains(number));
        for (_, arm) in left_out {
            let levels = self.checked.axes.iter().zip(&arm.levels);
            let there = levels.filter(|(axis, level)| **level < axis.labels.len());
            study.exclude.push(there.map(|(axis, &level)| (axis.name.clone(), axis.label(level).to_owned())).collect());
        }
        let other = self.other(&format!("{} ({name})", self.name()), &study)?;
        let scenario = |study: &Study, name: &str| {
            let arm = study.checked.arms.iter().find(|arm| arm.name == name);
            arm.map(|arm| arm.checked.scenario.identity())
        };
        let unchanged = |arm: &&StudyArm| scenario(self, &arm.name) == Some(arm.checked.scenario.identity());
        match other.checked.arms.iter().find(unchanged) {
            None => Ok(other),
            Some(arm) => Err(Error::Input(format!(
                "sensitivity `{name}` changes nothing in the arm `{}`: `set` or `budget` of the study overrides it",
                arm.name
            ))),
        }
    }
}
