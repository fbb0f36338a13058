//! What the library tells goes to standard error.

use fedbits_protocols::journal::Observer;
use fedbits_protocols::plan::StopRules;
use fedbits_record::study::StudyRecord;

use crate::cli::progress::Console;
use crate::cli::study_progress::Follower;
use crate::listener::{Finished, Listener};
use crate::study::Job;

impl Listener for Console {
    fn say(&self, line: &str) {
        Console::say(self, line);
    }

    fn caveat(&self, caveat: &str) {
        Console::caveat(self, caveat);
    }

    fn explain(&self, line: &str) {
        Console::explain(self, line);
    }

    fn follow(&self, name: &str, stop: StopRules) -> Option<Observer> {
        let mut follower = Console::follow(self, name, stop);
        Some(Box::new(move |row| follower.row(row)))
    }

    fn follow_study<'a>(&'a self, record: &StudyRecord, jobs: &[Job], workers: usize) -> Box<dyn Finished + 'a> {
        Box::new(Follower::new(self, record, jobs, workers))
    }
}
