//! A record is run again and compared with what its scenario gives now.

use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use fedbits_kernel::{Entry, Kind};
use fedbits_record::{CLIENTS, RunTable, Manifest, RecordError, RunRecord, TIMELINE_FILE};
use fedbits_scenarios::prepare::Preparer;
use fedbits_scenarios::{Checked, Source};
use fedbits_spec::files;

use crate::error::Error;
use crate::executor::{Document, Executor, KeptRun};
use crate::listener::Silent;
use crate::options::RunOptions;
use crate::scenario::recorded;
use crate::trace::{EVENTS_FILE, chrome, trace_instead, traced_rounds};

/// What running a record again showed.
#[derive(Clone, Debug)]
pub struct Verification {
    /// Of the data, the timeline and the state.
    pub digests: [Agreement; 3],
    /// The first event that differs, when the timelines do; or why it cannot be named.
    pub first_difference: Option<String>,
    /// Of the files.
    pub files: Agreement,
    /// The files that the scenario names, where they were found: data, topology, measured tables, a start.
    pub data_files: Vec<PathBuf>,
    /// The version of the program that made the record.
    pub engine_version: String,
}

/// One thing that was compared.
#[derive(Clone, Debug)]
pub struct Agreement {
    /// What it is.
    pub name: &'static str,
    /// Whether it is what the scenario gives.
    pub same: bool,
    /// Its value; or what differs.
    pub detail: String,
}

impl Verification {
    /// Whether the record is what its scenario gives, to the last bit.
    #[must_use]
    pub fn same(&self) -> bool {
        self.same_digests() && self.files.same
    }

    /// Whether all digests are those of the record.
    #[must_use]
    pub fn same_digests(&self) -> bool {
        self.digests.iter().all(|part| part.same)
    }
}

/// Runs the record in a directory again, and compares everything that it holds except for what the host contributed.
/// Data files are looked for where the run found them; with [`RunOptions::only_data`] in the folder of the options
/// alone.
///
/// # Errors
/// A record that cannot be read; data that are no longer there; [`Error::Stopped`].
pub fn verify(directory: &Path, options: &RunOptions) -> Result<Verification, Error> {
    options.with_threads(|threads| {
        let executor = Executor { listener: &Silent, stop: options.watch.switch(), threads };
        compare(directory, options, &executor)
    })
}

pub(crate) fn compare(directory: &Path, options: &RunOptions, executor: &Executor<'_>) -> Result<Verification, Error> {
    let manifest = Manifest::read(directory)?;
    let of_script = |error: Error| error.of_script(manifest.host.script.as_deref());
    let (checked, mut preparer) = again(directory, &manifest, options).map_err(of_script)?;
    // A trace may have been made later, of other rounds.
    let traced = traced_rounds(directory);
    let kept = executor.keep_documents(&checked, &mut preparer, |prepared| {
        trace_instead(prepared, &traced, manifest.totals.rounds);
        Ok(())
    });
    let (now, mut documents) = kept.map_err(of_script)?;
    let events = now.trace.as_ref().map(|rows| chrome::events(rows, &now.record.manifest).into_bytes());
    documents.extend(events.map(|events| (EVENTS_FILE, events)));
    documents.push((TIMELINE_FILE, now.checks.clone()));
    let differs = manifest.digests.timeline != now.record.manifest.digests.timeline;
    let event = |number: u64| executor.watched(&checked, &mut preparer, number);
    let mut digests = digests(&manifest, &now.record.manifest);
    if !digests[0].same
        && let Some(files) = listed(&found_files(checked.scenario.data.files(), &manifest, options))
    {
        digests[0].detail += &format!(": {files}");
    }
    Ok(Verification {
        digests,
        first_difference: differs.then(|| first_difference(directory, &now, event)).transpose()?,
        files: files(directory, &manifest, (&now.record, &documents))?,
        data_files: found_files(checked.scenario.files(), &manifest, options),
        engine_version: manifest.engine_version,
    })
}

/// The files of these names, where the run finds them.
pub(super) fn found_files(names: Vec<&str>, manifest: &Manifest, options: &RunOptions) -> Vec<PathBuf> {
    let folders = options.folders(scenario_folder(manifest));
    names.into_iter().filter_map(|name| folders.find_all(name).ok()).flatten().collect()
}

/// Files that are listed by name where a pattern stands for many.
const LISTED_FILES: usize = 20;

/// The paths of files, the first of many; none where there are none.
pub(crate) fn listed<'p>(files: impl IntoIterator<Item = &'p PathBuf>) -> Option<String> {
    let files: Vec<&PathBuf> = files.into_iter().collect();
    let mut texts: Vec<String> = files.iter().take(LISTED_FILES).map(|file| file.display().to_string()).collect();
    texts.extend((files.len() > LISTED_FILES).then(|| format!("… ({})", files.len())));
    (!texts.is_empty()).then(|| texts.join(", "))
}

/// Where the data files of a record were looked for first.
fn scenario_folder(manifest: &Manifest) -> Option<PathBuf> {
    manifest.host.scenario_folder.as_ref().map(PathBuf::from)
}

fn digests(was: &Manifest, is: &Manifest) -> [Agreement; 3] {
    let (was, is) = (&was.digests, &is.digests);
    [("data", &was.data, &is.data), ("timeline", &was.timeline, &is.timeline), ("state", &was.state, &is.state)].map(
        |(name, was, is)| {
            let (same, now) = (was == is, short(is));
            let detail = if same { now.to_owned() } else { format!("{now}, the record says {}", short(was)) };
            Agreement { name, same, detail }
        },
    )
}

/// The first digits of a digest; a record may say anything.
fn short(digest: &str) -> &str {
    digest.get(..16).unwrap_or(digest)
}

/// Compares the record's files with what the run gives now: a record, and its files that are no tables.
fn files(
    directory: &Path,
    manifest: &Manifest,
    (record, documents): (&RunRecord, &[Document]),
) -> Result<Agreement, Error> {
    let mut different = match RunRecord::read(directory) {
        Ok(was) => different(&was, record),
        Err(RecordError::Io { path, source }) if source.kind() == ErrorKind::NotFound => {
            vec![format!("{} is missing", path.strip_prefix(directory).unwrap_or(&path).display())]
        }
        Err(error @ RecordError::Io { .. }) => return Err(error.into()),
        Err(error) => vec![error.to_string()],
    };
    let mut compared = Vec::new();
    for file in manifest.files.iter().map(String::as_str) {
        let document = documents.iter().find(|(name, _)| *name == file);
        let is_same = match document {
            Some((_, bytes)) => read(&directory.join(file))?.as_ref() == Some(bytes),
            None => file.ends_with(".csv"),
        };
        if !is_same {
            different.push(file.to_owned());
        }
        compared.push(file);
    }
    let same = different.is_empty();
    let detail = if same { compared.join(", ") } else { different.join(", ") };
    Ok(Agreement { name: "files", same, detail })
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
        ("fit in manifest.json", then.fit == now.fit),
        // Records of former programs do not say how clients differ.
        ("per_client in manifest.json", then.per_client.is_none() || then.per_client == now.per_client),
        ("energy in manifest.json", then.energy == now.energy),
    ];
    let names = pairs.iter().filter(|(_, same)| !same).map(|(name, _)| (*name).to_owned());
    let lacks = |tables: &[RunTable], table: &RunTable| !tables.contains(table);
    let mut tables: Vec<String> = was.extra.iter().filter(|table| lacks(&is.extra, table)).map(file_of).collect();
    let former = |table: &&RunTable| table.name == CLIENTS && then.per_client.is_none();
    let added = is.extra.iter().filter(|table| lacks(&was.extra, table) && !former(table));
    // One that is another one now is lacking on both sides.
    let added: Vec<String> = added.map(file_of).filter(|file| !tables.contains(file)).collect();
    tables.extend(added);
    names.chain(tables).collect()
}

fn file_of(table: &RunTable) -> String {
    format!("{}.csv", table.name)
}

/// The bytes of a file; none where there is none.
fn read(path: &Path) -> Result<Option<Vec<u8>>, Error> {
    files::if_there(files::read(path)).map_err(|error| Error::file(path, error))
}

/// Compares check bytes; `event` runs once more up to the event where they part.
fn first_difference(
    directory: &Path,
    now: &KeptRun,
    event: impl FnOnce(u64) -> Result<Option<Entry>, Error>,
) -> Result<String, Error> {
    let path = directory.join(TIMELINE_FILE);
    let Some(before) = read(&path)? else {
        return Ok(format!("{} is missing: the first event that differs cannot be named", path.display()));
    };
    let (now, events) = (&now.checks, now.record.manifest.totals.events);
    let parts = before.iter().zip(now).position(|(before, now)| before != now);
    let shorter = before.len().min(now.len());
    Ok(match parts.or((before.len() != now.len()).then_some(shorter)) {
        None if now.len() as u64 == events => {
            "no event differs: the digest in the manifest is not that of the record's own events".to_owned()
        }
        None => "the events differ after those that check bytes are kept for".to_owned(),
        Some(number) if number >= now.len() => {
            format!("event {number} of the record does not happen: the run now ends before it")
        }
        Some(number) => {
            format!("the first event that differs is number {number}; now it is: {}", describe(event(number as u64)?))
        }
    })
}

/// What the event of a number is when the record in a directory is run again.
pub(crate) fn watched_event(
    directory: &Path,
    number: u64,
    options: &RunOptions,
    executor: &Executor<'_>,
) -> Result<String, Error> {
    let (checked, mut preparer) = again(directory, &Manifest::read(directory)?, options)?;
    Ok(describe(executor.watched(&checked, &mut preparer, number)?))
}

/// The scenario of a record, and who builds its run.
fn again(directory: &Path, manifest: &Manifest, options: &RunOptions) -> Result<(Checked, Preparer), Error> {
    let folder = scenario_folder(manifest);
    let source = Source::new(format!("{}: scenario_text", directory.display()), manifest.scenario_text.clone());
    let mut checked = recorded(source, manifest.host.script.as_deref())?;
    // The text of an arm does not say which one it is.
    (checked.arm, checked.arm_index) = (Some(manifest.arm.clone()), manifest.arm_index);
    Ok((checked, options.preparer(&options.folders(folder))?))
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
