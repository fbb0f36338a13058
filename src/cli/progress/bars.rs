//! Bars on a terminal: one of all runs, and one for each of a handful of runs in progress.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use fedbits_spec::{threads, visible};
use indicatif::{MultiProgress, ProgressBar, ProgressStyle};

const RUNS: usize = 5;
/// Thousandths: progress is a fraction of whichever stop rule is nearest.
pub(super) const STEPS: f64 = 1_000.0;
/// How often bars are drawn where nothing else happens.
const TICK: Duration = Duration::from_millis(200);

pub(super) struct Bars {
    all: MultiProgress,
    whole: Option<ProgressBar>,
    runs: Mutex<Vec<ProgressBar>>,
}

impl Bars {
    pub(super) fn new(runs: u64) -> Arc<Self> {
        let all = MultiProgress::new();
        let bar = || all.add(ProgressBar::new(runs)).with_style(style("{bar:20}  {elapsed}  {wide_msg}"));
        let bars = Arc::new(Self { whole: (runs > 1).then(bar), all, runs: Mutex::default() });
        keep_drawing(&bars);
        bars
    }

    pub(super) fn show(&self, done: u64, message: String) {
        if let Some(bar) = &self.whole {
            bar.set_position(done);
            bar.set_message(message);
        }
    }

    /// A bar of [`STEPS`] for a run, where there is room; it is there until it is finished.
    pub(super) fn begin(&self, name: &str) -> Option<ProgressBar> {
        let mut runs = self.unfinished();
        if runs.len() == RUNS {
            return None;
        }
        // Beside the name and the message; a line that is too long for the terminal would be two.
        let free = crate::cli::wrap::width_of_errors().saturating_sub(name.chars().count() + 48).clamp(1, 30);
        let template = format!("{{prefix}} {{bar:{free}}} {{percent:>3}} %  {{elapsed}} (ETA {{eta}})  {{wide_msg}}");
        let bar = ProgressBar::new(STEPS as u64).with_style(style(&template)).with_prefix(visible(name));
        runs.push(self.all.add(bar));
        runs.last().cloned()
    }

    /// Removes the bar of a run: a finished one would be looked at whenever the others are drawn.
    pub(super) fn end(&self, bar: &ProgressBar) {
        bar.finish_and_clear();
        self.all.remove(bar);
    }

    pub(super) fn suspend(&self, print: impl FnOnce()) {
        self.all.suspend(print);
    }

    pub(super) fn clear(&self) {
        self.unfinished().iter().chain(&self.whole).for_each(ProgressBar::finish_and_clear);
    }

    fn unfinished(&self) -> MutexGuard<'_, Vec<ProgressBar>> {
        let mut runs = self.runs.lock().unwrap_or_else(PoisonError::into_inner);
        runs.retain(|bar| !bar.is_finished());
        runs
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
            let whole = bars.whole.iter().filter(|bar| !bar.is_finished());
            bars.unfinished().iter().chain(whole).for_each(ProgressBar::tick);
            drop(bars);
            std::thread::sleep(TICK);
        }
    });
}
