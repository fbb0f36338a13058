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
mod state;
pub mod status;
pub mod verify;

use std::path::{Path, PathBuf};

use fedbits_record::study::{Counts, Kind, StoredRun, StudyRecord, move_aside};
use fedbits_record::undivided;
use serde_json::json;

pub use input::is_study;
pub use shard::Asked;
pub use state::{tell_state, tell_state_of};

use crate::cli::args::StudyOptions;
use crate::cli::failure::Failure;
use crate::cli::host::{self, Signals};
use crate::cli::output;
use crate::cli::progress::Talk;
use input::Input;
use runner::Runner;
use shard::Shard;
use state::{former_plan, jobs, open_mended, spare_foreign, write_plan};

/// Runs what is missing of a study.
pub fn study(options: &StudyOptions, talk: &Talk) -> Result<(), Failure> {
    let threads = host::set_threads(options.host.threads);
    let input = input::read(&options.file, &options.host)?;
    let plan = input.plan()?;
    let out = options.out.clone().unwrap_or_else(|| directory(&input.name));
    if options.json {
        output::check_json_path(&out)?;
    }
    spare_foreign(&out)?;
    let before = former_plan(&out, talk)?;
    input.check_fit(&options.host)?;
    input.check_targets(&options.host)?;
    if before.as_ref() != Some(&plan) {
        undivided(|| forget_tables(&out).and_then(|()| write_plan(&out, &plan, talk)))?;
    }
    let signals = Signals::listen()?;
    let record = open_mended(&out, plan, talk)?;
    let shard = options.shard.map(|shard| shard.resolve()).transpose()?;
    let jobs = jobs(&record, shard, options.retry_failed);
    let counts = record.counts();
    tell_start(&input, &counts, jobs.len(), shard, talk);
    Runner { input: &input, options: &options.host, talk, signals: &signals, threads }.play(&record, jobs)?;
    let record = StudyRecord::open(&out)?;
    if shard.is_none_or(|shard| shard.whole()) {
        conclude(&record, talk)?;
    }
    summary(&record, options.json)?;
    verdict(&record, shard)
}

/// Where a study's results go unless `--out` says otherwise.
pub fn directory(name: &str) -> PathBuf {
    Path::new("out").join(name)
}

/// Tables of another plan must not be taken for those of this one while it runs.
fn forget_tables(out: &Path) -> Result<(), Failure> {
    StudyRecord::forget_tables(out)?;
    let path = out.join(readme::README_FILE);
    match readme::is_ours(&path) {
        true => std::fs::remove_file(&path).map_err(|error| Failure::file(&path, &error)),
        false => Ok(()),
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

/// Writes the tables and the README. What stands in their place and is none of them is kept.
fn conclude(record: &StudyRecord, talk: &Talk) -> Result<(), Failure> {
    let mut aside = record.write_tables()?;
    let path = record.directory().join(readme::README_FILE);
    if path.symlink_metadata().is_ok() && !readme::is_ours(&path) {
        aside.push(move_aside(record.directory(), &path)?);
    }
    fedbits_record::write_whole(&path, readme::text(record).as_bytes())?;
    let name = |path: &Path| path.file_name().unwrap_or_default().display().to_string();
    aside.iter().for_each(|path| {
        talk.caveat(format!("{} was no file of this study: it is now {}", name(path), path.display()))
    });
    Ok(())
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
            "missing": counts.missing(),
            "orphaned": counts.orphaned,
            "damaged": counts.damaged,
            "digest": digest,
        }));
    }
    let failed = counts.failed + counts.not_played;
    output::line(format_args!(
        "{} of {} runs finished, {failed} failed, {} missing, {} orphaned",
        counts.finished,
        counts.planned,
        counts.missing(),
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
