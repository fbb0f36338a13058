//! Watching runs from a program, and ending them.

use std::fmt;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use fedbits_protocols::journal::Observer;
use fedbits_protocols::plan::StopRules;
use fedbits_record::RoundRow;
use fedbits_record::results::{Results, StoredRun};

use crate::listener::{Listener, RunsObserver};
use crate::runs::job::Job;

/// What runs do, as it happens. Nothing of it is a result.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub enum Event<'a> {
    /// The only run begins.
    Begun {
        /// Name of its arm.
        arm: &'a str,
        /// The number of rounds after which it ends, if that is one of its stop rules.
        rounds: Option<u64>,
    },
    /// A row was recorded in it.
    Row(&'a RoundRow),
    /// Runs begin: so many are missing.
    RunsBegun(usize),
    /// A run is in the store.
    RunDone,
}

type Receiver = dyn Fn(Event<'_>) + Send + Sync;

/// Who watches runs, and the switch that ends them. Clones share both.
#[derive(Clone, Default)]
pub struct Watch {
    stop: Arc<AtomicBool>,
    receiver: Option<Arc<Receiver>>,
}

impl Watch {
    /// `receiver` is called with every event, from the threads that run.
    pub fn new(receiver: impl Fn(Event<'_>) + Send + Sync + 'static) -> Self {
        Self { stop: Arc::default(), receiver: Some(Arc::new(receiver)) }
    }

    /// Ends the runs soon; they give [`Error::Stopped`](crate::Error::Stopped). What was finished is kept.
    pub fn stop(&self) {
        self.stop.store(true, Ordering::Relaxed);
    }

    pub(crate) fn switch(&self) -> &AtomicBool {
        &self.stop
    }

    fn tell(&self, event: Event<'_>) {
        if let Some(receiver) = &self.receiver {
            receiver(event);
        }
    }
}

impl fmt::Debug for Watch {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Watch").field("stop", &self.stop).finish_non_exhaustive()
    }
}

impl Listener for Watch {
    fn follow(&self, arm: &str, stop: &StopRules) -> Option<Observer> {
        let watch = self.receiver.is_some().then(|| self.clone())?;
        watch.tell(Event::Begun { arm, rounds: stop.rounds });
        Some(Box::new(move |row| watch.tell(Event::Row(row))))
    }

    fn follow_runs<'a>(&'a self, _: &Results, jobs: &[Job], _: usize) -> Box<dyn RunsObserver + 'a> {
        self.tell(Event::RunsBegun(jobs.len()));
        Box::new(WatchedRuns { watch: self, is_single: jobs.len() == 1 })
    }
}

struct WatchedRuns<'a> {
    watch: &'a Watch,
    /// Are the rows of the only run watched, too?
    is_single: bool,
}

impl RunsObserver for WatchedRuns<'_> {
    fn begun(&mut self, _: &Job) -> Option<Box<dyn Listener>> {
        self.is_single.then(|| Box::new(self.watch.clone()) as Box<dyn Listener>)
    }

    fn done(&mut self, _: &Job, _: &StoredRun, _: f64) {
        self.watch.tell(Event::RunDone);
    }
}
