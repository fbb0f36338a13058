//! `fedbits status`: how far a study is, from the headers of its results alone; also while it runs.

use fedbits_record::study::{Check, Kind, StudyRecord};

use super::merge::read_plan;
use super::summary;
use crate::args::StatusOptions;
use crate::failure::Failure;
use crate::output;

/// Arms that are listed one by one.
const LISTED: usize = 40;

/// Prints how many runs of which arm are there.
pub fn status(options: &StatusOptions) -> Result<(), Failure> {
    let plan = read_plan(&options.dir)?;
    let record = StudyRecord::with_plan(&options.dir, plan, Check::Headers)?;
    if !options.json {
        arms(&record)?;
    }
    summary(&record, options.json)
}

/// A line per arm: finished, failed, missing, and host seconds per run.
fn arms(record: &StudyRecord) -> Result<(), Failure> {
    let plan = record.plan();
    let mut sums = vec![(0_u64, 0_u64, 0.0); plan.arms.len()];
    for run in record.runs() {
        let (finished, failed, seconds) = &mut sums[run.arm];
        match run.kind {
            Some(Kind::Finished) => *finished += 1,
            Some(Kind::Failed | Kind::NotPlayed) => *failed += 1,
            None => continue,
        }
        *seconds += run.seconds;
    }
    let width = plan.arms.iter().map(|arm| arm.name.chars().count()).max().unwrap_or(0);
    output::line(format_args!("{:<width$}  finished  failed  missing  s per run", "arm"))?;
    for (arm, (finished, failed, seconds)) in plan.arms.iter().zip(&sums).take(LISTED) {
        let played = finished + failed;
        let mean = if played > 0 { format!("{:.5}", seconds / played as f64) } else { "–".to_owned() };
        let missing = plan.replicates - played;
        output::line(format_args!("{:<width$}  {finished:>8}  {failed:>6}  {missing:>7}  {mean:>9}", arm.name))?;
    }
    if plan.arms.len() > LISTED {
        output::line(format_args!("… and {} arms more", plan.arms.len() - LISTED))?;
    }
    Ok(())
}
