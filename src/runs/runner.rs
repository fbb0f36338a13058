//! Makes runs on all cores: one run per core, or several threads inside each when runs are few. A failed
//! run keeps no other from running; every finished one is in the store before the next begins.

use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

use fedbits_record::results::{Key, Results, SegmentWriter, StoredRun};
use fedbits_scenarios::prepare::Preparer;
use fedbits_spec::threads;

use super::definition::Runs;
use super::job::Job;
use super::leases::{Lease, Leases};
use crate::error::Error;
use crate::executor::Executor;
use crate::listener::{Listener, RunsObserver, Silent};
use crate::machine::Stopwatch;
use crate::options::RunOptions;

pub(crate) struct Runner<'a> {
    pub(crate) runs: &'a Runs,
    /// Data folders, audit.
    pub(crate) options: &'a RunOptions,
    /// Receives the messages, what ends the runs, the number of threads in all.
    pub(crate) executor: Executor<'a>,
    /// Where other processes make runs of the same list: those that they have are left out.
    pub(crate) leases: Option<&'a Leases>,
    /// No run has a result yet: where none can be begun either, that is an error, and nothing is kept.
    pub(crate) is_first: bool,
}

struct Shared<'a> {
    jobs: &'a [Job],
    next: AtomicUsize,
    /// Something stands in the way of all runs.
    halt: AtomicBool,
    /// Threads of each worker.
    inside: usize,
    is_first: bool,
    ledger: Mutex<Outcome<'a>>,
}

struct Outcome<'a> {
    writer: &'a mut SegmentWriter,
    follower: Box<dyn RunsObserver + 'a>,
    made: Vec<Key>,
    /// Runs that could not be begun, as long as no other could.
    refused: Vec<(Job, Error)>,
    since_sync: Stopwatch,
    failure: Option<Error>,
}

/// Seconds after which finished runs are put on disk, so that not even a failure of the machine loses more.
const SYNC_SECONDS: f64 = 2.0;

impl Runner<'_> {
    /// Runs the jobs, and returns those of them that were made here; returns when all are done, a signal came, or the
    /// store cannot be written.
    pub(crate) fn run(&self, record: &Results, jobs: Vec<Job>, writer: &mut SegmentWriter) -> Result<Vec<Key>, Error> {
        if jobs.is_empty() {
            return Ok(Vec::new());
        }
        let workers = self.executor.threads.min(jobs.len()).max(1);
        let shared = Shared {
            jobs: &jobs,
            next: AtomicUsize::new(0),
            halt: AtomicBool::new(false),
            inside: (self.executor.threads / workers).max(1),
            is_first: self.is_first,
            ledger: Mutex::new(Outcome {
                writer,
                follower: self.executor.listener.follow_runs(record, &jobs, workers),
                made: Vec::new(),
                refused: Vec::new(),
                since_sync: Stopwatch::start(),
                failure: None,
            }),
        };
        std::thread::scope(|scope| {
            // Where fewer threads can be made than wished, those that there are do all runs.
            for _ in 1..workers {
                if threads::spawn_scoped(scope, || self.work(&shared)).is_err() {
                    break;
                }
            }
            self.work(&shared);
        });
        let Outcome { writer, failure, made, refused, .. } = unpoisoned(shared.ledger.into_inner());
        let synced = writer.sync();
        if let Some(failure) = failure {
            return Err(failure);
        }
        if self.executor.stop.load(Ordering::Relaxed) {
            return Err(Error::Stopped);
        }
        let count = refused.len();
        if let Some((Job { arm, replicate, .. }, why)) = refused.into_iter().next() {
            if count > 1 {
                let arm = &record.plan().arms[arm].name;
                let message =
                    format!("none of {count} runs could be begun, the first is replicate {replicate} of `{arm}`");
                self.executor.listener.message(&message);
            }
            return Err(why);
        }
        Ok(synced.map(|()| made)?)
    }

    /// One worker: a pool of its own, in which the runs' own parallel parts stay.
    fn work(&self, shared: &Shared<'_>) {
        threads::in_pool(shared.inside, |_| self.work_through(shared));
    }

    fn work_through(&self, shared: &Shared<'_>) {
        let mut preparer = match self.runs.preparer(self.options) {
            Ok(preparer) => preparer,
            Err(failure) => return shared.fail(failure),
        };
        while !shared.halt.load(Ordering::Relaxed) && !self.executor.stop.load(Ordering::Relaxed) {
            let Some(job) = shared.jobs.get(shared.next.fetch_add(1, Ordering::Relaxed)) else { return };
            let lease = match self.lease(job) {
                Ok(Some(lease)) => lease,
                Ok(None) => continue,
                Err(failure) => return shared.fail(failure),
            };
            let watch = Stopwatch::start();
            let listener = unpoisoned(shared.ledger.lock()).follower.begun(job);
            let listener = listener.unwrap_or(Box::new(Silent));
            let run = self.play_one(job, &mut preparer, (&*listener, shared.inside));
            let kept = match run {
                Ok(run) => shared.keep(job, (&run, lease), watch.seconds()),
                Err(Error::Stopped) => return,
                Err(why) if why.is_of_one_run() => shared.refuse(job, (why, lease), watch.seconds()),
                Err(failure) => Err(failure),
            };
            if let Err(failure) = kept {
                return shared.fail(failure);
            }
        }
    }

    /// The right to make a run: `None` where another process has it.
    fn lease(&self, job: &Job) -> Result<Option<Option<Lease>>, Error> {
        match self.leases {
            Some(leases) => Ok(leases.take(&job.key)?.map(Some)),
            None => Ok(Some(None)),
        }
    }

    fn play_one(
        &self,
        job: &Job,
        preparer: &mut Preparer,
        (listener, threads): (&dyn Listener, usize),
    ) -> Result<StoredRun, Error> {
        let checked = self.runs.scenario_of(job.arm, job.replicate);
        let executor = Executor { listener, threads, ..self.executor };
        let kept = executor.keep(&checked, preparer, |prepared| {
            prepared.experiment.stop.cut = job.cut;
            prepared.fitting.take_if(|_| !self.runs.keeps_model(job.replicate));
        });
        match kept {
            Ok(kept) => Ok(StoredRun::finished(kept.record)),
            // It may not begin because of what ends the others.
            Err(_) if self.executor.stop.load(Ordering::Relaxed) => Err(Error::Stopped),
            Err(error) => Err(error),
        }
    }
}

impl Shared<'_> {
    fn keep(&self, job: &Job, (run, lease): (&StoredRun, Option<Lease>), seconds: f64) -> Result<(), Error> {
        let mut ledger = unpoisoned(self.ledger.lock());
        ledger.keep_refused()?;
        ledger.keep(job, run, lease)?;
        ledger.follower.done(job, run, seconds);
        Ok(())
    }

    /// Keeps why a run could not be begun; of a first run only where another could.
    fn refuse(&self, job: &Job, (why, lease): (Error, Option<Lease>), seconds: f64) -> Result<(), Error> {
        let mut ledger = unpoisoned(self.ledger.lock());
        let run = StoredRun::NotRun(why.to_string());
        if self.is_first && ledger.made.is_empty() {
            ledger.refused.push((*job, why));
        } else {
            ledger.keep(job, &run, lease)?;
        }
        ledger.follower.done(job, &run, seconds);
        Ok(())
    }

    /// Ends the work of all; the first reason is reported.
    fn fail(&self, failure: Error) {
        self.halt.store(true, Ordering::Relaxed);
        unpoisoned(self.ledger.lock()).failure.get_or_insert(failure);
    }
}

impl Outcome<'_> {
    fn keep(&mut self, job: &Job, run: &StoredRun, lease: Option<Lease>) -> Result<(), Error> {
        let cut = if let StoredRun::Finished(record) = run { record.manifest.cut } else { None };
        self.writer.append(cut.map_or(job.key, |cut| job.key.with_cut(&cut)), run)?;
        if self.since_sync.seconds() > SYNC_SECONDS {
            self.writer.sync()?;
            self.since_sync = Stopwatch::start();
        }
        self.made.push(job.key);
        lease.map_or(Ok(()), Lease::done)
    }

    fn keep_refused(&mut self) -> Result<(), Error> {
        for (job, why) in std::mem::take(&mut self.refused) {
            self.keep(&job, &StoredRun::NotRun(why.to_string()), None)?;
        }
        Ok(())
    }
}

/// A worker that panicked outside of a run left the ledger as it was: every step of it stands alone.
fn unpoisoned<T>(locked: Result<T, std::sync::PoisonError<T>>) -> T {
    locked.unwrap_or_else(std::sync::PoisonError::into_inner)
}
