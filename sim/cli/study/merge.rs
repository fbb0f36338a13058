//! `fedbits merge`: the results of one study from several directories in one of them, and its tables. The segments of
//! several processes in one directory need no merging, only tables: `fedbits merge DIR` writes these.

use std::path::Path;

use fedbits_record::study::{Check, SEGMENTS_FOLDER, SegmentWriter, StudyPlan, StudyRecord};

use super::{conclude, summary, tell_damage, verdict};
use crate::args::MergeOptions;
use crate::failure::Failure;
use crate::progress::Talk;

/// Puts the directories together.
pub fn merge(options: &MergeOptions, talk: &Talk) -> Result<(), Failure> {
    let Some(first) = options.dirs.first() else {
        return Err(Failure::Input("no directory was given".to_owned()));
    };
    let plan = read_plan(first)?;
    for other in &options.dirs[1..] {
        same_study(first, &plan, other)?;
    }
    let out = options.out.as_ref().unwrap_or(first);
    if out != first {
        super::spare_foreign(out)?;
        match StudyPlan::read(out) {
            Ok(_) => same_study(first, &plan, out)?,
            Err(_) => plan.write(out)?,
        }
    }
    for from in options.dirs.iter().filter(|from| *from != out) {
        let source = StudyRecord::open(from, Check::Everything)?;
        tell_damage(&source, talk);
        let into = StudyRecord::open(out, Check::Headers)?;
        let copied = source.copy_missing(&into, &mut SegmentWriter::new(&out.join(SEGMENTS_FOLDER)))?;
        talk.say(format!("{copied} runs from {}", from.display()));
    }
    let record = StudyRecord::open(out, Check::Everything)?;
    tell_damage(&record, talk);
    conclude(&record)?;
    summary(&record, options.json)?;
    let counts = record.counts();
    let missing = counts.planned - counts.results() - counts.not_played;
    if missing > 0 {
        return Err(Failure::Run(format!("{missing} of {} runs are missing", counts.planned)));
    }
    verdict(&record, None)
}

/// The plan of a study that must be there.
pub fn read_plan(directory: &Path) -> Result<StudyPlan, Failure> {
    if !directory.join(fedbits_record::study::PLAN_FILE).is_file() {
        return Err(Failure::Input(format!(
            "{} is not the directory of a study: it has no study.json",
            directory.display()
        )));
    }
    Ok(StudyPlan::read(directory)?)
}

/// Whether another directory holds the same arms and replicates.
fn same_study(first: &Path, plan: &StudyPlan, other: &Path) -> Result<(), Failure> {
    let runs = |plan: &StudyPlan| {
        let arms: Vec<(String, u64)> = plan.arms.iter().map(|arm| (arm.identity.clone(), arm.seed)).collect();
        (arms, plan.first_replicate, plan.replicates)
    };
    if runs(&read_plan(other)?) == runs(plan) {
        return Ok(());
    }
    Err(Failure::Input(format!(
        "{} and {} are different studies: their arms, seeds, data or replicates differ",
        first.display(),
        other.display()
    )))
}
