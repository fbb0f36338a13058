//! The progress of a whole study: how many runs are done, how many failed, how long the rest will take.

use fedbits_record::study::{StoredRun, StudyRecord};
use fedbits_record::{FAILED, Manifest};
use fedbits_spec::{so_many, threads};
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

use crate::cli::units::duration;
use crate::listener::{Listener, StudyObserver};
use crate::machine::Stopwatch;
use crate::study::Job;

/// What is shown of it.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(crate) enum Shown {
    /// A bar.
    Bar,
    /// A line now and then.
    Lines,
    /// Failures alone.
    Failures,
}

/// The progress of a study.
pub(crate) struct StudyProgress<'a> {
    console: &'a dyn Listener,
    bar: Option<ProgressBar>,
    lines: bool,
    watch: Stopwatch,
    total: usize,
    done: usize,
    failed: usize,
    not_run: usize,
    /// Share of the runs after which the next line is due, where there is no bar.
    next: f64,
    rest: RemainingTime,
    /// Names of the arms.
    arms: Vec<String>,
}

impl<'a> StudyProgress<'a> {
    /// Of `jobs`, run by this many workers at a time.
    pub(crate) fn new(
        console: &'a dyn Listener,
        shown: Shown,
        record: &StudyRecord,
        (jobs, workers): (&[Job], usize),
    ) -> Self {
        Self {
            console,
            bar: (shown == Shown::Bar).then(|| bar(jobs.len())),
            lines: shown == Shown::Lines,
            watch: Stopwatch::start(),
            total: jobs.len(),
            done: 0,
            failed: 0,
            not_run: 0,
            next: 0.1,
            rest: RemainingTime::new(record, jobs, workers),
            arms: record.plan().arms.iter().map(|arm| arm.name.clone()).collect(),
        }
    }

    fn message(&self, line: &str) {
        match &self.bar {
            Some(bar) => bar.suspend(|| self.console.message(line)),
            None => self.console.message(line),
        }
    }
}

impl StudyObserver for StudyProgress<'_> {
    fn done(&mut self, job: &Job, run: &StoredRun, seconds: f64) {
        self.done += 1;
        self.rest.done(job.arm, seconds);
        if let Some(why) = failure(run) {
            let (count, what) = match run {
                StoredRun::NotRun(_) => (&mut self.not_run, "could not be begun"),
                StoredRun::Finished(_) => (&mut self.failed, "failed"),
            };
            *count += 1;
            // Hundreds of failures mostly have one reason.
            if *count <= 5 {
                let (replicate, arm) = (job.replicate, &self.arms[job.arm]);
                self.message(&format!("replicate {replicate} of arm `{arm}` {what}: {why}"));
            }
        }
        let counts = [(self.failed, "failed"), (self.not_run, "not begun")];
        let failed = counts.iter().filter(|(count, _)| *count > 0).map(|(count, what)| format!(", {count} {what}"));
        let (failed, rest) = (failed.collect::<String>(), self.rest.seconds());
        match &self.bar {
            Some(bar) => {
                bar.set_position(self.done as u64);
                bar.set_message(format!("ETA {}{failed}", duration(rest)));
            }
            None if self.lines && self.done as f64 >= self.next * self.total as f64 => {
                self.next = (10.0 * self.done as f64 / self.total as f64).floor() / 10.0 + 0.1;
                let (seconds, done, total) = (duration(self.watch.seconds()), self.done, self.total);
                self.console.message(&format!(
                    "{done} of {}{failed}; {seconds}, ETA {}",
                    so_many(total, "run"),
                    duration(rest)
                ));
            }
            None => {}
        }
    }
}

impl Drop for StudyProgress<'_> {
    fn drop(&mut self) {
        if let Some(bar) = &self.bar {
            bar.finish_and_clear();
        }
    }
}

fn bar(runs: usize) -> ProgressBar {
    let bar = ProgressBar::with_draw_target(Some(runs as u64), ProgressDrawTarget::stderr());
    let style = ProgressStyle::with_template("{pos}/{len} runs {bar:20}  {elapsed}  {wide_msg}");
    bar.set_style(style.unwrap_or_else(|_| ProgressStyle::default_bar()));
    keep_drawing(&bar);
    bar
}

/// Draws a bar again and again while it is there, so that its clock goes on where nothing else happens. The library's
/// own ticker panics where no thread can be made.
pub(crate) fn keep_drawing(bar: &ProgressBar) {
    let weak = bar.downgrade();
    // Without a thread it is drawn when something happens.
    let _ = threads::spawn("progress", None, move || {
        while let Some(bar) = weak.upgrade().filter(|bar| !bar.is_finished()) {
            bar.tick();
            drop(bar);
            std::thread::sleep(std::time::Duration::from_millis(200));
        }
    });
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

/// How long the rest takes: per arm, by the runs of the arm that are finished, else by those of all arms.
pub(crate) struct RemainingTime {
    /// Runs to come, runs finished, and the seconds that these took, of each arm.
    arms: Vec<(usize, u64, f64)>,
    workers: usize,
}

impl RemainingTime {
    /// Before the first of `jobs`, run by this many workers at a time.
    pub(crate) fn new(record: &StudyRecord, jobs: &[Job], workers: usize) -> Self {
        let mut arms = vec![(0, 0, 0.0); record.plan().arms.len()];
        jobs.iter().for_each(|job| arms[job.arm].0 += 1);
        for run in record.runs().filter(|run| run.seconds > 0.0) {
            arms[run.arm].1 += 1;
            arms[run.arm].2 += run.seconds;
        }
        Self { arms, workers }
    }

    /// A run of an arm is done.
    pub(crate) fn done(&mut self, arm: usize, seconds: f64) {
        let (to_come, finished, sum) = &mut self.arms[arm];
        *to_come -= 1;
        *finished += 1;
        *sum += seconds;
    }

    /// Host seconds.
    pub(crate) fn seconds(&self) -> f64 {
        let (finished, sum) = self.arms.iter().fold((0, 0.0), |(count, sum), arm| (count + arm.1, sum + arm.2));
        let mean = |count: u64, sum: f64| if count > 0 { Some(sum / count as f64) } else { None };
        let usual = mean(finished, sum).unwrap_or(0.0);
        let all: f64 = self.arms.iter().map(|arm| arm.0 as f64 * mean(arm.1, arm.2).unwrap_or(usual)).sum();
        all / self.workers as f64
    }
}
