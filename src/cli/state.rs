//! How many runs of a folder are there, what is damaged, and the verdict of the exit code.

use std::path::PathBuf;

use fedbits_record::results::{PlannedRun, Results, RunStatus};
use fedbits_reports::decision::Decided;
use fedbits_reports::open_folders;
use fedbits_spec::so_many;
use serde_json::{Value, json};

use crate::cli::failure::Failure;
use crate::cli::output;
use crate::cli::progress::{Console, failure};
use crate::cli::{host, skipped, wrap};
use crate::listener::Listener;
use crate::runs::{Shard, runs_of_shard};

/// Opens the folders of runs that are meant, and says of each, however quiet, what is damaged and what is missing.
pub(crate) fn open(directories: &[PathBuf], console: &Console) -> Result<Vec<Results>, Failure> {
    // As many threads as there are, unless the command was told how many.
    host::set_threads(None);
    let folders = open_folders(directories)?;
    folders.iter().flat_map(Results::caveats).for_each(|caveat| console.caveat(&caveat));
    skipped::report(directories, console);
    Ok(folders)
}

pub(crate) fn state(record: &Results) -> Value {
    let mut all = json!(record.counts());
    (all["scenario"], all["directory"]) = (json!(record.plan().name), json!(record.directory()));
    (all["missing"], all["digest"]) = (json!(record.counts().missing()), json!(record.digest()));
    if let Some(decided) = Decided::of(record.plan(), record.decision()) {
        let (asked, made) = decided.runs();
        let best: Vec<&str> = decided.decision.best.iter().map(|&arm| decided.name(arm)).collect();
        all["search"] = json!({
            "ended": decided.decision.ended,
            "looks": decided.decision.looks.len(),
            "arms": decided.plan.arms.len(),
            "best": best,
            "asked": asked,
            "runs": made,
            "grid": decided.grid(),
        });
    }
    all
}

pub(crate) fn print_state(record: &Results) -> Result<(), Failure> {
    let counts = record.counts();
    let degenerate = match counts.degenerate {
        0 => String::new(),
        some => format!(" ({some} with a degenerate fit)"),
    };
    let parts = [
        (counts.cut, "ended early by the race"),
        (counts.failed, "failed"),
        (counts.not_run, "could not be begun"),
        (counts.missing(), "missing"),
        (counts.orphaned, "of other settings in the store"),
    ];
    let parts = parts.iter().filter(|(count, _)| *count > 0).map(|(count, what)| format!(", {count} {what}"));
    let (parts, finished) = (parts.collect::<String>(), counts.finished);
    output::lines(format_args!("{finished} of {} finished{degenerate}{parts}", so_many(counts.planned, "run")))?;
    if record.plan().search.is_some() {
        let begun = Decided::of(record.plan(), record.decision()).map(|decided| decided.progress());
        output::print(wrap::prose("", "  ", &begun.unwrap_or_else(|| "the race has not begun".to_owned())))?;
    }
    output::print(wrap::prose("", "  ", &format!("digest {}", record.digest())))
}

/// Failed runs are reported once more, by the exit code.
pub(crate) fn verdict(record: &Results, shard: Option<Shard>) -> Result<(), Failure> {
    let mut failed = runs_of_shard(record, shard);
    failed.retain(|run| matches!(run.kind, Some(RunStatus::Failed | RunStatus::NotRun)));
    let Some(&PlannedRun { arm, replicate, found, .. }) = failed.first() else { return Ok(()) };
    let run = record.store().run(&found)?;
    let why = run.as_ref().and_then(failure).unwrap_or_default();
    let name = &record.plan().arms[arm].name;
    let is_begun = |run: &PlannedRun| run.kind == Some(RunStatus::Failed);
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
