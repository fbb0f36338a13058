//! The folder of runs before results are added to it. What is damaged there is moved to `damaged/`, where nothing is
//! lost.

use std::collections::BTreeSet;
use std::path::Path;

use fedbits_record::results::{
    DECISION_FILE, Decision, PLAN_FILE, PlannedRun, Results, RunPlan, RunStatus, StoreError, WrittenTables,
    is_result_folder, move_aside, set_aside,
};
use fedbits_spec::Caveat;

use super::job::Job;
use super::models;
use super::readme;
use super::shard::Shard;
use crate::error::Error;
use crate::listener::Listener;

/// Opens a folder to add results. What is damaged in its store is reported and moved out of the way.
pub(crate) fn open_repaired(directory: &Path, plan: RunPlan, listener: &dyn Listener) -> Result<Results, Error> {
    let record = Results::with_plan(directory, plan)?;
    let damage = record.store().damage();
    damage.iter().for_each(|damage| listener.caveat(&damage.caveat()));
    let moved = set_aside(directory, damage)?;
    if moved.is_empty() {
        return Ok(record);
    }
    moved.iter().for_each(|path| listener.message(&format!("the damaged bytes are kept in {}", path.display())));
    Ok(Results::with_plan(directory, record.plan().clone())?)
}

/// The plan in a directory, if there is one. One that is damaged is none, which is reported; it is kept in `damaged/`
/// when another is written.
pub(crate) fn former_plan(directory: &Path, listener: &dyn Listener) -> Result<Option<RunPlan>, Error> {
    match RunPlan::read(directory) {
        Ok(plan) => Ok(Some(plan)),
        Err(StoreError::Io { source, .. }) if source.kind() == std::io::ErrorKind::NotFound => Ok(None),
        Err(error @ StoreError::Record(_)) => {
            listener.caveat(&Caveat::PlanDamaged { error: error.to_string() });
            Ok(None)
        }
        Err(error) => Err(error.into()),
    }
}

/// Writes the plan; what stands at its path and is no plan is kept.
pub(crate) fn write_plan(directory: &Path, plan: &RunPlan, listener: &dyn Listener) -> Result<(), Error> {
    let path = directory.join(PLAN_FILE);
    if path.symlink_metadata().is_ok() && RunPlan::read(directory).is_err() {
        let kept = move_aside(directory, &path)?;
        listener.message(&format!("the former {} is kept in {}", path.display(), kept.display()));
    }
    Ok(plan.write(directory)?)
}

/// Results go into a new folder, an empty one, or a folder of runs. Other shards may be making it at this moment.
pub(crate) fn check_folder(out: &Path) -> Result<(), Error> {
    if is_result_folder(out)? {
        return Ok(());
    }
    let temporary = |name: &std::ffi::OsString| fedbits_record::is_temporary(name);
    let first = match std::fs::read_dir(out) {
        Ok(entries) => entries.filter_map(|entry| Some(entry.ok()?.file_name())).filter(|name| !temporary(name)).min(),
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => None,
        Err(error) => return Err(Error::file(out, error)),
    };
    match first {
        // Checked again: what was found may be the plan that another shard has written meanwhile.
        Some(first) if !is_result_folder(out)? => Err(Error::Input(format!(
            "{} holds `{}` and no runs: choose an empty or a new folder by --out",
            out.display(),
            first.display()
        ))),
        _ => Ok(()),
    }
}

/// Runs under another name, without any arm of the plan, are those of another scenario: their plan and tables stay.
pub(crate) fn check_scenario(out: &Path, plan: &RunPlan) -> Result<(), Error> {
    // One that cannot be read is told where it is replaced.
    let Ok(before) = RunPlan::read(out) else { return Ok(()) };
    let arms = |plan: &RunPlan| -> BTreeSet<(String, u64)> {
        plan.arms.iter().map(|arm| (arm.identity.clone(), arm.seed)).collect()
    };
    if before.name == plan.name || !arms(&before).is_disjoint(&arms(plan)) {
        return Ok(());
    }
    Err(Error::Input(format!(
        "{} is in the way: it holds runs of `{}`, which has no arm of `{}`; choose another folder by --out",
        out.display(),
        before.name,
        plan.name
    )))
}

/// The runs that have no result or could not be begun, of the shard if there is one: what `fedbits run` makes.
pub(crate) fn jobs(record: &Results, shard: Option<Shard>, retry_failed: bool) -> Vec<Job> {
    let wanted = |kind: Option<RunStatus>| match kind {
        None => true,
        Some(RunStatus::Finished | RunStatus::Degenerate) => false,
        Some(RunStatus::Failed) => retry_failed,
        // What kept it from beginning, too little memory for example, may be another machine's.
        Some(RunStatus::NotRun | RunStatus::Cut) => true,
    };
    runs_of_shard(record, shard).iter().filter(|run| wanted(run.kind)).map(whole).collect()
}

/// The runs of the plan, or of the shard if there is one, in the order of the plan.
pub(crate) fn runs_of_shard(record: &Results, shard: Option<Shard>) -> Vec<PlannedRun> {
    let all: Vec<PlannedRun> = record.runs().collect();
    match shard {
        Some(shard) => {
            shard.numbers(record.plan().arms.len(), all.len()).into_iter().map(|number| all[number]).collect()
        }
        None => all,
    }
}

/// A run that is made to its end.
fn whole(&PlannedRun { arm, replicate, key, .. }: &PlannedRun) -> Job {
    Job { arm, replicate, key, cut: None }
}

/// A decision that cannot be read is kept in `damaged/`: it follows from the results.
pub(crate) fn set_aside_damaged_decision(out: &Path, listener: &dyn Listener) -> Result<(), Error> {
    if let Err(error @ StoreError::Record(_)) = Decision::read(out) {
        let kept = move_aside(out, &out.join(DECISION_FILE))?;
        listener.message(&format!("{error}; it is kept in {}, and the race decides anew", kept.display()));
    }
    Ok(())
}

pub(crate) fn failed_jobs(record: &Results) -> Vec<Job> {
    let failed = |run: &PlannedRun| matches!(run.kind, Some(RunStatus::Failed | RunStatus::NotRun));
    record.runs().filter(failed).map(|run| whole(&run)).collect()
}

/// Tables of another plan must not be taken for those of this one while it runs.
pub(crate) fn remove_tables(out: &Path) -> Result<(), Error> {
    Results::remove_tables(out)?;
    models::remove_others(out, &[])?;
    // Other shards forget them at this moment, too.
    fedbits_record::remove_if_there(&out.join(DECISION_FILE))?;
    let readme = out.join(readme::README_FILE);
    if readme::is_ours(&readme) {
        fedbits_record::remove_if_there(&readme)?;
    }
    Ok(())
}

/// Writes the tables, the fitted models and the README. What stands at their paths and is none of them is kept.
pub(crate) fn write_outputs(record: &Results, listener: &dyn Listener) -> Result<(), Error> {
    let WrittenTables { mut moved_aside, too_large } = record.write_tables()?;
    for table in too_large {
        let folder = record.directory().display().to_string();
        listener.caveat(&Caveat::TableOnDemand { table, folder });
    }
    moved_aside.extend(models::write(record, listener)?);
    let path = record.directory().join(readme::README_FILE);
    if path.symlink_metadata().is_ok() && !readme::is_ours(&path) {
        moved_aside.push(move_aside(record.directory(), &path)?);
    }
    fedbits_record::write_whole(&path, readme::text(record).as_bytes())?;
    let name = |path: &Path| path.file_name().unwrap_or_default().display().to_string();
    for path in &moved_aside {
        listener.caveat(&Caveat::MovedAside { file: name(path), path: path.display().to_string() });
    }
    Ok(())
}
