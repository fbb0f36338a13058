//! Who receives messages about runs.

use fedbits_protocols::journal::Observer;
use fedbits_protocols::plan::StopRules;
use fedbits_record::results::{Results, StoredRun};
use fedbits_spec::Caveat;

use crate::runs::Job;

#[derive(Clone, Copy)]
pub(crate) struct BegunRun<'a> {
    pub(crate) name: &'a str,
    pub(crate) stop: StopRules,
}

/// Receives messages. They are no results.
pub(crate) trait Listener: Sync {
    /// A step was made.
    fn message(&self, _line: &str) {}

    /// What results are not to be trusted without.
    fn caveat(&self, _caveat: &Caveat) {}

    fn detail(&self, _line: &str) {}

    /// A run begins; returns the observer of its rows.
    fn follow(&self, _run: &BegunRun<'_>) -> Option<Observer> {
        None
    }

    /// Runs begin, `workers` at a time; returns the observer of its finished runs.
    fn follow_runs<'a>(&'a self, _record: &Results, _jobs: &[Job], _workers: usize) -> Box<dyn RunsObserver + 'a> {
        Box::new(Silent)
    }
}

pub(crate) trait RunsObserver: Send {
    /// A run begins; returns who listens to it, where somebody does.
    fn begun(&mut self, _job: &Job) -> Option<Box<dyn Listener>> {
        None
    }

    /// The result of a run is in the store; it took this many seconds.
    fn done(&mut self, _job: &Job, _run: &StoredRun, _seconds: f64) {}
}

/// Ignores all messages.
pub(crate) struct Silent;

impl Listener for Silent {}

impl RunsObserver for Silent {}
