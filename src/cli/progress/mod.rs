//! Console on standard error, and the progress of runs: bars on a terminal, sparse lines in a pipe, nothing but caveats
//! when quiet.

mod bars;
mod counts;
mod done;
mod rest;
mod runs;

use std::io::IsTerminal;
use std::sync::Arc;

use fedbits_protocols::journal::Observer;
use fedbits_record::study::{StoredRun, StudyRecord};
use fedbits_record::{Claim, FAILED, Manifest};
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

pub(crate) use self::counts::{Counts, ProgressReport, eta};
pub(crate) use self::runs::{Ended, Progress};
use crate::cli::stderr::print_line;
use crate::cli::style::WARN;
use crate::listener::{BegunRun, Listener, StudyObserver};
use crate::study::Job;

/// How much is printed.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Console {
    quiet: bool,
    verbose: bool,
    terminal: bool,
}

impl Console {
    /// By the flags.
    pub(crate) fn new(quiet: bool, verbose: bool) -> Self {
        Self { quiet, verbose, terminal: std::io::stderr().is_terminal() }
    }

    /// Is nothing said but results and caveats?
    pub(crate) fn is_quiet(&self) -> bool {
        self.quiet
    }

    /// Are there bars?
    fn has_bars(&self) -> bool {
        self.terminal && !self.quiet
    }

    /// A bar of the bytes of a file, where somebody looks.
    pub(crate) fn bytes(&self, name: &str, bytes: u64) -> ProgressBar {
        let target = if self.has_bars() { ProgressDrawTarget::stderr() } else { ProgressDrawTarget::hidden() };
        let bar = ProgressBar::with_draw_target(Some(bytes), target);
        let style = ProgressStyle::with_template("{msg} [{bar:20}] {bytes}/{total_bytes} {eta}");
        bar.set_style(style.unwrap_or_else(|_| ProgressStyle::default_bar()).progress_chars("=> "));
        bar.with_message(name.to_owned())
    }
}

impl Listener for Console {
    /// Prints a line, unless quiet.
    fn message(&self, line: &str) {
        if !self.quiet {
            print_line(line);
        }
    }

    /// Prints a caveat, however quiet: whoever takes the results must have seen it.
    fn caveat(&self, caveat: &str) {
        print_line(format_args!("{WARN}caveat:{WARN:#} {caveat}"));
    }

    /// Prints a line with `--verbose`.
    fn detail(&self, line: &str) {
        if self.verbose {
            print_line(line);
        }
    }

    fn follow(&self, run: &BegunRun<'_>) -> Option<Observer> {
        Progress::of_runs(*self, 1, None).run(run.name.to_owned()).follow(run)
    }

    fn follow_study<'a>(&'a self, record: &StudyRecord, jobs: &[Job], workers: usize) -> Box<dyn StudyObserver + 'a> {
        Box::new(Progress::of_study(*self, record, (jobs, workers), None))
    }
}

/// Listens to a study that reports its progress to other processes, too.
pub(crate) struct StudyListener {
    pub(crate) console: Console,
    pub(crate) claim: Arc<Claim>,
}

impl Listener for StudyListener {
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
        self.console.follow(run)
    }

    fn follow_study<'a>(&'a self, record: &StudyRecord, jobs: &[Job], workers: usize) -> Box<dyn StudyObserver + 'a> {
        let claim = Some(Arc::clone(&self.claim));
        Box::new(Progress::of_study(self.console, record, (jobs, workers), claim))
    }
}

/// Why a run failed, if it did.
pub(crate) fn failure(run: &StoredRun) -> Option<&str> {
    match run {
        StoredRun::NotRun(why) => Some(why),
        StoredRun::Finished(record) => why_failed(&record.manifest),
    }
}

/// Why the simulation failed, if it did.
pub(crate) fn why_failed(manifest: &Manifest) -> Option<&str> {
    let why = manifest.failure()?;
    Some(why.strip_prefix(FAILED).unwrap_or(why))
}
