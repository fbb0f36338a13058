//! What happened in rounds of a run: it is made again, and leaves a trace this time.

pub(crate) mod chrome;

use std::ops::RangeInclusive;

use fedbits_record::results::{Results, RunPlan};
use fedbits_record::{Manifest, RoundRow, RunRecord, RunTable, TraceRow};
use fedbits_scenarios::Checked;

use crate::error::Error;
use crate::executor::Executor;
use crate::options::RunOptions;
use crate::scenario::{LISTED_ARMS, arm_number, scenario_folder, scenario_of};

/// The name of the trace events in a folder of their own.
pub(crate) const EVENTS_FILE: &str = "trace.json";

pub(crate) struct Traced {
    pub(crate) run: (usize, u64),
    manifest: Manifest,
    rounds: Vec<RoundRow>,
    checked: Checked,
}

/// A trace as a table, and as the trace events that viewers open.
pub(crate) struct Trace {
    pub(crate) table: RunTable,
    pub(crate) events: String,
    pub(crate) rounds: Vec<u64>,
    /// Do the digests differ from those of the record?
    pub(crate) differs: bool,
}

impl Traced {
    /// The run that is meant: of the only arm, and the first replicate, where nothing else is said.
    pub(crate) fn of(record: &Results, arm_name: Option<&str>, replicate: Option<u64>) -> Result<Self, Error> {
        let plan = record.plan();
        let arm = arm(plan, arm_name)?;
        let (name, numbers) = (&plan.arms[arm].name, plan.replicate_numbers());
        let replicate = replicate.unwrap_or(numbers.start);
        let run = if numbers.contains(&replicate) { record.run_without_tables(arm, replicate)? } else { None };
        let RunRecord { manifest, rounds, .. } =
            run.ok_or_else(|| Error::Input(format!("arm `{name}` has no run of replicate {replicate}")))?;
        let checked = scenario_of(&format!("{name} / replicate {replicate}"), &manifest)?;
        Ok(Self { run: (arm, replicate), checked, manifest, rounds })
    }

    /// Runs it again; what is traced is these rounds, or the one that took longest.
    pub(crate) fn trace(
        &self,
        rounds: Option<&RangeInclusive<u64>>,
        options: &RunOptions,
        executor: &Executor<'_>,
    ) -> Result<Trace, Error> {
        if self.checked.scenario.protocol.profile().is_centralized {
            let why = "this protocol works in one place: nothing is sent, and there is nothing to trace";
            return Err(Error::Input(why.to_owned()));
        }
        let rounds: Vec<u64> = self.rounds(rounds)?.collect();
        let mut preparer = options.preparer(&options.folders(scenario_folder(&self.manifest)))?;
        let kept = executor.keep(&self.checked, &mut preparer, |prepared| {
            prepared.experiment.record.trace.clone_from(&rounds);
            prepared.experiment.stop.cut = self.manifest.cut;
            prepared.fitting = None;
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

    fn rounds(&self, wanted: Option<&RangeInclusive<u64>>) -> Result<RangeInclusive<u64>, Error> {
        let last = self.manifest.totals.rounds;
        match wanted {
            Some(rounds) if *rounds.end() > last => {
                let found = format!("the run has no round {}", rounds.end());
                Err(Error::Input(format!("{found}: expected rounds from 0 to {last}")))
            }
            Some(rounds) => Ok(rounds.clone()),
            None => slowest(&self.rounds).map(|round| round..=round),
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
    let longest = spans.reduce(|best, next| if next.0 > best.0 { next } else { best });
    longest.map(|(_, round)| round).ok_or_else(|| Error::Input("the run has no round but its start".to_owned()))
}

/// The number of the arm that is meant.
pub(crate) fn arm(plan: &RunPlan, asked: Option<&str>) -> Result<usize, Error> {
    let names: Vec<&str> = plan.arms.iter().map(|arm| arm.name.as_str()).collect();
    match (asked, &names[..]) {
        (Some(name), names) => arm_number(names, name),
        (None, [_]) => Ok(0),
        (None, names) => {
            let known = fedbits_text::first_few(names, LISTED_ARMS);
            Err(Error::Input(format!("there are several arms: expected --arm with one of {known}")))
        }
    }
}
