//! Every run of a folder that has a result is made again and compared with it, to the last bit.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use fedbits_kernel::{Entry, Kind};
use fedbits_record::results::{Results, StoredRun};
use fedbits_record::{MOST_CHECKS, Manifest, RunRecord, RunTable};
use fedbits_scenarios::Checked;
use fedbits_scenarios::prepare::Preparer;
use fedbits_spec::Caveat;
use serde::Serialize;

use crate::error::Error;
use crate::executor::Executor;
use crate::listener::Silent;
use crate::options::RunOptions;
use crate::runs::{changed_files, open_runs};
use crate::scenario::{scenario_folder, scenario_of};

/// What making runs again showed.
#[derive(Debug, Default)]
pub struct Verification {
    /// How many runs are what their scenarios give.
    pub same: u64,
    /// The runs that are not.
    pub different: Vec<RunDifference>,
    /// Data that are other ones now, each by its files.
    pub data: BTreeSet<String>,
    /// The runs that cannot be made again, and why.
    pub impossible: Vec<(String, Error)>,
    /// How many runs have no result.
    pub missing: u64,
    /// Files of tables, models and a decision that are not what the runs give.
    pub tables: Vec<String>,
    /// The files that the scenarios name, where they were found.
    pub data_files: BTreeSet<PathBuf>,
}

/// In what a run differs from what its scenario gives.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct RunDifference {
    /// Arm and replicate.
    pub run: String,
    /// The digests, tables and parts of the manifest that differ.
    pub parts: Vec<String>,
    /// The first event that differs, or why it cannot be named; none where the timelines are the same.
    pub first_event: Option<String>,
    /// The version of the program that made the run, where it is another one.
    #[serde(rename = "made_by_version")]
    pub engine_version: Option<String>,
}

impl Verification {
    /// Whether all results are what their scenarios give, to the last bit.
    #[must_use]
    pub fn same(&self) -> bool {
        self.different.is_empty() && self.impossible.is_empty() && self.tables.is_empty()
    }
}

/// Makes every run in a folder again that has a result, and compares all of it except for what the host contributed.
/// Data files are looked for where the runs found them; with [`RunOptions::only_data`] in the folder of the options
/// alone.
///
/// # Errors
/// Results that cannot be read; [`Error::Stopped`].
pub fn verify(directory: &Path, options: &RunOptions) -> Result<Verification, Error> {
    options.with_threads(|threads| {
        let record = open_runs(directory)?;
        let executor = Executor { listener: &Silent, stop: options.watch.switch(), threads };
        compare(&record, options, &executor)
    })
}

/// As [`verify`], also the tables and models with the runs.
pub(crate) fn compare(record: &Results, options: &RunOptions, executor: &Executor<'_>) -> Result<Verification, Error> {
    let (mut found, mut preparers) = (Verification::default(), Preparers { options, known: Vec::new() });
    let executor = Executor { listener: &Silent, ..*executor };
    for (arm, replicate, _) in record.keys() {
        let Some(was) = record.run(arm, replicate)? else { continue };
        let name = format!("{} / replicate {replicate}", was.manifest.arm);
        let made = again(&name, &was, &mut preparers, &executor);
        match made.map_err(|error| error.of_script(was.manifest.host.script.as_deref())) {
            Ok((checked, is)) => {
                if was.manifest.digests.data != is.manifest.digests.data {
                    found.data.extend(listed(&found_files(checked.scenario.data.files(), &was.manifest, options)));
                }
                found.data_files.extend(found_files(checked.scenario.files(), &was.manifest, options));
                let parts = different(was.clone(), is.clone());
                if parts.is_empty() {
                    found.same += 1;
                    continue;
                }
                let event = |number: u64| executor.watched(&checked, preparers.of(&was.manifest)?, number);
                let differs = was.manifest.digests.timeline != is.manifest.digests.timeline;
                let first_event = differs.then(|| first_event(&was, &is, event)).transpose()?;
                let version = Some(was.manifest.engine_version).filter(|made| made != env!("CARGO_PKG_VERSION"));
                found.different.push(RunDifference { run: name, parts, first_event, engine_version: version });
            }
            Err(why) if why.is_of_one_run() => found.impossible.push((name, why)),
            Err(why) => return Err(why),
        }
    }
    let counts = record.counts();
    found.missing = counts.missing() + counts.not_run;
    found.tables = changed_files(record)?;
    Ok(found)
}

fn found_files(names: Vec<&str>, manifest: &Manifest, options: &RunOptions) -> Vec<PathBuf> {
    let folders = options.folders(scenario_folder(manifest));
    names.into_iter().filter_map(|name| folders.find_all(name).ok()).flatten().collect()
}

/// Files that are listed by name where a pattern stands for many.
const LISTED_FILES: usize = 20;

pub(crate) fn listed<'p>(files: impl IntoIterator<Item = &'p PathBuf>) -> Option<String> {
    let files: Vec<&PathBuf> = files.into_iter().collect();
    let mut texts: Vec<String> = files.iter().take(LISTED_FILES).map(|file| file.display().to_string()).collect();
    texts.extend((files.len() > LISTED_FILES).then(|| format!("… ({})", files.len())));
    (!texts.is_empty()).then(|| texts.join(", "))
}

/// The scenario of the run, and the run as it gives it now.
fn again(
    name: &str,
    was: &RunRecord,
    preparers: &mut Preparers<'_>,
    executor: &Executor<'_>,
) -> Result<(Checked, RunRecord), Error> {
    let checked = scenario_of(name, &was.manifest)?;
    let kept = executor.keep(&checked, preparers.of(&was.manifest)?, |prepared| {
        prepared.experiment.stop.cut = was.manifest.cut;
        prepared.fitting.take_if(|_| was.model.is_none() && was.no_model.is_none());
    })?;
    Ok((checked, kept.record))
}

/// Preparers by data folder: runs that share data load them once.
struct Preparers<'a> {
    options: &'a RunOptions,
    known: Vec<(Option<PathBuf>, Preparer)>,
}

impl Preparers<'_> {
    fn of(&mut self, manifest: &Manifest) -> Result<&mut Preparer, Error> {
        let folder = scenario_folder(manifest);
        let index = match self.known.iter().position(|(known, _)| *known == folder) {
            Some(index) => index,
            None => {
                let preparer = self.options.preparer(&self.options.folders(folder.clone()))?;
                self.known.push((folder, preparer));
                self.known.len() - 1
            }
        };
        Ok(&mut self.known[index].1)
    }
}

/// What differs, but for what the host contributed.
fn different(was: RunRecord, mut is: RunRecord) -> Vec<String> {
    is.manifest.host = was.manifest.host.clone();
    is.manifest.caveats.extend(is.no_model.clone().map(|why| Caveat::NoModelFile { why }));
    let (then, now) = (&was.manifest, &is.manifest);
    let pairs = [
        ("data digest", then.digests.data == now.digests.data),
        ("timeline digest", then.digests.timeline == now.digests.timeline),
        ("check bytes", then.digests.timeline != now.digests.timeline || was.checks == is.checks),
        ("state digest", then.digests.state == now.digests.state),
        ("rounds", was.rounds == is.rounds),
        ("ledger", was.ledger == is.ledger),
        ("histograms", was.histograms == is.histograms),
        ("theta", was.theta == is.theta),
        ("statistics", was.statistics == is.statistics),
        ("topology", was.topology == is.topology),
        ("model", was.model == is.model),
        ("totals", then.totals == now.totals),
        ("stop reason", then.stop_reason == now.stop_reason),
        ("caveats", then.caveats == now.caveats),
        ("reference", then.reference == now.reference),
    ];
    let mut parts: Vec<String> = pairs.iter().filter(|(_, same)| !same).map(|(name, _)| (*name).to_owned()).collect();
    let names: BTreeSet<&String> = was.extra.iter().chain(&is.extra).map(|table| &table.name).collect();
    let find = |tables: &[RunTable], name: &str| tables.iter().find(|table| table.name == name).cloned();
    parts.extend(names.into_iter().filter(|name| find(&was.extra, name) != find(&is.extra, name)).cloned());
    if parts.is_empty() && StoredRun::finished(was) != StoredRun::finished(is) {
        parts.push("manifest".to_owned());
    }
    parts
}

/// Compares check bytes; `event` runs once more up to the event where they part.
fn first_event(
    was: &RunRecord,
    is: &RunRecord,
    event: impl FnOnce(u64) -> Result<Option<Entry>, Error>,
) -> Result<String, Error> {
    Ok(match first_difference(&was.checks, &is.checks) {
        None if is.checks.len() < MOST_CHECKS => {
            "no event differs: the digest in the store is not that of the run's own events".to_owned()
        }
        None => format!("the events differ after the first {MOST_CHECKS}, for which check bytes are kept"),
        Some(number) if number >= is.checks.len() && is.checks.len() < MOST_CHECKS => {
            format!("event {number} does not happen any more: the run now ends before it")
        }
        Some(number) => {
            format!("the first event that differs is number {number}; now it is: {}", describe(event(number as u64)?))
        }
    })
}

/// The number of the first check byte that differs.
pub(crate) fn first_difference(a: &[u8], b: &[u8]) -> Option<usize> {
    let parts = a.iter().zip(b).position(|(a, b)| a != b);
    parts.or((a.len() != b.len()).then_some(a.len().min(b.len())))
}

/// What the event of a number is when a run is made again.
pub(crate) fn watched_event(
    manifest: &Manifest,
    number: u64,
    options: &RunOptions,
    executor: &Executor<'_>,
) -> Result<String, Error> {
    let mut preparer = options.preparer(&options.folders(scenario_folder(manifest)))?;
    Ok(describe(executor.watched(&scenario_of("scenario_text", manifest)?, &mut preparer, number)?))
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
