//! `fedbits merge`: the results of one study from several directories in one of them, and its tables. The segments of
//! several processes in one directory need no merging, only tables: `fedbits merge DIR` writes these.

use std::path::Path;

use fedbits_record::study::{SEGMENTS_FOLDER, SegmentWriter, StudyPlan, StudyRecord};

use super::state::{former_plan, open_mended, spare_foreign, tell_state, write_plan};
use super::{conclude, summary, verdict};
use crate::cli::args::MergeOptions;
use crate::cli::failure::Failure;
use crate::cli::output;
use crate::cli::progress::Talk;

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
    if options.json {
        output::check_json_path(out)?;
    }
    if out != first {
        spare_foreign(out)?;
        match former_plan(out, talk)? {
            Some(_) => same_study(first, &plan, out)?,
            None => write_plan(out, &plan, talk)?,
        }
    }
    let mut into = open_mended(out, plan, talk)?;
    for from in options.dirs.iter().filter(|from| *from != out) {
        let source = StudyRecord::open(from)?;
        tell_state(&source, talk);
        let copied = source.copy_missing(&into, &mut SegmentWriter::new(&out.join(SEGMENTS_FOLDER)))?;
        talk.say(format!("{copied} runs from {}", from.display()));
        into = StudyRecord::open(out)?;
    }
    let record = into;
    conclude(&record, talk)?;
    summary(&record, options.json)?;
    let (counts, missing) = (record.counts(), record.counts().missing());
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
