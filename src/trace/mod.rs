//! What happened in rounds of a record: its run is made again, and leaves a trace this time.

pub(crate) mod chrome;

use std::ops::RangeInclusive;
use std::path::{Path, PathBuf};

use fedbits_record::study::StudyRecord;
use fedbits_record::{ExtraTable, Manifest, RoundRow, RunRecord, TRACE, TracePart, TraceRow};
use fedbits_scenarios::prepare::Prepared;
use fedbits_scenarios::{Checked, Source};

use crate::error::Error;
use crate::executor::Executor;
use crate::options::RunOptions;
use crate::scenario::recorded;

/// The file of trace events.
pub(crate) const EVENTS_FILE: &str = "trace.json";

/// Which rounds.
pub(crate) enum Wanted {
    /// These.
    Rounds(RangeInclusive<u64>),
    /// The one that took longest.
    Slowest,
}

/// Which run of a folder.
#[derive(Default)]
pub(crate) struct Which {
    /// The name of its arm; needed where there are several.
    pub(crate) arm: Option<String>,
    /// Its replicate, else the first.
    pub(crate) replicate: Option<u64>,
}

/// A run that is to be traced.
pub(crate) struct Traced {
    /// Its folder; none where it is kept in a study.
    pub(crate) folder: Option<PathBuf>,
    manifest: Manifest,
    rounds: Vec<RoundRow>,
    checked: Checked,
}

/// A trace as a table, and as the trace events that viewers open.
pub(crate) struct Trace {
    pub(crate) table: ExtraTable,
    pub(crate) events: String,
    /// Its rounds.
    pub(crate) rounds: Vec<u64>,
    /// Do the digests differ from those of the record?
    pub(crate) differs: bool,
}

impl Traced {
    /// The run that is meant of these records.
    ///
    /// # Errors
    /// Where there is no such run, or several; with the names that there are.
    pub(crate) fn among(records: Vec<PathBuf>, which: &Which) -> Result<Self, Error> {
        let mut manifests = Vec::new();
        for folder in records {
            manifests.push((Manifest::read(&folder)?, folder));
        }
        let names: Vec<&str> = manifests.iter().map(|(manifest, _)| manifest.arm.as_str()).collect();
        let arm = arm(which, &names)?.to_owned();
        let of_arm = manifests.into_iter().filter(|(manifest, _)| manifest.arm == arm);
        let found = of_arm.filter(|(manifest, _)| which.replicate.is_none_or(|own| own == manifest.replicate));
        let first = found.min_by_key(|(manifest, _)| manifest.replicate);
        let (_, folder) = first.ok_or_else(|| no_replicate(&arm, which.replicate))?;
        let RunRecord { manifest, rounds, .. } = RunRecord::read(&folder)?;
        let name = format!("{}: scenario_text", folder.display());
        let checked = recorded(Source::new(name, manifest.scenario_text.clone()), manifest.host.script.as_deref())?;
        Ok(Self { folder: Some(folder), manifest, rounds, checked })
    }

    /// The run that is meant of a study.
    ///
    /// # Errors
    /// Where there is no such run, or several; with the names that there are.
    pub(crate) fn of_study(record: &StudyRecord, which: &Which) -> Result<Self, Error> {
        let names: Vec<&str> = record.plan().arms.iter().map(|arm| arm.name.as_str()).collect();
        let name = arm(which, &names)?;
        let arm = names.iter().position(|own| *own == name).unwrap_or_default();
        let replicate = which.replicate.or_else(|| record.plan().replicate_numbers().next()).unwrap_or_default();
        let run = if record.plan().replicate_numbers().any(|own| own == replicate) {
            record.run(arm, replicate)?
        } else {
            None
        };
        let RunRecord { manifest, rounds, .. } = run.ok_or_else(|| no_replicate(name, Some(replicate)))?;
        let source = Source::new(format!("{name} / replicate {replicate}"), manifest.scenario_text.clone());
        Ok(Self { folder: None, checked: recorded(source, manifest.host.script.as_deref())?, manifest, rounds })
    }

    /// Runs it again.
    ///
    /// # Errors
    /// Rounds that the run does not have, or that hold too much; data that are no longer there.
    pub(crate) fn trace(&self, wanted: &Wanted, options: &RunOptions, executor: &Executor<'_>) -> Result<Trace, Error> {
        if self.checked.scenario.protocol.is_centralized() {
            let why = "this protocol works in one place: nothing is sent, and there is nothing to trace";
            return Err(Error::Input(why.to_owned()));
        }
        let rounds: Vec<u64> = self.rounds(wanted)?.collect();
        let folder = self.manifest.host.scenario_folder.as_ref().map(PathBuf::from);
        let mut preparer = options.preparer(&options.folders(folder))?;
        let kept = executor.keep_changed(&self.checked, &mut preparer, |prepared| {
            prepared.experiment.record.trace.clone_from(&rounds);
            prepared.experiment.stop.cut = self.manifest.cut;
            Ok(())
        })?;
        let rows = kept.trace.ok_or_else(|| {
            let most = fedbits_kernel::MOST_SPANS;
            let of = if rounds.len() == 1 { "this round holds" } else { "these rounds hold" };
            Error::Input(format!("{of} more than {most} transfers and computations: expected fewer `--rounds`"))
        })?;
        let differs = self.manifest.digests != kept.record.manifest.digests;
        let (table, events) = (TraceRow::table(&rows), chrome::events(&rows, &self.manifest));
        Ok(Trace { table, events, rounds, differs })
    }

    fn rounds(&self, wanted: &Wanted) -> Result<RangeInclusive<u64>, Error> {
        let last = self.manifest.totals.rounds;
        match wanted {
            Wanted::Rounds(rounds) if *rounds.end() > last => {
                let found = format!("the run has no round {}", rounds.end());
                Err(Error::Input(format!("{found}: expected rounds from 0 to {last}")))
            }
            Wanted::Rounds(rounds) => Ok(rounds.clone()),
            Wanted::Slowest => slowest(&self.rounds).map(|round| round..=round),
        }
    }
}

/// The round that took longest, of these that are all there; the first of several.
fn slowest(rows: &[RoundRow]) -> Result<u64, Error> {
    if let Some(pair) = rows.windows(2).find(|pair| pair[1].round != pair[0].round + 1) {
        let [one, next] = [pair[0].round, pair[1].round];
        let found =
            format!("rounds.csv has no row between rounds {one} and {next}, and does not tell how long each took");
        return Err(Error::Input(format!("{found}: expected `--rounds`, or a run with `record: (every: 1)`")));
    }
    let spans = rows.windows(2).map(|pair| (pair[1].time_ns - pair[0].time_ns, pair[1].round));
    let longest = spans.reduce(|best, own| if own.0 > best.0 { own } else { best });
    longest.map(|(_, round)| round).ok_or_else(|| Error::Input("the run has no round but its start".to_owned()))
}

/// The arm that is meant, of these.
fn arm<'a>(which: &'a Which, names: &[&'a str]) -> Result<&'a str, Error> {
    let mut all = names.to_vec();
    all.sort_unstable();
    all.dedup();
    let known = || all.iter().take(30).map(|name| format!("`{name}`")).collect::<Vec<_>>().join(", ");
    match (&which.arm, &all[..]) {
        (Some(name), _) if all.contains(&name.as_str()) => Ok(name),
        (None, [only]) => Ok(only),
        (None, _) => Err(Error::Input(format!("there are several arms: expected --arm with one of {}", known()))),
        (Some(name), _) => {
            let near = fedbits_text::nearest(name, all.iter().copied());
            let hint =
                near.map_or_else(|| format!("the arms are {}", known()), |near| format!("did you mean `{near}`?"));
            Err(Error::Input(format!("there is no arm `{name}`: {hint}")))
        }
    }
}

fn no_replicate(arm: &str, replicate: Option<u64>) -> Error {
    let number = replicate.map_or_else(String::new, |number| format!(" {number}"));
    Error::Input(format!("arm `{arm}` has no run of replicate{number}"))
}

/// The rounds of which the record in a folder has a trace.
pub(crate) fn traced_rounds(directory: &Path) -> Vec<u64> {
    // What cannot be read is found when the record is.
    let table = ExtraTable::read(directory, TRACE).ok().flatten();
    let rows = table.map(|table| TraceRow::of(&[table])).unwrap_or_default();
    rows.iter().filter(|row| row.part == TracePart::Round).map(|row| row.rounds[0]).collect()
}

/// Traces these rounds, if there are any, and not those that the scenario names, of a run with so many rounds.
pub(crate) fn trace_instead(prepared: &mut Prepared, rounds: &[u64], last: u64) {
    if !rounds.is_empty() {
        let trace = &mut prepared.experiment.record.trace;
        // Of a round that the run does not have the record says so.
        trace.retain(|&round| round > last);
        trace.splice(..0, rounds.iter().copied());
    }
}
