//! Console on standard error, and the progress of runs: bars on a terminal, sparse lines in a pipe, nothing but caveats
//! when quiet.

mod bars;
mod console;
mod counts;
mod runs;

use fedbits_protocols::journal::Observer;
use fedbits_protocols::plan::StopRules;
use fedbits_record::results::Results;
use fedbits_spec::Caveat;

pub(crate) use self::console::Console;
pub(crate) use self::counts::{Counts, ProgressReport, eta};
pub(crate) use self::runs::{Progress, failure};
use crate::cli::style::WARN;
use crate::cli::wrap::error_line;
use crate::listener::{Listener, RunsObserver};
use crate::runs::Job;

impl Listener for Console {
    /// Prints a line, unless quiet.
    fn message(&self, line: &str) {
        if !self.quiet {
            error_line(line);
        }
    }

    /// Prints a caveat, however quiet: whoever takes the results must have seen it.
    fn caveat(&self, caveat: &Caveat) {
        error_line(format_args!("{WARN}caveat:{WARN:#} {caveat}"));
    }

    fn detail(&self, line: &str) {
        if self.verbose {
            error_line(line);
        }
    }

    fn follow(&self, arm: &str, stop: &StopRules) -> Option<Observer> {
        Progress::of_run(self.clone()).run(arm.to_owned()).follow(arm, stop)
    }

    fn follow_runs<'a>(&'a self, record: &Results, jobs: &[Job], workers: usize) -> Box<dyn RunsObserver + 'a> {
        Box::new(Progress::of_jobs(self.clone(), record, jobs, workers))
    }
}
