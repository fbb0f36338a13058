//! What every command says about the store of a study: the same numbers and the same words, whoever asks. And what the commands
//! that write do about damage: it is moved to `damaged/`, where nothing is lost.

use std::path::Path;

use fedbits_record::study::{Kind, PLAN_FILE, StoreError, StudyPlan, StudyRecord, is_study, move_aside, set_aside};

use super::runner::Job;
use super::shard::Shard;
use crate::cli::failure::Failure;
use crate::cli::progress::Talk;

/// Says, however quiet, what is damaged and what is missing.
pub fn tell_state(record: &StudyRecord, talk: &Talk) {
    record.caveats().iter().for_each(|caveat| talk.caveat(caveat));
}

/// The same of a directory, if it is that of a study.
pub fn tell_state_of(directory: &Path, talk: &Talk) -> Result<(), Failure> {
    if directory.join(PLAN_FILE).is_file() {
        tell_state(&StudyRecord::open(directory)?, talk);
    }
    Ok(())
}

/// Opens a study that results are to be added to. What is damaged in its store is told and moved out of the way.
pub fn open_mended(directory: &Path, plan: StudyPlan, talk: &Talk) -> Result<StudyRecord, Failure> {
    let record = StudyRecord::with_plan(directory, plan)?;
    let damage = record.store().damage();
    damage.iter().for_each(|damage| talk.caveat(damage.to_string()));
    let moved = set_aside(directory, damage)?;
    if moved.is_empty() {
        return Ok(record);
    }
    moved.iter().for_each(|path| talk.say(format!("the damaged bytes are kept in {}", path.display())));
    Ok(StudyRecord::with_plan(directory, record.plan().clone())?)
}

/// The plan in a directory, if there is one. One that is damaged is none, which is told; it is kept in `damaged/` when another is
/// written.
pub fn former_plan(directory: &Path, talk: &Talk) -> Result<Option<StudyPlan>, Failure> {
    match StudyPlan::read(directory) {
        Ok(plan) => Ok(Some(plan)),
        Err(StoreError::Io { source, .. }) if source.kind() == std::io::ErrorKind::NotFound => Ok(None),
        Err(error @ StoreError::Record(_)) => {
            talk.caveat(format!("{error}; the plan is written anew"));
            Ok(None)
        }
        Err(error) => Err(error.into()),
    }
}

/// Writes the plan of a study; what stands in its place and is no plan is kept.
pub fn write_plan(directory: &Path, plan: &StudyPlan, talk: &Talk) -> Result<(), Failure> {
    let path = directory.join(PLAN_FILE);
    if path.symlink_metadata().is_ok() && StudyPlan::read(directory).is_err() {
        let place = move_aside(directory, &path)?;
        talk.say(format!("the former {} is kept in {}", path.display(), place.display()));
    }
    Ok(plan.write(directory)?)
}

/// Results go into a new folder, an empty one, or one of a study. Other shards may be making it at this moment.
pub fn spare_foreign(out: &Path) -> Result<(), Failure> {
    if is_study(out) {
        return Ok(());
    }
    let under_way = |name: &std::ffi::OsString| fedbits_record::is_temporary(name);
    let first = match std::fs::read_dir(out) {
        Ok(entries) => entries.filter_map(|entry| Some(entry.ok()?.file_name())).filter(|name| !under_way(name)).min(),
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => None,
        Err(error) => return Err(Failure::file(out, &error)),
    };
    match first {
        // Asked again: what was found may be the plan that another shard has written meanwhile.
        Some(first) if !is_study(out) => Err(Failure::Input(format!(
            "{} holds `{}` and no study: choose an empty or a new folder by --out",
            out.display(),
            first.display()
        ))),
        _ => Ok(()),
    }
}

/// The runs that have no result, of the shard if there is one: what `study` plays.
pub fn jobs(record: &StudyRecord, shard: Option<Shard>, retry_failed: bool) -> Vec<Job> {
    let wanted = |kind: Option<Kind>| match kind {
        None => true,
        Some(Kind::Finished) => false,
        Some(Kind::Failed | Kind::NotPlayed) => retry_failed,
    };
    let all: Vec<Job> = record.keys().map(|(arm, replicate, key)| Job { arm, replicate, key }).collect();
    let own = shard.map_or(0..all.len(), |shard| shard.range(all.len()));
    all[own].iter().filter(|job| wanted(record.store().kind(&job.key))).copied().collect()
}
