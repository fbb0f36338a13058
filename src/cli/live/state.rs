//! What is known of a run or a study while it goes on: what the screen shows, and what other terminals read.

use fedbits_protocols::plan::Measure;
use fedbits_record::RoundRow;
use serde::{Deserialize, Serialize};

/// What can be shown of a row, upwards.
pub(crate) const MEASURES: [Measure; 4] =
    [Measure::MeanFieldSq, Measure::Objective, Measure::Accuracy, Measure::HeldOut];

/// Points that a curve keeps at most.
const POINTS: usize = 1_024;

/// What a command does, and how far it is.
#[derive(Clone, Debug, Default, Deserialize, PartialEq, Serialize)]
pub(crate) struct LiveState {
    /// Name of the scenario or study.
    pub(crate) name: String,
    /// The machine.
    pub(crate) host: String,
    /// The process on it.
    pub(crate) process: u32,
    /// Counts up each time that it is written: a sign of life that needs no clock that two machines share.
    pub(crate) beat: u64,
    /// Host seconds since it began.
    pub(crate) seconds: f64,
    /// The step that it is at, in words.
    pub(crate) doing: String,
    /// What must be known before the results are trusted.
    pub(crate) caveats: Vec<String>,
    /// The arms of a run that have begun, in their order.
    pub(crate) arms: Vec<ArmState>,
    /// How many arms a run has.
    pub(crate) arms_planned: usize,
    /// Of a study: its runs.
    pub(crate) jobs: Option<JobsState>,
}

/// The state of a run of this many arms at its beginning.
pub(crate) fn of_run(name: &str, arms: usize) -> LiveState {
    LiveState { arms_planned: arms, ..begun(name) }
}

/// The state of a study at its beginning.
pub(crate) fn of_study(name: &str) -> LiveState {
    begun(name)
}

fn begun(name: &str) -> LiveState {
    let host = rustix::system::uname().nodename().to_string_lossy().into_owned();
    let doing = "preparing".to_owned();
    LiveState { name: name.to_owned(), host, process: std::process::id(), doing, ..LiveState::default() }
}

/// An arm of a run.
#[derive(Clone, Debug, Default, Deserialize, PartialEq, Serialize)]
pub(crate) struct ArmState {
    /// Its name.
    pub(crate) name: String,
    /// Why it ended, once it did.
    pub(crate) ended: Option<Ended>,
    /// Host seconds since its first round began; at the end those of the whole arm.
    pub(crate) seconds: f64,
    /// Share of the run that is done, up to the nearest end that can be counted; none where no end can be.
    pub(crate) fraction: Option<f64>,
    /// Rounds per host second of late.
    pub(crate) rounds_per_second: Option<f64>,
    /// Its rows.
    pub(crate) curve: Curve,
}

/// How an arm ended.
#[derive(Clone, Debug, Deserialize, PartialEq, Serialize)]
pub(crate) struct Ended {
    /// In words.
    pub(crate) why: String,
    /// Did it fail, or could it not be run?
    pub(crate) failed: bool,
}

impl ArmState {
    /// Host seconds to its end, at the pace so far.
    pub(crate) fn rest(&self) -> Option<f64> {
        let done = self.fraction.filter(|done| *done > 0.0)?;
        Some(self.seconds / done * (1.0 - done))
    }
}

/// The runs of a study that this process makes.
#[derive(Clone, Debug, Default, Deserialize, PartialEq, Serialize)]
pub(crate) struct JobsState {
    /// Host seconds to its end, as far as can be said.
    pub(crate) rest: Option<f64>,
    /// Those under way.
    pub(crate) running: Vec<RunningJob>,
}

/// A run of a study that is under way.
#[derive(Clone, Debug, Deserialize, PartialEq, Serialize)]
pub(crate) struct RunningJob {
    /// The number of its arm.
    pub(crate) arm: usize,
    /// Its replicate.
    pub(crate) replicate: u64,
    /// As of an arm of a run.
    pub(crate) state: ArmState,
}

/// A recorded row, as far as it is shown.
#[derive(Clone, Copy, Debug, Default, Deserialize, PartialEq, Serialize)]
pub(crate) struct Point {
    /// Round.
    pub(crate) round: u64,
    /// Virtual time in ns.
    pub(crate) time_ns: u64,
    /// All bits, headers too.
    pub(crate) bits: u64,
    /// Values in the order of [`MEASURES`].
    pub(crate) values: [Option<f64>; MEASURES.len()],
}

impl Point {
    /// What a row says, of a run with these columns of its own.
    pub(crate) fn of(row: &RoundRow, extra_columns: &[String]) -> Self {
        let values = MEASURES.map(|measure| row.value(measure.column(), extra_columns));
        Self { round: row.round, time_ns: row.time_ns, bits: row.bits_total(), values }
    }
}

/// The rows of a run so far, in bounded memory: those that measured something, evenly thinned when there are many, and
/// the last.
#[derive(Clone, Debug, Default, Deserialize, PartialEq, Serialize)]
pub(crate) struct Curve {
    points: Vec<Point>,
    /// Of the rows that measured something, every so many is kept (as a power of two).
    thinned: u32,
    measured: u64,
    last: Option<Point>,
    last_measured: Option<Point>,
}

impl Curve {
    /// Takes the next row.
    pub(crate) fn push(&mut self, point: Point) {
        self.last = Some(point);
        if point.values.iter().all(Option::is_none) {
            return;
        }
        self.last_measured = Some(point);
        if self.measured.is_multiple_of(1 << self.thinned) {
            if self.points.len() == POINTS {
                let mut place = 0;
                self.points.retain(|_| {
                    place += 1;
                    place % 2 == 1
                });
                self.thinned += 1;
            }
            self.points.push(point);
        }
        self.measured += 1;
    }

    /// The last row.
    pub(crate) fn last(&self) -> Option<&Point> {
        self.last.as_ref()
    }

    /// The last row that measured something.
    pub(crate) fn last_measured(&self) -> Option<&Point> {
        self.last_measured.as_ref()
    }

    /// What is kept, the last measurement at the end.
    pub(crate) fn points(&self) -> impl Iterator<Item = &Point> + Clone {
        let last = self.last_measured.as_ref().filter(|last| self.points.last() != Some(last));
        self.points.iter().chain(last)
    }

    /// At most this many of its points, for many curves side by side.
    pub(crate) fn at_most(self, points: usize) -> Self {
        let every = self.points.len().div_ceil(points.max(1)).max(1);
        Self { points: self.points.iter().step_by(every).copied().collect(), ..self }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn point(round: u64, measured: bool) -> Point {
        Point { round, values: [measured.then_some(round as f64), None, None, None], ..Point::default() }
    }

    #[test]
    fn a_curve_is_bounded_even_and_ends_with_the_last_row() {
        let mut curve = Curve::default();
        for round in 0..1_000_001 {
            curve.push(point(round, round % 10 == 0));
        }
        let rounds: Vec<u64> = curve.points().map(|point| point.round).collect();
        assert!(rounds.len() > POINTS / 2 && rounds.len() <= POINTS + 1, "{}", rounds.len());
        assert_eq!((rounds[0], rounds.last().copied()), (0, Some(1_000_000)));
        let steps: Vec<u64> = rounds.windows(2).map(|pair| pair[1] - pair[0]).collect();
        assert!(steps[..steps.len() - 1].iter().all(|step| *step == steps[0]), "{steps:?}");
        curve.push(point(1_000_001, false));
        assert_eq!(curve.last().map(|point| point.round), Some(1_000_001));
        assert_eq!(curve.last_measured().map(|point| point.round), Some(1_000_000));
        let few = curve.at_most(10);
        assert!(few.points().count() <= 12);
    }

    #[test]
    fn what_is_written_reads_back() {
        let mut curve = Curve::default();
        curve.push(Point { bits: u64::MAX, values: [Some(0.1 + 0.2), Some(-1e-300), None, None], ..point(1, true) });
        let arm = ArmState { name: "a".to_owned(), curve, ..ArmState::default() };
        let state = LiveState { arms: vec![arm], jobs: Some(JobsState::default()), ..LiveState::default() };
        let text = serde_json::to_string(&state).unwrap();
        assert_eq!(serde_json::from_str::<LiveState>(&text).unwrap(), state);
    }
}
