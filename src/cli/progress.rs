//! Console on standard error: a bar on a terminal, sparse lines in a pipe, nothing but caveats when quiet.

use std::io::IsTerminal;

use fedbits_protocols::journal::Observer;
use fedbits_protocols::plan::StopRules;
use fedbits_record::RoundRow;
use fedbits_record::study::StudyRecord;
use fedbits_spec::visible;
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

use crate::cli::done;
use crate::cli::stderr::print_line;
use crate::cli::study_progress::{Shown, StudyProgress, keep_drawing};
use crate::cli::style::WARN;
use crate::listener::{BegunRun, Listener, StudyObserver};
use crate::machine::Stopwatch;
use crate::study::Job;

/// How much is printed.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Console {
    quiet: bool,
    verbose: bool,
    terminal: bool,
    /// Is the progress shown elsewhere, on a screen?
    screen: bool,
}

impl Console {
    /// By the flags.
    pub(crate) fn new(quiet: bool, verbose: bool) -> Self {
        Self { quiet, verbose, terminal: std::io::stderr().is_terminal(), screen: false }
    }

    /// The same while a screen shows the progress.
    pub(crate) fn behind_screen(self) -> Self {
        Self { screen: true, ..self }
    }

    /// Is nothing said but results and caveats?
    pub(crate) fn is_quiet(&self) -> bool {
        self.quiet
    }
}

impl Console {
    /// A bar of the bytes of a file, where somebody looks.
    pub(crate) fn bytes(&self, name: &str, bytes: u64) -> ProgressBar {
        let seen = self.terminal && !self.quiet;
        let bar = ProgressBar::with_draw_target(
            Some(bytes),
            if seen { ProgressDrawTarget::stderr() } else { ProgressDrawTarget::hidden() },
        );
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
        let BegunRun { name, stop, .. } = *run;
        let display = match (self.quiet || self.screen, self.terminal) {
            (true, _) => return None,
            (false, true) => Display::Bar(bar(name)),
            (false, false) => Display::Lines { next: 0.1, printed: 0.0, watch: Stopwatch::start() },
        };
        let mut progress = RunProgress { name: name.to_owned(), stop, display };
        Some(Box::new(move |row| progress.row(row)))
    }

    fn follow_study<'a>(&'a self, record: &StudyRecord, jobs: &[Job], workers: usize) -> Box<dyn StudyObserver + 'a> {
        let shown = match (self.screen, self.terminal && !self.quiet) {
            (true, _) => Shown::Failures,
            (false, true) => Shown::Bar,
            (false, false) => Shown::Lines,
        };
        Box::new(StudyProgress::new(self, shown, record, (jobs, workers)))
    }
}

/// Thousandths: progress is a fraction of whichever stop rule is nearest.
const STEPS: f64 = 1_000.0;

fn bar(name: &str) -> ProgressBar {
    let bar = ProgressBar::with_draw_target(Some(STEPS as u64), ProgressDrawTarget::stderr());
    // Beside the name and the message; a line that is too long for the terminal would be two.
    let free = crate::cli::wrap::width_of_errors().saturating_sub(name.chars().count() + 48).min(30);
    let template =
        format!("{{prefix}} {{bar:{}}} {{percent:>3}} %  {{elapsed}} (ETA {{eta}})  {{wide_msg}}", free.max(1));
    let style = ProgressStyle::with_template(&template);
    bar.set_style(style.unwrap_or_else(|_| ProgressStyle::default_bar()));
    bar.set_prefix(visible(name));
    keep_drawing(&bar);
    bar
}

/// Seconds between two lines in a pipe: a short run has none.
const LINE_EVERY: f64 = 1.0;

/// The progress of a run.
struct RunProgress {
    name: String,
    stop: StopRules,
    display: Display,
}

enum Display {
    Bar(ProgressBar),
    /// A line at each tenth of the run; the last one was `printed` after that many seconds.
    Lines {
        next: f64,
        printed: f64,
        watch: Stopwatch,
    },
}

impl RunProgress {
    fn row(&mut self, row: &RoundRow) {
        let done = done::share(&self.stop, row).unwrap_or(0.0);
        match &mut self.display {
            Display::Bar(bar) => {
                bar.set_position((done * STEPS) as u64);
                bar.set_message(round(row));
            }
            Display::Lines { next, printed, watch } => {
                let seconds = watch.seconds();
                if done >= *next && seconds >= *printed + LINE_EVERY {
                    *printed = seconds;
                    let rest = seconds / done * (1.0 - done);
                    let (name, percent) = (&self.name, 100.0 * done);
                    print_line(format_args!("{name}: {percent:.0} %, {}; {seconds:.1} s, ETA {rest:.1} s", round(row)));
                    *next = (10.0 * done).floor() / 10.0 + 0.1;
                }
            }
        }
    }
}

impl Drop for RunProgress {
    fn drop(&mut self) {
        if let Display::Bar(bar) = &self.display {
            bar.finish_and_clear();
        }
    }
}

fn round(row: &RoundRow) -> String {
    match row.mean_field_sq {
        Some(field) => format!("round {}, ‖h‖² {field:.2e}", row.round),
        None => format!("round {}", row.round),
    }
}
