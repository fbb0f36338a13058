//! What is compared: runs, by their folders, or scenarios, by their files or names.

use std::path::Path;

use fedbits_record::results::has_plan;
use fedbits_record::{MOST_CHECKS, RunRecord};
use fedbits_scenarios::library;
use fedbits_spec::files;

use crate::cli::args::{DiffOptions, HostOptions};
use crate::cli::failure::Failure;
use crate::cli::host::{self, Signals};
use crate::cli::progress::Console;
use crate::cli::skipped;
use crate::executor::Executor;
use crate::runs::open_runs;
use crate::scenario::{Arm, Scenario, arm_number};
use crate::verify::{first_difference, watched_event};

/// A run, or an arm of a scenario.
pub(super) struct Side {
    name: String,
    /// Its whole scenario.
    pub(super) text: String,
    pub(super) run: Option<RunRecord>,
}

impl Side {
    /// The number of a run's replicate.
    fn replicate(&self) -> Option<u64> {
        self.run.as_ref().map(|run| run.manifest.replicate)
    }

    /// Not two runs of different replicates.
    fn has_replicate_of(&self, other: &Self) -> bool {
        self.replicate().zip(other.replicate()).is_none_or(|(a, b)| a == b)
    }

    /// Its name among `all`, with its replicate where the arm has several.
    fn label(&self, all: &[Self]) -> String {
        match self.replicate() {
            Some(replicate) if all.iter().filter(|side| side.name == self.name).count() > 1 => {
                format!("{}, replicate {replicate}", self.name)
            }
            _ => self.name.clone(),
        }
    }
}

/// The runs of a folder, or the arms of a scenario; of the arm alone that is named.
pub(super) fn read(given: &str, arm: Option<&str>) -> Result<Vec<Side>, Failure> {
    let path = Path::new(given);
    let about = files::about(path).map_err(|error| Failure::file(path, &error))?;
    if about.is_none() && given.contains(['/', '\\']) && !given.ends_with(".ron") && library::find(given).is_err() {
        let expected = "expected a folder of runs, the file of a scenario, or the name of one of the library";
        return Err(Failure::Input(format!("{expected} (`fedbits list`): {}", skipped::no_folder(path))));
    }
    let mut sides = match about.is_some_and(|about| about.is_dir()) {
        true => runs(path)?,
        false => Scenario::load(given)?.arms()?.iter().map(of_arm).collect(),
    };
    if let Some(arm) = arm {
        let mut names: Vec<&str> = sides.iter().map(|side| side.name.as_str()).collect();
        names.dedup();
        arm_number(&names, arm).map_err(|error| Failure::from(error).about(given))?;
        sides.retain(|side| side.name == arm);
    }
    Ok(sides)
}

fn of_arm(arm: &Arm) -> Side {
    Side { name: arm.name().to_owned(), text: arm.text().to_owned(), run: None }
}

fn of_run(run: RunRecord) -> Side {
    Side { name: run.manifest.arm.clone(), text: run.manifest.scenario_text.clone(), run: Some(run) }
}

fn runs(folder: &Path) -> Result<Vec<Side>, Failure> {
    if !has_plan(folder)? {
        let hint = skipped::hint(folder);
        return Err(Failure::Input(format!("{} is not a folder of runs: it has no plan.json{hint}", folder.display())));
    }
    let record = open_runs(folder)?;
    let mut sides = Vec::new();
    for arm in 0..record.plan().arms.len() {
        for replicate in record.plan().replicate_numbers() {
            sides.extend(record.run(arm, replicate)?.map(of_run));
        }
    }
    match sides.is_empty() {
        true => Err(Failure::Input(format!("no run in {} is finished", folder.display()))),
        false => Ok(sides),
    }
}

pub(super) struct Pair<'a> {
    pub(super) name: String,
    pub(super) a: &'a Side,
    pub(super) b: &'a Side,
}

/// Single ones are a pair whatever they are; of one arm on each side replicates are paired, of several arms those of
/// one name. What has no partner is said.
pub(super) fn pairs<'a>(
    a: &'a [Side],
    b: &'a [Side],
    given: [&str; 2],
) -> Result<(Vec<Pair<'a>>, Vec<String>), Failure> {
    if let ([a], [b]) = (a, b) {
        return Ok((vec![Pair { name: a.name.clone(), a, b }], Vec::new()));
    }
    let is_one_arm = |sides: &[Side]| sides.iter().all(|side| side.name == sides[0].name);
    let any_name = is_one_arm(a) && is_one_arm(b);
    let is_pair = |side: &Side, wanted: &Side| (any_name || side.name == wanted.name) && side.has_replicate_of(wanted);
    let find = |all: &'a [Side], wanted: &Side| all.iter().find(|side| is_pair(side, wanted));
    let pair = |side: &'a Side| {
        let partner = find(b, side)?;
        let name = match side.name == partner.name {
            true => side.label(a),
            false => format!("{} and {}", side.label(a), partner.name),
        };
        Some(Pair { name, a: side, b: partner })
    };
    let paired: Vec<Pair<'_>> = a.iter().filter_map(pair).collect();
    let labels = |all: &[Side]| all.iter().map(|side| side.label(all)).collect::<Vec<_>>();
    let names = |all: &[Side]| {
        let labels = labels(all);
        fedbits_text::one_of(&labels.iter().map(String::as_str).collect::<Vec<_>>())
    };
    if paired.is_empty() {
        return Err(Failure::Input(format!(
            "no arm is in both: {} has {}, {} has {}; name one of each: --arm ARM --arm OTHER",
            given[0],
            names(a),
            given[1],
            names(b)
        )));
    }
    let lonely = |(sides, partners, given): (&'a [Side], &'a [Side], &str)| {
        let alone = sides.iter().filter(|side| find(partners, side).is_none());
        alone.map(|side| format!("only in {given}: {}", side.label(sides))).collect::<Vec<_>>()
    };
    let alone = [(a, b, given[0]), (b, a, given[1])].into_iter().flat_map(lonely).collect();
    Ok((paired, alone))
}

/// The first event that differs, by the check bytes that both runs keep; none when the timelines are the same.
pub(super) fn first_event(
    records: [&RunRecord; 2],
    options: &DiffOptions,
    console: &Console,
) -> Result<Option<String>, Failure> {
    let [a, b] = records.map(|record| &record.manifest);
    if a.digests.timeline == b.digests.timeline {
        return Ok(None);
    }
    let Some(number) = first_difference(&records[0].checks, &records[1].checks) else {
        return Ok(Some(format!("the events differ after the first {MOST_CHECKS}, for which check bytes are kept")));
    };
    let number = number as u64;
    let mut text =
        format!("the first event that differs is number {number} of {} and {}", a.totals.events, b.totals.events);
    if options.replay {
        let events = records.map(|record| replayed(record, number, options, console));
        let [a, b] = events;
        text += &format!("; A: {}; B: {}", a?, b?);
    }
    Ok(Some(text))
}

/// The event of a number, by running the record again.
fn replayed(record: &RunRecord, number: u64, options: &DiffOptions, console: &Console) -> Result<String, Failure> {
    if number >= record.manifest.totals.events {
        return Ok("it has ended".to_owned());
    }
    let signals = Signals::listen()?;
    let executor = Executor { listener: console, stop: signals.stop(), threads: host::set_threads(None) };
    let machine = HostOptions { data: options.data.clone(), ..HostOptions::default() }.machine_of_record()?;
    Ok(watched_event(&record.manifest, number, &machine, &executor)?)
}
