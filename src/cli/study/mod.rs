//! Runs of axes and replicates in one folder, and what serves them: their `check`, `merge` and `status`.

pub(crate) mod check;
pub(crate) mod merge;
mod spread;
pub(crate) mod status;

use std::path::Path;
use std::sync::Arc;

use fedbits_record::Claim;
use fedbits_record::study::{FrameKind, PLAN_FILE, PlannedRun, RunCounts, StudyRecord};
use fedbits_reports::decision::Decided;
use fedbits_spec::{Caveat, so_many};
use serde_json::{Value, json};

use crate::cli::args::HostOptions;
use crate::cli::failure::Failure;
use crate::cli::format::{TableFormat, Titled};
use crate::cli::host::{self, Signals};
use crate::cli::output;
use crate::cli::progress::{Console, StudyListener, failure};
use crate::cli::watch;
use crate::cli::wrap;
use crate::executor::Executor;
use crate::listener::Listener;
use crate::study::{Gap, Shard, Study, own_runs};

/// How runs are made.
pub(crate) struct Play<'a> {
    /// The folder of the results.
    pub(crate) out: &'a Path,
    /// The part that is run.
    pub(crate) shard: Option<Shard>,
    /// Run again what failed.
    pub(crate) retry_failed: bool,
    pub(crate) host: &'a HostOptions,
    /// How the summary is printed.
    pub(crate) format: TableFormat,
}

/// Runs what is missing in a folder; how many runs are there then, and whether one of them failed.
pub(crate) fn play(
    study: &Study,
    options: &Play<'_>,
    console: &Console,
) -> Result<(RunCounts, Result<(), Failure>), Failure> {
    let Play { out, shard, retry_failed, format, host } = *options;
    let threads = host::set_threads(host.threads);
    let signals = Signals::listen()?;
    output::check_folder(out)?;
    if shard.is_none() && !study.is_search() {
        for process in watch::processes(out) {
            console.caveat(&Caveat::FolderOfTwo { process });
        }
    }
    let listener = StudyListener { console: *console, claim: Arc::new(Claim::shared(out)?) };
    let executor = Executor { listener: &listener, stop: signals.stop(), threads };
    let machine = host.machine();
    let record = Gap { study, options: &machine, executor, shard, retry_failed }.fill(out)?;
    drop(listener);
    summary(&record, format)?;
    Ok((record.counts(), verdict(&record, shard)))
}

/// Says, however quiet, what is damaged and what is missing.
pub(crate) fn report_state(record: &StudyRecord, console: &Console) {
    record.caveats().iter().for_each(|caveat| console.caveat(caveat));
}

/// The same of a directory, if it is that of a study.
pub(crate) fn report_state_of(directory: &Path, console: &Console) -> Result<(), Failure> {
    if fedbits_record::is_there(&directory.join(PLAN_FILE))? {
        report_state(&StudyRecord::open(directory)?, console);
    }
    Ok(())
}

/// What is there now, for people or for machines.
fn summary(record: &StudyRecord, format: TableFormat) -> Result<(), Failure> {
    let (counts, digest) = (record.counts(), record.digest());
    let decided = Decided::of(record.plan(), record.decision());
    if format == TableFormat::Json {
        let mut all = json!({
            "study": record.plan().name,
            "directory": record.directory(),
            "planned": counts.planned,
            "finished": counts.finished,
            "degenerate": counts.degenerate,
            "cut": counts.cut,
            "failed": counts.failed,
            "not_run": counts.not_run,
            "missing": counts.missing(),
            "orphaned": counts.orphaned,
            "damaged": counts.damaged,
            "digest": digest,
        });
        if let Some(own) = decided {
            all["search"] = search(&own);
        }
        return output::line(all);
    }
    if format != TableFormat::Human {
        return format.print(&[Titled { title: "runs by arm", name: "arms", table: &status::arms(record) }]);
    }
    let degenerate = match counts.degenerate {
        0 => String::new(),
        some => format!(" ({some} with a degenerate fit)"),
    };
    let cut = if counts.cut > 0 { format!(", {} ended early by the race", counts.cut) } else { String::new() };
    let not_run = if counts.not_run > 0 { format!(", {} could not be begun", counts.not_run) } else { String::new() };
    output::lines(format_args!(
        "{} of {} finished{degenerate}{cut}, {} failed{not_run}, {} missing, {} orphaned",
        counts.finished,
        so_many(counts.planned, "run"),
        counts.failed,
        counts.missing(),
        counts.orphaned
    ))?;
    if record.plan().search.is_some() {
        let begun = decided.map(|own| own.progress());
        output::print(wrap::prose("", "  ", &begun.unwrap_or_else(|| "the race has not begun".to_owned())))?;
    }
    output::print(wrap::prose("", "  ", &format!("digest {digest}")))
}

/// How far a race is, for machines.
fn search(decided: &Decided<'_>) -> Value {
    let (asked, made) = decided.runs();
    let best: Vec<&str> = decided.decision.best.iter().map(|&arm| decided.name(arm)).collect();
    json!({
        "ended": decided.decision.ended,
        "looks": decided.decision.looks.len(),
        "arms": decided.plan.arms.len(),
        "best": best,
        "asked": asked,
        "runs": made,
        "grid": decided.grid(),
    })
}

/// Failed runs are reported once more, by the exit code.
fn verdict(record: &StudyRecord, shard: Option<Shard>) -> Result<(), Failure> {
    let mut failed = own_runs(record, shard);
    failed.retain(|run| matches!(run.kind, Some(FrameKind::Failed | FrameKind::NotRun)));
    let Some(&PlannedRun { arm, replicate, found, .. }) = failed.first() else { return Ok(()) };
    let run = record.store().run(&found)?;
    let why = run.as_ref().and_then(failure).unwrap_or_default();
    let name = &record.plan().arms[arm].name;
    let is_begun = |run: &PlannedRun| run.kind == Some(FrameKind::Failed);
    let what = match (failed.iter().any(is_begun), failed.iter().all(is_begun)) {
        (_, true) => "failed",
        (true, false) => "failed or could not be begun",
        (false, false) => "could not be begun",
    };
    let count = match failed.len() {
        1 => format!("one run {what}:"),
        many => format!("{many} runs {what}, the first is"),
    };
    Err(Failure::Run(format!("{count} replicate {replicate} of `{name}`: {why}")))
}
