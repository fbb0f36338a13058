//! Who receives messages about runs.

use fedbits_protocols::journal::Observer;
use fedbits_protocols::plan::StopRules;
use fedbits_record::results::{Results, StoredRun};
use fedbits_spec::Caveat;

use crate::runs::job::Job;

/// Receives messages. They are no results.
pub(crate) trait Listener: Sync {
    /// Who receives what this one does not.
    fn next(&self) -> Option<&dyn Listener> {
        None
    }

    /// A step was made.
    fn message(&self, line: &str) {
        self.next().into_iter().for_each(|next| next.message(line));
    }

    /// What results are not to be trusted without.
    fn caveat(&self, caveat: &Caveat) {
        self.next().into_iter().for_each(|next| next.caveat(caveat));
    }

    fn detail(&self, line: &str) {
        self.next().into_iter().for_each(|next| next.detail(line));
    }

    /// A run of an arm begins, which these rules end; returns the observer of its rows.
    fn follow(&self, _arm: &str, _stop: &StopRules) -> Option<Observer> {
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

pub(crate) struct Silent;

impl Listener for Silent {}

impl RunsObserver for Silent {}
