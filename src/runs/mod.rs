//! Runs all arms × replicates into a folder. The plan says what is to be run, the store what has been run; only what is
//! missing is run.

mod definition;
pub(crate) mod job;
mod leases;
mod memory;
mod merge;
pub(crate) mod models;
mod outdated;
mod readme;
mod runner;
mod search;
mod shard;
mod store;

use std::collections::BTreeSet;
use std::path::Path;

use fedbits_record::results::{PLAN_FILE, Results, SEGMENTS_FOLDER, SegmentWriter};
use fedbits_record::uninterrupted;
use fedbits_spec::so_many;

pub(crate) use self::definition::MOST_MODELS;
pub use self::definition::Runs;
pub(crate) use self::job::Job;
pub use self::memory::{MemoryRuns, PartialRun};
pub(crate) use self::merge::{merge, open_runs, read_plan};
pub(crate) use self::outdated::{data_files, made_anew};
use self::runner::Runner;
use self::search::RaceRunner;
pub(crate) use self::search::size_of_store;
pub(crate) use self::shard::{RequestedShard, Shard, golden_step};
pub(crate) use self::store::runs_of_shard;
use self::store::{
    check_folder, check_scenario, former_plan, jobs, open_repaired, remove_tables, set_aside_damaged_decision,
    write_outputs, write_plan,
};
use crate::error::Error;
use crate::executor::{Executor, prepare};
use crate::options::RunOptions;

impl Runs {
    /// Runs what is missing in the folder `directory`, and writes its tables. What an earlier call or another process
    /// has finished is kept. A run that fails keeps no other from running; the counts of the result say how many.
    ///
    /// # Errors
    /// A directory that holds something else, data that are missing or do not fit, a file that cannot be written.
    pub fn run(&self, directory: &Path, options: &RunOptions) -> Result<Results, Error> {
        self.fill(directory, options, None, false)
    }

    /// As [`Runs::run`], and runs again what failed.
    ///
    /// # Errors
    /// As [`Runs::run`].
    pub fn run_failed_again(&self, directory: &Path, options: &RunOptions) -> Result<Results, Error> {
        self.fill(directory, options, None, true)
    }

    /// Runs part `index` of `of`, counted from 0: other processes run the others into the same directory, and a last
    /// [`Runs::run`] writes the tables.
    ///
    /// # Errors
    /// As [`Runs::run`]; an index that is not below `of`; a search, which has no parts.
    pub fn run_shard(
        &self,
        (index, of): (usize, usize),
        directory: &Path,
        options: &RunOptions,
    ) -> Result<Results, Error> {
        let shard = Shard::new(index, of).map_err(Error::Input)?;
        if self.is_search() {
            return Err(Error::Input("a search has no shards: every process of it takes what is missing".to_owned()));
        }
        self.fill(directory, options, Some(shard), false)
    }

    fn fill(
        &self,
        directory: &Path,
        options: &RunOptions,
        shard: Option<Shard>,
        retry_failed: bool,
    ) -> Result<Results, Error> {
        options.with_threads(|threads| {
            let executor = Executor { listener: &options.watch, stop: options.watch.switch(), threads };
            MissingRuns { runs: self, options, executor, shard, retry_failed }.run(directory)
        })
    }
}

/// The files of tables, models and a race's decision that are not what the runs give.
pub(crate) fn changed_files(record: &Results) -> Result<Vec<String>, Error> {
    Ok([record.changed_tables()?, models::changed(record)?, search::changed(record)?].concat())
}

pub(crate) struct MissingRuns<'a> {
    pub(crate) runs: &'a Runs,
    pub(crate) options: &'a RunOptions,
    pub(crate) executor: Executor<'a>,
    pub(crate) shard: Option<Shard>,
    pub(crate) retry_failed: bool,
}

impl MissingRuns<'_> {
    /// Makes them, where no runs of another scenario are in the way.
    pub(crate) fn run(&self, out: &Path) -> Result<Results, Error> {
        let plan = self.runs.plan(self.options)?;
        check_scenario(out, &plan)?;
        let (runs, listener, shard) = (self.runs, self.executor.listener, self.shard);
        check_folder(out)?;
        let before = former_plan(out, listener)?;
        runs.check_fit(self.options)?;
        runs.check_targets(self.options)?;
        if plan.search.is_some() {
            set_aside_damaged_decision(out, listener)?;
        }
        if before.as_ref() != Some(&plan) {
            if before.is_some() {
                self.check_beginning(&Results::with_plan(out, plan.clone())?)?;
            }
            uninterrupted(|| remove_tables(out).and_then(|()| write_plan(out, &plan, listener)))?;
        }
        let record = open_repaired(out, plan.clone(), listener)?;
        if record.plan().search.is_some() {
            self.report_start(&record, None);
            let (options, executor, retry_failed) = (self.options, self.executor, self.retry_failed);
            let record = RaceRunner { runs, options, executor, retry_failed }.run(record)?;
            write_outputs(&record, listener)?;
            return Ok(record);
        }
        let jobs = jobs(&record, shard, self.retry_failed);
        self.report_start(&record, Some(jobs.len()));
        let (options, executor) = (self.options, self.executor);
        let is_first = shard.is_none() && record.counts().results() == 0;
        let mut writer = SegmentWriter::new(&out.join(SEGMENTS_FOLDER));
        let runner = Runner { runs, options, executor, leases: None, is_first };
        runner.run(&record, jobs, &mut writer).inspect_err(|why| {
            // What the input keeps from being begun leaves nothing.
            if is_first && why.is_of_one_run() && before.is_none() {
                let _ = fedbits_record::remove_if_there(&out.join(PLAN_FILE));
            }
        })?;
        let record = Results::open(out)?;
        if !record.plan().has_runs_of(&plan) {
            return Err(Error::Input(format!(
                "another process has put runs of other settings into {out}: these runs are kept there, without tables; \
                 choose another folder by --out",
                out = out.display()
            )));
        }
        if shard.is_none_or(Shard::whole) {
            write_outputs(&record, listener)?;
        }
        let missing = runs_of_shard(&record, shard).iter().filter(|run| run.kind.is_none()).count();
        if missing > 0 {
            let missing = so_many(missing, "run that was made is|runs that were made are");
            return Err(Error::Run(format!(
                "{missing} not in {} any more: something removed them; run the scenario again",
                out.display()
            )));
        }
        Ok(record)
    }

    /// A run of some arm can begin: a scenario whose runs cannot replaces no former plan.
    fn check_beginning(&self, record: &Results) -> Result<(), Error> {
        let mut firsts = jobs(record, self.shard, self.retry_failed);
        let mut arms = BTreeSet::new();
        firsts.retain(|job| arms.insert(job.arm));
        let (mut preparer, mut refused) = (self.runs.preparer(self.options)?, None);
        for job in firsts {
            match prepare(&mut preparer, &self.runs.scenario_of(job.arm, job.replicate)) {
                Ok(_) => return Ok(()),
                Err(why) if why.is_of_one_run() => refused = refused.or(Some(why)),
                Err(why) => return Err(why),
            }
        }
        refused.map_or(Ok(()), Err)
    }

    /// Says what is there, and how much is to be made, which is not known of a search.
    fn report_start(&self, record: &Results, new: Option<usize>) {
        let (checked, listener, counts) = (&self.runs.checked, self.executor.listener, record.counts());
        listener.message(&format!(
            "{}: {} × {}, results in {}",
            checked.scenario.name,
            so_many(checked.arms.len(), "arm"),
            so_many(checked.scenario.replicates, "replicate"),
            record.directory().display()
        ));
        let of = self.shard.map_or_else(String::new, |shard| format!(" of shard {shard}"));
        let kept = counts.results() - if self.retry_failed { counts.failed } else { 0 };
        let phrase = "result of other settings stays|results of other settings stay";
        let parts = [
            (kept > 0).then(|| so_many(kept, "run is there already|runs are there already")),
            new.map(|new| match (kept, new) {
                (0, new) => format!("{} to make{of}", so_many(new, "run")),
                (_, 0) => format!("none to make{of}"),
                (_, new) => format!("{new} to make{of}"),
            }),
            (counts.orphaned > 0).then(|| format!("{} in the store", so_many(counts.orphaned, phrase))),
        ];
        let parts: Vec<String> = parts.into_iter().flatten().collect();
        if !parts.is_empty() {
            listener.message(&parts.join(", "));
        }
        if counts.failed > 0 && !self.retry_failed {
            listener.message(&format!("{} of the kept runs failed; --retry-failed runs them again", counts.failed));
        }
        if counts.not_run > 0 {
            let runs = "run could not be begun before, and is|runs could not be begun before, and are";
            listener.message(&format!("{} tried again", so_many(counts.not_run, runs)));
        }
        checked.caveats.iter().for_each(|caveat| listener.caveat(caveat));
    }
}
