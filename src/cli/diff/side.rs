//! What is compared: records, by their folders, or scenarios, by their files or names.

use std::path::{Path, PathBuf};

use fedbits_record::study::is_study;
use fedbits_record::{RunRecord, TIMELINE_FILE, has_manifest, is_temporary};
use fedbits_scenarios::library;
use fedbits_spec::files;

use crate::cli::args::{DiffOptions, HostOptions};
use crate::cli::failure::Failure;
use crate::cli::host::{self, Signals};
use crate::cli::progress::Console;
use crate::executor::Executor;
use crate::scenario::{Arm, Scenario};
use crate::verify::record::watched_event;

/// A record, or an arm of a scenario.
pub(super) enum Side {
    Record(Box<Record>),
    Arm(Box<Arm>),
}

/// A record and where it lies.
pub(super) struct Record {
    pub(super) folder: PathBuf,
    pub(super) run: RunRecord,
}

impl Side {
    /// The resolved scenario.
    pub(super) fn text(&self) -> &str {
        match self {
            Side::Record(record) => &record.run.manifest.scenario_text,
            Side::Arm(arm) => arm.text(),
        }
    }

    fn name(&self) -> &str {
        match self {
            Side::Record(record) => &record.run.manifest.arm,
            Side::Arm(arm) => arm.name(),
        }
    }

    /// The number of a record's replicate.
    fn replicate(&self) -> Option<u64> {
        match self {
            Side::Record(record) => Some(record.run.manifest.replicate),
            Side::Arm(_) => None,
        }
    }

    /// Are both of one arm and, where both are records, of one replicate?
    fn is_partner_of(&self, other: &Self) -> bool {
        let is_same = self.replicate().zip(other.replicate()).is_none_or(|(own, other)| own == other);
        self.name() == other.name() && is_same
    }

    /// Its name among `all`, with its replicate where the arm has several.
    fn label(&self, all: &[Self]) -> String {
        match self.replicate() {
            Some(replicate) if all.iter().filter(|side| side.name() == self.name()).count() > 1 => {
                format!("{}, replicate {replicate}", self.name())
            }
            _ => self.name().to_owned(),
        }
    }
}

/// The records in a folder, or the arms of a scenario.
pub(super) fn read(given: &str) -> Result<Vec<Side>, Failure> {
    let path = Path::new(given);
    let about = files::about(path).map_err(|error| Failure::file(path, &error))?;
    if about.is_none() && given.contains(['/', '\\']) && !given.ends_with(".ron") && library::find(given).is_err() {
        return Err(Failure::Input(format!(
            "there is no {given}: expected the folder of a record, the file of a scenario, or the name of one of the \
             library (`fedbits list`)"
        )));
    }
    if !about.is_some_and(|about| about.is_dir()) {
        return Ok(Scenario::load(given)?.arms()?.into_iter().map(|arm| Side::Arm(Box::new(arm))).collect());
    }
    let mut folders = vec![path.to_path_buf()];
    if !has_manifest(path)? {
        let entries = std::fs::read_dir(path).map_err(|error| Failure::file(path, &error))?;
        folders.clear();
        for entry in entries {
            let path = entry.map_err(|error| Failure::file(path, &error))?.path();
            if !path.file_name().is_some_and(is_temporary) && has_manifest(&path)? {
                folders.push(path);
            }
        }
        folders.sort();
    }
    if is_study(path)? {
        return Err(Failure::Input(format!(
            "{given} is the folder of a study: expected a record, a folder of records, or a scenario (`fedbits compare \
             {given}` compares the arms of a study)"
        )));
    }
    if folders.is_empty() {
        return Err(Failure::Input(format!("{given} holds no record (a folder with manifest.json)")));
    }
    let record = |folder: PathBuf| Ok(Side::Record(Box::new(Record { run: RunRecord::read(&folder)?, folder })));
    let mut records = folders.into_iter().map(record).collect::<Result<Vec<_>, Failure>>()?;
    records.sort_by_key(|side| match side {
        Side::Record(record) => record.run.manifest.arm_index,
        Side::Arm(_) => 0,
    });
    Ok(records)
}

/// Two that are compared.
pub(super) struct Pair<'a> {
    pub(super) name: String,
    pub(super) one: &'a Side,
    pub(super) other: &'a Side,
}

/// Single ones are a pair whatever their names; several are paired by their arms and replicates. What has no partner is
/// said.
pub(super) fn pairs<'a>(
    one: &'a [Side],
    other: &'a [Side],
    given: [&str; 2],
) -> Result<(Vec<Pair<'a>>, Vec<String>), Failure> {
    if let ([one], [other]) = (one, other) {
        return Ok((vec![Pair { name: one.name().to_owned(), one, other }], Vec::new()));
    }
    let find = |all: &'a [Side], own: &Side| all.iter().find(|side| side.is_partner_of(own));
    let pair = |own: &'a Side| Some(Pair { name: own.label(one), one: own, other: find(other, own)? });
    let paired: Vec<Pair<'_>> = one.iter().filter_map(pair).collect();
    let labels = |all: &[Side]| all.iter().map(|side| side.label(all)).collect::<Vec<_>>();
    let names = |all: &[Side]| {
        let labels = labels(all);
        fedbits_text::one_of(&labels.iter().map(String::as_str).collect::<Vec<_>>())
    };
    if paired.is_empty() {
        return Err(Failure::Input(format!(
            "no arm is in both: {} has {}, {} has {}; name two records, such as DIR/ARM",
            given[0],
            names(one),
            given[1],
            names(other)
        )));
    }
    let lonely = |(own, others, given): (&'a [Side], &'a [Side], &str)| {
        let alone = own.iter().filter(|side| find(others, side).is_none());
        alone.map(|side| format!("only in {given}: {}", side.label(own))).collect::<Vec<_>>()
    };
    let alone = [(one, other, given[0]), (other, one, given[1])].into_iter().flat_map(lonely).collect();
    Ok((paired, alone))
}

/// The first event that differs, by the check bytes that both records keep; none when the timelines are the same.
pub(super) fn first_event(
    records: [&Record; 2],
    options: &DiffOptions,
    console: &Console,
) -> Result<Option<String>, Failure> {
    let [one, other] = records.map(|record| &record.run.manifest);
    if one.digests.timeline == other.digests.timeline {
        return Ok(None);
    }
    let mut checks = Vec::new();
    for record in records {
        let path = record.folder.join(TIMELINE_FILE);
        match files::if_there(files::read(&path)).map_err(|error| Failure::file(&path, &error))? {
            Some(bytes) => checks.push(bytes),
            None => {
                return Ok(Some(format!(
                    "events differ; {} is missing: which comes first is not known",
                    path.display()
                )));
            }
        }
    }
    let parts = checks[0].iter().zip(&checks[1]).position(|(one, other)| one != other);
    let shorter = checks[0].len().min(checks[1].len());
    let number = match parts.or((checks[0].len() != checks[1].len()).then_some(shorter)) {
        Some(number) => number as u64,
        None => return Ok(Some("the events differ after those that check bytes are kept for".to_owned())),
    };
    let mut text =
        format!("the first event that differs is number {number} of {} and {}", one.totals.events, other.totals.events);
    if options.replay {
        let events = records.map(|record| replayed(record, number, options, console));
        let [one, other] = events;
        text += &format!("; A: {}; B: {}", one?, other?);
    }
    Ok(Some(text))
}

/// The event of a number, by running the record again.
fn replayed(record: &Record, number: u64, options: &DiffOptions, console: &Console) -> Result<String, Failure> {
    if number >= record.run.manifest.totals.events {
        return Ok("it has ended".to_owned());
    }
    let signals = Signals::listen()?;
    let executor = Executor { listener: console, stop: signals.stop(), threads: host::set_threads(None) };
    let machine = HostOptions { data: options.data.clone(), ..HostOptions::default() }.machine_of_record()?;
    Ok(watched_event(&record.folder, number, &machine, &executor)?)
}
