//! `fedbits verify`: run a record again from its manifest and compare; name the first event that differs.

use std::path::{Path, PathBuf};

use fedbits_kernel::{Entry, StopReason};
use fedbits_protocols::run::Outcome;
use fedbits_record::{Manifest, Recorder};
use fedbits_scenarios::prepare::Preparer;
use fedbits_scenarios::{Checked, Source};

use crate::args::VerifyOptions;
use crate::failure::Failure;
use crate::host::{self, Signals};
use crate::input;
use crate::play::{Stage, TIMELINE_FILE, arm_name, columns};
use crate::progress::Talk;

/// Verifies every record in the folder.
pub fn verify(options: &VerifyOptions, talk: &Talk) -> Result<(), Failure> {
    let threads = host::set_threads(options.host.threads);
    let signals = Signals::listen()?;
    let stage = Stage { talk, signals: &signals, threads };
    let mut preparer = input::preparer(&options.host, None);
    let mut different = 0;
    for directory in records(&options.dir)? {
        different += u32::from(!verify_one(&directory, &mut preparer, &stage)?);
    }
    match different {
        0 => Ok(()),
        1 => Err(Failure::Run("one record differs from what its scenario gives".to_owned())),
        many => Err(Failure::Run(format!("{many} records differ from what their scenarios give"))),
    }
}

/// The folder itself if it is a record, else its children that are.
fn records(dir: &Path) -> Result<Vec<PathBuf>, Failure> {
    let is_record = |path: &Path| path.join(fedbits_record::MANIFEST_FILE).is_file();
    if is_record(dir) {
        return Ok(vec![dir.to_path_buf()]);
    }
    let entries = std::fs::read_dir(dir).map_err(|error| match error.kind() {
        std::io::ErrorKind::NotFound => Failure::Input(format!("there is no folder {}", dir.display())),
        _ => Failure::file(dir, &error),
    })?;
    let mut records: Vec<PathBuf> =
        entries.filter_map(|entry| Some(entry.ok()?.path())).filter(|path| is_record(path)).collect();
    records.sort();
    if records.is_empty() {
        return Err(Failure::Input(format!("{} holds no record (a folder with manifest.json)", dir.display())));
    }
    Ok(records)
}

fn verify_one(directory: &Path, preparer: &mut Preparer, stage: &Stage<'_>) -> Result<bool, Failure> {
    let manifest = Manifest::read(directory)?;
    let source = Source::new(format!("{}: scenario_text", directory.display()), manifest.scenario_text.clone());
    let checked = input::parse(source, &[])?.remove(0);
    let outcome = again(&checked, preparer, stage, None)?;
    let (was, is) = (&manifest.digests, &outcome.digests);
    let mut same = true;
    for (what, was, is) in
        [("data", &was.data, &is.data), ("timeline", &was.timeline, &is.timeline), ("state", &was.state, &is.state)]
    {
        let verdict = if was == is { "same" } else { "DIFFERENT" };
        println!("{}  {what:<8}  {verdict}  {}", directory.display(), &is[..16]);
        same &= was == is;
    }
    if !same && manifest.engine_version != env!("CARGO_PKG_VERSION") {
        stage.talk.say(format!("  the record was made by version {}", manifest.engine_version));
    }
    if was.timeline != is.timeline {
        name_first_difference(directory, &checked, preparer, stage, &outcome)?;
    }
    Ok(same)
}

fn again(
    checked: &Checked,
    preparer: &mut Preparer,
    stage: &Stage<'_>,
    watch: Option<u64>,
) -> Result<Outcome, Failure> {
    let prepared = preparer.prepare(&checked.scenario)?;
    let recorder = Recorder::nothing(columns(&prepared, checked));
    let outcome = stage.perform(prepared, recorder, &arm_name(checked), watch);
    match outcome.stop {
        StopReason::Interrupted => Err(stage.signals.failure()),
        _ => Ok(outcome),
    }
}

/// Compares check bytes, and runs once more up to the event where they part.
fn name_first_difference(
    directory: &Path,
    checked: &Checked,
    preparer: &mut Preparer,
    stage: &Stage<'_>,
    outcome: &Outcome,
) -> Result<(), Failure> {
    let path = directory.join(TIMELINE_FILE);
    let Ok(before) = std::fs::read(&path) else {
        stage.talk.say(format!("  {} is missing: the first event that differs cannot be named", path.display()));
        return Ok(());
    };
    let now = &outcome.checks;
    let parts = before.iter().zip(now).position(|(before, now)| before != now);
    let shorter = before.len().min(now.len());
    match parts.or((before.len() != now.len()).then_some(shorter)) {
        None => stage.talk.say("  the events differ after those that check bytes are kept for"),
        Some(event) if event >= now.len() => {
            println!("  event {event} of the record does not happen: the run now ends before it");
        }
        Some(event) => {
            let outcome = again(checked, preparer, stage, Some(event as u64))?;
            println!("  the first event that differs is number {event}; now it is: {}", describe(outcome.watched));
        }
    }
    Ok(())
}

fn describe(entry: Option<Entry>) -> String {
    entry.map_or_else(
        || "nothing".to_owned(),
        |entry| format!("{:?} at {}, {} → {}, amount {}", entry.kind, entry.time, entry.from, entry.to, entry.amount),
    )
}
