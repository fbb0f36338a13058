//! How long the rest of the runs takes.

use fedbits_record::results::Results;

use crate::runs::Job;

/// How long the rest takes: per arm, by the runs of the arm that are finished, else by those of all arms.
pub(crate) struct RemainingTime {
    arms: Vec<ArmTimes>,
    workers: usize,
}

#[derive(Clone, Default)]
struct ArmTimes {
    /// Runs to come, those in progress among them.
    to_come: u64,
    finished: u64,
    /// Host seconds that these took.
    seconds: f64,
}

impl ArmTimes {
    fn mean(&self) -> Option<f64> {
        (self.finished > 0).then(|| self.seconds / self.finished as f64)
    }
}

impl RemainingTime {
    pub(crate) fn of_run() -> Self {
        Self { arms: vec![ArmTimes { to_come: 1, ..ArmTimes::default() }], workers: 1 }
    }

    /// Before the first of `jobs`, run by this many workers at a time.
    pub(crate) fn of_jobs(record: &Results, jobs: &[Job], workers: usize) -> Self {
        let mut arms = vec![ArmTimes::default(); record.plan().arms.len()];
        jobs.iter().for_each(|job| arms[job.arm].to_come += 1);
        for run in record.runs().filter(|run| run.seconds > 0.0) {
            arms[run.arm].finished += 1;
            arms[run.arm].seconds += run.seconds;
        }
        Self { arms, workers }
    }

    pub(crate) fn done(&mut self, arm: usize, seconds: f64) {
        let times = &mut self.arms[arm];
        times.to_come -= 1;
        times.finished += 1;
        times.seconds += seconds;
    }

    /// Host seconds of a run of any arm.
    pub(crate) fn mean(&self) -> Option<f64> {
        let sum = |sum: ArmTimes, arm: &ArmTimes| ArmTimes {
            to_come: sum.to_come + arm.to_come,
            finished: sum.finished + arm.finished,
            seconds: sum.seconds + arm.seconds,
        };
        self.arms.iter().fold(ArmTimes::default(), sum).mean()
    }

    /// Host seconds; none before any run is finished.
    pub(crate) fn seconds(&self) -> Option<f64> {
        let usual = self.mean()?;
        let all: f64 = self.arms.iter().map(|arm| arm.to_come as f64 * arm.mean().unwrap_or(usual)).sum();
        Some(all / self.workers as f64)
    }
}
