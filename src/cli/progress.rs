//! Console on standard error: a bar on a terminal, sparse lines in a pipe, nothing but caveats when quiet.

use std::io::IsTerminal;
use std::time::Duration;

use fedbits_protocols::plan::StopRules;
use fedbits_record::RoundRow;
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

use crate::cli::stderr::print_line;
use crate::machine::Stopwatch;

/// How much is said.
#[derive(Clone, Copy, Debug)]
pub struct Console {
    quiet: bool,
    verbose: bool,
    terminal: bool,
}

impl Console {
    /// As the flags say.
    pub fn new(quiet: bool, verbose: bool) -> Self {
        Self { quiet, verbose, terminal: std::io::stderr().is_terminal() }
    }

    /// Says a line, unless quiet.
    pub fn say(&self, line: impl AsRef<str>) {
        if !self.quiet {
            print_line(line.as_ref());
        }
    }

    /// Says what results are not to be trusted without, however quiet: whoever takes the results must have seen it.
    pub fn caveat(&self, caveat: impl AsRef<str>) {
        print_line(format_args!("caveat: {}", caveat.as_ref()));
    }

    /// Says a line when asked for more.
    pub fn explain(&self, line: impl AsRef<str>) {
        if self.verbose {
            print_line(line.as_ref());
        }
    }

    /// Whether progress is shown as a bar.
    pub fn has_bars(&self) -> bool {
        self.terminal && !self.quiet
    }

    /// Follows a run.
    pub fn follow(&self, name: &str, stop: StopRules) -> Follower {
        let way = match (self.quiet, self.terminal) {
            (true, _) => Way::Silent,
            (false, true) => Way::Bar(bar(name)),
            (false, false) => Way::Lines { next: 0.1, said: 0.0, watch: Stopwatch::start() },
        };
        Follower { name: name.to_owned(), stop, way }
    }
}

/// Thousandths: progress is a fraction of whichever stop rule is nearest.
const STEPS: f64 = 1_000.0;

fn bar(name: &str) -> ProgressBar {
    let bar = ProgressBar::with_draw_target(Some(STEPS as u64), ProgressDrawTarget::stderr());
    let style = ProgressStyle::with_template("{prefix} {bar:30} {percent:>3} %  {elapsed} (ETA {eta})  {msg}");
    bar.set_style(style.unwrap_or_else(|_| ProgressStyle::default_bar()));
    bar.set_prefix(name.to_owned());
    bar.enable_steady_tick(Duration::from_millis(200));
    bar
}

/// Seconds between two lines in a pipe: a short run has none.
const LINE_EVERY: f64 = 1.0;

/// Is told of every row of a run.
pub struct Follower {
    name: String,
    stop: StopRules,
    way: Way,
}

enum Way {
    Silent,
    Bar(ProgressBar),
    /// At each tenth of the way, `said` being when the last one was.
    Lines {
        next: f64,
        said: f64,
        watch: Stopwatch,
    },
}

impl Follower {
    /// A row was recorded.
    pub fn row(&mut self, row: &RoundRow) {
        let done = fraction(&self.stop, row);
        match &mut self.way {
            Way::Silent => {}
            Way::Bar(bar) => {
                bar.set_position((done * STEPS) as u64);
                bar.set_message(message(row));
            }
            Way::Lines { next, said, watch } => {
                let seconds = watch.seconds();
                if done >= *next && seconds >= *said + LINE_EVERY {
                    *said = seconds;
                    let rest = seconds / done * (1.0 - done);
                    let (name, percent) = (&self.name, 100.0 * done);
                    print_line(format_args!(
                        "{name}: {percent:.0} %, {}; {seconds:.1} s, ETA {rest:.1} s",
                        message(row)
                    ));
                    *next = (10.0 * done).floor() / 10.0 + 0.1;
                }
            }
        }
    }
}

impl Drop for Follower {
    fn drop(&mut self) {
        if let Way::Bar(bar) = &self.way {
            bar.finish_and_clear();
        }
    }
}

fn message(row: &RoundRow) -> String {
    match row.mean_field_sq {
        Some(field) => format!("round {}, ‖h‖² {field:.2e}", row.round),
        None => format!("round {}", row.round),
    }
}

/// How much of the way to the nearest countable end is done.
fn fraction(stop: &StopRules, row: &RoundRow) -> f64 {
    let bits = row.bits_up + row.bits_down + row.bits_peer + row.bits_header;
    let parts = [
        stop.rounds.map(|limit| row.round as f64 / limit as f64),
        stop.epochs.map(|limit| row.epochs / limit),
        stop.time.map(|limit| row.time_ns as f64 / limit.as_nanos() as f64),
        stop.bits.map(|limit| bits as f64 / limit.count() as f64),
    ];
    parts.into_iter().flatten().fold(0.0, f64::max).min(1.0)
}
