//! Comparison of the arms of a study. Replicate r of every arm met the same data and the same weather, so arms are compared
//! replicate by replicate: the differences vary far less than the arms do.
//!
//! [`Samples`] takes what is needed from the runs of a study, or of single records; [`compare`] makes of it, for every
//! [`Measure`], medians under censoring, paired differences and ratios to the baseline with intervals, and ranks; and the
//! Pareto front. Nothing here prints.

mod paired;
mod pareto;
mod ranking;
mod samples;
mod student;
mod survival;

pub use paired::{Interval, Paired, mean_interval, resampled_interval};
pub use pareto::{Front, front};
pub use ranking::{Rank, ranks};
pub use samples::{Sample, SampleArm, Samples};
pub use student::t_quantile;
pub use survival::{Observation, kaplan_meier_median};

use fedbits_record::study::Reach;

/// What runs are compared by. Less is better in all of them.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct Measure {
    /// The number of the target it leads to; none: at the end of the run.
    pub target: Option<usize>,
    /// What is measured.
    pub what: Quantity,
}

/// What is measured of a run.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum Quantity {
    /// All bits: payload up, down and between peers, and packet headers.
    BitsTotal,
    /// Payload bits from clients to the server.
    BitsUp,
    /// Simulated seconds.
    Time,
    /// Rounds.
    Rounds,
    /// The last measured ‖h(Ŝ)‖², or the objective when no run measured that.
    Error,
}

impl Quantity {
    /// Its name in tables; the unit is that of the record: bits, seconds, rounds.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::BitsTotal => "bits_total",
            Self::BitsUp => "bits_up",
            Self::Time => "time_s",
            Self::Rounds => "rounds",
            Self::Error => "error",
        }
    }

    fn of_reach(self, reach: &Reach) -> Option<f64> {
        match self {
            Self::BitsTotal => Some(reach.bits_total as f64),
            Self::BitsUp => Some(reach.bits_up as f64),
            Self::Time => Some(reach.time_ns as f64 / 1e9),
            Self::Rounds => Some(reach.round as f64),
            Self::Error => None,
        }
    }
}

/// One measure over all arms.
#[derive(Clone, Debug, PartialEq)]
pub struct Block {
    /// What is measured.
    pub measure: Measure,
    /// An entry per arm.
    pub arms: Vec<ArmResult>,
}

/// What one measure says of one arm.
#[derive(Clone, Debug, PartialEq)]
pub struct ArmResult {
    /// Runs that were played.
    pub runs: usize,
    /// Those of them that got to the target; all, where there is none.
    pub reached: usize,
    /// Kaplan–Meier median; `None` when less than half get there.
    pub median: Option<f64>,
    /// Against the baseline; `None` for the baseline itself, and when no pair got there.
    pub paired: Option<Paired>,
    /// The place among the arms; `None` when fewer than two arms share replicates.
    pub rank: Option<Rank>,
}

/// All comparisons of a study.
#[derive(Clone, Debug, PartialEq)]
pub struct Comparison {
    /// One per measure: targets first, the end of the runs last.
    pub blocks: Vec<Block>,
    /// The Pareto front over (bits, time, error) at the end of the runs; an entry per arm, `None` when nothing was measured.
    pub front: Vec<Option<Front>>,
}

/// Compares all arms with the baseline, by every measure.
#[must_use]
pub fn compare(samples: &Samples) -> Comparison {
    let to_targets = (0..samples.targets.len()).flat_map(|target| {
        [Quantity::BitsTotal, Quantity::BitsUp, Quantity::Time, Quantity::Rounds]
            .map(|what| Measure { target: Some(target), what })
    });
    let at_end = [Quantity::BitsTotal, Quantity::Time, Quantity::Error].map(|what| Measure { target: None, what });
    let blocks = to_targets.chain(at_end).map(|measure| block(samples, measure)).collect();
    Comparison { blocks, front: front(samples) }
}

fn block(samples: &Samples, measure: Measure) -> Block {
    let baseline = samples.observations(samples.baseline, &measure);
    let ranks = ranks(samples, &measure);
    let arm = |(number, rank): (usize, Option<Rank>)| {
        let own = samples.observations(number, &measure);
        let observations: Vec<Observation> = own.values().copied().collect();
        ArmResult {
            runs: observations.len(),
            reached: observations.iter().filter(|observation| observation.reached).count(),
            median: kaplan_meier_median(&observations),
            paired: if number == samples.baseline { None } else { Paired::of(&own, &baseline) },
            rank,
        }
    };
    let arms = ranks.into_iter().enumerate().map(arm).collect();
    Block { measure, arms }
}

/// Arms that differ from the baseline on one axis alone: number of the axis, number of the arm; by axis, then level.
#[must_use]
pub fn one_at_a_time(samples: &Samples) -> Vec<(usize, usize)> {
    let base = &samples.arms[samples.baseline].levels;
    let differing = |levels: &[usize]| (0..levels.len()).filter(|&axis| levels[axis] != base[axis]).collect::<Vec<_>>();
    let single = |(number, arm): (usize, &SampleArm)| match differing(&arm.levels)[..] {
        [axis] => Some((axis, number)),
        _ => None,
    };
    let mut single: Vec<(usize, usize)> = samples.arms.iter().enumerate().filter_map(single).collect();
    single.sort();
    single
}
