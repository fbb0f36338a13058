//! Receives the messages of a command for its live state, and hands them on to the console.

use std::sync::Arc;

use fedbits_protocols::journal::Observer;
use fedbits_record::RoundRow;
use fedbits_record::study::{StoredRun, StudyRecord};

use super::shared::Shared;
use super::state::{ArmState, Curve, JobsState, Point, RunningJob};
use crate::cli::done;
use crate::cli::progress::Console;
use crate::cli::study_progress::RemainingTime;
use crate::listener::{BegunRun, Listener, StudyObserver};
use crate::machine::Stopwatch;
use crate::study::Job;

/// Listens for the live state and for the console.
pub(crate) struct Follower {
    console: Console,
    shared: Arc<Shared>,
    /// Are the results of a study kept for the screen?
    results: bool,
}

impl Follower {
    /// For this state.
    pub(crate) fn new(console: Console, shared: Arc<Shared>, results: bool) -> Self {
        Self { console, shared, results }
    }
}

impl Listener for Follower {
    fn message(&self, line: &str) {
        self.console.message(line);
    }

    fn caveat(&self, caveat: &str) {
        self.console.caveat(caveat);
    }

    fn detail(&self, line: &str) {
        self.console.detail(line);
    }

    fn follow(&self, run: &BegunRun<'_>) -> Option<Observer> {
        self.shared.begin_arm(run.caveats);
        let shared = Arc::clone(&self.shared);
        let mut rows = Rows::new(run, move |own| {
            if let Some(arm) = shared.state().arms.last_mut() {
                own.tell(arm);
            }
        });
        let mut console = self.console.follow(run);
        Some(Box::new(move |row| {
            rows.row(row);
            console.iter_mut().for_each(|console| console(row));
        }))
    }

    fn follow_study<'a>(&'a self, record: &StudyRecord, jobs: &[Job], workers: usize) -> Box<dyn StudyObserver + 'a> {
        let mut state = self.shared.state();
        state.doing.clear();
        state.caveats.clone_from(&record.plan().caveats);
        state.jobs = Some(JobsState::default());
        drop(state);
        if self.results {
            self.shared.keep_results(record);
        }
        Box::new(StudyFollower {
            shared: Arc::clone(&self.shared),
            console: self.console.follow_study(record, jobs, workers),
            rest: RemainingTime::new(record, jobs, workers),
        })
    }
}

/// Seconds between two looks of others at the rows of a run.
const TELL_EVERY: f64 = 0.1;

/// Takes the rows of a run, and tells of them at most ten times a second and at the end: rows can come by the million.
struct Rows<F: Fn(&Told)> {
    told: Told,
    stop: fedbits_protocols::plan::StopRules,
    extra_columns: Vec<String>,
    clock: Stopwatch,
    next: f64,
    tell: F,
}

/// What is told.
#[derive(Default)]
struct Told {
    curve: Curve,
    fraction: Option<f64>,
    seconds: f64,
}

impl Told {
    fn tell(&self, state: &mut ArmState) {
        state.curve.clone_from(&self.curve);
        (state.fraction, state.seconds) = (self.fraction, self.seconds);
    }
}

impl<F: Fn(&Told)> Rows<F> {
    fn new(run: &BegunRun<'_>, tell: F) -> Self {
        let extra_columns = run.extra_columns.to_vec();
        Self { told: Told::default(), stop: run.stop, extra_columns, clock: Stopwatch::start(), next: 0.0, tell }
    }

    fn row(&mut self, row: &RoundRow) {
        self.told.curve.push(Point::of(row, &self.extra_columns));
        self.told.fraction = done::share(&self.stop, row);
        let seconds = self.clock.seconds();
        if seconds >= self.next {
            self.next = seconds + TELL_EVERY;
            self.told.seconds = seconds;
            (self.tell)(&self.told);
        }
    }
}

impl<F: Fn(&Told)> Drop for Rows<F> {
    fn drop(&mut self) {
        self.told.seconds = self.clock.seconds();
        (self.tell)(&self.told);
    }
}

/// Follows the runs of a study.
struct StudyFollower<'a> {
    shared: Arc<Shared>,
    console: Box<dyn StudyObserver + 'a>,
    rest: RemainingTime,
}

impl StudyObserver for StudyFollower<'_> {
    fn begun(&mut self, job: &Job) -> Option<Box<dyn Listener>> {
        if let Some(jobs) = &mut self.shared.state().jobs {
            let state = ArmState::default();
            jobs.running.push(RunningJob { arm: job.arm, replicate: job.replicate, state });
        }
        Some(Box::new(JobListener { shared: Arc::clone(&self.shared), job: *job }))
    }

    fn done(&mut self, job: &Job, run: &StoredRun, seconds: f64) {
        self.rest.done(job.arm, seconds);
        if let Some(tally) = &mut *self.shared.tally() {
            tally.add(job.arm, job.replicate, run);
        }
        if let Some(jobs) = &mut self.shared.state().jobs {
            jobs.rest = Some(self.rest.seconds());
            jobs.running.retain(|running| !is(running, job));
        }
        self.console.done(job, run, seconds);
    }
}

fn is(running: &RunningJob, job: &Job) -> bool {
    (running.arm, running.replicate) == (job.arm, job.replicate)
}

/// Listens to one run of a study.
struct JobListener {
    shared: Arc<Shared>,
    job: Job,
}

impl Listener for JobListener {
    fn follow(&self, run: &BegunRun<'_>) -> Option<Observer> {
        let (shared, job) = (Arc::clone(&self.shared), self.job);
        let mut rows = Rows::new(run, move |own| {
            let mut state = shared.state();
            let running = state.jobs.iter_mut().flat_map(|jobs| jobs.running.iter_mut());
            running.filter(|running| is(running, &job)).for_each(|running| own.tell(&mut running.state));
        });
        Some(Box::new(move |row| rows.row(row)))
    }
}
