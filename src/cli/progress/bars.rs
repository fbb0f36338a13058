//! Bars on a terminal: one of all runs, and one for each of a handful of runs in progress.

use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use fedbits_spec::{threads, visible};
use indicatif::{MultiProgress, ProgressBar, ProgressStyle};

/// Bars of runs in progress at most.
const RUNS: usize = 5;
/// Thousandths: progress is a fraction of whichever stop rule is nearest.
const STEPS: f64 = 1_000.0;
/// How often bars are drawn where nothing else happens.
const TICK: Duration = Duration::from_millis(200);

/// The bars of a command.
pub(super) struct Bars {
    all: MultiProgress,
    /// Of all runs; none where there is one run.
    whole: Option<ProgressBar>,
    /// Bars of runs, and whether they are in use. A bar is used for one run after the other.
    runs: Mutex<Vec<(ProgressBar, bool)>>,
}

impl Bars {
    /// For so many runs, of which so many are made at once.
    pub(super) fn new(runs: u64, at_once: usize) -> Arc<Self> {
        let all = MultiProgress::new();
        let whole = (runs > 1).then(|| {
            let bar = all.add(ProgressBar::new(runs));
            bar.set_style(style("{bar:20}  {elapsed}  {wide_msg}"));
            bar
        });
        let run = |_| (all.add(ProgressBar::new(STEPS as u64).with_style(style(""))), false);
        let bars = Arc::new(Self { runs: Mutex::new((0..at_once.min(RUNS)).map(run).collect()), all, whole });
        keep_drawing(&bars);
        bars
    }

    /// Shows how far all runs are.
    pub(super) fn show(&self, done: u64, message: String) {
        if let Some(bar) = &self.whole {
            bar.set_position(done);
            bar.set_message(message);
        }
    }

    /// A bar for a run, if one is free.
    pub(super) fn begin(&self, name: &str) -> Option<RunBar> {
        let mut runs = self.runs.lock().unwrap_or_else(PoisonError::into_inner);
        let number = runs.iter().position(|(_, in_use)| !in_use)?;
        let (bar, in_use) = &mut runs[number];
        *in_use = true;
        // Beside the name and the message; a line that is too long for the terminal would be two.
        let free = crate::cli::wrap::width_of_errors().saturating_sub(name.chars().count() + 48).clamp(1, 30);
        let template = format!("{{prefix}} {{bar:{free}}} {{percent:>3}} %  {{elapsed}} (ETA {{eta}})  {{wide_msg}}");
        bar.set_style(style(&template));
        bar.set_prefix(visible(name));
        bar.set_message(String::new());
        bar.reset();
        Some(RunBar { bar: bar.clone(), number })
    }

    /// A run has ended; its bar goes where no other run begins.
    pub(super) fn end(&self, ended: &RunBar, is_last: bool) {
        let mut runs = self.runs.lock().unwrap_or_else(PoisonError::into_inner);
        let (bar, in_use) = &mut runs[ended.number];
        *in_use = false;
        if is_last {
            bar.finish_and_clear();
        }
    }

    /// Prints something else meanwhile.
    pub(super) fn suspend(&self, print: impl FnOnce()) {
        self.all.suspend(print);
    }

    /// Removes all of them.
    pub(super) fn clear(&self) {
        let runs = self.runs.lock().unwrap_or_else(PoisonError::into_inner);
        runs.iter().map(|(bar, _)| bar).chain(&self.whole).for_each(ProgressBar::finish_and_clear);
    }

    fn tick(&self) {
        let runs = self.runs.lock().unwrap_or_else(PoisonError::into_inner);
        let runs = runs.iter().filter(|(_, in_use)| *in_use).map(|(bar, _)| bar);
        runs.chain(&self.whole).filter(|bar| !bar.is_finished()).for_each(ProgressBar::tick);
    }
}

/// The bar of a run.
pub(super) struct RunBar {
    bar: ProgressBar,
    number: usize,
}

impl RunBar {
    /// Shows how far the run is.
    pub(super) fn show(&self, share: f64, message: String) {
        self.bar.set_position((share * STEPS) as u64);
        self.bar.set_message(message);
    }
}

fn style(template: &str) -> ProgressStyle {
    ProgressStyle::with_template(template).unwrap_or_else(|_| ProgressStyle::default_bar())
}

/// Draws bars again and again while they are there, so that their clocks go on where nothing else happens. The
/// library's own ticker panics where no thread can be made.
fn keep_drawing(bars: &Arc<Bars>) {
    let weak = Arc::downgrade(bars);
    // Without a thread they are drawn when something happens.
    let _ = threads::spawn("progress", None, move || {
        while let Some(bars) = weak.upgrade() {
            bars.tick();
            drop(bars);
            std::thread::sleep(TICK);
        }
    });
}
