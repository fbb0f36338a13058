//! `fedbits study`: all arms × replicates, resumed where they were left; and what serves it: `check` of a study, `merge`,
//! `status`, and the files for a cluster. A study is its plan (what is to be run) and its store (what has been run); running
//! is filling the gap.

pub mod check;
pub mod cluster;
mod follow;
mod input;
pub mod merge;
mod readme;
mod runner;
mod shard;
pub mod status;
pub mod verify;

use std::path::{Path, PathBuf};

use fedbits_record::study::{Check, Counts, Kind, PLAN_FILE, StoredRun, StudyPlan, StudyRecord};
use serde_json::json;

pub use input::is_study;
pub use shard::Asked;

use crate::args::StudyOptions;
use crate::failure::Failure;
use crate::host::{self, Signals};
use crate::output;
use crate::progress::Talk;
use input::Input;
use runner::{Job, Runner};
use shard::Shard;

/// Runs what is missing of a study.
pub fn study(options: &StudyOptions, talk: &Talk) -> Result<(), Failure> {
    let threads = host::set_threads(options.host.threads);
    let input = input::read(&options.file, &options.host)?;
    let plan = input.plan()?;
    let out = options.out.clone().unwrap_or_else(|| directory(&input.name));
    spare_foreign(&out)?;
    let before = StudyPlan::read(&out).ok();
    input.check_targets(&options.host)?;
    if before.as_ref() != Some(&plan) {
        forget_tables(&out)?;
        plan.write(&out)?;
    }
    let signals = Signals::listen()?;
    let record = StudyRecord::with_plan(&out, plan, Check::Everything)?;
    tell_damage(&record, talk);
    let shard = options.shard.map(|shard| shard.resolve()).transpose()?;
    let jobs = jobs(&record, shard, options.retry_failed);
    let counts = record.counts();
    tell_start(&input, &counts, jobs.len(), shard, talk);
    Runner { input: &input, options: &options.host, talk, signals: &signals, threads }.play(&record, jobs)?;
    let record = StudyRecord::open(&out, Check::Headers)?;
    if shard.is_none_or(|shard| shard.whole()) {
        conclude(&record)?;
    }
    summary(&record, options.json)?;
    verdict(&record, shard)
}

/// Where a study's results go unless `--out` says otherwise.
pub fn directory(name: &str) -> PathBuf {
    Path::new("out").join(name)
}

/// Results go into a new folder, an empty one, or one of a study. Other shards may be making it at this moment.
fn spare_foreign(out: &Path) -> Result<(), Failure> {
    let has_plan = || out.join(PLAN_FILE).is_file();
    if has_plan() {
        return Ok(());
    }
    let under_way = |name: &std::ffi::OsString| name.to_string_lossy().starts_with(".fedbits-");
    let first = match std::fs::read_dir(out) {
        Ok(entries) => entries.filter_map(|entry| Some(entry.ok()?.file_name())).find(|name| !under_way(name)),
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => None,
        Err(error) => return Err(Failure::file(out, &error)),
    };
    match first {
        // Asked again: what was found may be the plan that another shard has written meanwhile.
        Some(_) if !has_plan() => Err(Failure::Input(format!(
            "{} is not empty and holds no study: choose an empty or a new folder by --out",
            out.display()
        ))),
        _ => Ok(()),
    }
}

/// Tables of another plan must not be taken for those of this one while it runs.
fn forget_tables(out: &Path) -> Result<(), Failure> {
    StudyRecord::forget_tables(out)?;
    let path = out.join(readme::README_FILE);
    match std::fs::remove_file(&path) {
        Err(error) if error.kind() != std::io::ErrorKind::NotFound => Err(Failure::file(&path, &error)),
        _ => Ok(()),
    }
}

/// The runs that have no result, of the shard if there is one.
fn jobs(record: &StudyRecord, shard: Option<Shard>, retry_failed: bool) -> Vec<Job> {
    let wanted = |kind: Option<Kind>| match kind {
        None => true,
        Some(Kind::Finished) => false,
        Some(Kind::Failed | Kind::NotPlayed) => retry_failed,
    };
    let all: Vec<Job> = record.keys().map(|(arm, replicate, key)| Job { arm, replicate, key }).collect();
    let own = shard.map_or(0..all.len(), |shard| shard.range(all.len()));
    all[own].iter().filter(|job| wanted(record.store().kind(&job.key))).copied().collect()
}

fn tell_damage(record: &StudyRecord, talk: &Talk) {
    for damage in record.store().damage() {
        let what = if damage.tail { "an unfinished end" } else { "damaged" };
        talk.say(format!(
            "{}: {} bytes from byte {} on are {what} and are passed over",
            damage.path.display(),
            damage.bytes,
            damage.at
        ));
    }
}

/// "kept 412, new 88, orphaned 20".
fn tell_start(input: &Input, counts: &Counts, new: usize, shard: Option<Shard>, talk: &Talk) {
    let arms = input.checked.arms.len();
    let of = shard.map_or_else(String::new, |shard| format!(" of shard {shard}"));
    talk.say(format!("{}: {arms} arms × {} replicates", input.checked.study.name, input.checked.study.replicates));
    talk.say(format!("kept {}, new {new}{of}, orphaned {}", counts.results() + counts.not_played, counts.orphaned));
    let failed = counts.failed + counts.not_played;
    if failed > 0 {
        talk.say(format!("{failed} of the kept runs failed; --retry-failed runs them again"));
    }
    input.checked.caveats.iter().for_each(|caveat| talk.caveat(caveat));
}

/// Writes the tables and the README.
fn conclude(record: &StudyRecord) -> Result<(), Failure> {
    record.write_tables()?;
    let path = record.directory().join(readme::README_FILE);
    Ok(fedbits_record::write_whole(&path, readme::text(record).as_bytes())?)
}

/// What is there now, for people or for machines.
fn summary(record: &StudyRecord, as_json: bool) -> Result<(), Failure> {
    let (counts, digest) = (record.counts(), record.digest());
    if as_json {
        return output::line(json!({
            "study": record.plan().name,
            "directory": record.directory(),
            "planned": counts.planned,
            "finished": counts.finished,
            "failed": counts.failed,
            "not_played": counts.not_played,
            "orphaned": counts.orphaned,
            "digest": digest,
        }));
    }
    let failed = counts.failed + counts.not_played;
    output::line(format_args!(
        "{} of {} runs finished, {failed} failed, {} missing, {} orphaned",
        counts.finished,
        counts.planned,
        counts.planned - counts.finished - failed,
        counts.orphaned
    ))?;
    output::line(format_args!("digest {digest}"))
}

/// Failed runs are told once more, by the exit code.
fn verdict(record: &StudyRecord, shard: Option<Shard>) -> Result<(), Failure> {
    let arms = &record.plan().arms;
    let all: Vec<_> = record.keys().collect();
    let own = shard.map_or(0..all.len(), |shard| shard.range(all.len()));
    let failed: Vec<_> = all[own]
        .iter()
        .filter(|(_, _, key)| matches!(record.store().kind(key), Some(Kind::Failed | Kind::NotPlayed)))
        .collect();
    let Some((arm, replicate, key)) = failed.first() else { return Ok(()) };
    let why = match record.store().run(key)? {
        Some(StoredRun::Played(run)) => run.manifest.stop_reason.clone(),
        Some(StoredRun::NotPlayed(why)) => why,
        None => String::new(),
    };
    let name = &arms[*arm].name;
    Err(Failure::Run(format!("{} runs failed, the first is replicate {replicate} of `{name}`: {why}", failed.len())))
}
