//! Who is told what goes on.

use fedbits_protocols::journal::Observer;
use fedbits_protocols::plan::StopRules;
use fedbits_record::study::{StoredRun, StudyRecord};

use crate::study::Job;

/// Is told what goes on. What it is told is no result.
pub(crate) trait Listener: Sync {
    /// A step was made.
    fn say(&self, _line: &str) {}

    /// What results are not to be trusted without.
    fn caveat(&self, _caveat: &str) {}

    /// A detail.
    fn explain(&self, _line: &str) {}

    /// A run begins: who is shown its rows.
    fn follow(&self, _name: &str, _stop: StopRules) -> Option<Observer> {
        None
    }

    /// The runs of a study begin, `workers` at a time: who is told of every run that is finished.
    fn follow_study<'a>(&'a self, _record: &StudyRecord, _jobs: &[Job], _workers: usize) -> Box<dyn Finished + 'a> {
        Box::new(Silent)
    }
}

/// Is told of the runs of a study.
pub(crate) trait Finished: Send {
    /// The result of a run is in the store; it took this many seconds.
    fn done(&mut self, _job: &Job, _run: &StoredRun, _seconds: f64) {}
}

/// Hears nothing.
pub(crate) struct Silent;

impl Listener for Silent {}

impl Finished for Silent {}
