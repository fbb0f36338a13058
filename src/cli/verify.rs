//! `fedbits verify`: compare a figure with its runs ([`figure`]), or run a record again from its manifest and compare everything it holds; name the first event that differs.

mod figure;

use std::path::{Path, PathBuf};

use fedbits_kernel::{Entry, Kind};
use fedbits_record::{ExtraTable, Manifest, RecordError, RunRecord, TIMELINE_FILE, has_manifest, is_temporary};
use fedbits_scenarios::prepare::Preparer;
use fedbits_scenarios::{Checked, Source};

use crate::cli::args::VerifyOptions;
use crate::cli::failure::Failure;
use crate::cli::host::{self, Signals};
use crate::cli::input;
use crate::cli::output;
use crate::cli::play::{Kept, Stage};
use crate::cli::progress::Talk;
use crate::cli::study;

/// Verifies a figure against its runs, or every record in a folder, or a study.
pub fn verify(options: &VerifyOptions, talk: &Talk) -> Result<(), Failure> {
    if options.path.is_file() {
        return figure::verify(options, talk);
    }
    if !options.runs.is_empty() {
        let path = options.path.display();
        return Err(Failure::Input(format!(
            "{path} is no file: --runs belongs to a figure or table that is compared with them"
        )));
    }
    runs(&options.path, options, talk)
}

/// Runs every record in the folder, or every run of the study there, again.
fn runs(folder: &Path, options: &VerifyOptions, talk: &Talk) -> Result<(), Failure> {
    let threads = host::set_threads(options.host.threads);
    if folder.join(fedbits_record::study::PLAN_FILE).is_file() {
        return study::verify::verify(folder, options, talk, threads);
    }
    let signals = Signals::listen()?;
    let stage = Stage { talk, signals: &signals, threads };
    let mut different = 0;
    for directory in records(folder)? {
        different += u32::from(!verify_one(&directory, options, &stage)?);
    }
    match different {
        0 => Ok(()),
        1 => Err(Failure::Run("one record differs from what its scenario gives".to_owned())),
        many => Err(Failure::Run(format!("{many} records differ from what their scenarios give"))),
    }
}

/// The folder itself if it is a record, else its children that are.
fn records(dir: &Path) -> Result<Vec<PathBuf>, Failure> {
    if has_manifest(dir) {
        return Ok(vec![dir.to_path_buf()]);
    }
    let is_record = |path: &Path| !path.file_name().is_some_and(is_temporary) && has_manifest(path);
    let entries = std::fs::read_dir(dir).map_err(|error| match error.kind() {
        std::io::ErrorKind::NotFound => Failure::Input(format!("there is no folder {}", dir.display())),
        _ => Failure::file(dir, &error),
    })?;
    let mut records: Vec<PathBuf> =
        entries.filter_map(|entry| Some(entry.ok()?.path())).filter(|path| is_record(path)).collect();
    records.sort();
    if records.is_empty() && dir.join(fedbits_record::MANIFEST_FILE).is_file() {
        return Ok(vec![dir.to_path_buf()]);
    }
    if records.is_empty() {
        return Err(Failure::Input(format!("{} holds no record (a folder with manifest.json)", dir.display())));
    }
    Ok(records)
}

fn verify_one(directory: &Path, options: &VerifyOptions, stage: &Stage<'_>) -> Result<bool, Failure> {
    let manifest = Manifest::read(directory)?;
    let folder = manifest.host.scenario_folder.as_ref().map(PathBuf::from);
    let preparer = &mut input::preparer(&options.host, folder);
    let source = Source::new(format!("{}: scenario_text", directory.display()), manifest.scenario_text.clone());
    let checked = input::recorded(source)?;
    let now = stage.again(&checked, preparer, None)?;
    let mut same = digests(directory, &manifest, &now.record.manifest)?;
    if !same && manifest.engine_version != env!("CARGO_PKG_VERSION") {
        stage.talk.say(format!("  the record was made by version {}", manifest.engine_version));
    }
    if manifest.digests.timeline != now.record.manifest.digests.timeline {
        name_first_difference(directory, &checked, preparer, stage, &now)?;
    }
    same &= files(directory, &manifest, &now)?;
    Ok(same)
}

fn digests(directory: &Path, was: &Manifest, is: &Manifest) -> Result<bool, Failure> {
    let (was, is) = (&was.digests, &is.digests);
    let pairs =
        [("data", &was.data, &is.data), ("timeline", &was.timeline, &is.timeline), ("state", &was.state, &is.state)];
    for (what, was, is) in pairs {
        tell(directory, what, was == is, &format!("{}, the record says {}", short(is), short(was)), short(is))?;
    }
    Ok(was == is)
}

fn tell(directory: &Path, what: &str, same: bool, different: &str, detail: &str) -> Result<(), Failure> {
    let (verdict, detail) = if same { ("same", detail) } else { ("DIFFERENT", different) };
    output::line(format_args!("{}  {what:<8}  {verdict}  {detail}", directory.display()))
}

/// The first digits of a digest; a record may say anything.
fn short(digest: &str) -> &str {
    digest.get(..16).unwrap_or(digest)
}

/// Compares the record's files with what the run gives now.
fn files(directory: &Path, manifest: &Manifest, now: &Kept) -> Result<bool, Failure> {
    let mut different = match RunRecord::read(directory) {
        Ok(was) => different(&was, &now.record),
        Err(error @ RecordError::Io { .. }) => return Err(error.into()),
        Err(error) => vec![error.to_string()],
    };
    let has_timeline = manifest.files.iter().any(|file| file == TIMELINE_FILE);
    if has_timeline && std::fs::read(directory.join(TIMELINE_FILE)).ok().as_ref() != Some(&now.checks) {
        different.push(TIMELINE_FILE.to_owned());
    }
    tell(directory, "files", different.is_empty(), &different.join(", "), &manifest.files.join(", "))?;
    Ok(different.is_empty())
}

/// What differs, by the names of files.
fn different(was: &RunRecord, is: &RunRecord) -> Vec<String> {
    let (then, now) = (&was.manifest, &is.manifest);
    let pairs = [
        (fedbits_record::ROUNDS_FILE, was.rounds == is.rounds),
        (fedbits_record::LEDGER_FILE, was.ledger == is.ledger),
        (fedbits_record::HISTOGRAMS_FILE, was.histograms == is.histograms),
        (fedbits_record::THETA_FILE, was.theta == is.theta),
        (fedbits_record::STATISTICS_FILE, was.statistics == is.statistics),
        (fedbits_record::TOPOLOGY_FILE, was.topology == is.topology),
        (
            "seed or replicate in manifest.json",
            (then.seed, then.replicate, then.clients) == (now.seed, now.replicate, now.clients),
        ),
        ("totals in manifest.json", then.totals == now.totals),
        ("stop reason in manifest.json", then.stop_reason == now.stop_reason),
        ("caveats in manifest.json", then.caveats == now.caveats),
        // Records of former programs have none of these two.
        ("stop rules in manifest.json", then.reference.is_none() || then.stop_rules == now.stop_rules),
        ("reference in manifest.json", then.reference.is_none() || then.reference == now.reference),
    ];
    let names = pairs.iter().filter(|(_, same)| !same).map(|(name, _)| (*name).to_owned());
    let lacks = |tables: &[ExtraTable], table: &ExtraTable| !tables.contains(table);
    let mut tables: Vec<String> = was.extra.iter().filter(|table| lacks(&is.extra, table)).map(file_of).collect();
    tables.extend(is.extra.iter().filter(|table| lacks(&was.extra, table)).map(file_of));
    tables.dedup();
    names.chain(tables).collect()
}

fn file_of(table: &ExtraTable) -> String {
    format!("{}.csv", table.name)
}

/// Compares check bytes, and runs once more up to the event where they part.
fn name_first_difference(
    directory: &Path,
    checked: &Checked,
    preparer: &mut Preparer,
    stage: &Stage<'_>,
    now: &Kept,
) -> Result<(), Failure> {
    let path = directory.join(TIMELINE_FILE);
    let Ok(before) = std::fs::read(&path) else {
        stage.talk.say(format!("  {} is missing: the first event that differs cannot be named", path.display()));
        return Ok(());
    };
    let (now, events) = (&now.checks, now.record.manifest.totals.events);
    let parts = before.iter().zip(now).position(|(before, now)| before != now);
    let shorter = before.len().min(now.len());
    match parts.or((before.len() != now.len()).then_some(shorter)) {
        None if now.len() as u64 == events => {
            output::line("  no event differs: the digest in the manifest is not that of the record's own events")
        }
        None => output::line("  the events differ after those that check bytes are kept for"),
        Some(event) if event >= now.len() => {
            output::line(format_args!("  event {event} of the record does not happen: the run now ends before it"))
        }
        Some(event) => {
            let is = describe(stage.again(checked, preparer, Some(event as u64))?.watched);
            output::line(format_args!("  the first event that differs is number {event}; now it is: {is}"))
        }
    }
}

fn describe(entry: Option<Entry>) -> String {
    match entry {
        None => "nothing".to_owned(),
        // A timer belongs to no node.
        Some(Entry { kind: Kind::Timer, time, .. }) => format!("Timer at {time}"),
        Some(Entry { kind, time, from, to, amount }) => {
            format!("{kind:?} at {time}, {from} → {to}, amount {amount}")
        }
    }
}
